"""Files of packet captures: the packets of a pcap or pcapng file, and the IP packets in them.

Formats: pcap (draft-ietf-opsawg-pcap) with microseconds or nanoseconds in either byte order; pcapng
(draft-ietf-opsawg-pcapng) with enhanced packet blocks.
"""

from __future__ import annotations

import struct
from contextlib import suppress
from io import BytesIO
from typing import TYPE_CHECKING, NamedTuple

from tmt.core.errors import InputError
from tmt.core.units import NS_PER_S
from tmt.io.files import input_errors, open_input

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tmt.io.files import BinaryFile

_PCAP_MAGIC = {
    b"\xd4\xc3\xb2\xa1": ("<", 1000),
    b"\xa1\xb2\xc3\xd4": (">", 1000),
    b"\x4d\x3c\xb2\xa1": ("<", 1),
    b"\xa1\xb2\x3c\x4d": (">", 1),
}
"""First bytes of a pcap file: its byte order, and the unit of its time stamps in nanoseconds."""
_PCAP_FCS = 0xF4000000
"""Bits of a pcap file's link type: length of the checksum after each packet, and whether that is known."""
_PCAPNG_MAGIC, _PCAPNG_LITTLE = b"\n\r\r\n", b"\x4d\x3c\x2b\x1a"
_INTERFACE, _PACKET = 1, 6
_LEAST_BODY = {_INTERFACE: 8, _PACKET: 20}
"""Bytes that are read of a pcapng block, by kind."""
_RESOLUTION = 9
_HEADER_BYTES = 24
"""Length of a pcap file's header; no pcapng file is shorter."""
_MOST_BYTES = 1 << 24
"""Upper bound on a packet or block: more than any program captures."""

TCP, UDP = 6, 17
"""Numbers of protocols."""

_IP_OFFSETS = {0: 4, 1: 14, 12: 0, 14: 0, 101: 0, 108: 4, 113: 16, 228: 0, 229: 0, 276: 20}
"""Offset of the IP header in bytes, by link type: Ethernet, raw IP, BSD loopback, Linux cooked captures."""
_ETHERNET, _VLANS = 1, (b"\x81\x00", b"\x88\xa8")


class Packet(NamedTuple):
    """A captured packet, with the header of its link layer."""

    time_ns: int
    link_type: int
    data: bytes
    """As captured: a snapshot length may have truncated it."""
    length: int
    """Its length on the link in bytes."""


class _CutError(Exception):
    """A capture ends within a packet."""


class _Bytes:
    """The bytes of a capture, in order; `at` is the position of the next one."""

    def __init__(self, file: BinaryFile | BytesIO, path: str) -> None:
        self._file, self.path, self.at = file, path, 0

    def part(self, length: int, *, may_end: bool = False) -> bytes:
        """Return the next bytes; none at the end of the file, if it `may_end` here."""
        if length > _MOST_BYTES:
            raise InputError(self.path, f"a packet or block has {length} bytes", f"byte {self.at}")
        data = self._file.read(length)
        if len(data) < length and (data or not may_end):
            raise _CutError
        self.at += length
        return data


