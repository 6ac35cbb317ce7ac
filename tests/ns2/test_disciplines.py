"""Disciplines in the link of emulator and kernel, on a clock of its own: fates beside slow twins."""

from collections import Counter
from typing import Any

import numpy as np
import pytest

from tests.ns2.aqm_twins.fates import fates
from tests.ns2.aqm_twins.twin import Limits, Packet
from tests.ns2.core_build import by_number, emulated_fates, in_emulated_link

N_PACKETS = 10_000
NS_PER_BYTE = 800  # 10 Mbit/s

CASES: list[tuple[str, dict[str, Any], Limits]] = [
    ("droptail", {}, Limits(packets=50)),
    ("droptail", {"drop": "head"}, Limits(size=60_000)),
    ("droptail", {}, Limits(time_ns=40_000_000)),
    ("codel", {}, Limits()),
    ("codel", {"target": 0.002, "interval": 0.03, "mtu_bytes": 0}, Limits(packets=100)),
    ("codel", {"target": 0.02}, Limits(time_ns=60_000_000)),
    ("fq-codel", {"flows": 5}, Limits(packets=200)),
    ("fq-codel", {"quantum_bytes": 300, "interval": 0.05}, Limits(size=90_000)),
    ("fq-codel", {"flows": 2, "target": 0.01}, Limits(packets=300, time_ns=80_000_000)),
    ("pie", {}, Limits(packets=300)),
    ("pie", {"target": 0.005, "burst": 0.05, "mark_below": 0.02, "packet_bytes": 500}, Limits(size=300_000)),
    ("pie", {"delay": "rate"}, Limits(packets=300)),
    (
        "pie",
        {"delay": "rate", "measured_bytes": 3000, "alpha": 1.5, "beta": 5, "update": 0.004},
        Limits(packets=150),
    ),
    ("dualpi2", {}, Limits(packets=300)),
    ("dualpi2", {"scheduler": "ts-fifo", "shift": 0.01, "ramp": 0}, Limits(packets=200)),
    (
        "dualpi2",
        {"coupling": 1, "rtt_max": 0.02, "classic_weight": 0.25, "threshold_packets": 4},
        Limits(size=300_000),
    ),
]


def arrivals(rng: np.random.Generator) -> list[Packet]:
    """Return packets of 8 flows and all ECN codepoints, with phases below, at, and above the link's rate."""
    sizes = rng.choice([40, 576, 1500], N_PACKETS, p=[0.2, 0.2, 0.6])
    loads = np.repeat(rng.choice([0.3, 0.9, 1.1, 1.3, 4.0], N_PACKETS // 500), 500)
    gaps = rng.exponential(sizes.mean() * NS_PER_BYTE / loads)
    gaps[rng.integers(0, N_PACKETS, 5)] += 5e9
    times = np.cumsum(gaps).astype(np.int64)
    flows, codepoints = rng.integers(0, 8, N_PACKETS), rng.integers(0, 4, N_PACKETS)
    columns = zip(times.tolist(), sizes.tolist(), flows.tolist(), codepoints.tolist(), strict=True)
    return [Packet(i, *row) for i, row in enumerate(columns)]


@pytest.mark.parametrize("case", range(len(CASES)))
def test_discipline__does_what_its_rfc_says(case: int) -> None:
    name, parameters, limits = CASES[case]
    packets = arrivals(np.random.default_rng(case))
    found = emulated_fates(packets, name, parameters, limits, forward_rate_bps=8e9 / NS_PER_BYTE)
    assert found == by_number(fates(name, limits, packets, NS_PER_BYTE, parameters))
    counts = Counter(event for event, _ in found.values())
    assert sum(counts.values()) == N_PACKETS
    assert min(counts["sent"], counts["limit"] if name == "droptail" else counts["dropped"]) > 20
    assert name == "droptail" or counts["marked"] > 0


@pytest.mark.parametrize(
    ("queue", "line"),
    [
        ("red", "queue is red; allowed is droptail, codel, fq-codel, pie, dualpi2"),
        (
            "codel tarjet 1",
            "queue codel: tarjet is not a setting; there are interval, mtu_bytes, target",
        ),
        ("codel target 0", "queue codel: target is 0; allowed is a time in seconds from 0.000001 to 10"),
        ("fq-codel flows 0", "queue fq-codel: flows is 0; allowed is a whole number from 1 to 65536"),
        ("pie mark_below 1.5", "queue pie: mark_below is 1.5; allowed is a number from 0 to 1"),
        ("dualpi2 scheduler fifo", "queue dualpi2: scheduler is fifo; allowed is wrr or ts-fifo"),
    ],
)
def test_discipline__refuses_what_it_does_not_have(queue: str, line: str) -> None:
    result = in_emulated_link([], queue=queue)
    assert (result.returncode, result.stderr) == (2, line + "\n")
