"""The congestion controls end to end: Agent/TCP/Modern in real ns-2, against published response functions.

Seeds are fixed. Over 20 of them, mean windows lie within 7 % of the law's, with a standard deviation of 5 to
10 % for one run: 15 % on a mean of three would also hold for most other seeds.
"""

from __future__ import annotations

import statistics
from typing import TYPE_CHECKING

import pytest

from analysis.tcp.congestion_controls import CONTROLS, goodput_bps, mean_window, simulate
from analysis.tcp.response_functions import independent_losses, periodic_reno, published

if TYPE_CHECKING:
    from pathlib import Path

    from analysis.kept_runs import Settings

NEVER_FULL: Settings = {"rate_bps": 1e10, "queue_packets": 1_000_000, "window_packets": 100_000}


@pytest.fixture(autouse=True)
def _simulator(simulator: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLIFT_NS", str(simulator))


def _window(control: str, loss: float, rtt_s: float, duration_s: float, seeds: int = 3) -> float:
    """Mean window over seeds, without the first tenth of each run."""
    windows = []
    for seed in range(1, seeds + 1):
        case: Settings = {
            **NEVER_FULL,
            "control": control,
            "loss": loss,
            "rtt_s": rtt_s,
            "seed": seed,
            "warm_s": duration_s / 10,
            "duration_s": duration_s,
        }
        windows.append(mean_window(case, simulate(case)))
    return statistics.mean(windows)


# 3 seeds of about 200 losses each; the law is integrated over 4000 losses, which leaves 1 % of noise.
@pytest.mark.parametrize(
    ("control", "loss", "rtt_s", "duration_s", "tolerance"),
    [
        ("reno", 1e-2, 0.1, 200, 0.12),
        ("reno", 1e-3, 0.1, 600, 0.12),
        ("cubic", 1e-2, 0.1, 200, 0.15),
        ("cubic", 1e-3, 0.5, 1000, 0.15),
        ("hybla", 1e-3, 0.025, 120, 0.15),
        ("hybla", 1e-3, 0.1, 120, 0.15),
        ("compound", 1e-3, 0.1, 400, 0.15),
    ],
)
def test_mean_window__is_that_of_the_law_under_independent_losses(
    control: str, loss: float, rtt_s: float, duration_s: float, tolerance: float
) -> None:
    expected = independent_losses(control, loss, rtt_s)
    assert _window(control, loss, rtt_s, duration_s) == pytest.approx(expected, rel=tolerance)


@pytest.mark.parametrize(
    ("control", "loss", "rtt_s", "expected"),
    [
        ("cubic", 1e-4, 0.1, 187),  # RFC 9438, table 1
        ("cubic", 1e-2, 0.1, 12),
        ("cubic", 1e-4, 0.01, 120),  # table 2
        ("compound", 1e-3, 0.1, 64),  # draft-sridharan-tcpm-ctcp-02, table 1
        ("compound", 1e-4, 0.1, 404),
    ],
)
def test_published_response_functions__give_the_tables_of_their_specifications(
    control: str, loss: float, rtt_s: float, expected: float
) -> None:
    assert published(control, loss, rtt_s) == pytest.approx(expected, rel=0.03)


def test_law__of_reno_has_the_constant_of_independent_losses() -> None:
    # 1.3098 / sqrt(p): Ott, Kemperman and Mathis (1996); 1.2247 is the constant of periodic losses.
    assert independent_losses("reno", 1e-4, 0.1) * 1e-2 == pytest.approx(1.3098, rel=0.03)
    assert periodic_reno(1e-4) * 1e-2 == pytest.approx(1.2247, rel=1e-3)


def test_hybla__has_the_same_rate_at_any_rtt() -> None:
    rates = [_window("hybla", 1e-3, rtt_s, 100, seeds=1) / rtt_s for rtt_s in (0.025, 0.1)]
    assert rates[1] == pytest.approx(rates[0], rel=0.2)


def _share(control: str, **settings: float) -> float:
    """Share of the bottleneck that one flow uses, of what the losses leave, from 5 s on."""
    case: Settings = {
        "rate_bps": 1e7,
        "rtt_s": 0.1,
        "queue_packets": 83,
        "warm_s": 5,
        "duration_s": 35,
        "control": control,
        **settings,
    }
    return goodput_bps(case, simulate(case)) / float(case["rate_bps"]) / (1 - float(case.get("loss", 0)))


def test_bbr__bears_losses_that_stop_cubic() -> None:
    assert _share("bbr", loss=0.01) > 0.9
    assert _share("bbr", loss=0.05) > 0.85
    assert _share("bbr", loss=0.1) > 0.7
    assert _share("cubic", loss=0.01) < 0.5


def test_bbr3__bears_losses_below_two_percent_only() -> None:
    # 833 packets in the pipe: 2 % are many enough for the rate of a round to mean something.
    wide = {"rate_bps": 1e8, "queue_packets": 833}
    assert _share("bbr3", loss=0.005, **wide) > 0.75
    assert _share("bbr3", loss=0.05, **wide) < 0.4


@pytest.mark.parametrize("control", ["bbr", "bbr3"])
def test_bbr__keeps_about_one_bandwidth_delay_product_in_flight(control: str) -> None:
    case: Settings = {
        "control": control,
        "rate_bps": 1e7,
        "rtt_s": 0.1,
        "queue_packets": 1000,
        "warm_s": 5,
        "duration_s": 65,
    }
    found = simulate(case)
    assert goodput_bps(case, found) > 0.9e7
    assert found["mean_queue"] < 0.25 * 83


@pytest.mark.parametrize("control", CONTROLS)
def test_two_like_flows__share_the_bottleneck(control: str) -> None:
    case: Settings = {
        "control": control,
        "flows": 2,
        "stagger_s": 5,
        "rate_bps": 1e7,
        "rtt_s": 0.1,
        "queue_packets": 83,
        "warm_s": 60,
        "duration_s": 360,
    }
    found = simulate(case)
    rates = [goodput_bps(case, found, flow) for flow in (0, 1)]
    assert sum(rates) > 0.85e7
    assert sum(rates) ** 2 / (2 * sum(rate**2 for rate in rates)) > 0.85  # Jain's index


# A window of 2 allows 48 kbit/s, one of 20 allows 480, less what ProbeRTT takes; one of 20,000 is bounded by
# the queue, which slow start overflows.
@pytest.mark.parametrize("control", CONTROLS)
@pytest.mark.parametrize(("window", "least_bps"), [(2, 46e3), (20, 400e3), (20_000, 1.4e6)])
def test_no_window_stalls_a_flow(control: str, window: int, least_bps: float) -> None:
    case: Settings = {
        "control": control,
        "window_packets": window,
        "rtt_s": 0.5,
        "warm_s": 20,
        "duration_s": 220,
    }
    rate_bps = goodput_bps(case, simulate(case))
    assert rate_bps > least_bps
    assert rate_bps <= window * 12_000 / 0.5 * 1.01
