"""iperf3 and iperf 2: late datagrams, silences, zeros that are no outage, and the text of both programs."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.measured.imports import import_trace
from tmt.core.errors import InputError
from tmt.importers.iperf import Iperf2, Iperf3
from tmt.importers.iperf_series import carried_back, joined_zeros, noticed_late
from tmt.importers.rate_series import RateSeries

S = 10**9


def test_late__datagrams_are_taken_out_of_the_latest_losses() -> None:
    """By hand: 3 late ones leave 4 of 7; 9 are more than those 4 and 2 before; 1 comes before any loss."""
    kept, late = carried_back(np.array([-1.0, 2, 0, 7, -3, 0, -9, 5]))
    assert kept.tolist() == [0, 0, 0, 0, 0, 0, 0, 5]
    assert late == 3
    assert carried_back(np.array([2.0, 7, -3, 0]))[0].tolist() == [2, 4, 0, 0]


def test_late__losses_belong_to_the_silence_before() -> None:
    """By hand, 10 datagrams an interval: after two silent ones, 8 arrive and 22 are noticed."""
    arrived, lost, seconds = np.array([10.0, 0, 0, 8, 0]), np.array([0.0, 0, 0, 22, 0]), np.ones(5)
    assert noticed_late(lost, arrived, seconds).tolist() == [0, 10, 10, 2, 0]
    few = noticed_late(np.array([0.0, 0, 0, 4, 0]), arrived, seconds)
    assert few.tolist() == [0, 2, 2, 0, 0]


def test_zeros__of_a_silence_without_losses_share_the_next_arrival() -> None:
    """By hand: 6 after 3 s; the last zero stays, and so does a silence in which something was lost."""
    bits, seconds = np.array([4.0, 0, 0, 6, 0]), np.array([1.0, 1, 1, 1, 1])
    spread, quiet = joined_zeros(bits, None, seconds)
    assert (spread.tolist(), quiet) == ([4, 2, 2, 2, 0], 2)
    assert joined_zeros(bits, np.array([0.0, 1, 0, 0, 0]), seconds)[1] == 0


def sums(*counts: tuple[float, int, int], **test: Any) -> str:
    """Return the JSON of seconds of a UDP receiver: Mbit/s, lost and sent datagrams."""
    held = [
        {"start": at, "end": at + 1, "bits_per_second": mbps * 1e6, "lost_packets": lost, "packets": sent}
        | {"lost_percent": 100 * lost / max(sent, 1), "omitted": False, "sender": False}
        for at, (mbps, lost, sent) in enumerate(counts)
    ]
    start = {"test_start": {"protocol": "UDP", "reverse": 1, **test}}
    return json.dumps({"start": start, "intervals": [{"sum": one} for one in held]})


def rates(folder: Path, text: str, kind: type[Iperf3 | Iperf2] = Iperf3, **options: Any) -> RateSeries:
    (folder / "iperf").write_text(text)
    return kind(**options).rates(str(folder / "iperf"))


def test_json__of_late_datagrams_has_no_loss_and_every_bit(tmp_path: Path) -> None:
    """By hand: datagrams of 10,000 bits; 200 of 1000 are lost, and come in the next second."""
    found = rates(tmp_path, sums((10, 0, 1000), (8, 200, 1000), (12, -200, 1000), (10, 0, 1000)))
    assert found.loss.tolist() == [0, 0, 0, 0]
    assert found.rate_bps == pytest.approx([10e6, 8e6, 12e6, 10e6])
    assert found.notes[1] == (
        "in 1 interval more datagrams came late than were lost: 200 are taken out of "
        "the losses of earlier intervals"
    )


def test_json__of_late_datagrams_in_the_first_interval_loses_none_for_them(tmp_path: Path) -> None:
    """By hand: 10 come late before any loss; of 10 lost in the next second 5 come in the third."""
    found = rates(tmp_path, sums((1.1, -10, 100), (0.9, 10, 100), (1.05, -5, 100)))
    assert found.loss.tolist() == pytest.approx([0, 5 / 95, 0])
    assert found.rate_bps == pytest.approx([1.1e6, 0.95e6, 1.05e6])
    assert "5 are taken out of the losses of earlier intervals, 10 find none" in found.notes[1]


def test_json__of_an_outage_loses_what_was_sent_in_it(tmp_path: Path) -> None:
    """By hand: 1000 datagrams a second; two seconds are silent, and 5 of 3000 arrive in the next one."""
    found = rates(tmp_path, sums((10, 0, 1000), (0, 0, 0), (0, 0, 0), (0.05, 2995, 3000), (10, 0, 1000)))
    assert found.rate_bps == pytest.approx([10e6] * 5)
    assert found.loss == pytest.approx([0, 1, 1, 0.995, 0])
    assert found.notes[2] == (
        "in 1 interval more than half of the datagrams are lost, up to 99.5 % at 50.0 kbit/s received: the "
        "rows of 10.0 Mbit/s that they make are no capacity that was seen"
    )


def test_json__says_where_more_was_counted_than_sent(tmp_path: Path) -> None:
    found = rates(tmp_path, sums((1, 0, 100), (1, 1500, 1600), target_bitrate=1_000_000))
    assert found.notes[2] == (
        "in 1 interval more datagrams arrived or were lost than the sender sent: up to 16.0 Mbit/s, and it "
        "sent 1,000.0 kbit/s"
    )
    with pytest.raises(InputError, match=r"iperf:intervals\[1\]\.sum: 101 of 100 datagrams are lost"):
        rates(tmp_path, sums((1, 0, 100), (1, 101, 100)))


def test_json__of_a_slow_sender_has_no_outage(tmp_path: Path) -> None:
    """By hand: a datagram of 1000 bytes every 4 s, 2 kbit/s; the last zeros stay, 3 s of 12."""
    second = (0.008, 0, 1)
    found = rates(
        tmp_path, sums(second, *3 * [(0, 0, 0)], second, *3 * [(0, 0, 0)], second, *3 * [(0, 0, 0)])
    )
    assert found.rate_bps == pytest.approx([8000, *8 * [2000], 0, 0, 0])
    assert found.extent.length_ns == 12 * S
    assert (
        "6 intervals of 0 are no outage: the sender sent at most one block of 1,000 bytes" in found.notes[1]
    )
    fast = rates(tmp_path, sums((8, 0, 1000), (0, 0, 0), (8, 0, 1000)))
    assert fast.rate_bps == pytest.approx([8e6, 0, 8e6])


def test_json__of_tcp_hands_over_blocks(tmp_path: Path) -> None:
    """By hand: the client hands over 131,072 bytes every other second; a receiver counts bytes."""
    held = [
        {"start": at, "end": at + 1, "bits_per_second": rate, "omitted": False, "sender": True}
        for at, rate in enumerate((0.0, 1_048_576.0, 0.0, 1_048_576.0))
    ]
    document = {"start": {"test_start": {"protocol": "TCP", "reverse": 0, "blksize": 131_072}}}
    text = json.dumps(document | {"intervals": [{"sum": one} for one in held]})
    assert rates(tmp_path, text).rate_bps == pytest.approx([524_288] * 4)
    received = rates(tmp_path, text.replace("true", "false"))
    assert received.rate_bps == pytest.approx([0, 1_048_576, 0, 1_048_576])


CLIENT = """Connecting to host 10.0.0.2, port 5201
Reverse mode, remote host 10.0.0.2 is sending
[  5] local 10.0.0.1 port 52000 connected to 10.0.0.2 port 5201
[ ID] Interval           Transfer     Bitrate
[  5]   0.00-1.00   sec  1.12 MBytes  9.43 Mbits/sec                  (omitted)
[  5]   0.00-1.00   sec  1.12 MBytes  9.43 Mbits/sec
[  5]   1.00-2.00   sec   600 KBytes  4.91 Mbits/sec
[  5]   2.00-3.00   sec  0.00 Bytes  0.00 bits/sec
- - - - - - - - - - - - - - - - - - - - - - - - -
[ ID] Interval           Transfer     Bitrate         Retr
[  5]   0.00-3.04   sec  1.85 MBytes  5.10 Mbits/sec    0             sender
[  5]   0.00-3.00   sec  1.70 MBytes  4.76 Mbits/sec                  receiver

