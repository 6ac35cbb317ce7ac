"""Links in the forms of other tools, read back by what their own sources and pages say of those forms."""

import json
import re
import subprocess
from pathlib import Path

import numpy as np
import pytest
from in_process import tmt
from link_traces import sent_once

from tmt.cli.export_command import command
from tmt.core.channels.snr.tables import read_signal_series
from tmt.core.errors import UsageError
from tmt.core.trace import LinkTrace, PhyTrace
from tmt.importers.exporters import EXPORTERS, LinkIntervals, packet_fates
from tmt.importers.mahimahi import Mahimahi, read_opportunities_ms
from tmt.importers.opportunities import opportunities_ms
from tmt.io import read_phy

MS, S = 10**6, 10**9
HEADER = "tx_time_ns,delay_ns,delivered,transmissions\n"


def link(rows: list[tuple[float, float, bool]], sizes: list[int] | None = None) -> LinkTrace:
    """Rows of time in ms, delay in ms, and whether they are delivered."""
    time, delay, delivered = (np.array(column) for column in zip(*rows, strict=True))
    return sent_once(time * MS, delay * MS, np.flatnonzero(~delivered), sizes)


TRACE = link(
    [(0, 20, True), (40, 30, True), (80, 0, False), (120, 40, True), (310, 50, True), (320, 50, True)]
)
"""In intervals of 100 ms: three rows of which one is lost, one row, none, two rows."""


def test_intervals__are_what_hand_arithmetic_gives() -> None:
    """Rows of 1500 bytes: 360, 120, 0 and 240 kbit/s; the interval without rows keeps the delay before."""
    found = LinkIntervals.of(TRACE, 1500, 100 * MS)
    assert found.rate_bps.tolist() == pytest.approx([360_000, 120_000, 0, 240_000])
    assert found.loss.tolist() == pytest.approx([1 / 3, 0, 0, 0])
    assert (found.delay_ns / MS).tolist() == [25, 40, 40, 50]


def test_intervals__know_sizes_and_slots_of_a_phy_trace() -> None:
    phy = PhyTrace(
        np.array([7, 57, 157]) * MS, np.array([5, 0, 9]) * MS, {}, np.array([100, 300, 50], np.uint32)
    )
    found = LinkIntervals.of(phy, None, 100 * MS)
    assert found.rate_bps.tolist() == pytest.approx([32_000, 4_000])
    assert found.loss.tolist() == [0.5, 0]
    assert (found.delay_ns / MS).tolist() == [5, 9]


def test_intervals__before_the_first_delivered_row_take_its_delay() -> None:
    found = LinkIntervals.of(link([(0, 0, False), (150, 7, True)]), 100, 100 * MS)
    assert (found.delay_ns / MS).tolist() == [7, 7]


def test_packets__are_lost_with_one_of_their_rows() -> None:
    """Rows of 800 bytes: two a packet. With sizes the bytes 1500 to 2999 lie in rows 1 and 2."""
    rows = [(i, 1, i != 2) for i in range(5)]
    assert packet_fates(link(rows), 800).tolist() == [True, False]
    assert packet_fates(link(rows, [1000, 1000, 1000, 2000, 400]), None).tolist() == [True, False, True]
    assert packet_fates(link(rows, [1499, 1, 1500, 1, 1498]), None).tolist() == [True, False]


@pytest.mark.parametrize("seed", range(4))
def test_packets__of_rows_with_sizes_agree_with_a_byte_by_byte_twin(seed: int) -> None:
    source = np.random.default_rng(seed)
    sizes = source.integers(1, 4000, 60).tolist()
    rows = [(i, 1, bool(source.random() > 0.1)) for i in range(60)]
    of_byte = np.repeat([delivered for *_, delivered in rows], sizes)
    whole = len(of_byte) // 1500
    twin = of_byte[: whole * 1500].reshape(whole, 1500).all(axis=1)
    assert packet_fates(link(rows, sizes), None).tolist() == twin.tolist()


def test_tc_netem__sets_rate_delay_and_loss_in_tc_s_own_words(tmp_path: Path) -> None:
    """Man tc-netem: rate 0 is not a limit, so the interval without rows loses everything instead."""
    EXPORTERS["tc-netem"](tmp_path / "link.sh", TRACE, 1500, 100 * MS)
    text = (tmp_path / "link.sh").read_text()
    commands = [line for line in text.splitlines() if line.startswith("tc ")]
    assert commands[0] == (
        'tc qdisc replace dev "$device" root netem limit 1000 rate 360000bit delay 25.000ms loss 33.3333%'
    )
    assert commands[2] == 'tc qdisc change dev "$device" root netem limit 1000 delay 40.000ms loss 100.0000%'
    assert text.count("sleep 0.1") == 4
    (tmp_path / "tc").write_text('#!/bin/sh\necho "$@" >> calls\n')
    (tmp_path / "tc").chmod(0o755)
    environment = {"PATH": f"{tmp_path}:/usr/bin:/bin"}
    subprocess.run(["sh", "link.sh", "eth9"], cwd=tmp_path, env=environment, check=True)
    assert (tmp_path / "calls").read_text().splitlines()[3] == (
        "qdisc change dev eth9 root netem limit 1000 rate 240000bit delay 50.000ms loss 0.0000%"
    )


