"""Agent/TCP/Modern in the simulator: packets dropped by hand, sending times by the RFCs' arithmetic.

A packet takes 1 ms and each way 50 ms, so that an ACK comes 101 ms after its packet began to be sent; the SYN
takes 0.027 ms. A dropped packet takes no time on the link.
"""

from pathlib import Path

import pytest

from tests.ns2.scripts import output_of

SCRIPT = Path(__file__).with_name("modern_tcp.tcl")
SYN_ACK_S = 0.1 + 40 * 8 / 12e6
"""When the first window of ten packets, 1 to 10, is sent."""


class Transfer:
    """The sending time of each packet, and the sender's counters."""

    def __init__(self, simulator: Path, folder: Path, **settings: object) -> None:
        printed = output_of(simulator, SCRIPT, folder, **settings).splitlines()
        self.counters = dict(line.split() for line in printed)
        self.times: dict[int, list[float]] = {}
        for line in (folder / "out.tr").read_text().splitlines():
            words = line.split()
            if words[0] == "+":
                self.times.setdefault(int(words[10]), []).append(float(words[1]) - SYN_ACK_S)

    def sent_ms(self, sequence: int) -> list[float]:
        """When a packet was sent, in milliseconds after the first window."""
        return [round(1000 * time_s, 3) for time_s in self.times[sequence]]

    @property
    def repeated(self) -> list[int]:
        """The packets that were sent more than once."""
        return sorted(sequence for sequence, times in self.times.items() if len(times) > 1)


def drops(numbers: list[int]) -> str:
    return " ".join(map(str, numbers))


def test_handshake__is_one_round_trip_and_then_ten_packets(simulator: Path, tmp_path: Path) -> None:
    transfer = Transfer(simulator, tmp_path, packets=10)
    assert transfer.sent_ms(0) == [round(-1000 * SYN_ACK_S, 3)]
    assert [transfer.sent_ms(sequence) for sequence in range(1, 11)] == [[0.0]] * 10
    assert transfer.counters == {"timeouts": "0", "acknowledged": "10"}


def test_single_loss__is_repaired_on_the_third_duplicate(simulator: Path, tmp_path: Path) -> None:
    transfer = Transfer(simulator, tmp_path, packets=60, drops=drops([3]))
    assert transfer.repeated == [3]
    # ACKs of 1 and 2 at 101 and 102 ms let out four packets; 4, 5 and 6 are reported at 103, 104 and 105 ms.
    # The first two of these let one new packet out each (RFC 3042), the third one the retransmission.
    assert transfer.sent_ms(3) == [0.0, 105.0]
    assert [transfer.sent_ms(sequence) for sequence in (15, 16)] == [[103.0], [104.0]]
    # RFC 9937: RecoverFS is 12 and ssthresh 6: one packet for every second ACK.
    assert [transfer.sent_ms(sequence) for sequence in (17, 18)] == [[107.0], [109.0]]
    assert transfer.counters["timeouts"] == "0"


def test_several_losses__are_repaired_without_timeout(simulator: Path, tmp_path: Path) -> None:
    transfer = Transfer(simulator, tmp_path, packets=60, drops=drops([3, 5, 8, 9]))
    assert transfer.repeated == [3, 5, 8, 9]
    assert all(len(transfer.times[sequence]) == 2 for sequence in transfer.repeated)
    assert transfer.sent_ms(3)[1] == 105.0
    assert transfer.counters == {"timeouts": "0", "acknowledged": "60"}


def test_lost_retransmission__is_found_by_what_was_sent_after_it(simulator: Path, tmp_path: Path) -> None:
    # The retransmission is the 18th packet that passes. Packet 17 is sent 2 ms after it, when the link has
    # just become idle, and its ACK comes 101 ms later.
    transfer = Transfer(simulator, tmp_path, packets=60, drops=drops([3, 17]))
    assert transfer.sent_ms(3) == [0.0, 105.0, 208.0]
    assert transfer.repeated == [3]
    assert transfer.counters == {"timeouts": "0", "acknowledged": "60"}


def test_lost_tail__is_probed_after_two_round_trips(simulator: Path, tmp_path: Path) -> None:
    transfer = Transfer(simulator, tmp_path, packets=10, drops=drops([9, 10]))
    srtt_ms = 1000 * SYN_ACK_S
    for rtt_ms in range(101, 109):
        srtt_ms += (rtt_ms - srtt_ms) / 8
    probe_ms = 108 + 2 * srtt_ms
    assert transfer.sent_ms(10) == [0.0, pytest.approx(probe_ms, abs=2e-3)]
    assert transfer.sent_ms(9) == [0.0, pytest.approx(probe_ms + 101, abs=2e-3)]
    assert transfer.counters == {"timeouts": "0", "acknowledged": "10"}


def test_lost_window__is_found_by_a_probe(simulator: Path, tmp_path: Path) -> None:
    transfer = Transfer(simulator, tmp_path, packets=60, drops=drops(list(range(1, 11))))
    probe_ms = 2 * 1000 * SYN_ACK_S
    assert transfer.sent_ms(11) == [pytest.approx(probe_ms, abs=2e-3)]
    assert transfer.sent_ms(1) == [0.0, pytest.approx(probe_ms + 101, abs=2e-3)]
    assert transfer.repeated == list(range(1, 11))
    assert transfer.counters == {"timeouts": "0", "acknowledged": "60"}


def test_window_of_one_packet__is_obeyed(simulator: Path, tmp_path: Path) -> None:
    transfer = Transfer(simulator, tmp_path, packets=5, window=1)
    assert [transfer.sent_ms(sequence) for sequence in range(1, 6)] == [
        [0.0],
        [101.0],
        [202.0],
        [303.0],
        [404.0],
    ]
