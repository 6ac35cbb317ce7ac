"""IP packets of a capture: behind each link layer, with what they carry."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tmt.core.errors import InputError
from tmt.importers.captures import first_packets

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tmt.importers.captures import CaptureFile, Packet

TCP, UDP = 6, 17
"""Numbers of protocols."""

_IP_OFFSETS = {0: 4, 1: 14, 12: 0, 14: 0, 101: 0, 108: 4, 113: 16, 228: 0, 229: 0, 276: 20}
"""Offset of the IP header in bytes, by link type: Ethernet, raw IP, BSD loopback, Linux cooked captures."""
_ETHERNET, _VLANS = 1, (b"\x81\x00", b"\x88\xa8")


class IpPacket(NamedTuple):
    """An IP packet that is no later fragment."""

    time_ns: int
    protocol: int
    ends: tuple[bytes, bytes]
    """Addresses of the source and the target."""
    ip_bytes: int
    payload_bytes: int
    """Bytes behind the IP header."""
    payload: bytes
    """What was captured of them."""


def ip_packets(capture: CaptureFile, protocol: int) -> Iterator[IpPacket]:
    """Yield the packets of a protocol; InputError, with the packet, where it has an unknown link layer."""
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
    """Return the IP packet in a packet of a known link type; None for other ones and for later fragments."""
    at, data = _IP_OFFSETS[packet.link_type], packet.data
    while packet.link_type == _ETHERNET and data[at - 2 : at] in _VLANS:
        at += 4
    ip = data[at:]
    on_link = packet.length - at  # stands for a length of 0, of packets that the network card cuts later
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
    if (
        ip_bytes in (0, 40) and packet.length - at > 2**16
    ):  # too large for the field: the kernel cuts it later
        ip_bytes = packet.length - at
    if fragment or header < 20 or ip_bytes < header:
        return None
    return IpPacket(packet.time_ns, protocol, ends, ip_bytes, ip_bytes - header, ip[header:ip_bytes])
