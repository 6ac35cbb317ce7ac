"""Probes of both directions: clocks, losses of unknown direction, and lines that take their fates."""

import gzip
import json
import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.measured.imports import import_trace, written
from tmt.core.errors import InputError, UsageError
from tmt.importers.irtt import Irtt, Lens
from tmt.importers.ping import Ping
from tmt.importers.probes import Probes, multiples

MS = 1_000_000


def trip(sent_ms: float, lost: Any = "false", up_ms: float = 30, down_ms: float = 20) -> dict[str, Any]:
    held: dict[str, Any] = {
        "lost": lost,
        "timestamps": {"client": {"send": {"monotonic": int(sent_ms * MS)}}},
        "delay": {},
    }
    if str(lost).lower() == "false":
        held["delay"] = {"send": int(up_ms * MS), "receive": int(down_ms * MS)}
    return held


def irtt_file(folder: Path, *trips: dict[str, Any]) -> str:
    path = folder / "irtt.json"
    path.write_text(json.dumps({"version": {"irtt": "0.9"}, "round_trips": trips}))
    return str(path)


def test_irtt__takes_each_direction_apart(tmp_path: Path) -> None:
    """By hand: sent at 0, 10, 20, 30 ms; the second is lost upwards, the third downwards."""
    trips = (trip(0), trip(10, "true_up"), trip(20, "true_down"), trip(30, up_ms=34, down_ms=22))
    path = irtt_file(tmp_path, *trips)
    up, down = Irtt(direction="up").probes(path), Irtt(direction="down").probes(path)
    assert (up.tx_time_ns / MS).tolist() == [0, 10, 20, 30]
    assert up.delivered.tolist() == [True, False, True, True]
    # Lines between 30 ms at 0 and 34 ms at 30; the third one did arrive upwards.
    assert (up.delay_ns / MS).round(3).tolist() == [30, 31.333, 32.667, 34]
    # Downwards probes set out at 0 + 30, 20 + 32.667 and 30 + 34 ms, counted from the first.
    assert (down.tx_time_ns / MS).round(3).tolist() == [0, 22.667, 34]
    assert down.delivered.tolist() == [True, False, True]
    assert "1 probe was lost upwards and never set out downwards" in down.notes
    assert up.notes[0] == "the clocks are taken to agree: least delay 30.000 ms up, 20.000 ms down"


def test_irtt__without_one_way_delays_halves_each_round_trip(tmp_path: Path) -> None:
    """As with `--clock=monotonic`: only `rtt` is there, 50 and 61 ms."""
    trips = [trip(sent) | {"delay": {"rtt": rtt * MS}} for sent, rtt in ((0, 50), (10, 61))]
    for direction in ("up", "down"):
        probes = Irtt(direction=direction).probes(irtt_file(tmp_path, *trips))
        assert (probes.delay_ns / MS).tolist() == [25, 30.5]
        assert probes.notes == ("the delay of each direction is taken as half of the round trip",)


def test_irtt__removes_the_difference_of_clocks_that_certainly_differ(tmp_path: Path) -> None:
    """By hand: the server is 100 ms ahead; least round trip 50 ms, so that 25 ms is each least delay."""
    path = irtt_file(tmp_path, trip(0, up_ms=130, down_ms=-80), trip(10, up_ms=133, down_ms=-79))
    assert (Irtt(direction="up").probes(path).delay_ns / MS).tolist() == [25, 28]
    down = Irtt(direction="down").probes(path)
    assert (down.delay_ns / MS).tolist() == [25, 26]
    assert (down.tx_time_ns / MS).tolist() == [0, 13]
    assert "the clocks differ" in down.notes[0]


def test_irtt__keeps_the_round_trip_of_each_probe(tmp_path: Path) -> None:
    """By hand: least delays of 120 ms up and -90 ms down, in different probes: 105 ms ahead, 15 ms each.

    The second one sets out downwards at 45 ms, after the third, at 40 ms.
    """
    path = irtt_file(
        tmp_path,
        trip(0, up_ms=120, down_ms=-70),
        trip(10, up_ms=140, down_ms=-90),
        trip(20, up_ms=125, down_ms=-75),
    )
    up, down = (Irtt(direction=direction).probes(path).delay_ns / MS for direction in ("up", "down"))
    assert (up.tolist(), down.tolist()) == ([15, 35, 20], [35, 30, 15])


