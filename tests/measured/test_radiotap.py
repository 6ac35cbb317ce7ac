"""802.11 frames with radiotap headers: retries, sizes, rates."""

import struct
from pathlib import Path

import pytest

from tests.measured.capture_files import MS, pcap
from tests.measured.imports import import_trace, written
from tmt.core.errors import InputError
from tmt.importers import Radiotap

AP, STATION, OTHER = b"\2\0\0\0\0\1", b"\2\0\0\0\0\2", b"\2\0\0\0\0\3"
TO_DS, FROM_DS, RETRY = 1, 2, 8
MBIT_54 = struct.pack("<BBHIBB", 0, 0, 10, 1 << 1 | 1 << 2, 0x10, 108)
"""Flags with an FCS, and 108 times 500 kbit/s."""


def frame(
    sequence: int, flags: int, body: int = 100, *, ends: tuple[bytes, bytes] = (STATION, AP), kind: int = 8
) -> bytes:
    """A QoS data frame, receiver and transmitter first; `body` counts LLC, SNAP and what follows."""
    head = struct.pack("<BBH", kind << 4 | 8, flags, 0) + ends[0] + ends[1] + AP
    return head + struct.pack("<HH", sequence << 4, 0) + bytes(body) + b"FCS!"


def capture(folder: Path, *frames: bytes, header: bytes = MBIT_54) -> str:
    return written(folder, pcap([(i * MS, header + data) for i, data in enumerate(frames)], 127))


def test_radiotap__makes_an_attempt_of_each_frame(tmp_path: Path) -> None:
    """By hand: frame 5 comes three times, 6 once, 7 twice; frames of others and without data do not count.

    A frame has 26 + 100 + 4 bytes on the air, 92 behind LLC and SNAP: 130 * 8 / 54 Mbit/s are 19,259 ns.
    """
    path = capture(
        tmp_path,
        frame(5, FROM_DS),
        frame(5, FROM_DS | RETRY),
        frame(9, FROM_DS, ends=(OTHER, AP)),
        frame(5, FROM_DS | RETRY),
        frame(6, FROM_DS),
        frame(7, TO_DS, ends=(AP, STATION)),
        frame(7, FROM_DS),
        frame(8, FROM_DS, kind=12),
        frame(8, FROM_DS, ends=(b"\xff" * 6, AP)),
        frame(7, FROM_DS | RETRY),
    )
    trace = import_trace("auto", path, user="02:00:00:00:00:02")
    assert (trace.tx_time_ns / MS).tolist() == [0, 1, 3, 4, 6, 9]
    assert trace.decode_time_ns.tolist() == [0, 0, 19259, 19259, 0, 19259]
    assert trace.size_bytes.tolist() == [92] * 6
    assert (
        "retries are 3 of 6 frames; the monitor did not hear the frame before 0 of them"
        in (trace.metadata["notes"])
    )


def test_radiotap__makes_a_row_of_each_block(tmp_path: Path) -> None:
    """By hand: 19,259 ns after the third attempt, 2 ms after the first. Frame 3 has a retry alone."""
    path = capture(
        tmp_path, frame(5, TO_DS), frame(5, TO_DS | RETRY), frame(5, TO_DS | RETRY), frame(3, TO_DS | RETRY)
    )
    trace = import_trace("radiotap", path, as_="link")
    assert trace.delay_ns.tolist() == [2 * MS + 19259, 19259]
    assert trace.transmissions.tolist() == [3, 1]
    assert any("did not hear the frame before 1 of them" in note for note in trace.metadata["notes"])


HT = 1 << 19
VHT = 1 << 21


@pytest.mark.parametrize(
    ("header", "rate_mbps"),
    [
        (struct.pack("<BBHIB", 0, 0, 9, 1 << 2, 22), 11),
        (struct.pack("<BBHIBBB", 0, 0, 11, HT, 7, 0, 7), 65),
        (struct.pack("<BBHIBBB", 0, 0, 11, HT, 7, 1 | 4, 15), 300),
        (struct.pack("<BBHIHBBB7x", 0, 0, 20, VHT, 0xFF, 0, 4, 9 << 4 | 1), 390),
        (struct.pack("<BBHIHBBB7x", 0, 0, 20, VHT, 0xFF, 4, 11, 9 << 4 | 2), 1733.3),
        (struct.pack("<BBHII4xQB3x", 0, 0, 28, 1 << 31 | 1 | 1 << 2, 0, 7, 12), 6),
    ],
)
def test_radiotap__tells_the_rate(header: bytes, rate_mbps: float, tmp_path: Path) -> None:
    """Rates of IEEE 802.11-2020: 11b, MCS 7 (20 MHz), MCS 15 (40 MHz, short guard interval), VHT MCS 9.

    The last header has two words of presence and a time stamp, which is aligned to 8 bytes.
    """
    trace = import_trace("radiotap", capture(tmp_path, frame(1, TO_DS), header=header))
    assert trace.decode_time_ns[0] == pytest.approx(130 * 8e3 / rate_mbps, rel=1e-3)


def test_radiotap__without_a_rate_has_the_decode_time(tmp_path: Path) -> None:
    path = capture(tmp_path, frame(1, TO_DS), header=struct.pack("<BBHI", 0, 0, 8, 0))
    trace = import_trace("radiotap", path, decode_time=0.002)
    assert trace.decode_time_ns.tolist() == [2 * MS]
    assert "1 frame has no known rate: decoded after --decode-time" in trace.metadata["notes"]


def test_radiotap__refuses_what_it_cannot_read(tmp_path: Path) -> None:
    with pytest.raises(
        InputError, match=r"there are 2 users; choose one by --user: 02:00:00:00:00:02 \(1 row"
    ):
        import_trace("radiotap", capture(tmp_path, frame(1, 2), frame(2, 2, ends=(OTHER, AP))))
    with pytest.raises(InputError, match="packet 1: its radiotap header is damaged"):
        import_trace("radiotap", capture(tmp_path, frame(1, 1), header=b"\0\0\xff\xff" + bytes(8)))
    with pytest.raises(InputError, match="packet 1: its link type is 105; radiotap headers have 127"):
        Radiotap().read(written(tmp_path, pcap([(0, frame(1, 1))], 105)))


def test_radiotap__of_tcpdump_has_no_data(measured_data: Path) -> None:
    """26 frames, whose only two data frames are null: they carry nothing."""
    with pytest.raises(InputError, match="there is no data frame with a payload to one receiver"):
        import_trace("auto", measured_data / "formats" / "radiotap_80211.pcap")


def test_radiotap__agrees_with_tcpdump_on_a_real_capture() -> None:
    """Tcpdump prints 150.0, 135.0 and 150.0 Mb/s for frames of 138, 82 and 138 bytes, with FCS.

    26 bytes are the MAC header, 4 the FCS, 8 LLC and SNAP; 16 of the cipher stay in the size.
    """
    trace = import_trace("auto", Path(__file__).with_name("captures") / "ieee802.11_rx-stbc.pcap")
    assert trace.size_bytes.tolist() == [100, 44, 100]
    assert trace.decode_time_ns.tolist() == [round(138e9 * 8 / 150e6), round(82e9 * 8 / 135e6), 7360]
