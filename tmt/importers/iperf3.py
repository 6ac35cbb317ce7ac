"""iperf3 and iperf2: the rate of each interval, and the datagrams that UDP lost.

JSON of iperf3 (``-J``): ``intervals[].sum`` (``sum_bidir_reverse`` for the other direction with ``--bidir``)
with ``start`` and ``end`` in s, ``bits_per_second``, and with UDP ``packets``, ``lost_packets`` and
``lost_percent`` at the receiver; ``start.test_start`` has ``reverse``, ``protocol``, ``blksize`` and, since
3.10, ``target_bitrate``. Source: iperf3's sources, where it prints an interval.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from tmt.core.errors import InputError
from tmt.core.units import NS_PER_MS
from tmt.importers.iperf_series import Interval, Measured, series
from tmt.importers.iperf_text import is_text, read_text
from tmt.importers.log_files import first_letter, json_number, member, read_json
from tmt.importers.rate_series import TwoWayRateImporter

if TYPE_CHECKING:
    from tmt.importers.rate_series import RateSeries

_MAX = 1e15


class Iperf3(TwoWayRateImporter):
    """Intervals of iperf3, JSON (-J) or text: rates, and losses with UDP; up is from client to server.

    Each interval gives opportunities at its rate. Losses of UDP are drawn within each interval.

        iperf3 -c example.org -u -b 50M -R -J > iperf.json
        tmt import iperf3 iperf.json down.parquet
    """

    name: ClassVar[str] = "iperf3"

    @classmethod
    def sniff(cls, head: bytes) -> bool:
        """Whether it holds intervals of iperf3."""
        return (b'"bits_per_second"' in head and b'"intervals"' in head) or is_text(head, version=3)

    def rates(self, path: str) -> RateSeries:
        """Return the rates of one direction.

        The client counts bytes as it hands them to the kernel, a receiver as they arrive. Omitted intervals
        (``-O``) are left out. InputError, with the interval or line, where a field is wrong or the direction
        is missing.
        """
        if first_letter(path) != b"{":
            return read_text(path, self.direction)
        document = read_json(path)
        intervals = member(document, "intervals")
        if not isinstance(intervals, list) or not intervals:
            raise InputError(path, "there is no list intervals; this is not the JSON of iperf3 (-J)")
        test = member(document, "start", "test_start")
        reverse = bool(member(test, "reverse"))
        key, sends = _sum_of(path, intervals[0], reverse=reverse, direction=self.direction)
        rows = []
        for number, interval in enumerate(intervals):
            place = f"intervals[{number}].{key}"
            held = member(interval, key)
            if not isinstance(held, dict):
                raise InputError(path, "it is missing", place)
            if not held.get("omitted"):
                rows.append(_interval(path, place, held))
        if not rows:
            raise InputError(path, "every interval is omitted")
        is_udp = member(test, "protocol") == "UDP"
        offered = _known(member(test, "target_bitrate")) or _known(
            member(document, "end", "sum_sent", "bits_per_second")
        )
        block = _known(member(test, "blksize")) if is_udp or sends else None
        # Ends are rounded one by one: one within 1 ms of the next start is the same moment.
        return series(path, rows, Measured(sends, block, offered if is_udp else None), NS_PER_MS)


class Iperf2(TwoWayRateImporter):
    """Intervals of iperf (version 2), text: rates, and losses with UDP; up is from client to server.

    Each interval (-i 1) gives opportunities at its rate. Losses of UDP are drawn within each interval.

        iperf -s -u -i 1 > server.txt
        tmt import iperf2 server.txt up.parquet
    """

    name: ClassVar[str] = "iperf2"

    @classmethod
    def sniff(cls, head: bytes) -> bool:
        """Whether it holds intervals of iperf 2."""
        return is_text(head, version=2)

    def rates(self, path: str) -> RateSeries:
        """Return the rates of one direction; errors as for `read_text`."""
        return read_text(path, self.direction)


def _interval(path: str, place: str, held: dict[str, Any]) -> Interval:
    start, end, rate = (_number(path, place, held, name) for name in ("start", "end", "bits_per_second"))
    if "lost_percent" not in held:
        return Interval(place, start, end, rate)
    if "lost_packets" in held and "packets" in held:
        lost = _number(path, place, held, "lost_packets", -_MAX)
        return Interval(place, start, end, rate, lost, _number(path, place, held, "packets"))
    # Without counts, bits stand for datagrams: those that were sent are what arrived and what was lost.
    share = _number(path, place, held, "lost_percent", -_MAX, 100.0) / 100.0
    arrived = rate * (end - start)
    sent = arrived / (1.0 - share) if share < 1.0 else arrived
    return Interval(place, start, end, rate, sent - arrived, sent)


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


def _number(
    path: str, place: str, holder: dict[str, Any], name: str, least: float = 0.0, most: float = _MAX
) -> float:
    return float(json_number(path, place, name, holder.get(name), least, most))


def _known(value: Any) -> float | None:
    """Return a number above 0; None for anything else."""
    return float(value) if isinstance(value, (int, float)) and 0 < value <= _MAX else None
