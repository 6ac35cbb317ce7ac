"""Values are refused with name, value, bounds and reason, which refused_values.txt has whole."""

import math

import pytest
from answers import cases

import tmt
from tmt.run.emulate.emulation import Emulation


@cases(__file__, "refused_values.txt")
def test_value__is_refused_by_name(case: list[str]) -> None:
    expression, *answer = case
    with pytest.raises(tmt.Refused) as refused:
        eval(expression, {"tmt": tmt, "math": math, "Emulation": Emulation})
    assert str(refused.value).splitlines() == answer
