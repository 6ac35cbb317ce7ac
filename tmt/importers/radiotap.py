"""802.11 frames heard by a monitor, in a capture with radiotap headers (link type 127).

A data frame to one receiver is acknowledged, or sent again with the retry bit and the same sequence number.
Sources: radiotap.org (fields in the order of their bits, each aligned to its size), IEEE 802.11-2020 (frame
control, sequence control, rates of HT and VHT).
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from tmt.core.errors import InputError
from tmt.core.units import NS_PER_S
from tmt.core.words.values import counted
from tmt.importers.attempts import (
    Attempt,
    count_from_first,
    in_order,
    number_blocks,
    select,
)
from tmt.importers.captures import CaptureFile, first_packets
from tmt.importers.harq_logs import CellImporter
from tmt.importers.notes import agreed, left_out

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tmt.importers.captures import Packet
    from tmt.importers.importer import Measurement

_LINK_TYPE = 127
_WINDOW_NS = 500_000_000
"""Longest time from a frame to its retry; a sequence number recurs after 4096 frames."""

_SIZES = {
    0: (8, 8), 1: (1, 1), 2: (1, 1), 3: (2, 4), 4: (1, 2), 5: (1, 1), 6: (1, 1), 7: (2, 2), 8: (2, 2),
    9: (2, 2), 10: (1, 1), 11: (1, 1), 12: (1, 1), 13: (1, 1), 14: (2, 2), 15: (2, 2), 16: (1, 1),
    17: (1, 1), 18: (4, 8), 19: (1, 3), 20: (4, 8), 21: (2, 12),
}  # fmt: skip
"""Alignment and size of the first fields, in bytes, by their bits."""
_FLAGS, _RATE, _MCS, _VHT = 1, 2, 19, 21
_FCS, _PADDED, _BAD_FCS = 0x10, 0x20, 0x40

_DATA = 2
_NO_DATA, _QOS = 4, 8
_TO_DS, _FROM_DS, _RETRY, _ORDER = 0x01, 0x02, 0x08, 0x80
_LLC_BYTES = 8
"""Bytes of LLC and SNAP before an IP packet."""

_BITS_PER_CARRIER = (0.5, 1, 1.5, 2, 3, 4, 4.5, 5, 6, 20 / 3)
"""Data bits per subcarrier and symbol, by MCS."""
_CARRIERS = {20: 52, 40: 108, 80: 234, 160: 468}
"""Data subcarriers, by bandwidth in MHz."""
_VHT_MHZ = {0: 20, 1: 40, 4: 80, 11: 160}


class Radiotap(CellImporter):
    """802.11 frames heard by a monitor: pcap or pcapng with radiotap headers.

    Each data frame to one receiver is an attempt; it was erased if it is repeated with the retry bit. --user
    is the address of a station; up is from the station. A frame with a known rate is decoded after its time
    on air, others after --decode-time.

        tmt import radiotap monitor.pcap phy.parquet --user 90:a4:de:c0:46:0a --direction down
    """

    name: ClassVar[str] = "radiotap"

    @classmethod
    def sniff(cls, head: bytes) -> bool:
        """Whether it is a capture whose first packet has a radiotap header."""
        first = next(first_packets(head), None)
        return first is not None and first.link_type == _LINK_TYPE

    def read(self, path: str) -> Measurement:
        """Return the attempts of one station and one direction."""
        capture, broken = CaptureFile(path), 0
        attempts: list[Attempt] = []
        for number, packet in enumerate(capture.packets(), 1):
            if packet.link_type != _LINK_TYPE:
                reason = f"its link type is {packet.link_type}; radiotap headers have {_LINK_TYPE}"
                raise InputError(path, reason, f"packet {number}")
            header = _header(packet)
            if header is None:
                raise InputError(path, "its radiotap header is damaged", f"packet {number}")
            if header.flags & _BAD_FCS:
                broken += 1
            elif attempt := _attempt(packet, header, f"packet {number}"):
                attempts.append(attempt)
        if not attempts:
            raise InputError(path, "there is no data frame with a payload to one receiver in this capture")
        ordered = in_order(path, attempts)
        kept, notes = select(path, ordered, self.direction, self.user)
        count_from_first(ordered)
        blocks = number_blocks(kept, _WINDOW_NS)
        retries = sum(attempt.repeat for attempt in kept)
        notes.append(
            f"retries are {retries:,} of {counted(len(kept), 'frame')}; the monitor did not hear the frame "
            f"before {blocks.orphans:,} of them"
        )
        notes += left_out(broken, "frame", "with a wrong checksum")
        if without := sum(attempt.decode_time_ns is None for attempt in kept):
            notes.append(f"{agreed(without, 'frame', 'have')} no known rate: decoded after --decode-time")
        return self.measured(kept, blocks, [*notes, *capture.cut_notes])


class _Header(NamedTuple):
    """The used fields of a radiotap header."""

    length: int
    flags: int
    rate_bps: float | None


def _header(packet: Packet) -> _Header | None:
    """Return the radiotap header of a packet; None if it is damaged."""
    data = packet.data
    if len(data) < 8 or data[0] != 0:
        return None
    (length,) = struct.unpack_from("<H", data, 2)
    if not 8 <= length <= len(data):
        return None
    fields = dict(_fields(data[:length]))
    flags = fields[_FLAGS][0] if _FLAGS in fields else 0
    return _Header(length, flags, _rate_bps(fields))


def _fields(header: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield the whole fields, by their bits, up to the first of unknown size."""
    (present,) = struct.unpack_from("<I", header, 4)
    at, more = 8, present
    while more >> 31 and at + 4 <= len(header):
        (more,) = struct.unpack_from("<I", header, at)
        at += 4
    for bit, (alignment, size) in _SIZES.items():
        if present >> bit & 1:
            at += -at % alignment
            if at + size > len(header):
                return
            yield bit, header[at : at + size]
            at += size