def test_irtt__of_clocks_that_drift_halves_each_round_trip(tmp_path: Path) -> None:
    """By hand: the least delays, -80 ms up and 70 ms down, would make a shortest round trip of -10 ms."""
    path = irtt_file(tmp_path, trip(0, up_ms=-80, down_ms=100), trip(10, up_ms=-40, down_ms=70))
    for direction in ("up", "down"):
        probes = Irtt(direction=direction).probes(path)
        assert (probes.delay_ns / MS).tolist() == [10, 15]
        assert "the clocks drift (least delay -80.000 ms up, 70.000 ms down)" in probes.notes[0]


def test_irtt__leaves_out_probes_whose_round_trip_is_not_positive(tmp_path: Path) -> None:
    """By hand: the first two have 15 and 17 ms; the others are of a clock that stood still or went back."""
    trips = [(0, -6, 21), (10, -5, 22), (20, 0, 0), (30, -22, 21)]
    path = irtt_file(tmp_path, *(trip(sent, up_ms=up, down_ms=down) for sent, up, down in trips))
    up, down = (Irtt(direction=direction).probes(path) for direction in ("up", "down"))
    assert (up.delay_ns / MS).tolist() == [7.5, 8.5]
    assert (down.delay_ns / MS).tolist() == [7.5, 8.5]
    assert (
        up.notes[1]
        == "2 probes with a round trip of 0 or less (at least -1.000 ms) left out: no measurements"
    )
    with pytest.raises(InputError, match="all 1 round trips are of 0 or less; no delay is known"):
        Irtt().probes(irtt_file(tmp_path, trip(0, up_ms=1, down_ms=-1)))


def test_lens__leaves_out_probes_whose_round_trip_is_not_positive(tmp_path: Path) -> None:
    text = "timestamp,rtt,uplink,downlink\n10,50,30,20\n20,-3,-10,7\n30,-1,0,0\n40,51,31,20\n"
    probes = Lens(direction="up").probes(written(tmp_path, text))
    assert probes.delivered.tolist() == [True, False, True]
    assert probes.notes[2].startswith("1 probe with a round trip of 0 or less (at least -3.000 ms)")


@pytest.mark.parametrize("lost", ["true", True])
def test_irtt__says_that_the_direction_of_a_loss_is_unknown(lost: Any, tmp_path: Path) -> None:
    path = irtt_file(tmp_path, trip(0, False), trip(10, lost))
    for direction in ("up", "down"):
        probes = Irtt(direction=direction).probes(path)
        assert probes.delivered.tolist() == [True, False]
        assert f"1 loss of unknown direction counts as lost {direction}; do not" in probes.notes[1]


def test_irtt__finds_in_a_measurement_what_irtt_counted(measured_data: Path) -> None:
    """Irtt's own statistics in the file: 1,996 sent, 1,757 received, least and greatest delays."""
    path = measured_data / "formats" / "irtt_own_over_emulate.json.gz"
    stats = json.loads(gzip.decompress(path.read_bytes()))["stats"]
    up, down = Irtt(direction="up").probes(str(path)), Irtt(direction="down").probes(str(path))
    assert (len(up.tx_time_ns), int(up.delivered.sum())) == (stats["packets_sent"], stats["packets_received"])
    assert len(down.tx_time_ns) == int(down.delivered.sum()) == 1757
    for probes, name in ((up, "send_delay"), (down, "receive_delay")):
        measured = probes.delay_ns[probes.delivered]
        assert (int(measured.min()), int(measured.max())) == (stats[name]["min"], stats[name]["max"])
        assert measured.mean() == pytest.approx(stats[name]["mean"], abs=1)
    assert up.size_bytes == 88


