"""Radio link control by its definition in `docs/schemes.md`: two objects that exchange events in a heap."""

from __future__ import annotations

import heapq
from collections import deque
from dataclasses import dataclass, field
from typing import Any

from naive.schemes import UNSETTLED, Converted, Row
from tmt import Rlc
from tmt.core.declaration import ns


@dataclass(frozen=True)
class Settings:
    """Parameters of `rlc`, with times in nanoseconds."""

    mode: str
    delivery: str
    max_retransmissions: int
    window: int
    poll_pdus: int
    poll_retransmit_ns: int
    reassembly_ns: int
    status_prohibit_ns: int
    rtt_ns: int

    @classmethod
    def of(cls, scheme: Rlc, rtt_ns: int) -> Settings:
        return cls(
            mode=scheme.mode,
            delivery=scheme.delivery,
            max_retransmissions=scheme.max_retransmissions,
            window=scheme.window_pdus,
            poll_pdus=scheme.poll_pdus,
            poll_retransmit_ns=ns(scheme.poll_retransmit or 0),
            reassembly_ns=ns(scheme.reassembly),
            status_prohibit_ns=ns(scheme.status_prohibit),
            rtt_ns=rtt_ns,
        )


ARRIVAL, REASSEMBLY, STATUS, REPORT, POLL = range(5)
"""Events at equal times happen in this order."""


@dataclass
class Receiver:
    scheme: Settings
    has: dict[int, int] = field(default_factory=dict)
    """Segments that arrived, and when."""
    given_up: dict[int, int] = field(default_factory=dict)
    """Segments that were given up, and when."""
    delivered_at: dict[int, int] = field(default_factory=dict)
    in_order: bool = True
    highest: int = 0
    status: int = 0
    trigger: int = 0
    timer: int | None = None
    waiting_poll: int | None = None
    prohibited_until: int = 0
    triggered_at: int | None = None
    """When a status report was triggered that has not been made."""

    def missing_from(self, sn: int) -> int:
        while sn in self.has or sn in self.given_up:
            sn += 1
        return sn

    @property
    def next(self) -> int:
        return self.missing_from(0)

    def settle(self, sn: int, now: int, arrived: bool) -> None:
        (self.has if arrived else self.given_up)[sn] = now
        self.highest = max(self.highest, sn + 1)
        if sn == self.status:
            self.status = self.missing_from(sn)
        for other in range(self.next) if self.in_order else [sn]:
            if other in self.has:
                self.delivered_at.setdefault(other, now)

    def mind_gaps(self, now: int) -> None:
        if self.timer is not None and self.trigger <= self.next:
            self.timer = None
        if self.timer is None and self.highest > self.next + 1:
            self.timer, self.trigger = now + self.scheme.reassembly_ns, self.highest


def rlc(opportunities: list[tuple[int, int | None]], scheme: Settings) -> Converted:
    """Send over opportunities (time, arrival or None); uses and first slots count opportunities."""
    return Entities(scheme).run(opportunities)


