"""FECTCP on a wireless LAN: the recipe's arithmetic by hand, and the paper's main result in a few runs."""

import math
from itertools import product
from pathlib import Path

import pandas as pd
import pytest

from analysis.botos.coding_place import SCHEMES, TCPS, draw, table
from analysis.botos.losses import PACKET_BITS, longest_roughly_equal_bits, process
from analysis.botos.runs import DELAYS_S, LOSSES, SCRIPT, VARIANTS, Download, Shares, throughput_bps
from analysis.botos.statements import Throughputs, judge_throughput
from analysis.runs import PointRuns, over_seeds
from tmt import Scenario
from tmt.results.statistics import t_interval


def test_throughput__counts_the_file_or_what_was_acknowledged_of_it() -> None:
    whole = {"elapsed_s": 100.0, "flow_0_acknowledged": 6850.0, "flow_0_payload_bytes": 1460.0}
    assert throughput_bps(whole) == pytest.approx(800e3)  # 10 MB in 100 s
    part = {"elapsed_s": 3000.0, "flow_0_acknowledged": 300.0, "flow_0_payload_bytes": 1250.0}
    assert throughput_bps(part) == pytest.approx(1e3)  # 3 Mbit in 3000 s


def test_crossover__lies_between_the_losses_where_the_order_changes() -> None:
    # FECTCP has 600 kbit/s throughout; TCP has twice that up to 3 %, and half of it from 5 % on: on
    # logarithmic scales they cross half-way, at the geometric mean of 3 and 5 %.
    measured = {Download("fectcp", 0.02, p): t_interval([600e3]) for p in LOSSES}
    measured |= {Download("cubic", 0.02, p): t_interval([1200e3 if p < 0.05 else 300e3]) for p in LOSSES}
    assert Throughputs(measured).crossover("cubic", 0.02) == pytest.approx(math.sqrt(0.03 * 0.05))


def test_statements__are_judged_by_the_throughputs() -> None:
    # FECTCP keeps its rate of sending whatever is lost; TCP has a sixth more up to 3 %, a fifth from 5 %
    # on, the same at both delays, which therefore cost nobody anything.
    measured = {
        Download(tcp, delay_s, p): t_interval(
            [600e3 * (1 - p) if tcp == "fectcp" else 700e3 if p < 0.05 else 120e3]
        )
        for tcp in ("fectcp", *VARIANTS)
        for delay_s in DELAYS_S
        for p in LOSSES
    }
    verdicts = [(s.text, s.holds) for s in judge_throughput(measured, DELAYS_S)]
    of_a_delay = [
        ("At low loss (up to 1 %) every TCP has more than FECTCP", "yes"),
        ("The throughputs of TCP and FECTCP cross near 5 %", "yes"),
        ("At high loss (10 to 25 %) FECTCP has more than every TCP", "yes"),
        ("From 5 % to 25 % FECTCP performs well", "yes"),
        ("Beyond 25 % FECTCP declines, more than losses alone explain", "no"),
    ]
    overall = [
        ("At low loss FECTCP lacks only the overhead of the code, 5 %", "no"),  # it has 86 %, not 95
        ("The longer delay costs TCP throughput", "no"),
        ("The longer delay costs FECTCP little", "yes"),
        ("The longer delay costs FECTCP less than TCP", "no"),
    ]
    assert sorted(verdicts) == sorted(2 * of_a_delay + overall)


def test_shares__follow_from_rates_by_hand() -> None:
    # 180 samples: alone at 700, then 500 and 250 in both runs: Jain's index 750^2 / (2 (500^2 + 250^2)) = .9.
    seen = {}
    for t in range(181):
        seen[f"flow_0_bytes_at_{1000 * t}_ms"] = (700 * min(t, 60) + 500 * max(t - 60, 0)) / 8
        seen[f"flow_1_bytes_at_{1000 * t}_ms"] = 250 * max(t - 60, 0) / 8
    shares = Shares(PointRuns((seen, seen)))
    assert shares.alone_bps.mean == pytest.approx(700.0)
    assert shares.mean_bps(1, 80, 180).mean == pytest.approx(250.0)
    assert shares.jain.mean == pytest.approx(0.9)


