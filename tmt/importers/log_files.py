"""Logs as other programs write them: lines of text with their numbers, and JSON documents."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from tmt.core.errors import InputError
from tmt.io.files import LineBlocks, input_errors, open_input

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
    """Yield the lines of a file, which may be compressed (.gz), without blank ones; DOS ends do no harm.

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


def member(document: Any, *names: str) -> Any:
    """Return the value under `names`, each within the one before; None where it is missing."""
    for name in names:
        document = document.get(name) if isinstance(document, dict) else None
    return document


def read_json(path: str) -> Any:
    """Return the document in a file, which may be compressed (.gz).

    Raises
    ------
    InputError
        With the line, where the text is no JSON: as in a log that ends in the middle.
    """
    with open_input(path) as file, input_errors(path):
        text = file.read()
    try:
        return json.loads(text.decode("utf-8-sig"))
    except json.JSONDecodeError as error:
        reason = f"this is no whole JSON document: {error.msg} (column {error.colno})"
        raise InputError(path, reason, error.lineno) from None
    except (ValueError, RecursionError):  # no UTF-8, a number of thousands of digits, deep nesting
        raise InputError(path, "this is no JSON document") from None
