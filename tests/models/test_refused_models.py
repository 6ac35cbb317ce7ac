"""Models refuse what they cannot compute, with name, value and reason, which refusals.txt has whole."""

import math

import pytest
from answers import cases

from tmt import theory
from tmt.core.errors import UsageError
from tmt.theory import hybrid, split, two_links

NAMES = {"math": math, **vars(theory), **vars(hybrid), **vars(split), **vars(two_links)}
NAMES |= {"channel": theory.TwoStateChannel(0.9, 0.5), "link": theory.RegularLink(30, 10, 10, 10)}


@cases(__file__, "refusals.txt")
def test_model__refuses(case: list[str]) -> None:
    expression, *answer = case
    with pytest.raises(UsageError) as refused:
        eval(expression, dict(NAMES))
    assert str(refused.value).splitlines() == answer
