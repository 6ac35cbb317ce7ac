"""Values are refused with name, value, bounds and reason, which refused_values.txt has whole."""

import math
from pathlib import Path

import pytest
from answers import blocks

import tmt
from tmt.run.emulate.emulation import Emulation

CASES = blocks(Path(__file__).with_name("refused_values.txt"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0])
def test_value__is_refused_by_name(case: list[str]) -> None:
    expression, *answer = case
    with pytest.raises(tmt.Refused) as refused:
        eval(expression, {"tmt": tmt, "math": math, "Emulation": Emulation})
    assert str(refused.value).splitlines() == answer
