"""Queue/Clift again, row by row and event by event, from its definition in docs/queue.md."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count

from tmt.core.trace import LinkTrace


@dataclass(frozen=True)
class Options:
    """The variables of the queue, times in nanoseconds; `hold_ns` 0 is no bound, `length_ns` 0 none."""

    lldu_bytes: int
    limit: int
    packed: bool = False
    loop: bool = False
    begin_ns: int = 0
    length_ns: int = 0
    offset_ns: int = 0
    in_order: bool = False
    hold_ns: int = 0


@dataclass
class Packet:
    """A packet in the queue: the bytes that are not sent, and the fates of the rows that it has had."""

    number: int
    unsent_bytes: int
    settled_ns: int = 0
    lost: bool = False
    unsettled: bool = False


def outcomes(
    trace: LinkTrace, sendings: Sequence[tuple[int, int]], delay_ns: int, options: Options
) -> dict[int, tuple[str, int]]:
    """Return fate and time of each packet, by its number; packets that stay in the queue are missing.

    `sendings` are the packets' times in nanoseconds, increasing and none of them that of a row, and sizes.
    """
    queue: list[Packet] = []
    left: list[Packet] = []
    found: dict[int, tuple[str, int]] = {}
    waiting = [(time, number, size) for number, (time, size) in enumerate(sendings)]
    for tx_ns, settled_ns, fate, size_bytes in rows_of(trace, options):
        while waiting and waiting[0][0] < tx_ns:
            time, number, size = waiting.pop(0)
            if len(queue) == options.limit:
                found[number] = ("queue_dropped", time)
            else:
                queue.append(Packet(number, max(size, 1)))
        if not queue and not waiting:
            break
        left_bytes = size_bytes
        while queue and left_bytes > 0:
            packet = queue[0]
            carried = min(packet.unsent_bytes, left_bytes)
            packet.unsent_bytes -= carried
            left_bytes -= carried
            packet.settled_ns = max(packet.settled_ns, settled_ns)
            packet.lost |= fate == "lost"
            packet.unsettled |= fate == "unsettled"
            if packet.unsent_bytes == 0:
                left.append(queue.pop(0))
            if not options.packed:
                break
    for time, number, _ in waiting:
        if len(queue) == options.limit:
            found[number] = ("queue_dropped", time)
        else:
            queue.append(Packet(number, 1))
    found.update(fates(left, delay_ns, options))
    return found


def rows_of(trace: LinkTrace, options: Options) -> Iterator[tuple[int, int, str, int]]:
    """Yield each row's sending time, time at which its fate is settled, fate and size, in simulated time."""
    tx, delay = trace.tx_time_ns.tolist(), trace.delay_ns.tolist()
    n = len(tx)
    sizes = [options.lldu_bytes] * n if trace.size_bytes is None else trace.size_bytes.tolist()
    period_ns = options.length_ns or (round((tx[-1] - tx[0]) * n / (n - 1)) if n > 1 else 0)
    for cycle in count() if options.loop else range(1):
        shift_ns = cycle * period_ns - options.begin_ns - options.offset_ns
        for i in range(n):
            if tx[i] + shift_ns < 0:
                continue
            if delay[i] < 0:
                yield tx[i] + shift_ns, tx[-1] + shift_ns, "unsettled", sizes[i]
            else:
                fate = "delivered" if trace.delivered[i] else "lost"
                yield tx[i] + shift_ns, tx[i] + delay[i] + shift_ns, fate, sizes[i]


def fates(left: Sequence[Packet], delay_ns: int, options: Options) -> Iterator[tuple[int, tuple[str, int]]]:
    """Yield each packet's number and what becomes of it at the far end."""
    earlier_ns = 0
    for packet in left:
        time = packet.settled_ns
        if packet.lost or packet.unsettled:
            event = "link_lost" if packet.lost else "link_unsettled"
        else:
            event = "received"
            if options.in_order and earlier_ns > time:
                bound = time + options.hold_ns if options.hold_ns else earlier_ns
                time = min(earlier_ns, bound)
        earlier_ns = max(earlier_ns, packet.settled_ns)
        yield packet.number, (event, time + delay_ns)
