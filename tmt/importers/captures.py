"""Packet captures: pcap and pcapng files, and the UDP datagrams in them.

Formats: pcap (draft-ietf-opsawg-pcap) with microseconds or nanoseconds in either byte order; pcapng
(draft-ietf-opsawg-pcapng) with enhanced packet blocks. Link types: Ethernet, raw IP, BSD loopback, Linux
cooked captures of both versions.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from tmt.core.errors import InputError
from tmt.core.units import NS_PER_S
from tmt.io.files import input_errors, open_input

if TYPE_CHECKING:
    from collections.abc import Iterator

_PCAP_MAGIC = {0xA1B2C3D4: 1000, 0xA1B23C4D: 1}
"""Magic number of a pcap file, and nanoseconds of the fraction's unit."""
_PCAP_FCS = 0xF4000000
"""Bits of a pcap file's link type: length of the checksum behind each packet, and whether that is known."""
_PCAPNG_MAGIC = 0x0A0D0D0A
_LEAST_BODY = {1: 8, 6: 20}
"""Bytes of a pcapng block that are read, by kind: of an interface, of a packet."""
_IP_OFFSETS = {0: 4, 1: 14, 12: 0, 14: 0, 101: 0, 108: 4, 113: 16, 228: 0, 229: 0, 276: 20}
"""Offset of the IP header in bytes, by link type."""
_ETHERNET, _VLANS = 1, (b"\x81\x00", b"\x88\xa8")
_UDP = 17


class Datagram(NamedTuple):
    """A UDP datagram: when it was seen, its flow, the size of its IP packet, and its payload as captured."""

    time_ns: int
    flow: tuple[bytes, bytes, int, int]
    ip_bytes: int
    payload: bytes


@dataclass(frozen=True, slots=True)
class Capture:
    """The UDP datagrams of a capture in the order of the file, and whether the file ends within a packet."""

    datagrams: list[Datagram]
    cut: bool


def read_capture(path: str) -> Capture:
    """Read a capture, which may be compressed (.gz); packets that are not UDP are skipped.

    Raises
    ------
    InputError
        With the packet, where the file is no capture, or a link type is not known.
    """
    with open_input(path) as file, input_errors(path):
        data = file.read()
    magic = data[:4]
    if len(data) >= 24:
        for order in "<>":
            (number,) = struct.unpack(order + "I", magic)
            if number in _PCAP_MAGIC:
                return _datagrams(path, _pcap(data, order, _PCAP_MAGIC[number]))
            if number == _PCAPNG_MAGIC:
                return _datagrams(path, _pcapng(path, data))
    raise InputError(path, "this is neither a pcap nor a pcapng file")


class _Packet(NamedTuple):
    time_ns: int
    link_type: int
    data: bytes


def _datagrams(path: str, packets: Iterator[_Packet | None]) -> Capture:
    datagrams, cut = [], False
    for number, packet in enumerate(packets, 1):
        if packet is None:
            cut = True
            break
        if packet.link_type not in _IP_OFFSETS:
            known = ", ".join(map(str, _IP_OFFSETS))
            raise InputError(
                path, f"its link type is {packet.link_type}; known are {known}", f"packet {number}"
            )
        found = _udp(packet)
        if found is not None:
            datagrams.append(found)
    if not datagrams:
        raise InputError(path, "there is no UDP packet in this capture")
    return Capture(datagrams, cut)


def _pcap(data: bytes, order: str, unit_ns: int) -> Iterator[_Packet | None]:
    """Yield the packets, and None where the file is cut."""
    link_type = struct.unpack_from(order + "I", data, 20)[0] & ~_PCAP_FCS
    at = 24
    while at < len(data):
        if at + 16 > len(data):
            yield None
            return
        seconds, fraction, held, _ = struct.unpack_from(order + "4I", data, at)
        at += 16
        if at + held > len(data):
            yield None
            return
        yield _Packet(seconds * NS_PER_S + fraction * unit_ns, link_type, data[at : at + held])
        at += held


def _pcapng(path: str, data: bytes) -> Iterator[_Packet | None]:
    """Yield the packets of enhanced packet blocks, and None where the file is cut."""
    at, order = 0, "<"
    interfaces: list[tuple[int, int]] = []  # link type, time stamps per second
    while at < len(data):
        if at + 12 > len(data):
            yield None
            return
        if data[at : at + 4] == b"\n\r\r\n":
            order = "<" if data[at + 8 : at + 12] == b"\x4d\x3c\x2b\x1a" else ">"
            interfaces = []
        kind, length = struct.unpack_from(order + "2I", data, at)
        if length < 12 or length % 4:
            raise InputError(path, f"a block has a length of {length} bytes", f"byte {at}")
        if at + length > len(data):
            yield None
            return
        body = data[at + 8 : at + length - 4]
        if len(body) < _LEAST_BODY.get(kind, 0):
            raise InputError(path, f"a block of kind {kind} holds {len(body)} bytes only", f"byte {at}")
        if kind == 1:
            (link_type,) = struct.unpack_from(order + "H", body)
            interfaces.append((link_type, _resolution(body[8:], order)))
        elif kind == 6:
            interface, high, low, held, _ = struct.unpack_from(order + "5I", body)
            if interface >= len(interfaces):
                raise InputError(
                    path, f"a packet names interface {interface}, which is missing", f"byte {at}"
                )
            link_type, per_second = interfaces[interface]
            time_ns = ((high << 32) + low) * NS_PER_S // per_second
            yield _Packet(time_ns, link_type, body[20 : 20 + held])
        at += length


def _resolution(options: bytes, order: str) -> int:
    """Return the time stamps per second that an interface's options tell; a million if they do not."""
    at = 0
    while at + 4 <= len(options):
        code, length = struct.unpack_from(order + "2H", options, at)
        if code == 9 and length == 1 and at + 4 < len(options):
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
