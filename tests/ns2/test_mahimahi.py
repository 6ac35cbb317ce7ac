"""Measured links, from the published file to packets in ns-2, against the lines of the file."""

import csv
import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from in_process import tmt

from tests.measured.imports import import_trace
from tests.ns2.scripts import output_of
from tmt import NoScheme
from tmt.core.units import NS_PER_MS, NS_PER_S
from tmt.io import read_trace
from tmt.io.conversion import convert_file

pytestmark = [pytest.mark.ns2, pytest.mark.usefixtures("simulator")]

TRACES = ("Verizon-LTE-short.down", "ATT-LTE-driving-2016.up")
DECODE_NS = 3 * NS_PER_MS
PROPAGATION_NS = 20 * NS_PER_MS
DURATION_S = 150
"""Longer than both traces."""
FLOW_BPS = 900_000_000
"""1500 bytes every 13.3 us: both traces have at most 29 opportunities in one millisecond."""

TOO_MANY = 100
"""Packets for which the trace has no opportunity."""

SCRIPT = Path(__file__).with_name("mahimahi.tcl")

Times = dict[str, list[int]]
"""Times in nanoseconds of the lines of a trace file, in order of packets, by the event's letter."""


def replay(simulator: Path, folder: Path, packets: int) -> Times:
    output_of(simulator, SCRIPT, folder, packets, PROPAGATION_NS / NS_PER_S, FLOW_BPS, DURATION_S)
    times: Times = {event: [] for event in "+-rdlu"}
    uids: dict[str, list[int]] = {event: [] for event in times}
    for line in (folder / "packets.tr").read_text().splitlines():
        words = line.split()
        times[words[0]].append(round(float(words[1]) * NS_PER_S))
        uids[words[0]].append(int(words[-1]))
    assert all(numbers == list(range(len(numbers))) for numbers in uids.values())
    return times


@pytest.mark.parametrize("name", TRACES)
def test_saturated_link__serves_each_packet_at_its_opportunity(
    name: str, measured_data: Path, simulator: Path, tmp_path: Path
) -> None:
    source = measured_data / "mahimahi_cellular" / name
    lines_ms = [int(line) for line in source.read_text().split()]
    assert len(lines_ms) > 10_000

    phy, link = tmp_path / "phy.parquet", tmp_path / "link.npy"
    import_trace("mahimahi", str(source), str(phy), decode_time=DECODE_NS / 1e9)
    convert_file(phy, link, NoScheme())
    times = replay(simulator, tmp_path, len(lines_ms) + TOO_MANY)

    # As many packets as lines, in the milliseconds of the lines, though the link is said to have 9600 bit/s.
    assert Counter(time // NS_PER_MS for time in times["-"]) == Counter(lines_ms)
    # Each leaves at its row and arrives when that is decoded; ns-2's trace files round to microseconds.
    leave_ns = read_trace(link).tx_time_ns
    np.testing.assert_allclose(times["-"], leave_ns, rtol=0, atol=501)
    np.testing.assert_allclose(times["r"], leave_ns + DECODE_NS + PROPAGATION_NS, rtol=0, atol=501)
    # The flow was ahead of the trace all the time, and nothing was lost.
    assert len(times["+"]) == len(lines_ms) + TOO_MANY
    assert all(arrived <= left for arrived, left in zip(times["+"], times["-"], strict=False))
    assert (times["d"], times["l"], times["u"]) == ([], [], [])


def test_lte_uplink__carries_its_17_kbit_per_s(measured_data: Path, tmp_path: Path) -> None:
    """CUBIC keeps the queue full; the link's bytes, by the csv module, bound and almost reach its rate.

    A packet of 1500 bytes lies over some thirteen blocks; the last one under way is what may be missing.
    """
    log = measured_data / "mobileinsight_lte" / "lte_ul_pusch_harq.csv"
    with log.open() as file:
        carried = sum(int(row["tb_bytes"]) for row in csv.DictReader(file) if row["attempt"] == "1")
    import_trace("lte-harq", log, tmp_path / "link.parquet", as_="link")
    words = "replay --forward link.parquet --rtt 0.05 --duration 57.9 --json"
    received = json.loads(tmt(*words.split(), folder=tmp_path).out)["received_bps"] * 57.9 / 8
    assert 0.95 * carried < received <= carried
