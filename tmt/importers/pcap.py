"""A UDP stream in packet captures: at both ends, or at the receiver alone where it is iperf3's.

iperf3 begins a payload with seconds and microseconds of the sending time and a sequence number from 1, each
of 32 bits, big endian; with ``--udp-counters-64bit`` the sequence number has 64 bits. Source: the place in
iperf3's sources where it sends a datagram.

Formats: pcap (draft-ietf-opsawg-pcap) with microseconds or nanoseconds in either byte order; pcapng
(draft-ietf-opsawg-pcapng) with enhanced packet blocks. Link types: Ethernet, raw IP, BSD loopback, Linux
cooked captures of both versions.
"""

from __future__ import annotations

import struct
from collections import Counter
from typing import TYPE_CHECKING, Annotated, ClassVar, NamedTuple

import numpy as np

from tmt.core.declaration import Param
from tmt.core.errors import InputError
from tmt.core.units import NS_PER_S
from tmt.importers.probes import ProbeImporter, Probes, least_delay_set, numbers_between, positive_delays
from tmt.io.files import input_errors, open_input

if TYPE_CHECKING:
    from collections.abc import Iterator


_PCAP_MAGIC = {
    b"\xd4\xc3\xb2\xa1": ("<", 1000),
    b"\xa1\xb2\xc3\xd4": (">", 1000),
    b"\x4d\x3c\xb2\xa1": ("<", 1),
    b"\xa1\xb2\x3c\x4d": (">", 1),
}
"""First bytes of a pcap file: its byte order, and nanoseconds of a time stamp's unit."""
_PCAP_FCS = 0xF4000000
"""Bits of a pcap file's link type: length of the checksum behind each packet, and whether that is known."""
_PCAPNG_MAGIC, _PCAPNG_LITTLE = b"\n\r\r\n", b"\x4d\x3c\x2b\x1a"
_INTERFACE, _PACKET = 1, 6
_LEAST_BODY = {_INTERFACE: 8, _PACKET: 20}
"""Bytes of a pcapng block that are read, by kind."""
_RESOLUTION = 9
_IP_OFFSETS = {0: 4, 1: 14, 12: 0, 14: 0, 101: 0, 108: 4, 113: 16, 228: 0, 229: 0, 276: 20}
"""Offset of the IP header in bytes, by link type."""
_ETHERNET, _VLANS = 1, (b"\x81\x00", b"\x88\xa8")
_UDP = 17
_STAMPED, _WIDE = struct.Struct(">3I"), struct.Struct(">2IQ")


class Pcap(ProbeImporter):
    """Capture of a UDP stream at the receiver, or at both ends (pcap, pcapng).

    FILE is the receiver's capture. Each datagram of the largest UDP flow becomes a row. The payload
    identifies a datagram in both captures; a stream of iperf3 needs no capture at the sender.

        tmt import pcap receiver.pcap link.parquet --sent sender.pcap
    """

    name: ClassVar[str] = "pcap"

    sent: Annotated[
        str | None,
        "capture of the same stream at the sender",
        Param(absent="iperf3's payload tells the sending times", is_path=True),
    ] = None

    @classmethod
    def sniff(cls, head: bytes) -> bool:
        """Whether it begins as captures do."""
        return head[:4] in (*_PCAP_MAGIC, _PCAPNG_MAGIC)

    def probes(self, path: str) -> Probes:
        """Return the largest UDP flow; InputError when nothing arrives, or datagrams cannot be told apart."""
        there = read_capture(path)
        if self.sent is None:
            return _from_payload(path, there)
        return _from_both(path, there, self.sent, read_capture(self.sent))


