"""Each parameter is declared once; its option, scenario key, column and script setting follow."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tmt.campaign.sections import Link, ProxySection, Traffic, Wired
from tmt.spec.settings import PARAMETERS

from tmt.cli.replay_command import command
from tmt.spec.run_columns import RUN_RESULTS

if TYPE_CHECKING:
    from tmt.core.parameters import Declared

TABLES = {"link": Link, "traffic": Traffic, "wired": Wired, "proxy": ProxySection}
SCRIPT = Path(__file__).resolve().parents[2] / "clift-ns2" / "tcl" / "replay.tcl"

of_each = pytest.mark.parametrize("one", PARAMETERS, ids=lambda one: one.column)


@of_each
def test_parameter__is_an_option_with_its_meaning(one: Declared) -> None:
    flag = one.parameter.flag.split("/")[0]
    (option,) = [option for option in command.params if flag in option.opts]
    assert getattr(option, "help", "").lower().startswith(one.parameter.meaning.lower())


@of_each
def test_parameter__is_a_key_of_its_table(one: Declared) -> None:
    if one.parameter.table:
        assert one.key in TABLES[one.parameter.table].model_fields
    else:
        assert one.name in {"tcp", "seed", "start_ns"}  # the first two are the grid's, the third is none's


@of_each
def test_parameter__is_a_column_with_its_unit(one: Declared) -> None:
    (column,) = [column for column in RUN_RESULTS if column.name == one.column]
    assert (column.unit, column.meaning) == (one.unit, one.parameter.meaning)


@of_each
def test_parameter__is_a_setting_of_the_simulator_s_script(one: Declared) -> None:
    if one.name == "receive_buffer_bytes":
        pytest.skip("ns-2's receivers have no buffer: its backend refuses the setting")
    name = "code_overhead" if one.column == "code" else one.column
    assert re.search(rf"^\t{name}\s", SCRIPT.read_text(), re.MULTILINE)


@of_each
def test_parameter__is_declared_completely(one: Declared) -> None:
    assert one.parameter.meaning
    assert one.parameter.label
    assert (one.default is None) == bool(one.parameter.absent), "None needs a meaning, and only None"
    if one.kind in {"int", "float", "time"}:
        assert one.parameter.least is not None
        assert one.parameter.most is not None