def test_lens__reads_both_forms(tmp_path: Path) -> None:
    """The excerpt in the data set's README, with a DOS line end and a blank last line."""
    text = (
        "timestamp,rtt,uplink,downlink\r\n1705744800616897349,0,0,-1\r\n"
        "1705744800626565141,120.126123,72.439368,47.68675\r\n1705744800636737402,109.976237,62.295097,47.681199\r\n"
        "1705744800646737402,-1,0,0\n1705744800656737402,0,-1,0\n\n"
    )
    up, down = (Lens(direction=direction).probes(written(tmp_path, text)) for direction in ("up", "down"))
    assert up.delivered.tolist() == [True, True, True, False, False]
    assert up.delay_ns[1] == 72_439_368
    assert up.tx_time_ns[1] == 1705744800626565141 - 1705744800616897349
    assert down.delivered.tolist() == [False, True, True, False]
    pings = Lens().probes(written(tmp_path, "timestamp,rtt\n1705744800.533641,91.8\n1705744800.602846,111.0"))
    # Sent at the stamp of the reply less the round trip: 69.205 ms less 19.2 ms later.
    assert (pings.tx_time_ns / MS).tolist() == [0, 50.005]
    assert (pings.delay_ns / MS).tolist() == [45.9, 55.5]
    assert any("losses are unknown" in note for note in pings.notes)


def test_lens__leaves_out_a_last_line_that_was_cut(tmp_path: Path) -> None:
    probes = Lens(direction="up").probes(written(tmp_path, "# comment\ntimestamp,rtt\n5,1\n6,1\n7,"))
    assert len(probes.tx_time_ns) == 2
    assert probes.notes[-1] == "the last line is cut short and left out"


def test_line__takes_fate_of_the_probe_before_and_interpolates_delays() -> None:
    """By hand: probes at 0, 10 and 20 ms, the second lost; rows of 1000 bytes at 2 Mbit/s lie every 4 ms.

    The probes cover 30 ms: to the last one, and their mean distance more.
    """
    probes = Probes(np.array([0, 10, 20]) * MS, np.array([30, 35, 40]) * MS, np.array([1, 0, 1]) > 0, 64)
    line = probes.over_line(2_000_000, 1000)
    assert (line.tx_time_ns / MS).tolist() == [0, 4, 8, 12, 16, 20, 24, 28]
    assert line.delivered.tolist() == [True, True, True, False, False, True, True, True]
    assert (line.delay_ns / MS).tolist() == [30, 32, 34, 36, 38, 40, 40, 40]


def test_line__before_a_time_is_limited_alone() -> None:
    """By hand: at 8 Gbit/s a row of 1000 bytes lasts 1 us, so that 2 probes of 60 s have 120 million."""
    probes = Probes(np.array([0, 60]) * 1000 * MS, np.array([MS, MS]), np.array([True, True]), 64)
    assert len(probes.over_line(8 * 10**9, 1000, until_ns=5 * MS)) == 5001
    with pytest.raises(UsageError, match=r" gives 120,000,000 rows; up to 50,000,000 are allowed"):
        probes.over_line(8 * 10**9, 1000)


def test_line__agrees_with_a_row_by_row_twin_on_a_measurement(measured_data: Path) -> None:
    probes = Irtt(direction="up").probes(str(measured_data / "formats" / "irtt_own_over_emulate.json.gz"))
    line = probes.over_line(3_000_001, 1500)
    probed, last_ns = len(probes.tx_time_ns), int(probes.tx_time_ns[-1])
    covered_ns = round(Fraction(last_ns * probed, probed - 1))
    assert len(line) == covered_ns * 3_000_001 // (12_000 * 10**9) + 1
    for row in range(0, len(line), 97):
        time = row * 12_000 * 10**9 // 3_000_001
        assert line.tx_time_ns[row] == time
        before = max(i for i, tx in enumerate(probes.tx_time_ns) if tx <= time)
        assert line.delivered[row] == probes.delivered[before]


def test_probes__are_sorted_and_count_from_the_earliest() -> None:
    """By hand: sent at 3, 5, 7 and 9 ms; the lost one is between those of 20 and 40 ms."""
    probes = Probes.of(
        np.array([5, 3, 9, 7]) * MS, np.array([20, 10, 40]) * MS, np.array([True, True, True, False]), 64
    )
    assert (probes.tx_time_ns / MS).tolist() == [0, 2, 4, 6]
    assert (probes.delay_ns / MS).tolist() == [10, 20, 30, 40]
    assert probes.delivered.tolist() == [True, True, False, True]


