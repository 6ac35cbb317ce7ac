"""Packet captures: pcap and pcapng, one end and both, wraps and cut files."""

import re
import struct
from pathlib import Path

import numpy as np
import pytest

from tests.measured.capture_files import MS, ipv4, ipv6, pcap, pcapng
from tests.measured.imports import written
from tmt.core.errors import InputError
from tmt.importers.pcap import Pcap, read_capture


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("nanoseconds", [False, True])
def test_capture__reads_udp_in_every_byte_order(order: str, nanoseconds: bool, tmp_path: Path) -> None:
    packets = [(5 * MS, ipv4(b"one")), (6 * MS, ipv6(b"two")), (7 * MS, ipv4(b"tcp", protocol=6))]
    datagrams, cut_notes = read_capture(
        written(tmp_path, pcap(packets, order=order, nanoseconds=nanoseconds))
    )
    assert [(d.time_ns, d.ip_bytes, d.payload) for d in datagrams] == [
        (5 * MS, 31, b"one"),
        (6 * MS, 51, b"two"),
    ]
    assert not cut_notes


def test_capture__takes_datagrams_without_a_payload(tmp_path: Path) -> None:
    """Headers of UDP have 8 bytes, of IPv4 20, of IPv6 40."""
    datagrams, _ = read_capture(written(tmp_path, pcap([(0, ipv4(b"")), (1000, ipv6(b""))])))
    assert [(d.ip_bytes, d.payload) for d in datagrams] == [(28, b""), (48, b"")]


@pytest.mark.parametrize("order", ["<", ">"])
def test_capture__reads_pcapng_with_nanoseconds(order: str, tmp_path: Path) -> None:
    time = 1_795_336_932_668_283_123
    datagrams, _ = read_capture(written(tmp_path, pcapng([(time, ipv4(b"one"))], order)))
    assert [(d.time_ns, d.payload) for d in datagrams] == [(time, b"one")]


@pytest.mark.parametrize(
    ("link_type", "before"),
    [
        (1, bytes(12) + b"\x08\x00"),
        (1, bytes(12) + b"\x81\x00\x00\x05\x08\x00"),
        (0, bytes(4)),
        (113, bytes(16)),
    ],
)
def test_capture__finds_ip_behind_each_link_layer(link_type: int, before: bytes, tmp_path: Path) -> None:
    datagrams, _ = read_capture(written(tmp_path, pcap([(0, before + ipv4(b"x"))], link_type)))
    assert datagrams[0].payload == b"x"


FCS_OF_4_BYTES = 2 << 28 | 1 << 26
"""From draft-ietf-opsawg-pcap, "LinkType and additional information", as in libpcap's pcap/pcap.h
(LT_FCS_LENGTH, LT_FCS_LENGTH_PRESENT): the most significant 4 bits are the length of the frame check sequence
in units of 16 bits, and bit 26, counted from the least significant one, tells that it is known. The lower 16
bits are the link type, and the other bits are reserved."""


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("flags", [FCS_OF_4_BYTES, 1 << 26, 2 << 28])
def test_capture__knows_the_link_type_beside_a_checksum(flags: int, order: str, tmp_path: Path) -> None:
    """The checksum stands behind the IP packet and belongs to no payload."""
    frame = bytes(12) + b"\x08\x00" + ipv4(b"x") + b"\xde\xad\xbe\xef"
    datagrams, _ = read_capture(written(tmp_path, pcap([(5 * MS, frame)], flags | 1, order)))
    assert [(d.time_ns, d.payload) for d in datagrams] == [(5 * MS, b"x")]


@pytest.mark.parametrize("reserved", [1 << 27, 1 << 25, 1 << 16])
def test_capture__refuses_reserved_bits_of_the_link_type(reserved: int, tmp_path: Path) -> None:
    """The draft asks readers to take them for an error, and libpcap does."""
    path = written(tmp_path, pcap([(0, ipv4(b"x"))], FCS_OF_4_BYTES | reserved | 101))
    with pytest.raises(InputError, match=f"its link type is {reserved + 101}; known are 0, 1, 12,"):
        read_capture(path)


def test_capture__of_pcapng_has_checksums_behind_its_packets(tmp_path: Path) -> None:
    """From draft-ietf-opsawg-pcapng: 16 bits of link type, 16 reserved ones, and option 13 (if_fcslen)."""
    data = pcapng([(5 * MS, ipv4(b"x") + b"\xde\xad\xbe\xef")], fcs_bytes=4, reserved=0x2400)
    assert [d.payload for d in read_capture(written(tmp_path, data))[0]] == [b"x"]


