"""A scenario file of version 0.2 is the same scenario as its form of today; faults are named with lines."""

from pathlib import Path

import pytest
from answers import cases, replaced

from tmt import Scenario
from tmt.core.errors import InputError
from tmt.spec.toml import parse

OLD, TODAY = (Path(__file__).with_name(f"{name}.toml").read_text() for name in ("old_form", "todays_form"))


def scenario(text: str) -> Scenario:
    return parse(text, Path("s.toml")).scenario


def test_old_file__is_the_scenario_of_its_form_of_today_and_says_so() -> None:
    assert scenario(OLD) == scenario(TODAY)
    assert parse(TODAY, Path("s.toml")).notes == ()
    (note,) = parse(OLD, Path("s.toml")).notes
    assert note == "s.toml: this form of scenarios is deprecated (docs/changes.md)"


@cases(__file__, "old_form_refusals.txt")
def test_old_file__is_refused_with_its_lines_and_the_keys_of_today(case: list[str]) -> None:
    change, *lines = case
    with pytest.raises(InputError) as refused:
        scenario(replaced(OLD, change))
    assert str(refused.value).splitlines() == lines
