"""Files of refusals: blocks of what is asked, and the whole answer below it."""

import re
from pathlib import Path

import pytest


def blocks(path: Path) -> list[list[str]]:
    """Return the lines of each block; blocks are apart by empty lines, and headings (#) are left out."""
    parts = path.read_text(encoding="utf-8").split("\n\n")
    return [part.strip("\n").splitlines() for part in parts if part.strip() and not part.startswith("#")]


def cases(beside: str, name: str) -> pytest.MarkDecorator:
    """Give a test the blocks of a file beside it, one after the other, as ``case``."""
    return pytest.mark.parametrize("case", blocks(Path(beside).with_name(name)), ids=lambda case: case[0])


def replaced(text: str, change: str) -> str:
    """Return a text after a change such as ``seeds = 3  =>  seeds = 0``; ``\\n`` is a new line."""
    good, bad = (part.strip().replace("\\n", "\n") for part in change.split("=>"))
    assert good in text
    return text.replace(good, bad, 1)


def assert_answer(found: str, expected: str) -> None:
    """Assert that a text is the expected one, in which ``...`` stands for anything."""
    pattern = re.escape(expected).replace(r"\.\.\.", ".*")
    assert re.fullmatch(pattern, found), f"{found!r} is not {expected!r}"
