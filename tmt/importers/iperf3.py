"""JSON of iperf3 (``-J``): the rate of each interval, and the share of lost datagrams with UDP.

Fields: ``intervals[].sum`` (``sum_bidir_reverse`` for the other direction with ``--bidir``) with ``start``
and ``end`` in s, ``bits_per_second``, and with UDP ``lost_percent`` at the receiver. Source: iperf3's
sources, where it prints an interval.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from tmt.core.errors import InputError
from tmt.core.units import NS_PER_MS, seconds_to_ns
from tmt.importers.log_files import member, read_json
from tmt.importers.rate_series import RateSeries, TwoWayRateImporter, durations

_MAX_S, _MAX_BPS = 1e9, 1e15


class Iperf3(TwoWayRateImporter):
    """Intervals of iperf3 -J: rates, and losses with UDP; up is from the client to the server.

    Each interval gives opportunities at its rate. Losses of UDP are drawn within each interval.

        iperf3 -c example.org -u -b 50M -R -J > iperf.json
        tmt import iperf3 iperf.json down.parquet
    """

    name: ClassVar[str] = "iperf3"

    @classmethod
    def sniff(cls, head: bytes) -> bool:
        """Whether it holds intervals of iperf3."""
        return b'"bits_per_second"' in head and b'"intervals"' in head

    def rates(self, path: str) -> RateSeries:
        """Return the rates of one direction.

        The client counts bytes as it hands them to the kernel, a receiver as they arrive. Omitted intervals
        (``-O``) are left out. InputError, with the interval, where a field is wrong or the direction is
        missing.
        """
        document = read_json(path)
        intervals = member(document, "intervals")
        if not isinstance(intervals, list) or not intervals:
            raise InputError(path, "there is no list intervals; this is not the JSON of iperf3 (-J)")
        reverse = bool(member(document, "start", "test_start", "reverse"))
        key, sends = _sum_of(path, intervals[0], reverse=reverse, direction=self.direction)
        rows = []
        for number, interval in enumerate(intervals):
            place = f"intervals[{number}].{key}"
            held = member(interval, key)
            if not isinstance(held, dict):
                raise InputError(path, "it is missing", place)
            if not held.get("omitted"):
                values = [_number(path, place, held, name) for name in ("start", "end", "bits_per_second")]
                loss = _number(path, place, held, "lost_percent") / 100.0 if "lost_percent" in held else None
                rows.append((place, loss, *values))
        if not rows:
            raise InputError(path, "every interval is omitted")
        places, losses, begins_s, ends_s, rates = zip(*rows, strict=True)
        start, end = (np.array([*map(seconds_to_ns, times)], np.int64) for times in (begins_s, ends_s))
        # iperf3 rounds each end by itself: one within 1 ms of the next start is the same moment.
        start[1:] = np.where(np.abs(start[1:] - end[:-1]) <= NS_PER_MS, end[:-1], start[1:])
        duration, gaps = durations(path, start, end, places)
        share = None if None in losses else np.array(losses, np.float64)
        rate = np.array(rates, np.float64)
        notes = ["a rate of iperf3 is what went through: a lower bound of the capacity"]
        if sends:
            notes.append(
                "these are rates at the sender; losses are known to the receiver only (run iperf3 -R)"
            )
        elif share is not None:
            rate = rate / np.maximum(1.0 - share, 0.01)
            notes.append("lost datagrams are added to the rate at the receiver")
        return RateSeries(duration, rate, share, None, (*notes, *gaps))


def _sum_of(path: str, interval: Any, *, reverse: bool, direction: str | None) -> tuple[str, bool]:
    """Return the key of the direction's sum, and whether the rate was taken at the sender."""
    main, other = ("down", "up") if reverse else ("up", "down")
    found = {main: "sum"}
    if isinstance(interval, dict) and "sum_bidir_reverse" in interval:
        found[other] = "sum_bidir_reverse"
    direction = direction or main
    if direction not in found:
        raise InputError(path, f"--direction is {direction}; this test sent {' and '.join(found)}")
    key = found[direction]
    sender = member(interval, key, "sender")
    return key, bool(sender) if sender is not None else direction == "up"


def _number(path: str, place: str, holder: dict[str, Any], name: str) -> float:
    value = holder.get(name)
    most = _MAX_S if name in ("start", "end") else _MAX_BPS
    if not isinstance(value, (int, float)) or isinstance(value, bool) or not 0 <= value <= most:
        raise InputError(path, f"{name} is {value!r}; a number from 0 to {most:g} is needed", place)
    return float(value)
