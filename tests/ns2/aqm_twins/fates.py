"""Fates of packets behind a link of constant rate, behind rows, and behind ARQ."""

from collections import deque
from collections.abc import Iterator, Sequence
from typing import Any

from tests.ns2.aqm_twins.codel import CoDel, FqCoDel
from tests.ns2.aqm_twins.dualpi2 import DualPi2
from tests.ns2.aqm_twins.pie import Pie
from tests.ns2.aqm_twins.twin import DropTail, Fate, Limits, Packet

TWINS = {"droptail": DropTail, "codel": CoDel, "fq-codel": FqCoDel, "pie": Pie, "dualpi2": DualPi2}


def fates(
    name: str, limits: Limits, arrivals: Sequence[Packet], ns_per_byte: int, parameters: dict[str, Any]
) -> list[Fate]:
    """Return number, event and time of each packet, in order, behind a link of constant rate."""
    twin = TWINS[name](limits, parameters)
    departure = None

    def begin(now: int) -> int | None:
        twin.sending = None
        twin.sending = twin.dequeue(now)
        return now + twin.sending.size * ns_per_byte if twin.sending else None

    def depart(until: int) -> None:
        nonlocal departure
        while departure is not None and departure <= until:
            sent, now = twin.sending, departure
            assert sent is not None
            twin.fates.append((sent.number, "marked" if sent.marked else "sent", now))
            departure = begin(now)

    for packet in arrivals:
        depart(packet.time_ns)
        twin.enqueue(packet, packet.time_ns)
        if departure is None:
            departure = begin(packet.time_ns)
    depart(1 << 62)
    return twin.fates


def fates_over_rows(
    name: str,
    limits: Limits,
    arrivals: Sequence[Packet],
    rows: Sequence[int],
    lldu_bytes: int,
    parameters: dict[str, Any],
    *,
    counts_sending: bool = True,
    random: Iterator[float] | None = None,
) -> list[Fate]:
    """Return number, event and time of each packet behind rows of these times and this size.

    A packet begins in a row of its own, whose time is that at which the queue is asked for it.
    """
    twin = TWINS[name](limits, parameters)
    if isinstance(twin, Pie) and random is not None:
        twin.random = random
    waiting, left, sending = deque(arrivals), 0, None
    for now in rows:
        while waiting and waiting[0].time_ns < now:
            packet = waiting.popleft()
            twin.enqueue(packet, packet.time_ns)
        if sending is None:
            sending = twin.dequeue(now)
            left = sending.size if sending else 0
        if sending is not None:
            left -= lldu_bytes
            if left <= 0:
                twin.fates.append((sending.number, "sent", now))
                sending = None
        twin.sending = sending if counts_sending else None
    return twin.fates


def fates_over_arq(
    name: str,
    limits: Limits,
    arrivals: Sequence[Packet],
    slots: Sequence[tuple[int, int]],
    unit_bytes: int,
    rtt_ns: int,
    *,
    packed: bool,
    random: Iterator[float],
) -> list[Fate]:
    """Return number, event and time of each packet behind ARQ over slots (time and decoding time, 0: erased).

    A slot carries a unit that was erased, of which the sender knows, otherwise the next one.
    """
    twin = TWINS[name](limits, {})
    if isinstance(twin, Pie):
        twin.random = random
    waiting, sending, left = deque(arrivals), None, 0
    erased: deque[tuple[int, list[int]]] = deque()
    open_units: dict[int, int] = {}
    arrival: dict[int, int] = {}
    for now, decoding in slots:
        while waiting and waiting[0].time_ns < now:
            packet = waiting.popleft()
            twin.enqueue(packet, packet.time_ns)
        if erased and erased[0][0] <= now:
            unit = erased.popleft()[1]
        else:
            unit, room = [], unit_bytes
            while room > 0:
                if sending is None:
                    sending = twin.dequeue(now)
                    if sending is None:
                        break
                    left = sending.size
                unit.append(sending.number)
                open_units[sending.number] = open_units.get(sending.number, 0) + 1
                carried = min(left, room)
                left, room = left - carried, room - carried
                if left > 0 or not packed:
                    break
                sending = None
            if left == 0:
                sending = None
            twin.sending = sending
        if unit and decoding == 0:
            erased.append((now + rtt_ns, unit))
            continue
        for number in unit:
            open_units[number] -= 1
            arrival[number] = max(arrival.get(number, 0), now + decoding)
    # A packet is received with its last unit.
    twin.fates += [(number, "received", time) for number, time in arrival.items() if open_units[number] == 0]
    return twin.fates