def test_picoquic__is_read_by_the_grammar_of_its_parser(tmp_path: Path) -> None:
    """pico_sim.c: items end with ``;``, fields with ``:``; a duration in us, then letters and numbers.

    sim_link.c loses a packet after P + 1 have passed: one in P + 2. A third is P = 1.
    """
    EXPORTERS["picoquic"](tmp_path / "spec", TRACE, 1500, 100 * MS)
    name, _, value = (tmp_path / "spec").read_text().strip().partition(": ")
    items = [item.split(":") for item in value.split(";")]
    assert name == "link_scenario"
    assert all(re.fullmatch(r"\d+", item[0]) for item in items)
    assert all(re.fullmatch(r"[UDLBP]\d+(\.\d+)?", field) for item in items for field in item[1:])
    assert [int(item[0]) for item in items] == [100_000] * 4
    held = [{field[0]: float(field[1:]) for field in item[1:]} for item in items]
    assert held[0] == {"U": 0.00036, "D": 0.00036, "L": 25_000, "B": 1, "P": 1}
    assert held[2] == {"U": 0, "D": 0, "L": 40_000}


def test_picoquic__joins_equal_intervals_and_refuses_a_line_that_is_cut_when_read(tmp_path: Path) -> None:
    even = link([(10 * i, 20, True) for i in range(100)])
    EXPORTERS["picoquic"](tmp_path / "spec", even, 1500, 100 * MS)
    assert (tmp_path / "spec").read_text() == "link_scenario: 1000000:U0.0012:D0.0012:L20000\n"
    rough = link([(100 * i, 20 + i, True) for i in range(100)])
    with pytest.raises(UsageError, match=r"100 intervals make a line of \d+ characters, of which pico"):
        EXPORTERS["picoquic"](tmp_path / "none", rough, 1500, 100 * MS)
    assert not (tmp_path / "none").exists()


def test_rattan__has_the_json_of_netem_trace(tmp_path: Path) -> None:
    """The examples in netem-trace's documentation: RepeatedBwPatternConfig with StaticBwConfig, and so on."""
    EXPORTERS["rattan"](tmp_path / "link.json", TRACE, 1500, 100 * MS)
    expected = {"": ("Bw", "bw"), ".delay": ("Delay", "delay"), ".loss": ("Loss", "loss")}
    values = {}
    for ending, (kind, key) in expected.items():
        document = json.loads((tmp_path / f"link{ending}.json").read_text())
        assert list(document) == [f"Repeated{kind}PatternConfig"]
        assert document[f"Repeated{kind}PatternConfig"]["count"] == 0
        steps = [step[f"Static{kind}Config"] for step in document[f"Repeated{kind}PatternConfig"]["pattern"]]
        assert {step["duration"] for step in steps} == {"100000000ns"}
        values[key] = [step[key] for step in steps]
    assert values == {
        "bw": ["360000bps", "120000bps", "0bps", "240000bps"],
        "delay": ["25000000ns", "40000000ns", "40000000ns", "50000000ns"],
        "loss": [[0.333333], [0.0], [0.0], [0.0]],
    }