class CaptureFile:
    """The packets of a file (.gz, too).

    After reading, `cut_notes` has a sentence if the file ends within a packet.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self.cut_notes: tuple[str, ...] = ()

    def packets(self) -> Iterator[Packet]:
        """Yield the packets in the order of the file; InputError if it is damaged, or no capture."""
        with open_input(self.path) as file, input_errors(self.path):
            if not is_capture(file.read(_HEADER_BYTES)):
                raise InputError(self.path, "this is neither a pcap nor a pcapng file")
            file.seek(0)
            try:
                yield from _packets(_Bytes(file, self.path))
            except _CutError:
                self.cut_notes = (f"{self.path} ends within a packet, which is left out",)


def is_capture(head: bytes) -> bool:
    """Whether a file begins as captures do."""
    return len(head) >= _HEADER_BYTES and head[:4] in (*_PCAP_MAGIC, _PCAPNG_MAGIC)


def first_packets(head: bytes) -> Iterator[Packet]:
    """Yield the whole packets in the first bytes of a file, up to the first damage; none for another file."""
    if is_capture(head):
        with suppress(_CutError, InputError):
            yield from _packets(_Bytes(BytesIO(head), ""))


def _packets(data: _Bytes) -> Iterator[Packet]:
    magic = data.part(4)
    if magic == _PCAPNG_MAGIC:
        yield from _of_pcapng(data, magic)
        return
    order, unit_ns = _PCAP_MAGIC[magic]
    (link_type,) = struct.unpack_from(order + "I", data.part(_HEADER_BYTES - 4), 16)
    while head := data.part(16, may_end=True):
        seconds, fraction, held, length = struct.unpack(order + "4I", head)
        time_ns = seconds * NS_PER_S + fraction * unit_ns
        yield Packet(time_ns, link_type & ~_PCAP_FCS, data.part(held), length)


def _of_pcapng(data: _Bytes, magic: bytes) -> Iterator[Packet]:
    """Yield the packets after the first four bytes, `magic`, which are those of a block."""
    order = "<"
    interfaces: list[tuple[int, int]] = []  # link type, time stamps per second
    while head := magic + data.part(12 - len(magic), may_end=not magic):
        place, magic = f"byte {data.at - 12}", b""
        if head.startswith(_PCAPNG_MAGIC):
            order, interfaces = "<" if head.endswith(_PCAPNG_LITTLE) else ">", []
        kind, length = struct.unpack_from(order + "2I", head)
        if length < 12 or length % 4:
            raise InputError(data.path, f"a block has a length of {length} bytes", place)
        body = (head[8:] + data.part(length - 12))[:-4]
        if len(body) < _LEAST_BODY.get(kind, 0):
            raise InputError(data.path, f"a block of kind {kind} holds {len(body)} bytes only", place)
        if kind == _INTERFACE:
            (link_type,) = struct.unpack_from(order + "H", body)
            interfaces.append((link_type, _stamps_per_second(body[8:], order)))
        elif kind == _PACKET:
            interface, high, low, held, size = struct.unpack_from(order + "5I", body)
            if interface >= len(interfaces):
                reason = f"a packet names interface {interface}, which is missing"
                raise InputError(data.path, reason, place)
            link_type, per_second = interfaces[interface]
            time_ns = ((high << 32) + low) * NS_PER_S // per_second
            yield Packet(time_ns, link_type, body[20 : 20 + held], size)


def _stamps_per_second(options: bytes, order: str) -> int:
    """Return the time stamps per second from an interface's options; a million by default."""
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


class IpPacket(NamedTuple):
    """An IP packet, unless it is a later fragment."""

    time_ns: int
    protocol: int
    ends: tuple[bytes, bytes]
    """Addresses of the source and the target."""
    ip_bytes: int
    payload_bytes: int
    """Bytes after the IP header."""
    payload: bytes
    """The captured part of them."""


def ip_packets(capture: CaptureFile, protocol: int) -> Iterator[IpPacket]:
    """Yield the packets of a protocol; InputError, with the packet, for an unknown link layer."""
    for number, packet in enumerate(capture.packets(), 1):
        if packet.link_type not in _IP_OFFSETS:
            reason = f"its link type is {packet.link_type}; known are {', '.join(map(str, _IP_OFFSETS))}"
            raise InputError(capture.path, reason, f"packet {number}")
        found = ip_packet(packet)
        if found is not None and found.protocol == protocol:
            yield found


def bytes_of(protocol: int, head: bytes) -> int:
    """Return the bytes of the IP packets of a protocol in the first bytes of a file."""
    known = (packet for packet in first_packets(head) if packet.link_type in _IP_OFFSETS)
    found = (ip_packet(packet) for packet in known)
    return sum(packet.ip_bytes for packet in found if packet is not None and packet.protocol == protocol)


def ip_packet(packet: Packet) -> IpPacket | None:
    """Return the IP packet in a packet of a known link type; None for others and for later fragments."""
    at, data = _IP_OFFSETS[packet.link_type], packet.data
    while packet.link_type == _ETHERNET and data[at - 2 : at] in _VLANS:
        at += 4
    ip = data[at:]
    on_link = packet.length - at  # means 0: of packets that the network card splits later
    if len(ip) >= 20 and ip[0] >> 4 == 4:
        header = (ip[0] & 15) * 4
        fragment = int.from_bytes(ip[6:8]) & 0x1FFF
        protocol, ends = ip[9], (ip[12:16], ip[16:20])
        ip_bytes = int.from_bytes(ip[2:4]) or on_link
    elif len(ip) >= 40 and ip[0] >> 4 == 6:
        header, fragment, protocol = 40, 0, ip[6]
        ends = ip[8:24], ip[24:40]
        ip_bytes = 40 + (int.from_bytes(ip[4:6]) or on_link - 40)
    else:
        return None
    if ip_bytes in (0, 40) and on_link > 2**16:  # too large for the field: the kernel splits it later
        ip_bytes = on_link
    if fragment or header < 20 or ip_bytes < header:
        return None
    return IpPacket(packet.time_ns, protocol, ends, ip_bytes, ip_bytes - header, ip[header:ip_bytes])
