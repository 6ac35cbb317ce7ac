"""A scenario file of version 0.2 is the same scenario as its form of today; faults are named with lines."""

from pathlib import Path

import pytest

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


REFUSALS = {
    "variant that no stack has": ('"bbr"', '"bbr", "vegas"', ":41: key traffic[0].tcp[1]: 'vegas' needs st"),
    "variant that nobody knows": ('"bbr"', '"bbt"', ":41: key traffic[0].tcp[1]: 'bbt' is not allowed; did"),
    "key of the grid": ("seeds = 3", "sedes = 3", ":4: key sedes: is not known; did you mean seeds?"),
    "key of a channel": ("beta = 0.5", "beta = 5", ":11: key trace[1].channel.beta: 5 is not allowed"),
    "scheme": ('"rlc-over-harq"', '"rlc-over-hark"', ":24: key scheme[1].below.name: 'hark' is not allowed"),
    "value of the link": ("rtt = 0.5", "rtt = [1, -5]", ":32: key path.rtt[1]: -5 is not allowed"),
    "value of the proxy": ("[4, 8]", "[4, 1]", ":38: key path.proxy[1].buffer_packets[1]: 1 is not allowed"),
    "proxy that no link has": ("[false, true]", "false", ": key proxy: is not known"),
}


@pytest.mark.parametrize(("good", "bad", "words"), REFUSALS.values(), ids=REFUSALS)
def test_old_file__is_refused_with_its_lines_and_the_keys_of_today(good: str, bad: str, words: str) -> None:
    assert good in OLD
    with pytest.raises(InputError) as refused:
        scenario(OLD.replace(good, bad))
    assert str(refused.value).startswith(f"s.toml{words}"), str(refused.value)
