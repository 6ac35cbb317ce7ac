"""Lines of a log, with their numbers; blank lines and DOS ends do no harm."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tmt.io.files import open_input
from tmt.io.lines import LineBlocks

if TYPE_CHECKING:
    from collections.abc import Iterator


class TextLine(NamedTuple):
    """A line that is not blank.

    Attributes
    ----------
    number
        From 1.
    text
        Without surrounding blanks.
    ended
        Whether a line end follows; the last line of a log that was cut has none.
    """

    number: int
    text: str
    ended: bool


def text_lines(path: str, *, comments: bool = True) -> Iterator[TextLine]:
    """Yield the lines of a file, which may be compressed (.gz).

    Parameters
    ----------
    comments
        Whether lines that begin with ``#`` are comments, and skipped.

    Raises
    ------
    InputError
        When the file cannot be read.
    """
    with open_input(path) as file:
        for first, block in LineBlocks(file, path).blocks():
            pieces = block.decode("utf-8", "replace").split("\n")
            for number, piece in enumerate(pieces, first):
                text = piece.strip().lstrip("\ufeff")
                if text and not (comments and text.startswith("#")):
                    yield TextLine(number, text, number < first + len(pieces) - 1)
