"""Open files for reading, with one-line errors: local files and URIs, plain and gzip, whole or by lines."""

from __future__ import annotations

import gzip
import os
import re
import shutil
import stat
import tempfile
import zlib
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from contextlib import contextmanager, suppress
from io import BufferedRandom, BufferedReader, BufferedWriter, FileIO
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, cast

from tmt.core.errors import InputError, reason_of
from tmt.core.words.refusals import refusal
from tmt.io.atomic import file_system, is_uri

if TYPE_CHECKING:
    from collections.abc import Iterator

BinaryFile = BufferedReader | BufferedRandom | gzip.GzipFile
"""Files that readers accept; a file of pyarrow's can be used as the first kind."""

_GZIP_MAGIC = b"\x1f\x8b"
_HEAD_BYTES = 4096

_BLOCK_BYTES = 1 << 21
_MAX_LINE_BYTES = 1 << 16
MAX_JSON_LINE_BYTES = 1 << 24
"""Longest line that is a JSON document."""
MOST_WHOLE_BYTES = 1 << 29
"""Largest content that is read as a whole: as Python objects it takes ten times the memory."""
_LINE = re.compile(rb"[^\n]*\n|[^\n]+")


def open_input(path: str) -> BinaryFile:
    """Open `path` for reading, decompressed if it ends in ``.gz``; the file can seek unless it is gzip.

    InputError when there is no such file, it is empty, or its ending and its first bytes disagree about gzip.
    """
    try:
        file = _opened(path)
        magic = file.read(2)
        file.seek(0)
    except InputError:
        raise
    except (OSError, ValueError) as error:
        raise InputError(path, f"cannot be read: {reason_of(error)}") from error
    zipped = path.lower().endswith(".gz")
    try:
        if not magic:
            raise InputError(path, refusal("empty_file"))
        if magic in (BOM_UTF16_LE, BOM_UTF16_BE):
            raise InputError(path, "this is text in UTF-16; UTF-8 is needed")
        if zipped != (magic == _GZIP_MAGIC):
            raise InputError(path, refusal("not_gzip" if zipped else "gzip"))
    except InputError:
        file.close()
        raise
    if not zipped:
        return file
    unzipped = gzip.GzipFile(fileobj=file, mode="rb")
    unzipped.myfileobj = cast("FileIO", file)  # closed together with it
    with suppress(EOFError, OSError, zlib.error):  # the reader meets the damage later, with its line
        if not unzipped.peek(1):
            unzipped.close()
            raise InputError(path, refusal("empty_file"))
    return unzipped


def open_output(part: Path) -> BufferedWriter | gzip.GzipFile:
    """Open a local file for writing, compressed if it ends in ``.gz``, without name and date in the gzip
    header.
    """
    file = part.open("wb")
    if part.suffix != ".gz":
        return file
    zipped = gzip.GzipFile("", "wb", compresslevel=6, fileobj=file, mtime=0)
    zipped.myfileobj = cast("FileIO", file)  # closed together with it
    return zipped


def _opened(path: str) -> BufferedReader:
    local = path
    if is_uri(path):
        system, local = file_system(path)
        if system.type_name != "local":
            return cast("BufferedReader", system.open_input_file(local))
    if Path(local).is_dir():
        raise InputError(path, "this is a folder; a file is needed")
    if not stat.S_ISREG(Path(local).stat().st_mode):  # opening a pipe would wait
        raise InputError(path, "this is not a regular file; write its content into a file first")
    return Path(local).open("rb")


def size_of(path: str) -> int | None:
    """Return the size of a file in bytes; None if it is unknown."""
    try:
        if not is_uri(path):
            return Path(path).stat().st_size
        system, inner = file_system(path)
        size: int | None = system.get_file_info(inner).size
    except (OSError, ValueError):
        return None
    return size


@contextmanager
def input_errors(path: str) -> Iterator[None]:
    """Turn errors of reading the file `path` into an `InputError`."""
    try:
        yield
    except EOFError:
        raise InputError(path, refusal("gzip_cut")) from None
    except (gzip.BadGzipFile, zlib.error):
        raise InputError(path, refusal("gzip_damaged")) from None
    except OSError as error:
        raise InputError(path, f"cannot be read: {os.strerror(error.errno or 0)}") from error


def head_of(path: str) -> bytes:
    """Return the first bytes of `path`, decompressed."""
    with open_input(path) as file, input_errors(path):
        return file.read1(_HEAD_BYTES)


def whole(path: str) -> bytes:
    """Return the content of a file that is read as a whole, decompressed (InputError for a larger one)."""
    with open_input(path) as file, input_errors(path):
        content = file.read(MOST_WHOLE_BYTES + 1)
    if len(content) > MOST_WHOLE_BYTES:
        reason = f"its content has more than {MOST_WHOLE_BYTES >> 20} MiB, and is read as a whole"
        raise InputError(path, f"{reason}; a part of it is needed")
    return content


