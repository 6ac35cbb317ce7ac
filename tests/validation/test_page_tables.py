"""Text of means with their intervals."""

from __future__ import annotations

import math

import pytest

from tmt.results.statistics import Interval
from tools.page_tables import plus_minus


@pytest.mark.parametrize(
    ("interval", "spec", "text"),
    [
        (Interval(178.4, 158.2, 198.6, 9), ".0f", "178 ± 20"),
        (Interval(-0.25, -0.31, -0.19, 9), "+.2f", "-0.25 ± 0.06"),
        (Interval(0.015, 0.013, 0.017, 9), "+.1%", "+1.5 ± 0.2 %"),
        (Interval(0.5, math.nan, math.nan, 1), ".0%", "50 ± nan %"),
    ],
)
def test_plus_minus__has_one_sign_and_one_unit(interval: Interval, spec: str, text: str) -> None:
    assert plus_minus(interval, spec) == text
