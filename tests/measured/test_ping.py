"""Output of ping: sending times, losses, wraps, and logs that end in the middle."""

import gzip
import re
from pathlib import Path

import pytest

from tmt.importers.ping import Ping

MS = 1_000_000
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
    assert probes.notes[-1] == "3 probes at the end have no answer yet and are left out"


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
    assert probes.notes[-2:] == ("1 duplicate replies are left out", "the last line is cut and is left out")


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
