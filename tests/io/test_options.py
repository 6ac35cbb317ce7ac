"""Option types of the command line: times in seconds become nanoseconds, numbers have bounds."""

from collections.abc import Sequence

import click
import pytest

from tmt.cli.options import (
    COUNTS,
    FILE,
    POSITIVE_SECONDS,
    PROBABILITIES,
    SECONDS,
    TIMES,
    FigurePath,
    Number,
    Seconds,
    WholeNumber,
)
from tmt.core.errors import UsageError


@pytest.mark.parametrize(
    ("kind", "text", "expected"),
    [
        (SECONDS, "0", 0),
        (SECONDS, "0.1", 100_000_000),
        (SECONDS, "1e-9", 1),
        (POSITIVE_SECONDS, "0.5", 500_000_000),
    ],
)
def test_seconds__become_nanoseconds(kind: Seconds, text: str, expected: int) -> None:
    assert kind.convert(text, None, None) == expected


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
    ],
)
def test_seconds__are_refused_with_what_is_allowed(kind: Seconds, text: str, message: str) -> None:
    with pytest.raises(click.BadParameter, match=message):
        kind.convert(text, None, None)


@pytest.mark.parametrize(
    ("kind", "text", "expected"),
    [(WholeNumber(1), "12", 12), (WholeNumber(1), "5e6", 5_000_000), (Number(0, 1), "1e-1", 0.1)],
)
def test_number__within_its_bounds_is_taken(kind: WholeNumber | Number, text: str, expected: float) -> None:
    assert kind.convert(text, None, None) == expected


@pytest.mark.parametrize(
    ("kind", "text", "message"),
    [
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
    ],
)
def test_number__that_is_none_or_out_of_bounds_is_refused_with_what_is_allowed(
    kind: WholeNumber | Number, text: str, message: str
) -> None:
    with pytest.raises(click.BadParameter, match=message):
        kind.convert(text, None, None)


@pytest.mark.parametrize(
    ("kind", "text", "expected"),
    [
        (PROBABILITIES, "0.1:0.3:3", [0.1, 0.2, 0.3]),
        (PROBABILITIES, "0.5", [0.5]),
        (TIMES, "0:0.25:2", [0, 250_000_000]),
        (TIMES, "0:1e-9:4", [0, 0, 1, 1]),
        (COUNTS, "3:5", (3, 4, 5)),
        (COUNTS, "7", (7,)),
    ],
)
def test_range__becomes_its_values(
    kind: click.ParamType[Sequence[float]], text: str, expected: Sequence[float]
) -> None:
    assert kind.convert(text, None, None) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("kind", "text", "message"),
    [
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
    ],
)
def test_bad_range__is_refused(kind: click.ParamType[Sequence[float]], text: str, message: str) -> None:
    with pytest.raises(click.BadParameter, match=message):
        kind.convert(text, None, None)


def test_file__without_a_name_is_called_empty() -> None:
    with pytest.raises(click.BadParameter, match="the file's name is empty"):
        FILE.convert("", None, None)


@pytest.mark.parametrize(
    ("path", "message"),
    [("x.foo", "must end in .png, .svg, .pdf"), ("gone/x.svg", "there is no folder gone")],
)
def test_figure__is_refused_before_any_work(path: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        FigurePath().convert(path, None, None)
