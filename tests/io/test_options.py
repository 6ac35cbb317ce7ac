"""Option types of the command line: times and numbers have the bounds of their declared types."""

import shlex
from typing import Any

import click
import pytest
from answers import cases

from tmt.cli import options
from tmt.cli.options import COUNT, COUNTS, PROBABILITIES, SECONDS, TIMES


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


@cases(__file__, "option_types.txt")
def test_text__is_refused_with_what_is_allowed(case: list[str]) -> None:
    words, line = case
    kind, text = shlex.split(words)
    with pytest.raises(click.BadParameter) as refused:
        eval(kind, vars(options)).convert(text, None, None)
    assert str(refused.value) == line
