"""Disciplines over rows in ns-2, and in the link of emulator and kernel, beside slow twins; ECN of flows."""

import json
from collections import Counter
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from link_traces import sent_once
from processes import TMT, execute

from tests.ns2.aqm_twins import NOT_ECT, Limits, Packet, fates_over_rows
from tests.ns2.conftest import Datagrams
from tests.ns2.core_build import by_number, emulated_fates
from tests.ns2.mrg32k3a import uniform_numbers

pytestmark = pytest.mark.ns2

N_PACKETS = 10_000
MS = 1_000_000
DELAY_NS = 10 * MS
ROW_BYTES = 700
MOST = 2**31 - 1
EVENTS = {"limit": "queue_dropped", "dropped": "aqm_dropped"}

CASES: list[tuple[str, dict[str, Any], Limits, bool]] = [
    ("droptail", {}, Limits(packets=20), True),
    ("droptail", {}, Limits(size=9000), True),
    ("droptail", {}, Limits(size=9000), False),
    ("droptail", {}, Limits(time_ns=60 * MS), True),
    ("droptail", {"drop": "head"}, Limits(packets=20), False),
    ("codel", {}, Limits(), True),
    ("codel", {"target": 0.02, "interval": 0.05, "mtu_bytes": 0}, Limits(packets=60), True),
    ("fq-codel", {"interval": 0.05}, Limits(), True),
    ("pie", {}, Limits(packets=100), True),
    ("pie", {"delay": "rate", "burst": 0.05}, Limits(packets=100), False),
    ("dualpi2", {}, Limits(packets=100), True),
]


def arrivals(rng: np.random.Generator) -> list[Packet]:
    """Return packets of 4 flows at odd nanoseconds, below, at, and above the link's rate."""
    sizes = rng.integers(40, 1500, N_PACKETS)
    loads = np.repeat(rng.choice([0.5, 0.9, 1.2, 1.5, 3.0], N_PACKETS // 500), 500)
    times = 2 * np.cumsum((rng.exponential(0.8 * MS, N_PACKETS) / loads).astype(np.int64) + 1) + 1
    flows = rng.integers(0, 4, N_PACKETS)
    columns = zip(times.tolist(), sizes.tolist(), flows.tolist(), strict=True)
    return [Packet(i, *row, NOT_ECT) for i, row in enumerate(columns)]


@pytest.mark.parametrize(("name", "parameters", "limits", "counts_sending"), CASES)
def test_discipline__decides_when_the_link_pulls_a_packet(
    name: str,
    parameters: dict[str, Any],
    limits: Limits,
    counts_sending: bool,
    send_datagrams: Datagrams,
    tmp_path: Path,
) -> None:
    rng = np.random.default_rng(len(name) + limits.packets % 97)
    # Rows at even nanoseconds, packets at odd ones: the order of two events at one moment is undefined.
    packets = arrivals(rng)
    gaps = rng.integers(1, MS // 2, 5 * N_PACKETS)
    gaps[[3000, 9000]] = 300 * MS
    rows = 2 * np.cumsum(gaps)
    assert rows[-1] > packets[-1].time_ns + 1000 * MS
    words = [str(word) for item in parameters.items() for word in item]
    run = send_datagrams(
        sent_once(rows.tolist()),
        [(one.time_ns, one.size, one.flow) for one in packets],
        delay_s=DELAY_NS / 1e9,
        duration_s=1e4,
        discipline=" ".join([name, *words]),
        lldu_bytes_=ROW_BYTES,
        limit_=min(limits.packets, MOST),
        limit_bytes_=limits.size if limits.size < MOST else 0,
        limit_time_=limits.time_ns / 1e9 if limits.time_ns < MOST else 0,
        limit_counts_sending_=int(counts_sending),
    )
    assert run.status == 0, run.stderr
    twin = partial(
        fates_over_rows,
        name,
        limits,
        packets,
        rows.tolist(),
        ROW_BYTES,
        parameters,
        counts_sending=counts_sending,
    )
    expected = {
        number: ("received", time + DELAY_NS) if event == "sent" else (EVENTS[event], time)
        for number, event, time in twin(random=uniform_numbers())
    }
    assert run.fates() == expected
    link = {"forward": tmp_path / "trace.npy", "forward_lldu_bytes": ROW_BYTES, "loop": 0}
    counts = "all" if counts_sending else "waiting"
    found = emulated_fates(packets, name, parameters, limits, queue_counts=counts, **link)
    assert found == by_number(twin())
    events = Counter(event for event, _ in expected.values())
    assert sum(events.values()) == N_PACKETS
    assert min(events["received"], events["queue_dropped" if name == "droptail" else "aqm_dropped"]) > 10


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
