"""Option types of the command line: times and numbers have the bounds of their declared types."""

from typing import Any

import click
import pytest

from tmt.cli.options import COUNT, COUNTS, FILE, POSITIVE_SECONDS, PROBABILITIES, SECONDS, TIMES, whole


@pytest.mark.parametrize(
    ("kind", "text", "expected"),
    [
        (SECONDS, "0.1", 0.1),
        (SECONDS, "1e-9", 1e-9),
        (SECONDS, "1e-10", 0),
        (COUNT, "12", 12),
        (COUNT, "5e6", 5_000_000),
        (PROBABILITIES, "0.1:0.3:3", [0.1, 0.2, 0.3]),
        (PROBABILITIES, "0.5", [0.5]),
        (TIMES, "0:0.25:2", [0, 0.25]),
        (TIMES, "0:1e-9:4", [0, 0, 1e-9, 1e-9]),
        (COUNTS, "3:5", (3, 4, 5)),
        (COUNTS, "7", (7,)),
    ],
)
def test_text__becomes_values(kind: click.ParamType[Any], text: str, expected: Any) -> None:
    assert kind.convert(text, None, None) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    ("kind", "text", "message"),
    [
        (SECONDS, "-0.1", "-0.1 is not allowed; allowed: a number from 0 to 4611686018 s"),
        (POSITIVE_SECONDS, "0", "0 is not allowed; allowed: a number from 1e-09 to 4611686018 s"),
        (SECONDS, "soon", "'soon' is not allowed; allowed: a number from 0"),
        (SECONDS, "nan", "'nan' is not allowed"),
        (SECONDS, "1e30", "is not allowed"),
        (SECONDS, "1e999999", "'1e999999' is not allowed"),
        (SECONDS, "1e9999999999999999999999", "'1e9999999999999999999999' is not allowed"),
        (COUNT, "1e-3", "0.001 is not allowed; allowed: a whole number from 1 to 2147483647"),
        (COUNT, "1e999999999", "'1e999999999' is not allowed"),
        (whole(1, 5), "many", "'many' is not allowed; allowed: a whole number from 1 to 5"),
        (whole(1, 5), "6", "6 is not allowed; allowed: a whole number from 1 to 5"),
        (
            PROBABILITIES,
            "0:1:1",
            "0:1:1 is neither a number nor FIRST:LAST:COUNT with a COUNT from 2 to 100000",
        ),
        (PROBABILITIES, "0:1:100001", "0:1:100001 is neither a number nor "),
        (PROBABILITIES, "0:2:3", "2 is not allowed; allowed: a number from 0 to 1"),
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