def _from_payload(path: str, capture: Capture) -> Probes:
    flow = _largest_flow(capture.datagrams)
    stamps = [_STAMPED.unpack_from(d.payload) for d in flow if len(d.payload) >= _STAMPED.size]
    if len(stamps) < len(flow) or not all(micro < 1_000_000 for _, micro, _ in stamps):
        raise InputError(path, "these are not datagrams of iperf3; give the sender's capture, too (--sent)")
    numbers = np.array([number for *_, number in stamps], np.int64)
    if not numbers.any() and all(len(d.payload) >= _WIDE.size for d in flow):
        numbers = np.array([_WIDE.unpack_from(d.payload)[2] for d in flow], np.int64)
    if len(numbers) > 1 and not (1 <= np.median(np.diff(numbers)) <= 2):
        raise InputError(
            path, "the payload holds no sequence numbers of iperf3; give the sender's capture, too (--sent)"
        )
    numbers, first = np.unique(numbers, return_index=True)
    arrivals = np.array([flow[i].time_ns for i in first], np.int64)
    times = np.array([stamps[i][0] * NS_PER_S + stamps[i][1] * 1000 for i in first], np.int64)
    delay, note = least_delay_set(arrivals - times)
    every = numbers_between(path, int(numbers[0]), int(numbers[-1]), len(numbers))
    delivered = np.isin(every, numbers)
    sent = times[0] + np.rint(np.interp(every, numbers, times - times[0])).astype(np.int64)
    notes = [note, "losses before the first and after the last arrival are unknown"]
    return Probes.of(sent, delay, delivered, flow[0].ip_bytes, (*notes, *_cut(path, capture)))


def _from_both(received: str, there: Capture, sent: str, here: Capture) -> Probes:
    flow = _largest_flow(here.datagrams)
    length = min(len(d.payload) for d in (*flow, *there.datagrams) if d.ip_bytes == flow[0].ip_bytes)
    keys = [_key(datagram, length) for datagram in flow]
    repeated = len(keys) - len(set(keys))
    if repeated > len(keys) // 100:
        raise InputError(sent, f"{repeated} of {len(keys)} payloads repeat; datagrams cannot be told apart")
    arrivals: dict[tuple[int, bytes], int] = {}
    for datagram in there.datagrams:
        arrivals.setdefault(_key(datagram, length), datagram.time_ns)
    delivered = np.array([key in arrivals for key in keys])
    if not delivered.any():
        raise InputError(received, f"no datagram of {sent} arrives in this capture")
    times = np.array([datagram.time_ns for datagram in flow], np.int64)
    delay = np.array([arrivals[key] for key in keys if key in arrivals], np.int64) - times[delivered]
    settled = delivered | (times + delay.max() <= max(arrivals.values()))
    delay, note = positive_delays(delay)
    notes = [note]
    if not settled.all():
        notes.append(f"{int((~settled).sum())} datagrams at the end may still be under way and are left out")
    cut = (*_cut(received, there), *_cut(sent, here))
    return Probes.of(times[settled], delay, delivered[settled], flow[0].ip_bytes, (*notes, *cut))


def _largest_flow(datagrams: list[Datagram]) -> list[Datagram]:
    held: Counter[tuple[bytes, bytes, int, int]] = Counter()
    for datagram in datagrams:
        held[datagram.flow] += datagram.ip_bytes
    most = held.most_common(1)[0][0]
    found = [datagram for datagram in datagrams if datagram.flow == most]
    size = Counter(datagram.ip_bytes for datagram in found).most_common(1)[0][0]
    return [datagram for datagram in found if datagram.ip_bytes == size]


def _key(datagram: Datagram, length: int) -> tuple[int, bytes]:
    return datagram.ip_bytes, datagram.payload[:length]


def _cut(path: str, capture: Capture) -> tuple[str, ...]:
    return (f"{path} ends within a packet, which is left out",) if capture.cut else ()


class Datagram(NamedTuple):
    """A UDP datagram: when it was seen, its flow, the size of its IP packet, and its payload as captured."""

    time_ns: int
    flow: tuple[bytes, bytes, int, int]
    ip_bytes: int
    payload: bytes


class Capture(NamedTuple):
    """The UDP datagrams of a capture in the order of the file, and whether the file ends within a packet."""

    datagrams: list[Datagram]
    cut: bool


class _Packet(NamedTuple):
    time_ns: int
    link_type: int
    data: bytes


def read_capture(path: str) -> Capture:
    """Read the UDP packets of a capture (.gz, too); InputError, with the packet, where it is damaged."""
    with open_input(path) as file, input_errors(path):
        data = file.read()
    magic = data[:4]
    if len(data) < 24 or magic not in (*_PCAP_MAGIC, _PCAPNG_MAGIC):
        raise InputError(path, "this is neither a pcap nor a pcapng file")
    packets = _pcapng(path, data) if magic == _PCAPNG_MAGIC else _pcap(data, *_PCAP_MAGIC[magic])
    datagrams, cut = [], False
    try:
        for number, packet in enumerate(packets, 1):
            if packet.link_type not in _IP_OFFSETS:
                reason = f"its link type is {packet.link_type}; known are {', '.join(map(str, _IP_OFFSETS))}"
                raise InputError(path, reason, f"packet {number}")
            if found := _udp(packet):
                datagrams.append(found)
    except EOFError:
        cut = True
    if not datagrams:
        raise InputError(path, "there is no UDP packet in this capture")
    return Capture(datagrams, cut)