def test_multiples__are_rounded_down_and_do_not_drift() -> None:
    assert multiples(Fraction(10, 3), 4).tolist() == [0, 3, 6, 10]


def test_measurement__says_that_the_rate_of_probes_is_no_capacity(tmp_path: Path) -> None:
    trips = [trip(10 * i) for i in range(11)]
    path = irtt_file(tmp_path, *trips)
    alone = import_trace("irtt", path, direction="up")
    assert (
        alone.metadata["notes"][-1]
        == "the rate of the probes, 24.6 kbit/s, is not a capacity: --line sets one"
    )
    over = import_trace("irtt", path, direction="up", line=1_200_000)
    assert (len(over), over.metadata["lldu_bytes"], over.metadata["packing"]) == (11, 1500, "packed")


@pytest.mark.parametrize("line", [None, 1_200_000])
def test_probes__are_slots_of_a_phy_trace_with_their_delays(line: float | None, tmp_path: Path) -> None:
    """A scenario takes PHY traces alone; behind the scheme `none` slots have the fates of the rows."""
    path = irtt_file(tmp_path, trip(0), trip(10, "true_up"), trip(20, up_ms=34))
    rows = import_trace("irtt", path, direction="up", line=line)
    slots = import_trace("irtt", path, direction="up", line=line, as_="phy")
    assert slots.tx_time_ns.tolist() == rows.tx_time_ns.tolist()
    assert slots.decode_time_ns.tolist() == np.where(rows.delivered, rows.delay_ns, 0).tolist()
    assert slots.metadata["lldu_bytes"] == rows.metadata["lldu_bytes"]


def test_line__in_mbit_s_is_noted(tmp_path: Path) -> None:
    path = irtt_file(tmp_path, *(trip(10_000 * i) for i in range(11)))
    notes = [import_trace("irtt", path, line=line).metadata["notes"][-1] for line in (100, 1e6)]
    assert "--line 100e6 is 100 Mbit/s" in notes[0]
    assert notes[1] == "11 probes lie over a line of 1000000 bit/s"


def test_probe__that_took_no_time_is_no_erased_slot(tmp_path: Path) -> None:
    path = log(tmp_path, START, reply(1, 1, "0.000"), reply(2, 2, "0.000"))
    assert import_trace("ping", path, as_="phy").decode_time_ns.tolist() == [1, 1]


START = "PING 10.0.0.2 (10.0.0.2) 56(84) bytes of data.\n"


def reply(stamp: float, sequence: int, time: str = "40.0") -> str:
    return f"[{stamp:.6f}] 64 bytes from 10.0.0.2: icmp_seq={sequence} ttl=64 time={time} ms\n"


def log(folder: Path, *lines: str) -> str:
    (folder / "ping.txt").write_text("".join(lines), newline="")
    return str(folder / "ping.txt")


def test_ping__puts_lost_probes_between_their_neighbours(tmp_path: Path) -> None:
    """By hand: replies to 1, 3 and 5 at 100.04, 100.085 and 100.13 s after 40, 40 and 50 ms."""
    path = log(
        tmp_path,
        START,
        reply(100.04, 1),
        "[100.045000] no answer yet for icmp_seq=2\n",
        reply(100.085, 3),
        "[100.130000] From 10.0.0.1 icmp_seq=4 Destination Host Unreachable\r\n",
        reply(100.13, 5, "50.0"),
        "\n",
    )
    probes = Ping(direction="down").probes(path)
    assert (probes.tx_time_ns / MS).tolist() == [0, 22.5, 45, 62.5, 80]
    assert probes.delivered.tolist() == [True, False, True, False, True]
    assert (probes.delay_ns / MS).tolist() == [20, 20, 20, 22.5, 25]
    assert probes.size_bytes == 84
    assert probes.notes[1] == (
        "2 losses of unknown direction count as lost down; do not import both directions"
    )