def seekable(path: str, file: BinaryFile) -> BinaryFile:
    """Return a file in which seeking is cheap: `file` itself, or a temporary copy of compressed content."""
    if not path.lower().endswith(".gz"):
        return file
    copy = tempfile.TemporaryFile()  # noqa: SIM115 (the reader closes it)
    try:
        with file, input_errors(path):
            shutil.copyfileobj(file, copy, 1 << 20)
        copy.seek(0)
    except BaseException:
        copy.close()
        raise
    return copy


class LineBlocks:
    """A binary file cut into blocks of whole lines; `line` is the number of the next one, from 1."""

    def __init__(self, file: BinaryFile, path: str, max_line_bytes: int = _MAX_LINE_BYTES) -> None:
        self.path, self._max_line_bytes = path, max_line_bytes
        self.file, self._held, self.line = file, b"", 1
        self._ended = False
        self._error: InputError | None = None

    def first_line(self) -> str:
        """Return the next line without consuming it."""
        self._fill()
        if self._error is not None and b"\n" not in self._held:
            raise self._at_line(self._error)
        return self._held.split(b"\n", 1)[0].decode("utf-8", "replace").strip()

    def skip_line(self) -> None:
        """Consume the line that `first_line` returned."""
        self._held = self._held.partition(b"\n")[2]
        self.line += 1

    def blocks(self) -> Iterator[tuple[int, bytes]]:
        """Yield the number of a block's first line and the block."""
        while True:
            self._fill()
            whole = self._ended and self._error is None
            cut = len(self._held) if whole else self._held.rfind(b"\n") + 1
            block, self._held = self._held[:cut], self._held[cut:]
            if block:
                yield self.line, block
                self.line += block.count(b"\n")
            if self._error is not None:
                raise self._at_line(self._error)
            if self._ended:
                return

    def _fill(self) -> None:
        """Read on; delay an error until the lines before it have been used, so that its line is known."""
        pieces, left = [self._held], 0 if self._ended else _BLOCK_BYTES
        try:
            with input_errors(self.path):
                while left > 0:
                    pieces.append(self.file.read1(left))
                    left -= len(pieces[-1])
                    if not pieces[-1]:
                        self._ended = True
                        break
        except InputError as error:
            self._ended, self._error = True, error
        self._held = b"".join(pieces)
        most = self._max_line_bytes
        if len(self._held) > most and b"\n" not in self._held[:most]:
            raise InputError(self.path, refusal("long_line", limit=most), self.line)

    def _at_line(self, error: InputError) -> InputError:
        return InputError(self.path, error.reason, self.line)


class TextLine(NamedTuple):
    """A line that is not blank."""

    number: int
    """From 1."""
    text: str
    """Without surrounding blanks."""
    ended: bool
    """Whether a line end follows; the last line of a truncated log has none."""


def text_lines(
    path: str, *, comments: bool = True, max_line_bytes: int = _MAX_LINE_BYTES
) -> Iterator[TextLine]:
    """Yield the lines of a file, which may be compressed (.gz), without blank ones; DOS line ends are
    accepted.

    With `comments`, lines that begin with ``#`` are skipped. InputError when the file cannot be read, or a
    line is longer than `max_line_bytes`.
    """
    with open_input(path) as file:
        for first, block in LineBlocks(file, path, max_line_bytes).blocks():
            pieces = block.decode("utf-8", "replace").split("\n")
            for number, piece in enumerate(pieces, first):
                if len(piece) > max_line_bytes:
                    raise InputError(path, refusal("long_line", limit=max_line_bytes), number)
                text = piece.strip().lstrip("\ufeff")
                if text and not (comments and text.startswith("#")):
                    yield TextLine(number, text, number < first + len(pieces) - 1)


def without_comments(lines: LineBlocks) -> Iterator[tuple[int, bytes]]:
    """Yield runs of lines as `blocks` does, without comments (``#``) and without trailing blank lines."""
    blank: tuple[int, bytes] | None = None
    for first_line, block in lines.blocks():
        for line, run in _runs(first_line, block) if b"#" in block else ((first_line, block),):
            if blank is not None and run.strip():
                yield blank
                blank = None
            kept = run.rstrip()
            end = run.find(b"\n", len(kept)) + 1 or len(run)
            if kept:
                yield line, run[:end]
            if blank is None and (not kept or end < len(run)):
                blank = line + kept.count(b"\n") + bool(kept), b"\n"


def _runs(first_line: int, block: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield the runs of lines between comments, each with the number of its first line."""
    start, run = first_line, list[bytes]()
    for line, text in enumerate(_LINE.findall(block), first_line):
        if not text.lstrip().startswith(b"#"):
            run.append(text)
            continue
        if run:
            yield start, b"".join(run)
        start, run = line + 1, []
    if run:
        yield start, b"".join(run)
