"""Times on the command line: typed in seconds, integers in nanoseconds inside."""

from __future__ import annotations

import click
import pytest

from tmt.cli.options import POSITIVE_SECONDS, SECONDS, Seconds


@pytest.mark.parametrize(
    ("kind", "text", "expected"),
    [
        (SECONDS, "0", 0),
        (SECONDS, "0.1", 100_000_000),
        (SECONDS, "1e-9", 1),
        (POSITIVE_SECONDS, "0.5", 500_000_000),
        (Seconds(None), "-2", -2_000_000_000),
        (SECONDS, 7, 7),  # a default is in nanoseconds already
    ],
)
def test_seconds__become_nanoseconds(kind: Seconds, text: str | int, expected: int) -> None:
    assert kind.convert(text, None, None) == expected


@pytest.mark.parametrize(
    ("kind", "text", "message"),
    [
        (SECONDS, "-0.1", "-0.1 s is not allowed; it must be 0 s or more"),
        (POSITIVE_SECONDS, "0", "0 s is not allowed; it must be more than 0 s"),
        (Seconds(500_000_000), "0.4", "0.4 s is not allowed; it must be 0.5 s or more"),
        (SECONDS, "soon", "'soon' is not a time in seconds"),
        (SECONDS, "nan", "'nan' is not a finite time"),
        (SECONDS, "1e30", "1e30 s is beyond 4611686018 s"),
    ],
)
def test_seconds__are_refused_with_what_is_allowed(kind: Seconds, text: str, message: str) -> None:
    with pytest.raises(click.BadParameter, match=message):
        kind.convert(text, None, None)