def test_ping__of_one_reply_has_one_probe(tmp_path: Path) -> None:
    """One probe tells no interval: a lost one before it counts as sent a second earlier, as ping does."""
    alone = Ping(direction="up").probes(log(tmp_path, START, reply(100.04, 1)))
    assert (alone.tx_time_ns.tolist(), alone.delivered.tolist()) == ([0], [True])
    lost = "[100.010000] From 10.0.0.1 icmp_seq=1 Destination Host Unreachable\n"
    after = Ping(direction="up").probes(log(tmp_path, START, lost, reply(100.04, 2)))
    assert ((after.tx_time_ns / MS).tolist(), after.delivered.tolist()) == ([0, 1000], [False, True])


def test_ping__takes_no_waiting_probe_for_lost(tmp_path: Path) -> None:
    """A round trip of 41 ms and probes every 10 ms: all wait, none is lost; 3, 4 and 5 are still open."""
    waiting = [f"[100.0{i}0000] no answer yet for icmp_seq={i}\n" for i in range(1, 5)]
    path = log(tmp_path, START, *waiting, reply(100.041, 1, "41.0"), reply(100.051, 2, "41.0"))
    probes = Ping(direction="down").probes(path)
    assert probes.delivered.tolist() == [True, True]
    assert (probes.tx_time_ns / MS).tolist() == [0, 10]
    assert probes.notes[-1] == "3 probes at the end without an answer are left out"


def test_ping__counts_on_over_the_wrap_of_sequence_numbers(tmp_path: Path) -> None:
    """Sequence numbers have 16 bits; 65535 and 1 are lost, and 0 follows a late reply."""
    path = log(tmp_path, reply(100.0, 65533), reply(100.03, 0), reply(100.035, 65534), reply(100.05, 2))
    probes = Ping(direction="up").probes(path)
    assert probes.delivered.tolist() == [True, True, False, True, False, True]


def test_ping__leaves_out_a_last_line_that_was_cut_and_duplicates(tmp_path: Path) -> None:
    path = log(
        tmp_path, START, reply(100.0, 1), reply(100.1, 2), reply(100.1, 2)[:-1] + " (DUP!)\n", "[100.2] 64 by"
    )
    probes = Ping(direction="up").probes(path)
    assert len(probes.tx_time_ns) == 2
    assert probes.notes[-2:] == ("1 duplicate is left out", "the last line is cut short and left out")


def test_ping__without_stamps_sends_at_multiples_of_the_interval(tmp_path: Path) -> None:
    """By hand: probes every 20 ms; 2 is lost, and 5, which is sent at 80 ms, has no answer within 40 ms."""
    lines = [reply(0, number).partition("] ")[2] for number in (1, 3, 4)]
    path = log(
        tmp_path, START, *lines, "Warning: time of day goes backwards (-51us), taking countermeasures\n",
        "3/4 packets, 25% loss, min/avg/ewma/max = 40.0/40.0/40.0/40.0 ms\n",
        "no answer yet for icmp_seq=4\n", "5 packets transmitted, 3 received, 40% packet loss, time 81ms\n",
    )  # fmt: skip
    probes = Ping(direction="down", interval=0.02).probes(path)
    assert (probes.tx_time_ns / MS).tolist() == [0, 20, 40, 60]
    assert probes.delivered.tolist() == [True, False, True, True]
    assert probes.notes[1] == "probes are taken to be sent every 0.02 s (--interval): pauses do not show"
    with pytest.raises(UsageError, match=r"--interval is for output without time stamps; .* has them"):
        Ping(interval=0.02).probes(log(tmp_path, START, reply(1, 1)))


@pytest.mark.parametrize(
    ("start", "address", "packet_bytes"),
    [
        ("PING 10.0.0.2 (10.0.0.2) 56(84) bytes of data.\n", "10.0.0.2", 84),
        ("PING 10.0.0.2 (10.0.0.2): 56 data bytes\n", "10.0.0.2", 84),
        ("PING 2001:db8::2 (2001:db8::2) 56 data bytes\n", "2001:db8::2", 104),
        ("PING fe80::2%wlan0(fe80::2%wlan0) 56 data bytes\n", "fe80::2%wlan0", 104),
        ("", "host.example (2001:db8::2)", 104),
        ("", "host.example (10.0.0.2)", 84),
    ],
)
def test_ping__counts_the_ip_header(start: str, address: str, packet_bytes: int, tmp_path: Path) -> None:
    """56 bytes of payload, 8 of ICMP (RFC 792, RFC 4443), 20 of IPv4 (RFC 791) or 40 of IPv6 (RFC 8200)."""
    line = f"[100.1] 64 bytes from {address}: icmp_seq=1 ttl=64 time=40.0 ms\n"
    assert Ping(direction="down").probes(log(tmp_path, start, line)).size_bytes == packet_bytes


