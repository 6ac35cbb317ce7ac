"""Option types of the command line: times in seconds become nanoseconds, numbers have bounds."""

from typing import Any

import click
import pytest

from tmt.cli.options import COUNTS, FILE, POSITIVE_SECONDS, PROBABILITIES, SECONDS, TIMES, Number, WholeNumber


@pytest.mark.parametrize(
    ("kind", "text", "expected"),
    [
        (SECONDS, "0", 0),
        (SECONDS, "0.1", 100_000_000),
        (SECONDS, "1e-9", 1),
        (POSITIVE_SECONDS, "0.5", 500_000_000),
        (WholeNumber(1), "12", 12),
        (WholeNumber(1), "5e6", 5_000_000),
        (Number(0, 1), "1e-1", 0.1),
        (PROBABILITIES, "0.1:0.3:3", [0.1, 0.2, 0.3]),
        (PROBABILITIES, "0.5", [0.5]),
        (TIMES, "0:0.25:2", [0, 250_000_000]),
        (TIMES, "0:1e-9:4", [0, 0, 1, 1]),
        (COUNTS, "3:5", (3, 4, 5)),
        (COUNTS, "7", (7,)),
    ],
)
def test_text__becomes_values(kind: click.ParamType[Any], text: str, expected: Any) -> None:
    assert kind.convert(text, None, None) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    ("kind", "text", "message"),
    [
        (SECONDS, "-0.1", "-0.1 s is not allowed; it must be 0 s or more"),
        (POSITIVE_SECONDS, "0", "0 s is not allowed; it must be more than 0 s"),
        (SECONDS, "soon", "'soon' is not a time in seconds"),
        (SECONDS, "nan", "'nan' is not a finite time"),
        (SECONDS, "1e30", "1e30 s is beyond 4611686018 s"),
        (SECONDS, "1e999999", "1e999999 s is beyond 4611686018 s"),
        (SECONDS, "1e9999999999999999999999", "is not a time in seconds"),
        (WholeNumber(1), "1e-3", "1e-3 is not allowed; it must be a whole number x>=1"),
        (WholeNumber(1), "1e999999999", "1e999999999 is not allowed; it must be a whole number x>=1"),
        (WholeNumber(1), "nan", "nan is not allowed; it must be a whole number x>=1"),
        (WholeNumber(1, 5), "many", "many is not allowed; it must be a whole number 1<=x<=5"),
        (WholeNumber(1), "0", "0 is not in the range x>=1"),
        (Number(0, min_open=True), "nan", "nan is not allowed; it must be a number x>0"),
        (Number(0), "inf", "inf is not allowed; it must be a number x>=0"),
        (Number(0), "1e400", "1e400 is not allowed; it must be a number x>=0"),
        (Number(0, 1), "half", "half is not allowed; it must be a number 0<=x<=1"),
        (Number(0, 1), "2", "2.0 is not in the range 0<=x<=1"),
        (
            PROBABILITIES,
            "0:1:1",
            "0:1:1 is neither a number nor FIRST:LAST:COUNT with a COUNT from 2 to 100000",
        ),
        (PROBABILITIES, "0:1:100001", "0:1:100001 is neither a number nor "),
        (PROBABILITIES, "0:2:3", "2.0 is not in the range 0<=x<=1"),
        (TIMES, "0:1", "0:1 is neither a number nor "),
        (COUNTS, "5:3", "5:3 is empty; the first number must not exceed the last"),
        (COUNTS, "1:100001", "1:100001 is not allowed; it must be at most 100000 numbers"),
        (COUNTS, "some", "some is neither a whole number nor FIRST:LAST"),
        (FILE, "", "the file's name is empty"),
    ],
)
def test_text__is_refused_with_what_is_allowed(kind: click.ParamType[Any], text: str, message: str) -> None:
    with pytest.raises(click.BadParameter, match=message):
        kind.convert(text, None, None)