def _part(data: bytes, at: int, length: int) -> bytes:
    """Return bytes of a file (EOFError where it is cut)."""
    if at + length > len(data):
        raise EOFError
    return data[at : at + length]


def _pcap(data: bytes, order: str, unit_ns: int) -> Iterator[_Packet]:
    link_type = struct.unpack_from(order + "I", data, 20)[0] & ~_PCAP_FCS
    at = 24
    while at < len(data):
        seconds, fraction, held, _ = struct.unpack(order + "4I", _part(data, at, 16))
        yield _Packet(seconds * NS_PER_S + fraction * unit_ns, link_type, _part(data, at + 16, held))
        at += 16 + held


def _pcapng(path: str, data: bytes) -> Iterator[_Packet]:
    at, order = 0, "<"
    interfaces: list[tuple[int, int]] = []  # link type, time stamps per second
    while at < len(data):
        head = _part(data, at, 12)
        if head.startswith(_PCAPNG_MAGIC):
            order, interfaces = "<" if head.endswith(_PCAPNG_LITTLE) else ">", []
        kind, length = struct.unpack_from(order + "2I", head)
        if length < 12 or length % 4:
            raise InputError(path, f"a block has a length of {length} bytes", f"byte {at}")
        body = _part(data, at, length)[8:-4]
        if len(body) < _LEAST_BODY.get(kind, 0):
            raise InputError(path, f"a block of kind {kind} holds {len(body)} bytes only", f"byte {at}")
        if kind == _INTERFACE:
            (link_type,) = struct.unpack_from(order + "H", body)
            interfaces.append((link_type, _stamps_per_second(body[8:], order)))
        elif kind == _PACKET:
            interface, high, low, held, _ = struct.unpack_from(order + "5I", body)
            if interface >= len(interfaces):
                reason = f"a packet names interface {interface}, which is missing"
                raise InputError(path, reason, f"byte {at}")
            link_type, per_second = interfaces[interface]
            time_ns = ((high << 32) + low) * NS_PER_S // per_second
            yield _Packet(time_ns, link_type, body[20 : 20 + held])
        at += length


def _stamps_per_second(options: bytes, order: str) -> int:
    """Return the time stamps per second that an interface's options tell; a million if they do not."""
    at = 0
    while at + 4 <= len(options):
        code, length = struct.unpack_from(order + "2H", options, at)
        if code == _RESOLUTION and length == 1 and at + 4 < len(options):
            value = options[at + 4]
            return int(2 ** (value & 0x7F)) if value & 0x80 else int(10**value)
        if code == 0:
            break
        at += 4 + (length + 3) // 4 * 4
    return 1_000_000


def _udp(packet: _Packet) -> Datagram | None:
    """Return the UDP datagram in a packet; None for other packets and for later fragments."""
    at, data = _IP_OFFSETS[packet.link_type], packet.data
    while packet.link_type == _ETHERNET and data[at - 2 : at] in _VLANS:
        at += 4
    ip = data[at:]
    if len(ip) >= 28 and ip[0] >> 4 == 4:
        header = (ip[0] & 15) * 4
        fragment = int.from_bytes(ip[6:8]) & 0x1FFF
        protocol, ip_bytes, ends = ip[9], int.from_bytes(ip[2:4]), (ip[12:16], ip[16:20])
    elif len(ip) >= 48 and ip[0] >> 4 == 6:
        header, fragment, protocol = 40, 0, ip[6]
        ip_bytes, ends = 40 + int.from_bytes(ip[4:6]), (ip[8:24], ip[24:40])
    else:
        return None
    if protocol != _UDP or fragment or len(ip) < header + 8:
        return None
    source, target, _ = struct.unpack_from(">3H", ip, header)
    return Datagram(packet.time_ns, (*ends, source, target), ip_bytes, ip[header + 8 : ip_bytes])