def test_second_losses__are_as_frequent_as_losses_while_clusters_are_short() -> None:
    # To first order a cluster of a fraction f of a packet, which has errors all over it, reaches into the
    # next packet with probability f, and the loss after a loss is p + f: half as much again where f = p / 2.
    # Ten errors leave a part of it free, so that clusters may be somewhat longer.
    for loss in (0.01, 0.05):
        half = loss / 2 * PACKET_BITS
        assert half < longest_roughly_equal_bits(loss) < 1.6 * half
        assert process(loss, half, errors=1e6).repeat_probability == pytest.approx(1.5 * loss, rel=0.04)


def test_fectcp__is_ahead_where_many_segments_are_lost(tmp_path: Path) -> None:
    # Three seeds of 10 MB each; differences of a tenth and more, intervals of 2 % (docs/fectcp-wlan.md).
    points = [Download(tcp, 0.02, loss) for tcp in ("fectcp", "cubic", "sack") for loss in (0.005, 0.15)]
    found = over_seeds(SCRIPT, points, 3, tmp_path / "runs")
    mean = {(point.tcp, point.loss): runs.mean(throughput_bps) for point, runs in found.items()}
    for tcp in ("cubic", "sack"):
        assert mean["fectcp", 0.005] < mean[tcp, 0.005]
        assert mean["fectcp", 0.15] > 1.5 * mean[tcp, 0.15]


ROOT = Path(__file__).resolve().parents[2]
KBPS = 1000


def rows() -> pd.DataFrame:
    """Return two seeds 2 kbit/s apart around 100 kbit/s, 10 less per scheme, 1 less per variant."""
    found = [
        {
            "scheme": scheme,
            "tcp": tcp,
            "es_n0_db": level,
            "seed": seed,
            "goodput_bps": (100 - 10 * number - place + 2 * seed - 3) * KBPS,
            "capacity_bps": 150 * KBPS,
        }
        for (number, scheme), (place, tcp), level, seed in product(
            enumerate(SCHEMES), enumerate(TCPS), (5.0, 6.0), (1, 2)
        )
    ]
    return pd.DataFrame(found).sample(frac=1, random_state=1)


def test_scenario__has_what_the_table_shows() -> None:
    scenario = Scenario.read(ROOT / "scenarios" / "coding-place.toml")
    assert {one.tcp for one in scenario.traffic} == set(TCPS)
    assert [scheme.name for scheme in scenario.scheme] == ["none", "arq", "harq"]
    assert len(scenario.each_seed) >= 5


def test_table__compares_seed_by_seed() -> None:
    lines = table(rows()).splitlines()
    assert lines[0] == "| scheme | variant | 5 dB | 6 dB |"
    # Two values 2 apart: t(1, 97.5 %) = 12.706 times their standard error, 1.
    assert lines[2] == "| none | FECTCP | 100 ± 13 | 100 ± 13 |"
    assert lines[6] == "| ARQ | CUBIC | 89 ± 13 | 89 ± 13 |"
    # The seeds move all variants alike, so that differences are exact: CUBIC is 1 below FECTCP, 21 over HARQ.
    assert lines[11] == "| none, none | FECTCP minus best TCP | 1 ± 0 (CUBIC) | 1 ± 0 (CUBIC) |"
    assert lines[13] == "| none, HARQ(10/12) | FECTCP minus best TCP | 21 ± 0 (CUBIC) | 21 ± 0 (CUBIC) |"
    assert len(lines) == 14


def test_figure__is_drawn(tmp_path: Path) -> None:
    draw(rows(), tmp_path / "place.png")
    assert (tmp_path / "place.png").stat().st_size > 10_000
