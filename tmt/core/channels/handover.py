"""Handovers: outages of the link, after which it continues over another path.

A slot in an outage is removed, decoded late, or erased: packets in the queue are kept, forwarded late, or
lost. Between outages a share of the slots remains, which changes with each handover.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import numpy as np

from tmt.core.channels.base import BoolArray, Channel, Int64Array, Realisation
from tmt.core.declaration import Param, PositiveSeconds, Rules, Seconds, ns

if TYPE_CHECKING:
    from tmt.core.trace import PhyTrace


class Handover(Channel):
    """Handovers at given times, or with a period; times are those of the trace."""

    name: ClassVar[str] = "handover"
    is_random: ClassVar[bool] = False

    period: Annotated[PositiveSeconds | None, "time between handovers", Param(absent="`times` has them")] = (
        None
    )
    first: Annotated[
        Seconds | None, "time of the first handover", Param(absent="one period, or that of `times`")
    ] = None
    times: Annotated[tuple[PositiveSeconds, ...], "times of the handovers", Param("s")] = ()
    outage: Annotated[Seconds, "time from a handover on in which the link is interrupted"] = 0
    queue: Annotated[
        Literal["kept", "late", "lost"],
        "what an outage does with packets: kept in the queue, forwarded late at its end, or sent and lost",
    ] = "kept"
    capacity: Annotated[
        tuple[float, ...],
        "share of the slots that remains, before the first handover and after each one, in turn",
        Param("", 0.001, 1),
    ] = (1.0,)

    def rules(self) -> Rules:
        """Refuse two kinds of times or none, times out of order, and outages that overlap."""
        if (self.period is None) == (not self.times):
            yield "period", "a period, or times, and not both", "is missing" if not self.times else ""
        if self.times and self.first is not None:
            yield "first", "none with times"
        gaps = np.diff(self._times_ns)
        if (gaps <= 0).any():
            at = int(np.argmax(gaps <= 0)) + 1
            yield ("times", at), f"later than {self.times[at - 1]:g} s, the one before", "is out of order"
            return
        least = self.period if self.period is not None else (gaps.min() / 1e9 if len(gaps) else None)
        if least is not None and self.outage >= least:
            yield "outage", f"less than the time between handovers, {least:g} s"
        if not self.capacity:
            yield "capacity", "at least one share"

    @cached_property
    def _times_ns(self) -> Int64Array:
        return np.array([ns(time) for time in self.times], np.int64)

    def since(self, time_ns: Int64Array) -> tuple[Int64Array, Int64Array]:
        """Return the number of handovers until each time, and the time since the last (-1 before the first):
        [n], int64.
        """
        if self.period is None:
            number = np.searchsorted(self._times_ns, time_ns, side="right").astype(np.int64)
            last_ns = self._times_ns[np.maximum(number - 1, 0)]
        else:
            period_ns = ns(self.period)
            first_ns = period_ns if self.first is None else ns(self.first)
            number = np.maximum((time_ns - first_ns) // period_ns + 1, 0)
            last_ns = first_ns + (number - 1) * period_ns
        return number, np.where(number > 0, time_ns - last_ns, -1)

    def realisation(self, seed: int) -> Realisation:
        """Start at the first slot; every seed has the same handovers."""
        return _Handovers(self)

    def describe(self) -> dict[str, Any]:
        """Return name and parameters, with times in nanoseconds."""
        single = {"period": self.period, "first": self.first, "outage": self.outage}
        return {
            "channel": self.name,
            **{f"{key}_ns": None if value is None else ns(value) for key, value in single.items()},
            "times_ns": self._times_ns.tolist(),
            "queue": self.queue,
            "capacity": list(self.capacity),
        }


class _Handovers:
    def __init__(self, channel: Handover) -> None:
        self._channel = channel
        self._shares = np.array(channel.capacity)
        self._number = 0
        self._seen = 0
        """Slots since the start of the last outage."""

    def erased(self, tx_time_ns: Int64Array) -> BoolArray:
        _, since_ns = self._channel.since(tx_time_ns)
        return (since_ns >= 0) & (since_ns < ns(self._channel.outage))

    def passed(self, slots: PhyTrace) -> PhyTrace:
        """Apply the handovers to the next slots of a trace."""
        number, since_ns = self._channel.since(slots.tx_time_ns)
        outage_ns = ns(self._channel.outage)
        is_out = (since_ns >= 0) & (since_ns < outage_ns)
        decode_ns = slots.decode_time_ns
        if self._channel.queue == "lost":
            decode_ns = np.where(is_out, 0, decode_ns)
        elif self._channel.queue == "late":
            wait_ns = outage_ns - since_ns
            decode_ns = np.where(is_out & (decode_ns > 0), wait_ns + decode_ns, decode_ns)
        keeps = self._remaining(number)
        if self._channel.queue == "kept":
            keeps &= ~is_out
        own = replace(slots, decode_time_ns=decode_ns)
        return replace(own, **{column.name: getattr(own, column.name)[keeps] for column in own.columns})

    def _remaining(self, number: Int64Array) -> BoolArray:
        """Return which slots remain: of the first n after a handover the share, rounded down."""
        if (self._shares == 1).all() or not len(number):
            return np.ones(len(number), np.bool_)
        begins = np.flatnonzero(np.diff(number, prepend=self._number))
        place = np.arange(len(number)) + self._seen
        for begin in begins:
            place[begin:] = np.arange(len(number) - begin)
        self._number, self._seen = int(number[-1]), int(place[-1]) + 1
        share = self._shares[number % len(self._shares)]
        remaining: BoolArray = np.floor((place + 1) * share) > np.floor(place * share)
        return remaining
