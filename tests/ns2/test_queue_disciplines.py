"""Disciplines of `Queue/Clift` in ns-2: each packet's fate over rows, beside the slow twins from the RFCs."""

from typing import Any

import numpy as np
import pytest
from link_traces import sent_once

from tests.ns2.aqm_twins import NOT_ECT, Limits, Packet, fates_over_rows
from tests.ns2.conftest import Datagrams

pytestmark = pytest.mark.ns2

MS = 1_000_000
DELAY_NS = 10 * MS
MOST = 2**31 - 1

CASES: list[tuple[str, dict[str, Any], Limits, bool]] = [
    ("droptail", {}, Limits(packets=20), True),
    ("droptail", {}, Limits(size=9000), True),
    ("droptail", {}, Limits(size=9000), False),
    ("droptail", {}, Limits(time_ns=60 * MS), True),
    ("droptail", {"drop": "head"}, Limits(packets=20), False),
    ("codel", {}, Limits(), True),
    ("codel", {"target": 0.02, "interval": 0.05, "mtu_bytes": 0}, Limits(packets=60), True),
    ("fq-codel", {"interval": 0.05}, Limits(packets=60), True),
    ("dualpi2", {}, Limits(packets=60), True),
]


@pytest.mark.parametrize(("name", "parameters", "limits", "counts_sending"), CASES)
def test_discipline__decides_when_the_link_pulls_a_packet(
    name: str,
    parameters: dict[str, Any],
    limits: Limits,
    counts_sending: bool,
    send_datagrams: Datagrams,
) -> None:
    rng = np.random.default_rng(len(name) + limits.packets % 97)
    # Rows at even nanoseconds, packets at odd ones: the order of two events at one moment is undefined.
    gaps = rng.integers(1, MS, 6000)
    gaps[[1000, 3000]] = 300 * MS
    rows = 2 * np.cumsum(gaps)
    loads = np.repeat([0.5, 1.5, 3.0, 0.9, 1.2], 400)
    times = 2 * np.cumsum((rng.exponential(1.6 * MS, 2000) / loads).astype(np.int64) + 1) + 1
    sizes = rng.integers(40, 1500, 2000)
    packets = [
        Packet(i, int(t), int(s), 0, NOT_ECT) for i, (t, s) in enumerate(zip(times, sizes, strict=True))
    ]
    words = [str(word) for item in parameters.items() for word in item]
    run = send_datagrams(
        sent_once(rows.tolist()),
        [(one.time_ns, one.size) for one in packets],
        delay_s=DELAY_NS / 1e9,
        duration_s=1e4,
        discipline=" ".join([name, *words]),
        lldu_bytes_=700,
        limit_=min(limits.packets, MOST),
        limit_bytes_=limits.size if limits.size < MOST else 0,
        limit_time_=limits.time_ns / 1e9 if limits.time_ns < MOST else 0,
        limit_counts_sending_=int(counts_sending),
    )
    assert run.status == 0, run.stderr
    twin = fates_over_rows(
        name, limits, packets, rows.tolist(), 700, parameters, counts_sending=counts_sending
    )
    expected = {
        number: ("received", time + DELAY_NS)
        if event == "sent"
        else ("queue_dropped" if event == "limit" else "aqm_dropped", time)
        for number, event, time in twin
    }
    assert run.fates() == expected
    assert any(event != "received" for event, _ in expected.values())
