"""The page about metrics agrees with the declarations; each setting is declared once."""

import importlib
from pathlib import Path

import pytest
from processes import execute

from tmt.spec.columns import RUN_RESULTS
from tmt.spec.settings import SETTINGS, Setting

ROOT = Path(__file__).resolve().parents[2]


def test_metrics_page__is_current(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT / "tools")
    made = importlib.import_module("metrics_reference").reference()
    assert (ROOT / "docs" / "metrics.md").read_text() == made, "run `python tools/metrics_reference.py`"


def test_result_columns__say_what_they_count() -> None:
    measured = [c for c in RUN_RESULTS if c.group in {"delivery", "delay", "recovery", "window"}]
    # The number of flows is the one figure there that counts neither bytes nor packets.
    # What programs say has units of its own.
    of_programs = {"measures", "ends", "flow_figures"}
    counted = [c.name for c in measured if not c.counts and c.name not in of_programs]
    assert counted == ["flows_completed", "competition_s", "groups"]


SCRIPT = ROOT / "clift-ns2" / "tcl" / "replay.tcl"


@pytest.fixture(scope="module")
def script_keys(simulator: Path) -> set[str]:
    refused = execute(simulator, SCRIPT, "colour", "red").stderr
    return set(refused.partition("there are ")[2].strip().split(", "))


of_each = pytest.mark.parametrize("one", SETTINGS, ids=lambda one: one.name)


@of_each
def test_setting__is_a_column_with_its_unit(one: Setting) -> None:
    (column,) = [column for column in RUN_RESULTS if column.name == one.name]
    assert (column.unit, column.meaning) == (one.field.param.unit, one.field.meaning)


@pytest.mark.ns2
@of_each
def test_setting__is_one_of_the_simulator_s_script(one: Setting, script_keys: set[str]) -> None:
    # An orbit reaches the script as a series of round trips.
    assert (
        one.name.startswith("orbit_") or ("code_overhead" if one.name == "code" else one.name) in script_keys
    )


@of_each
def test_setting__is_declared_completely(one: Setting) -> None:
    assert one.field.meaning
    assert one.label
    assert one.field.is_optional == bool(one.field.param.absent), "None needs a meaning, and only None"
    if one.field.kind in {int, float}:
        assert one.field.param.least > float("-inf")
        assert one.field.param.most < float("inf")
