"""Lines of a small table in text, which may be compressed."""

from __future__ import annotations

import gzip
import math
import stat
import zlib
from pathlib import Path
from typing import TYPE_CHECKING

from tmt.core.errors import InputError, reason_of
from tmt.core.provenance import opened
from tmt.core.words.refusals import refusal

if TYPE_CHECKING:
    from collections.abc import Iterator


def text_lines(path: str, *, comments: bool = True) -> Iterator[tuple[int, str]]:
    """Yield number, from 1, and text of each line that is not blank, without surrounding blanks.

    Parameters
    ----------
    path
        A local file or a pyarrow file-system URI; one that ends in ``.gz`` is decompressed.
    comments
        Whether lines that begin with ``#`` are comments, and skipped.

    Raises
    ------
    InputError
        When the file cannot be read.
    """
    for number, line in enumerate(_content(path).decode("utf-8", "replace").split("\n"), 1):
        text = line.strip().lstrip("\ufeff")
        if text and not (comments and text.startswith("#")):
            yield number, text


def is_number(text: str) -> bool:
    """Whether a field is a finite number."""
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


def _content(path: str) -> bytes:
    zipped = path.lower().endswith(".gz")
    try:
        if "://" not in path and stat.S_ISFIFO(Path(path).stat().st_mode):
            raise InputError(path, "this is a pipe; write its content into a file first")
        with opened(path) as file:
            content = file.read()
        if not content:
            raise InputError(path, refusal("empty_file"))
        if zipped != content.startswith(b"\x1f\x8b"):
            raise InputError(path, refusal("not_gzip" if zipped else "gzip"))
        return gzip.decompress(content) if zipped else content
    except EOFError:
        raise InputError(path, refusal("gzip_cut")) from None
    except (gzip.BadGzipFile, zlib.error):
        raise InputError(path, refusal("gzip_damaged")) from None
    except (OSError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(path, f"cannot be read: {reason_of(error)}") from error