@pytest.mark.parametrize(
    ("sequence", "timeout"), [("icmp_seq", "Request timeout for icmp_seq 1\n"), ("seq", "")]
)
def test_ping__of_macos_and_busybox_counts_from_0(sequence: str, timeout: str, tmp_path: Path) -> None:
    """By hand: probes 0 to 3, one a second, of which 1 has no answer."""
    path = log(
        tmp_path,
        "PING 10.0.0.2 (10.0.0.2): 56 data bytes\n",
        f"64 bytes from 10.0.0.2: {sequence}=0 ttl=64 time=40.000 ms\n",
        timeout,
        f"64 bytes from 10.0.0.2: {sequence}=2 ttl=64 time=41.500 ms\n",
        f"64 bytes from 10.0.0.2: {sequence}=3 ttl=64 time=40.000 ms\n",
        "\n--- 10.0.0.2 ping statistics ---\n",
        "4 packets transmitted, 3 packets received, 25% packet loss\n",
        "round-trip min/avg/max = 40.000/40.500/41.500 ms\n",
    )
    probes = Ping(direction="down", interval=1.0).probes(path)
    assert (probes.tx_time_ns / MS).tolist() == [0, 1000, 2000, 3000]
    assert probes.delivered.tolist() == [True, False, True, True]
    assert not any("at the end" in note for note in probes.notes)


def test_ping__finds_without_stamps_what_a_few_lines_count(measured_data: Path) -> None:
    path = measured_data / "formats" / "deterministic6g_ping_without_D.txt"
    found = re.findall(r"icmp_seq=(\d+) ttl=64 time=([0-9.]+) ms", path.read_text())
    assert (len(found), found[-1][0]) == (1149, "1151")
    trace = import_trace("auto", path, interval=0.5)
    assert trace.delivered.sum() == 1149
    assert np.flatnonzero(~trace.delivered).tolist() == [
        number - 1 for number in range(1, 1152) if str(number) not in {sequence for sequence, _ in found}
    ]
    assert trace.tx_time_ns.tolist() == [number * 500 * MS for number in range(1151)]
    halves = [round(float(time) * MS) // 2 for _, time in found]
    assert trace.delay_ns[trace.delivered].tolist() == halves


def test_ping__finds_in_a_measurement_what_ping_counted(measured_data: Path) -> None:
    """Ping's own last lines: 1000 transmitted, 862 received; minimum 540.752 and maximum 541.792 ms."""
    path = measured_data / "formats" / "ping_D_O_own_over_emulate.txt.gz"
    text = gzip.decompress(path.read_bytes()).decode()
    assert "1000 packets transmitted, 862 received" in text
    probes = Ping(direction="up").probes(str(path))
    assert (len(probes.tx_time_ns), int(probes.delivered.sum())) == (1000, 862)
    assert 270 * MS <= probes.delay_ns.min() <= probes.delay_ns.max() <= 271 * MS
    # The line about the probe before tells when a lost one was sent; replies tell it of the others, to 1 ms.
    waiting = re.findall(r"\[(\d+\.\d+)\] no answer yet for icmp_seq=(\d+)", text)
    printed = {int(number) + 1: float(stamp) for stamp, number in waiting}
    start = float(re.findall(r"\[(\d+\.\d+)\] 64 bytes .*icmp_seq=1 ", text)[0]) - 0.542
    lost = [number for number in range(2, 1001) if not probes.delivered[number - 1]]
    for number in lost:
        assert probes.tx_time_ns[number - 1] / 1e9 == pytest.approx(printed[number] - start, abs=1e-6)