class Entities:
    def __init__(self, scheme: Settings) -> None:
        self.s = scheme
        self.am = scheme.mode == "acknowledged"
        self.rx = Receiver(scheme, in_order=not self.am or scheme.delivery == "in-order")
        self.arrivals: list[tuple[int, int, int, bool]] = []
        self.reports: deque[tuple[int, int, int]] = deque()  # arrival, making, ACK_SN
        self.next_ack = 0
        self.acked: set[int] = set()
        self.repeats: list[int] = []
        self.sent: list[int] = []
        self.without_poll = 0
        self.poll_sn = -1
        self.poll_due: int | None = None
        self.poll_now = False

    def run(self, opportunities: list[tuple[int, int | None]]) -> Converted:
        uses: list[str] = []
        first: list[int] = []
        for number, (now, arrival) in enumerate(opportunities):
            self.pass_time(now)
            if self.repeats:
                sn = self.repeats.pop(0)
                uses.append("retransmission")
            elif self.am and self.is_full():
                uses.append("stall")
                continue
            else:
                sn = len(self.sent)
                self.sent.append(0)
                first.append(number)
                self.without_poll += 1
                uses.append("data")
            self.sent[sn] += 1
            poll = self.am and (
                self.poll_now
                or self.without_poll >= self.s.poll_pdus
                or (not self.repeats and self.is_full())
            )
            if poll:
                self.without_poll, self.poll_now, self.poll_sn = 0, False, len(self.sent) - 1
                timers = self.s.reassembly_ns + self.s.status_prohibit_ns
                self.poll_due = now + (self.s.poll_retransmit_ns or 2 * self.s.rtt_ns + timers)
            if arrival is not None:
                heapq.heappush(self.arrivals, (arrival, number, sn, poll))
        self.pass_time(None)

        rows = []
        for sn, number in enumerate(first):
            start, times = opportunities[number][0], min(self.sent[sn], 255)
            if sn in self.rx.delivered_at:
                rows.append(Row(start, self.rx.delivered_at[sn] - start, True, times))
            elif sn in self.rx.given_up:
                rows.append(Row(start, self.rx.given_up[sn] - start, False, times))
            else:
                rows.append(Row(start, UNSETTLED, False, times))
        return Converted(rows, first, uses)

    def is_full(self) -> bool:
        return len(self.sent) >= self.next_ack + self.s.window

    def pass_time(self, until: int | None) -> None:
        while True:
            due: list[tuple[int, int]] = []
            if self.arrivals:
                due.append((self.arrivals[0][0], ARRIVAL))
            if self.rx.timer is not None:
                due.append((self.rx.timer, REASSEMBLY))
            if self.rx.triggered_at is not None:
                due.append((max(self.rx.triggered_at, self.rx.prohibited_until), STATUS))
            if self.reports:
                due.append((self.reports[0][0], REPORT))
            if self.poll_due is not None:
                due.append((self.poll_due, POLL))
            if not due or (until is not None and min(due)[0] > until):
                return
            now, event = min(due)
            happen: Any = (self.arrive, self.reassembly_ends, self.report, self.take_report, self.poll_ends)
            happen[event](now)
            if self.rx.waiting_poll is not None and self.rx.waiting_poll < self.rx.status:
                self.rx.waiting_poll = None
                self.trigger(now)

    def arrive(self, now: int) -> None:
        _, _, sn, poll = heapq.heappop(self.arrivals)
        is_discarded = sn in self.rx.has or sn in self.rx.given_up
        if not is_discarded:
            self.rx.settle(sn, now, arrived=True)
            self.rx.mind_gaps(now)
        if poll:
            if is_discarded or sn < self.rx.status:
                self.trigger(now)
            else:
                self.rx.waiting_poll = max(sn, self.rx.waiting_poll or 0)

    def reassembly_ends(self, now: int) -> None:
        rx = self.rx
        rx.timer = None
        if self.am:
            rx.status = rx.missing_from(rx.trigger)
        else:
            for sn in range(rx.trigger):
                if sn not in rx.has and sn not in rx.given_up:
                    rx.settle(sn, now, arrived=False)
        if rx.highest > (rx.status if self.am else rx.next) + 1:
            rx.timer, rx.trigger = now + self.s.reassembly_ns, rx.highest
        if self.am:
            self.trigger(now)

    def trigger(self, now: int) -> None:
        if self.rx.triggered_at is None:
            self.rx.triggered_at = now

    def report(self, now: int) -> None:
        self.reports.append((now + self.s.rtt_ns, now, self.rx.status))
        self.rx.triggered_at, self.rx.prohibited_until = None, now + self.s.status_prohibit_ns

    def take_report(self, now: int) -> None:
        _, made, ack_sn = self.reports.popleft()
        for sn in range(self.next_ack, ack_sn):
            if self.rx.has.get(sn, made + 1) <= made:
                self.acked.add(sn)
            if sn in self.acked:
                if sn in self.repeats:
                    self.repeats.remove(sn)
            elif sn in self.repeats:
                pass
            elif self.sent[sn] <= self.s.max_retransmissions:
                self.repeats.append(sn)
            else:
                self.acked.add(sn)
                if sn not in self.rx.has:
                    self.rx.settle(sn, now, arrived=False)
                    self.rx.mind_gaps(now)
        while self.next_ack in self.acked:
            self.next_ack += 1
        if self.poll_sn < ack_sn:
            self.poll_due = None

    def poll_ends(self, now: int) -> None:
        del now
        self.poll_due, self.poll_now = None, True
        if not self.repeats and self.is_full():
            self.repeats.append(len(self.sent) - 1)


def above(below: Converted, scheme: Settings) -> Converted:
    """Send over the rows of the scheme below; its other slots keep their uses."""
    found = rlc([(row[0], row[0] + row[1] if row[2] else None) for row in below.rows], scheme)
    uses = list(below.uses)
    for slot, use in zip(below.first_slots, found.uses, strict=True):
        uses[slot] = use
    return Converted(found.rows, [below.first_slots[number] for number in found.first_slots], uses)
