"""The congestion controls end to end: Agent/TCP/Modern in real ns-2, against published response functions.

Seeds are fixed. Over 20 of them, mean windows lie within 7 % of the law's, with a standard deviation of 5 to
10 % for one run: 15 % on a mean of three would also hold for most other seeds.
"""

import json
import statistics
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from analysis.tcp.congestion_controls import CONTROLS, SCRIPT, Case, never_full
from analysis.tcp.response_functions import independent_losses, periodic_reno, published
from tmt.run.ns2.script import ScriptExperiment, ScriptFigures


@pytest.fixture(autouse=True)
def _simulator(simulator: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLIFT_NS", str(simulator))


def _figures(case: Case, seed: int = 1) -> ScriptFigures:
    with TemporaryDirectory() as folder:
        row = ScriptExperiment.of(SCRIPT, case.settings(seed)).run(Path(folder) / "run")
        return json.loads(row["script_figures"])


def _window(control: str, loss: float, rtt_s: float, duration_s: float, seeds: int = 3) -> float:
    """Mean window over seeds, without the first tenth of each run."""
    case = never_full(control, rtt_s, loss, duration_s)
    return statistics.mean(case.mean_window(_figures(case, seed)) for seed in range(1, seeds + 1))


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


def _share(control: str, loss: float, rate_bps: float = 1e7, queue_packets: int = 83) -> float:
    """Share of the bottleneck that one flow uses, after losses, from 5 s on."""
    case = Case(control, 0.1, loss, rate_bps=rate_bps, queue_packets=queue_packets, warm_s=5, duration_s=35)
    return case.use(_figures(case))


def test_bbr__bears_losses_that_stop_cubic() -> None:
    assert _share("bbr", 0.01) > 0.9
    assert _share("bbr", 0.05) > 0.85
    assert _share("bbr", 0.1) > 0.7
    assert _share("cubic", 0.01) < 0.5


def test_bbr3__bears_losses_below_two_percent_only() -> None:
    # 833 packets in the pipe: 2 % are many enough for the rate of a round to mean something.
    assert _share("bbr3", 0.005, 1e8, 833) > 0.75
    assert _share("bbr3", 0.05, 1e8, 833) < 0.4


@pytest.mark.parametrize("control", ["bbr", "bbr3"])
def test_bbr__keeps_about_one_bandwidth_delay_product_in_flight(control: str) -> None:
    case = Case(control, 0.1, rate_bps=1e7, queue_packets=1000, warm_s=5, duration_s=65)
    found = _figures(case)
    assert case.goodput_bps(found) > 0.9e7
    assert found["mean_queue"] < 0.25 * 83


@pytest.mark.parametrize("control", CONTROLS)
def test_two_like_flows__share_the_bottleneck(control: str) -> None:
    case = Case(control, 0.1, flows=2, stagger_s=5, rate_bps=1e7, queue_packets=83, warm_s=60, duration_s=360)
    found = _figures(case)
    assert case.use(found) > 0.85
    assert case.jain(found) > 0.85


# A window of 2 allows 48 kbit/s, one of 20 allows 480, less what ProbeRTT takes; one of 20,000 is bounded by
# the queue, which slow start overflows.
@pytest.mark.parametrize("control", CONTROLS)
@pytest.mark.parametrize(("window", "least_bps"), [(2, 46e3), (20, 400e3), (20_000, 1.4e6)])
def test_no_window_stalls_a_flow(control: str, window: int, least_bps: float) -> None:
    case = Case(control, 0.5, window_packets=window, warm_s=20, duration_s=220)
    rate_bps = case.goodput_bps(_figures(case))
    assert rate_bps > least_bps
    assert rate_bps <= window * 12_000 / 0.5 * 1.01
