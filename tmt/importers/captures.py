"""Files of packet captures: the packets of a pcap or pcapng file.

Formats: pcap (draft-ietf-opsawg-pcap) with microseconds or nanoseconds in either byte order; pcapng
(draft-ietf-opsawg-pcapng) with enhanced packet blocks.
"""

from __future__ import annotations

import struct
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from tmt.core.errors import InputError
from tmt.core.units import NS_PER_S
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


class Packet(NamedTuple):
    """A captured packet, with the header of its link layer."""

    time_ns: int
    link_type: int
    data: bytes
    """As captured: a snapshot length may have cut it."""
    length: int
    """Bytes that it had on the link."""


class CaptureFile:
    """The packets of a file (.gz, too).

    `cut_notes`, complete once they were read, has a sentence where the file ends within a packet.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self.cut_notes: tuple[str, ...] = ()

    def packets(self) -> Iterator[Packet]:
        """Yield the packets in the order of the file; InputError where it is damaged, or no capture."""
        with open_input(self.path) as file, input_errors(self.path):
            data = file.read()
        if len(data) < 24 or not is_capture(data):
            raise InputError(self.path, "this is neither a pcap nor a pcapng file")
        try:
            yield from packets_in(data, self.path)
        except EOFError:
            self.cut_notes = (f"{self.path} ends within a packet, which is left out",)


def is_capture(head: bytes) -> bool:
    """Whether a file begins as captures do."""
    return head[:4] in (*_PCAP_MAGIC, _PCAPNG_MAGIC)


def first_packets(head: bytes) -> Iterator[Packet]:
    """Yield the whole packets in the first bytes of a file, up to the first damage; none of another file."""
    if len(head) >= 24 and is_capture(head):
        with suppress(EOFError, InputError):
            yield from packets_in(head, "")


def packets_in(data: bytes, path: str) -> Iterator[Packet]:
    """Yield the packets of a capture; EOFError where it ends within one, InputError where it is damaged."""
    if data.startswith(_PCAPNG_MAGIC):
        yield from _pcapng(path, data)
    else:
        yield from _pcap(data, *_PCAP_MAGIC[data[:4]])


def _part(data: bytes, at: int, length: int) -> bytes:
    """Return bytes of a file (EOFError where it is cut)."""
    if at + length > len(data):
        raise EOFError
    return data[at : at + length]


def _pcap(data: bytes, order: str, unit_ns: int) -> Iterator[Packet]:
    link_type = struct.unpack_from(order + "I", data, 20)[0] & ~_PCAP_FCS
    at = 24
    while at < len(data):
        seconds, fraction, held, length = struct.unpack(order + "4I", _part(data, at, 16))
        time_ns = seconds * NS_PER_S + fraction * unit_ns
        yield Packet(time_ns, link_type, _part(data, at + 16, held), length)
        at += 16 + held


def _pcapng(path: str, data: bytes) -> Iterator[Packet]:
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
            interface, high, low, held, size = struct.unpack_from(order + "5I", body)
            if interface >= len(interfaces):
                reason = f"a packet names interface {interface}, which is missing"
                raise InputError(path, reason, f"byte {at}")
            link_type, per_second = interfaces[interface]
            time_ns = ((high << 32) + low) * NS_PER_S // per_second
            yield Packet(time_ns, link_type, body[20 : 20 + held], size)
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
