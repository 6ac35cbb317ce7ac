"""Logs with pieces replaced, and the check that an importer refuses them in one line or makes a trace."""

from pathlib import Path
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from tests.measured.imports import import_trace
from tmt.core.checks import Checker
from tmt.core.errors import TmtError

Damage = list[tuple[float, int, str]]
"""Of each piece: its place as a share of the text, the length of the text that it replaces, and the piece."""

_PIECES = ["", "9" * 25, "-1", "1e9", "1e400", "nan", "null", "None", *'\t\n\0,:=<"[{}\u00b2']
DAMAGE: SearchStrategy[Damage] = st.lists(
    st.tuples(st.floats(0, 1), st.integers(0, 6), st.sampled_from(_PIECES)), min_size=1, max_size=5
)


def damaged(text: str, damage: Damage) -> str:
    """Return the text with pieces replaced."""
    for place, length, piece in damage:
        at = int(place * len(text))
        text = text[:at] + piece + text[at + length :]
    return text


def check(kind: str, path: Path, **options: Any) -> None:
    """Import a file: the result is a refusal in one line, or rows that a trace may have."""
    said, defect = "", None
    try:
        trace = import_trace(kind, path, **options)
        defect = Checker(trace.table).check(trace)
    except TmtError as refused:
        said = str(refused)
    assert len(said.splitlines()) <= 1
    assert defect is None
