"""A UDP stream in packet captures: at both ends, or only at the receiver if it is iperf3's.

iperf3 begins a payload with seconds and microseconds of the sending time and a sequence number from 1, each
of 32 bits, big endian; with ``--udp-counters-64bit`` the sequence number has 64 bits. Source: the code of
iperf3 that sends a datagram.
"""

from __future__ import annotations

import struct
from collections import Counter
from typing import Annotated, ClassVar, NamedTuple

import numpy as np

from tmt.core.declaration import Param
from tmt.core.errors import InputError
from tmt.core.units import NS_PER_S
from tmt.importers.captures import UDP, CaptureFile, ip_packets, is_capture
from tmt.importers.notes import ENDS_UNKNOWN, left_out
from tmt.importers.probes import ProbeImporter, Probes, least_delay_set, numbers_between, positive_delays

_HEADER = struct.Struct(">4H")
_STAMPED, _WIDE = struct.Struct(">3I"), struct.Struct(">2IQ")


class Pcap(ProbeImporter):
    """Capture of a UDP stream at the receiver, or at both ends (pcap, pcapng).

    FILE is the receiver's capture. Each datagram of the largest UDP flow becomes a row. A datagram is
    identified by its payload in both captures; a stream of iperf3 needs no capture at the sender.

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
        return is_capture(head)

    def probes(self, path: str) -> Probes:
        """Return the largest UDP flow; InputError if nothing arrives, or datagrams cannot be told apart."""
        there, notes = read_capture(path)
        if self.sent is None:
            return _from_payload(path, there, notes)
        here, more_notes = read_capture(self.sent)
        return _from_both(path, there, self.sent, here, (*notes, *more_notes))


def _from_payload(path: str, there: list[Datagram], cut_notes: tuple[str, ...]) -> Probes:
    flow = _largest_flow(there)
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
    notes = (note, ENDS_UNKNOWN, *cut_notes)
    return Probes.of(sent, delay, delivered, flow[0].ip_bytes, notes)


def _from_both(
    received: str, there: list[Datagram], sent: str, here: list[Datagram], cut_notes: tuple[str, ...]
) -> Probes:
    flow = _largest_flow(here)
    length = min(len(d.payload) for d in (*flow, *there) if d.ip_bytes == flow[0].ip_bytes)
    keys = [_key(datagram, length) for datagram in flow]
    repeated = len(keys) - len(set(keys))
    if repeated > len(keys) // 100:
        raise InputError(sent, f"{repeated} of {len(keys)} payloads repeat; datagrams cannot be told apart")
    arrivals: dict[tuple[int, bytes], int] = {}
    for datagram in there:
        arrivals.setdefault(_key(datagram, length), datagram.time_ns)
    delivered = np.array([key in arrivals for key in keys])
    if not delivered.any():
        raise InputError(received, f"no datagram of {sent} arrives in this capture")
    times = np.array([datagram.time_ns for datagram in flow], np.int64)
    delay = np.array([arrivals[key] for key in keys if key in arrivals], np.int64) - times[delivered]
    settled = delivered | (times + delay.max() <= max(arrivals.values()))
    delay, note = positive_delays(delay)
    at_end = left_out(int((~settled).sum()), "datagram", "at the end that may still be under way")
    notes = (note, *at_end, *cut_notes)
    return Probes.of(times[settled], delay, delivered[settled], flow[0].ip_bytes, notes)


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


class Datagram(NamedTuple):
    """A UDP datagram: its time, its flow, the size of its IP packet, and its payload as captured."""

    time_ns: int
    flow: tuple[bytes, bytes, int, int]
    ip_bytes: int
    payload: bytes


def read_capture(path: str) -> tuple[list[Datagram], tuple[str, ...]]:
    """Return the UDP packets of a capture, and a note where it ends within a packet (InputError)."""
    capture = CaptureFile(path)
    datagrams = []
    for packet in ip_packets(capture, UDP):
        if len(packet.payload) >= _HEADER.size:
            source, target, _, _ = _HEADER.unpack_from(packet.payload)
            flow = (*packet.ends, source, target)
            datagrams.append(Datagram(packet.time_ns, flow, packet.ip_bytes, packet.payload[_HEADER.size :]))
    if not datagrams:
        others = "tmt import pcap-tcp reads TCP, tmt import ping what ping prints"
        raise InputError(path, f"there is no UDP packet in this capture; {others}")
    return datagrams, capture.cut_notes
