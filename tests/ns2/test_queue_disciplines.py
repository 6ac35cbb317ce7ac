"""Disciplines of Queue/Clift in ns-2: packets' fates and times beside their twins; ECN of flows."""

import json
from collections import Counter
from typing import Any

import numpy as np
import pytest
from link_traces import sent_once
from processes import TMT, execute

from tests.ns2.aqm_twins import NOT_ECT, Limits, Packet, fates_over_rows
from tests.ns2.conftest import Datagrams
from tests.ns2.mrg32k3a import uniform_numbers

pytestmark = pytest.mark.ns2

N_PACKETS = 10_000
ROW_NS = 600_000
ROW_BYTES = 700
DELAY_NS = 10_000_000
EVENTS = {"sent": "received", "limit": "queue_dropped", "dropped": "aqm_dropped"}

CASES: list[tuple[str, dict[str, Any], int]] = [
    ("droptail", {"drop": "head"}, 40),
    ("codel", {}, 1000),
    ("fq-codel", {"target": 0.01}, 10_000),
    ("pie", {}, 100),
    ("pie", {"delay": "rate", "burst": 0.05}, 100),
    ("dualpi2", {"rtt_max": 0.05}, 100),
]


def arrivals(rng: np.random.Generator) -> list[Packet]:
    """Return packets at odd nanoseconds, below, at, and above the link's rate."""
    sizes = rng.choice([100, 700, 1400], N_PACKETS)
    loads = np.repeat(rng.choice([0.3, 0.9, 1.1, 1.5, 3.0], N_PACKETS // 500), 500)
    gaps = rng.exponential(1.33 * ROW_NS / loads)
    times = 2 * np.cumsum(gaps / 2 + 1).astype(np.int64) + 1
    flows = rng.integers(0, 4, N_PACKETS)
    columns = zip(times.tolist(), sizes.tolist(), flows.tolist(), strict=True)
    return [Packet(i, *row, NOT_ECT) for i, row in enumerate(columns)]


@pytest.mark.parametrize("case", range(len(CASES)))
def test_queue__follows_the_twin_of_its_discipline(case: int, send_datagrams: Datagrams) -> None:
    name, parameters, limit = CASES[case]
    packets = arrivals(np.random.default_rng(case))
    rows = ROW_NS * np.arange(1, packets[-1].time_ns // ROW_NS + 2 * N_PACKETS)
    words = " ".join([name, *(str(word) for item in parameters.items() for word in item)])
    run = send_datagrams(
        sent_once(rows),
        [(p.time_ns, p.size, p.flow) for p in packets],
        delay_s=DELAY_NS / 1e9,
        duration_s=1e6,
        lldu_bytes_=ROW_BYTES,
        limit_=limit,
        discipline=words,
    )
    limits, numbers = Limits(limit), uniform_numbers()
    twin = fates_over_rows(name, limits, packets, rows.tolist(), ROW_BYTES, parameters, numbers)
    expected = {
        number: (EVENTS[event], time + DELAY_NS if event == "sent" else time)
        for number, (event, time) in twin.items()
    }
    assert run.fates() == expected
    counts = Counter(event for event, _ in expected.values())
    assert sum(counts.values()) == N_PACKETS
    assert min(counts["received"], counts["queue_dropped" if name == "droptail" else "aqm_dropped"]) > 20


@pytest.mark.parametrize("tcp", ["newreno", "cubic"])
def test_ecn__marks_take_the_place_of_drops(tcp: str) -> None:
    command = (TMT, "replay", "--rate", 20e6, "--rtt", 0.05, "--duration", 20, "--queue-packets", 1000)
    rows = {}
    for ecn in ("off", "classic"):
        result = execute(*map(str, (*command, "--tcp", tcp, "--queue", "codel", "--ecn", ecn, "--json")))
        assert result.returncode == 0, result.stderr
        rows[ecn] = json.loads(result.stdout)
    assert rows["off"]["forward_aqm_dropped"] > 5
    assert rows["off"]["forward_marked"] == 0
    assert rows["off"]["retransmissions"] >= rows["off"]["forward_aqm_dropped"]
    assert rows["classic"]["forward_aqm_dropped"] == rows["classic"]["retransmissions"] == 0
    assert rows["classic"]["forward_marked"] > 5
    assert rows["classic"]["goodput_bps"] > 0.95 * rows["off"]["goodput_bps"]
