"""Transfers that lose packets, through the four systems of Jin and Yang: the model beside ns-2, in small."""

import math
from pathlib import Path

import pytest

from analysis.jin2006 import runs
from analysis.runs import figures_of, over_seeds
from tmt.theory.split import SYSTEMS

pytestmark = [pytest.mark.ns2, pytest.mark.usefixtures("simulator")]

SEEDS = 12


def test_latency__of_the_model_is_near_the_mean(tmp_path: Path) -> None:
    """12 seeds of 1000 segments for each system: 15 %, where a mean's standard error is 4 to 7 %."""
    points = [runs.point(*system, 0.05) for system in SYSTEMS]
    found = over_seeds(runs.SCRIPT, points, SEEDS, tmp_path / "runs")
    for point, results in found.items():
        assert point.model().latency_s == pytest.approx(results.mean(runs.latency_s), rel=0.15)


def test_result__of_a_transfer_that_does_not_end_has_no_latency(tmp_path: Path) -> None:
    settings = runs.point(split=True, arq=True, wireless_loss=0.05).settings(1) | {"duration_s": 1}
    (result,) = figures_of(runs.SCRIPT, [settings], tmp_path / "runs")
    assert math.isnan(runs.latency_s(result))
    assert result["packets_lost"] == 0