def test_leoreplayer__takes_opportunities_and_one_delay_a_line(tmp_path: Path) -> None:
    """delay_queue.cc: whole milliseconds, one line an interval; the link's file is mahimahi's."""
    lines = EXPORTERS["leoreplayer"](tmp_path / "bw.txt", TRACE, 1500, 100 * MS)
    assert read_opportunities_ms(str(tmp_path / "bw.txt")).tolist() == [0, 40, 80, 120, 310, 320]
    assert (tmp_path / "bw.delay.txt").read_text() == "25\n40\n40\n50\n"
    assert f"mm-delay 100 {tmp_path / 'bw.delay.txt'} mm-loss uplink 0.166667" in lines[1]
    with pytest.raises(UsageError, match=r"--interval is 0\.0005 s; LeoReplayer counts whole milliseconds"):
        EXPORTERS["leoreplayer"](tmp_path / "none", TRACE, 1500, MS // 2)


def test_leoreplayer__gives_back_the_gallery_s_starlink(tmp_path: Path) -> None:
    """Capacity and delay through an export, and an import with those delays, from an interval's begin on."""
    slots = read_phy(Path(__file__).resolve().parents[2] / "traces" / "measured" / "starlink.parquet")
    begin = int(np.argmax(slots.tx_time_ns % (10 * MS) == 0))
    time_ns, delay_ns = slots.tx_time_ns[begin:] - slots.tx_time_ns[begin], slots.decode_time_ns[begin:]
    EXPORTERS["leoreplayer"](tmp_path / "bw.txt", sent_once(time_ns, delay_ns), 1500, 10 * MS)
    again = (
        Mahimahi(decode_time=0.001, delays=str(tmp_path / "bw.delay.txt"))
        .read(str(tmp_path / "bw.txt"))
        .trace
    )
    before_the_end = time_ns // MS < time_ns[-1] // MS
    np.testing.assert_array_equal(again.tx_time_ns[before_the_end], time_ns[before_the_end])
    np.testing.assert_array_equal(again.decode_time_ns, delay_ns)


def test_ns3__counts_lost_packets_from_0_and_says_changes_only(tmp_path: Path) -> None:
    """ns-3's ReceiveListErrorModel counts the packets that it has seen before."""
    EXPORTERS["ns3"](tmp_path / "link.txt", TRACE, 1500, 100 * MS)
    assert np.loadtxt(tmp_path / "link.txt").tolist() == [
        [0, 360_000, 0.025],
        [0.1, 120_000, 0.04],
        [0.2, 0, 0.04],
        [0.3, 240_000, 0.05],
    ]
    assert (tmp_path / "link.txt.losses").read_text() == "# packets lost, from 0\n2\n"


def test_quic_simulator__counts_lost_packets_from_1(tmp_path: Path) -> None:
    """README of its scenario droplist: arguments with units, a list from 1 without blanks."""
    EXPORTERS["quic-simulator"](tmp_path / "link", TRACE, 1500, 100 * MS)
    words = (tmp_path / "link").read_text().split()
    assert words[0] == "droplist"
    given = dict(word.removeprefix("--").split("=") for word in words[1:])
    assert given == {
        "delay": f"{(3 * 25 + 40 + 2 * 50) / 6:.3f}ms",
        "bandwidth": "0.180000Mbps",
        "queue": "25",
        "drops_to_client": "3",
    }
    lossless = link([(i, 1, True) for i in range(5)])
    EXPORTERS["quic-simulator"](tmp_path / "none", lossless, 1500, 100 * MS)
    assert "drops" not in (tmp_path / "none").read_text()


def test_mahimahi__counts_the_bytes_that_arrive(tmp_path: Path) -> None:
    """By hand: 1000 bytes arrive at 5 ms, 2000 at 8, 3000 at 12; each 1500 is an opportunity."""
    rows = link([(0, 5, True), (1, 11, True), (2, 1, False), (3, 5, True)], [1000, 3000, 9000, 2000])
    assert opportunities_ms(rows, None).tolist() == [8, 8, 12, 12]


def test_command__offers_every_tool_and_takes_a_size(tmp_path: Path) -> None:
    option = next(option for option in command.params if option.name == "tool")
    assert list(option.type.choices) == list(EXPORTERS)
    (tmp_path / "link.csv").write_text(HEADER + "0,5,1,1\n9000000,5,1,1\n")
    arguments = ["export", "link.csv", "out", "--for", "ns3"]
    told = tmt(*arguments, "--lldu-bytes", "1500", "--interval", "1", folder=tmp_path)
    assert told.out == "out: 1 line of rate and delay; 0 lost packets in out.losses\n"


def test_signal__is_what_the_channel_reads(tmp_path: Path) -> None:
    """A log with dates becomes a signal: seconds since its first row, and Es/N0."""
    log = "at,dB\n2026-11-03 14:05:12,9.25\n2026-11-03 14:05:14.003,-1.5\n"
    (tmp_path / "log.csv").write_text(log)
    for words in (
        "import table log.csv phy.parquet --time at:date --es-n0 dB",
        "export phy.parquet signal.csv --for signal",
    ):
        assert tmt(*words.split(), folder=tmp_path).status == 0
    assert (tmp_path / "signal.csv").read_text() == ("time_s,es_n0_db\n0.000000000,9.25\n2.003000000,-1.5\n")
    found = read_signal_series(str(tmp_path / "signal.csv"))
    assert found.time_ns.tolist() == [0, 2003 * MS]
    with pytest.raises(UsageError, match="the trace has no column es_n0_mdb"):
        EXPORTERS["signal"](tmp_path / "none", TRACE, 1500, 100 * MS)