iperf Done.
"""


def test_text__of_iperf3_is_that_of_the_printed_intervals(tmp_path: Path) -> None:
    found = rates(tmp_path, CLIENT)
    assert found.rate_bps == pytest.approx([9.43e6, 4.91e6, 0])
    assert found.duration_ns.tolist() == [S, S, S]
    assert found.loss is None
    assert not any("sender" in note for note in found.notes)
    with pytest.raises(InputError, match="--direction is up; this test sent down"):
        rates(tmp_path, CLIENT, direction="up")
    sent = CLIENT.replace("Reverse mode, remote host 10.0.0.2 is sending\n", "")
    assert rates(tmp_path, sent, direction="up").notes[1].startswith("these are rates at the sender")


def test_text__of_both_directions_and_of_a_sum(tmp_path: Path) -> None:
    """Two streams each way; the sum has the role of its direction."""
    lines = [
        f"[{name}][{role}-C]   {at}.00-{at + 1}.00   sec  1.25 MBytes  {rate} Mbits/sec\n"
        for at in range(2)
        for name, role, rate in (("  5", "TX", 1), ("  7", "RX", 2), ("SUM", "TX", 10), ("SUM", "RX", 20))
    ]
    text = "[ ID][Role] Interval           Transfer     Bitrate\n" + "".join(lines)
    assert rates(tmp_path, text).rate_bps == pytest.approx([10e6, 10e6])
    assert rates(tmp_path, text, direction="down").rate_bps == pytest.approx([20e6, 20e6])
    alone = "".join(line.replace("[RX-C]", "").replace("[TX-C]", "") for line in lines if "SUM" not in line)
    with pytest.raises(
        InputError, match="it holds streams 5, 7 without their sum; a file must hold one test"
    ):
        rates(tmp_path, alone)


SERVER_2 = """------------------------------------------------------------
Server listening on UDP port 5001
Receiving 1470 byte datagrams
UDP buffer size:  208 KByte (default)
------------------------------------------------------------
[  3] local 10.0.0.2 port 5001 connected with 10.0.0.1 port 39210
[ ID] Interval       Transfer     Bandwidth        Jitter   Lost/Total Datagrams
[  3]  0.0- 1.0 sec   128 KBytes  1.05 Mbits/sec   0.008 ms    0/   89 (0%)
[  3]  1.0- 2.0 sec   115 KBytes   941 Kbits/sec   0.010 ms    9/   89 (10%)
[  3]  2.0- 3.0 sec  0.00 Bytes  0.00 bits/sec   0.010 ms    0/    0 (-nan%)
[  3]  0.0- 3.0 sec   243 KBytes   664 Kbits/sec   0.010 ms    9/  178 (5.1%)
[  3] 0.00-3.00 sec  1 datagrams received out-of-order
"""


def test_text__of_iperf_2_drops_its_total(tmp_path: Path) -> None:
    """By hand: 80 datagrams carry 941 kbit; with 9 lost ones 1.05 Mbit/s, of which 9 in 89."""
    found = rates(tmp_path, SERVER_2, Iperf2)
    assert found.loss == pytest.approx([0, 9 / 89, 0], rel=0.003)
    assert found.rate_bps == pytest.approx([1.05e6, 941e3 * 89 / 80, 0], rel=0.003)
    assert found.extent.length_ns == 3 * S
    (tmp_path / "server.txt").write_text(SERVER_2)
    assert import_trace("auto", tmp_path / "server.txt").metadata["importer"] == "iperf2"
    client = SERVER_2.replace("Server listening on", "Client connecting to 10.0.0.2,")
    with pytest.raises(InputError, match="--direction is up; this test sent down"):
        rates(tmp_path, client, Iperf2, direction="up")


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("115 KBytes", "115 KPackets", "10: [  3]  1.0- 2.0 sec   115 KPackets   941 Kbits/sec"),
        ("9/   89", "99/   89", "10: 99 of 89 datagrams are lost"),
        ("[  3]  1.0- 2.0", "[  3]  0.5- 2.0", "10: this interval begins before that of line 9 has ended"),
        ("[  3]  2.0- 3.0", "[  3]  0.0- 1.0", "11: a second test begins here; a file must hold one test"),
    ],
)
def test_text__that_is_damaged_is_refused_with_its_line(
    old: str, new: str, reason: str, tmp_path: Path
) -> None:
    numbered = "\n" + SERVER_2
    with pytest.raises(InputError) as refused:
        rates(tmp_path, numbered.replace(old, new), Iperf2)
    assert f"iperf:{reason}" in str(refused.value)


def test_text__that_was_cut_loses_its_last_line(tmp_path: Path) -> None:
    cut = SERVER_2[: SERVER_2.index("    9/   89")]
    found = rates(tmp_path, cut, Iperf2)
    assert found.rate_bps == pytest.approx([1.05e6])
    assert found.notes[-1] == "the last line is cut short and left out"
    with pytest.raises(InputError, match="there is no interval; run iperf with -i 1"):
        rates(tmp_path, CLIENT[: CLIENT.index("[  5]   0.00")] + CLIENT[CLIENT.index("[  5]   0.00-3.04") :])
