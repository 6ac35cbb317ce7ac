"""JSON documents as other programs write them."""

from __future__ import annotations

import json
from typing import Any

from tmt.core.errors import InputError
from tmt.io.files import input_errors, open_input


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
