"""DCTCP, Prague and AccECN in ns-2: shares beside CUBIC behind DualPI2, short queues, thinned ACKs."""

import json
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from in_process import tmt

pytestmark = pytest.mark.ns2

RECEIVED, FORWARD = 1, 0


def replayed(*words: object) -> dict[str, Any]:
    command = ("replay", "--duration", 30, "--queue-packets", 2000, "--queue", "dualpi2", *words)
    said = tmt(*command, "--json", folder=Path())
    assert said.status == 0, said.err
    return json.loads(said.out)


# RFC 9332 aims at roughly equal rates. Other cells of rate and RTT differ by more (docs/queue.md).
@pytest.mark.parametrize(("rate_bps", "rtt_s"), [(12e6, 0.05), (40e6, 0.025)])
def test_prague_and_cubic__share_a_link_evenly(rate_bps: float, rtt_s: float, tmp_path: Path) -> None:
    flows = ("--flow", "tcp=prague,ecn=accurate", "--flow", "tcp=cubic,ecn=classic")
    row = replayed("--rate", rate_bps, "--rtt", rtt_s, *flows, "--output", tmp_path / "run")
    packets = pq.read_table(tmp_path / "run" / "packets.parquet").to_pandas()
    arrived = packets.query("event == @RECEIVED and direction == @FORWARD and time_ns > 10e9")
    rates = arrived.groupby("flow").size_bytes.sum() * 8 / 20
    assert rates.sum() > 0.98 * rate_bps
    assert rates[0] == pytest.approx(rates[1], rel=0.3)
    queues_s = arrived.groupby("flow").delay_ns.mean() / 1e9 - rtt_s / 2
    assert queues_s[0] < 0.003
    assert 0.012 < queues_s[1] < 0.02
    assert row["forward_marked"] > 300
    assert row["forward_aqm_dropped"] == row["retransmissions"] == 0


@pytest.mark.parametrize(
    ("tcp", "ecn"), [("dctcp", "classic"), ("prague", "accurate"), ("cubic", "accurate")]
)
def test_thinned_acks__hide_no_marks_and_add_none(tcp: str, ecn: str) -> None:
    words = ("--rate", 50e6, "--rtt", 0.05, "--tcp", tcp, "--ecn", ecn)
    full = replayed(*words)
    thinned = replayed(*words, "--ack-thinning", "decimate", "--ack-interval", 0.005)
    assert thinned["return_acks_thinned"] > 1000
    assert min(full["forward_marked"], thinned["forward_marked"]) > 10
    assert min(full["goodput_bps"], thinned["goodput_bps"]) > 0.65 * 50e6
    assert full["retransmissions"] + thinned["retransmissions"] == 0