def _rate_bps(fields: dict[int, bytes]) -> float | None:
    """Return the data rate of a frame; None if the header does not give it."""
    if _VHT in fields:
        _, flags, bandwidth, user = struct.unpack_from("<HBBB", fields[_VHT])
        return _ofdm_bps(user >> 4, user & 15, _VHT_MHZ.get(bandwidth, 20), short_guard=bool(flags & 4))
    if _MCS in fields:
        _, flags, mcs = fields[_MCS]
        return _ofdm_bps(mcs % 8, mcs // 8 + 1, 40 if flags & 3 == 1 else 20, short_guard=bool(flags & 4))
    if fields.get(_RATE, b"\0")[0]:
        return fields[_RATE][0] * 500_000.0
    return None


def _ofdm_bps(mcs: int, streams: int, bandwidth_mhz: int, *, short_guard: bool) -> float | None:
    """Return the rate of HT and VHT: a symbol lasts 4 us, or 3.6 us with the short guard interval."""
    if mcs >= len(_BITS_PER_CARRIER) or not 1 <= streams <= 8:
        return None
    bits = _CARRIERS[bandwidth_mhz] * _BITS_PER_CARRIER[mcs] * streams
    return bits / (3.6e-6 if short_guard else 4e-6)


def _attempt(packet: Packet, header: _Header, place: str) -> Attempt | None:
    """Return a data frame with a payload for one receiver; None for other frames."""
    frame = packet.data[header.length :]
    if len(frame) < 26 or frame[0] >> 2 & 3 != _DATA or frame[0] >> 4 & _NO_DATA or frame[4] & 1:
        return None
    flags, qos = frame[1], bool(frame[0] >> 4 & _QOS)
    four = flags & _TO_DS and flags & _FROM_DS
    mac = 24 + 6 * bool(four) + 2 * qos + 4 * (qos and bool(flags & _ORDER))
    receiver, transmitter = frame[4:10], frame[10:16]
    up = bool(flags & _TO_DS) or not flags & _FROM_DS
    at = mac - (2 + 4 * bool(flags & _ORDER))
    kind = frame[at] & 15 if qos and at < len(frame) else None
    on_air = packet.length - header.length
    body = on_air - mac - (4 if header.flags & _FCS else 0)
    body -= -mac % 4 if header.flags & _PADDED else 0
    if body <= _LLC_BYTES:
        return None
    decode_ns = None if header.rate_bps is None else round(8 * on_air * NS_PER_S / header.rate_bps)
    return Attempt(
        line=place,
        time_ns=packet.time_ns,
        size_bytes=body - _LLC_BYTES,
        repeat=bool(flags & _RETRY),
        process=int.from_bytes(frame[22:24], "little"),
        stream=(transmitter, receiver, kind),
        user=(transmitter if up else receiver).hex(":"),
        direction="up" if up else "down",
        decode_time_ns=decode_ns,
    )
