"""Disciplines of ns-2's queues, and of the link of emulator and kernel, beside slow twins; ECN of flows."""

import json
from collections import Counter
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from in_process import tmt
from link_traces import sent_once

from tests.ns2.aqm_twins.fates import fates_over_arq, fates_over_rows
from tests.ns2.aqm_twins.twin import NOT_ECT, Limits, Packet
from tests.ns2.conftest import Datagrams
from tests.ns2.core_build import by_number, emulated_fates
from tests.ns2.mrg32k3a import uniform_numbers
from tmt.core.trace import PhyTrace

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


def slots_of(rng: np.random.Generator, packets: list[Packet]) -> list[int]:
    """Return times of rows at even nanoseconds: the order of two events at one moment is undefined."""
    gaps = rng.integers(1, MS // 2, 5 * N_PACKETS)
    gaps[[3000, 9000]] = 300 * MS
    rows = 2 * np.cumsum(gaps)
    assert rows[-1] > packets[-1].time_ns + 1000 * MS
    return rows.tolist()


def queue_words(
    name: str, parameters: dict[str, Any], limits: Limits, counts_sending: bool
) -> dict[str, Any]:
    """Return the queue's commands and variables."""
    words = [str(word) for item in parameters.items() for word in item]
    return {
        "discipline": " ".join([name, *words]),
        "limit_": min(limits.packets, MOST),
        "limit_bytes_": limits.size if limits.size < MOST else 0,
        "limit_time_": limits.time_ns / 1e9 if limits.time_ns < MOST else 0,
        "limit_counts_sending_": int(counts_sending),
    }


@pytest.mark.parametrize("online", [False, True])
@pytest.mark.parametrize(("name", "parameters", "limits", "counts_sending"), CASES)
def test_discipline__decides_when_the_link_pulls_a_packet(
    online: bool,
    name: str,
    parameters: dict[str, Any],
    limits: Limits,
    counts_sending: bool,
    send_datagrams: Datagrams,
    tmp_path: Path,
) -> None:
    """Online, scheme none sends a packet in the same rows as the offline link."""
    rng = np.random.default_rng(len(name) + limits.packets % 97)
    packets = arrivals(rng)
    rows = slots_of(rng, packets)
    decoding_ns = 2 if online else 0
    link = {"scheme": "none", "unit_bytes_": ROW_BYTES} if online else {"lldu_bytes_": ROW_BYTES}
    run = send_datagrams(
        PhyTrace(np.array(rows), np.full(len(rows), decoding_ns)) if online else sent_once(rows),
        [(one.time_ns, one.size, one.flow) for one in packets],
        delay_s=DELAY_NS / 1e9,
        duration_s=1e4,
        **link,
        **queue_words(name, parameters, limits, counts_sending),
    )
    assert run.status == 0, run.stderr
    twin = partial(
        fates_over_rows,
        name,
        limits,
        packets,
        rows,
        ROW_BYTES,
        parameters,
        counts_sending=counts_sending,
    )
    expected = {
        number: ("received", time + decoding_ns + DELAY_NS) if event == "sent" else (EVENTS[event], time)
        for number, event, time in twin(random=uniform_numbers())
    }
    assert run.fates() == expected
    if not online:
        emulated = {"forward": tmp_path / "trace.npy", "forward_lldu_bytes": ROW_BYTES, "loop": 0}
        counts = "all" if counts_sending else "waiting"
        found = emulated_fates(packets, name, parameters, limits, queue_counts=counts, **emulated)
        assert found == by_number(twin())
    events = Counter(event for event, _ in expected.values())
    assert sum(events.values()) == N_PACKETS
    assert min(events["received"], events["queue_dropped" if name == "droptail" else "aqm_dropped"]) > 10


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("name", ["droptail", "codel", "fq-codel", "pie"])
def test_discipline__decides_when_arq_has_a_slot_for_new_data(
    name: str, packed: bool, send_datagrams: Datagrams
) -> None:
    rng = np.random.default_rng(len(name) + packed)
    packets = arrivals(rng)
    tx = slots_of(rng, packets)
    erased = rng.random(len(tx)) < np.where(np.arange(len(tx)) // 40 % 5 == 0, 0.4, 0.02)
    decoding = np.where(erased, 0, 2 * rng.integers(1, 2 * MS, len(tx)))
    unit_bytes = 500 if packed else ROW_BYTES
    limits = Limits(packets=400, time_ns=80 * MS if name == "droptail" else 1 << 60)
    run = send_datagrams(
        PhyTrace(np.array(tx), decoding),
        [(one.time_ns, one.size, one.flow) for one in packets],
        delay_s=DELAY_NS / 1e9,
        duration_s=1e4,
        scheme="arq",
        unit_bytes_=unit_bytes,
        packed_=int(packed),
        **queue_words(name, {}, limits, True),
    )
    assert run.status == 0, run.stderr
    slots = list(zip(tx, decoding.tolist(), strict=True))
    twin = fates_over_arq(
        name, limits, packets, slots, unit_bytes, 2 * DELAY_NS, packed=packed, random=uniform_numbers()
    )
    # A packed slot, at an even nanosecond, is decided one nanosecond later; packets arrive at odd ones.
    late_ns = int(packed)
    expected = {
        number: ("received", time + DELAY_NS)
        if event == "received"
        else (EVENTS[event], time + (1 - time % 2) * late_ns)
        for number, event, time in twin
    }
    assert run.fates() == expected
    counts = Counter(event for event, _ in expected.values())
    assert sum(counts.values()) == N_PACKETS
    assert min(counts["received"], counts["queue_dropped" if name == "droptail" else "aqm_dropped"]) > 10
    assert run.counters["packets_aqm_dropped"] == counts["aqm_dropped"]


@pytest.mark.parametrize("tcp", ["newreno", "cubic"])
def test_ecn__marks_take_the_place_of_drops(tcp: str) -> None:
    command = ("replay", "--rate", 20e6, "--rtt", 0.05, "--duration", 20, "--queue-packets", 1000)
    rows = {}
    for ecn in ("off", "classic"):
        said = tmt(*command, "--tcp", tcp, "--queue", "codel", "--ecn", ecn, "--json", folder=Path())
        assert said.status == 0, said.err
        rows[ecn] = json.loads(said.out)
    assert rows["off"]["forward_aqm_dropped"] > 5
    assert rows["off"]["forward_marked"] == 0
    assert rows["off"]["retransmissions"] >= rows["off"]["forward_aqm_dropped"]
    assert rows["classic"]["forward_aqm_dropped"] == rows["classic"]["retransmissions"] == 0
    assert rows["classic"]["forward_marked"] > 5
    assert rows["classic"]["goodput_bps"] > 0.95 * rows["off"]["goodput_bps"]
