"""A binary file as blocks of whole lines, so that any length of text is read in little memory."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tmt.core.errors import InputError
from tmt.core.words.refusals import refusal
from tmt.io.files import input_errors

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tmt.io.files import BinaryFile

_BLOCK_BYTES = 1 << 21
_MAX_LINE_BYTES = 1 << 16
_LINE = re.compile(rb"[^\n]*\n|[^\n]+")


class LineBlocks:
    """A binary file cut into blocks of whole lines.

    Attributes
    ----------
    file
        The binary file.
    line
        Number of the next line, from 1.
    """

    def __init__(self, file: BinaryFile, path: str) -> None:
        self.path = path
        self.file, self._held, self.line = file, b"", 1
        self._ended = False
        self._error: InputError | None = None

    def first_line(self) -> str:
        """Return the next line without taking it."""
        self._fill()
        if self._error is not None and b"\n" not in self._held:
            raise self._at_line(self._error)
        return self._held.split(b"\n", 1)[0].decode("utf-8", "replace").strip()

    def skip_line(self) -> None:
        """Take the line that `first_line` returned."""
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
        """Read on; keep an error until the lines before it have been used, and its own line is known."""
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
        if len(self._held) > _MAX_LINE_BYTES and b"\n" not in self._held[:_MAX_LINE_BYTES]:
            raise InputError(self.path, refusal("long_line", limit=_MAX_LINE_BYTES), self.line)

    def _at_line(self, error: InputError) -> InputError:
        return InputError(self.path, error.reason, self.line)


def without_comments(lines: LineBlocks) -> Iterator[tuple[int, bytes]]:
    """Yield runs of lines as `blocks` does, without comments (``#``) and without blank lines at the end."""
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