def test_capture__skips_later_fragments(tmp_path: Path) -> None:
    datagrams, _ = read_capture(written(tmp_path, pcap([(0, ipv4(b"x")), (1000, ipv4(b"y", fragment=5))])))
    assert len(datagrams) == 1


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"not a capture, but text of some length", ": this is neither a pcap nor a pcapng file"),
        (pcap([(0, bytes(40))], 147), ":packet 1: its link type is 147; known are 0, 1, 12,"),
        (pcap([(0, ipv4(b"", protocol=1))]), ": there is no UDP packet in this capture; tmt import pcap-tcp"),
    ],
)
def test_capture__refuses_with_the_packet(data: bytes, reason: str, tmp_path: Path) -> None:
    path = written(tmp_path, data)
    with pytest.raises(InputError, match=re.escape(path + reason)):
        read_capture(path)


def test_stream__of_both_captures_has_fates_and_delays(tmp_path: Path) -> None:
    """By hand: five datagrams, one every 10 ms; the second is lost, the third overtaken, the last open."""
    sent = [(i * 10 * MS, ipv4(b"data%d" % i)) for i in range(5)]
    arrived = [(30 * MS, 0), (72 * MS, 3), (75 * MS, 2)]
    other = [(1 * MS, ipv4(b"other", ports=(7, 8)))]
    here = written(tmp_path, pcap(other + sent), "sent.pcap")
    there = written(tmp_path, pcap([(time, sent[i][1]) for time, i in arrived]), "received.pcap")
    probes = Pcap(sent=here).probes(there)
    assert probes.delivered.tolist() == [True, False, True, True]
    assert (probes.tx_time_ns / MS).tolist() == [0, 10, 20, 30]
    assert (probes.delay_ns / MS).tolist() == [30, 42.5, 55, 42]
    assert probes.notes[0] == "the clocks are taken to agree: least delay 30.000 ms"
    assert probes.notes[1] == "1 datagram at the end that may still be under way is left out"


def test_stream__of_both_captures_removes_a_negative_delay(tmp_path: Path) -> None:
    sent = [(1000 * MS + i * 10 * MS, ipv4(b"data%d" % i)) for i in range(3)]
    here = written(tmp_path, pcap(sent), "sent.pcap")
    there = written(tmp_path, pcap([(time - 900 * MS + i * MS, data) for i, (time, data) in enumerate(sent)]))
    probes = Pcap(sent=here).probes(there)
    assert (probes.delay_ns / MS).tolist() == [1, 2, 3]
    assert "it is set to 1.000 ms (-0.900000 s removed)" in probes.notes[0]


def test_stream__refuses_payloads_that_cannot_be_told_apart(tmp_path: Path) -> None:
    here = written(tmp_path, pcap([(i * MS, ipv4(b"same")) for i in range(3)]), "sent.pcap")
    with pytest.raises(InputError, match=r"sent\.pcap: 2 of 3 payloads repeat; datagrams cannot"):
        Pcap(sent=here).probes(here)
    with pytest.raises(
        InputError, match=r"these are not datagrams of iperf3; give the sender's capture, too"
    ):
        Pcap().probes(here)


@pytest.mark.parametrize("form", [">3I", ">2IQ"])
def test_stream__of_iperf3_needs_one_capture(form: str, tmp_path: Path) -> None:
    """By hand: datagrams 1, 3 and 2 arrive, 4 is lost, 5 arrives; the file ends within a packet."""
    packets = []
    for number, arrival_ms in ((1, 40), (3, 62), (2, 63), (5, 81)):
        payload = struct.pack(form, 7, (number - 1) * 10_000, number) + bytes(20)
        packets.append((arrival_ms * MS, ipv4(payload)))
    probes = Pcap().probes(written(tmp_path, pcap(packets) + b"\0\0\0"))
    assert probes.delivered.tolist() == [True, True, True, False, True]
    assert (probes.tx_time_ns / MS).tolist() == [0, 10, 20, 30, 40]
    assert (probes.delay_ns[probes.delivered] / MS).tolist() == [1, 14, 3, 2]
    assert any(note.endswith("ends within a packet, which is left out") for note in probes.notes)


def test_stream__finds_in_a_measurement_what_was_counted(measured_data: Path) -> None:
    """Counted with a dump of the capture: numbers 1 to 2500, 2,042 of them, 128 bytes of IP each."""
    probes = Pcap().probes(str(measured_data / "formats" / "udp_own.pcap.gz"))
    assert (len(probes.tx_time_ns), int(probes.delivered.sum()), probes.size_bytes) == (2500, 2042, 128)
    # iperf3 sent 256 kbit/s of payload: 100 bytes every 4 ms.
    assert np.median(np.diff(probes.tx_time_ns)) == pytest.approx(4 * MS, rel=0.1)
