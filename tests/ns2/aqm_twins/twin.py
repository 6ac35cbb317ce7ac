"""Packets, limits, and what all disciplines share; drop-tail and drop-head.

Each file of this folder has a discipline again, slowly, line by line as its RFC writes it.
"""

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

NOT_ECT, ECT_1, ECT_0, CE = range(4)
Fate = tuple[int, str, int]


@dataclass
class Packet:
    number: int
    time_ns: int
    size: int
    flow: int
    ecn: int
    marked: bool = False


@dataclass
class Limits:
    """Of a queue, with the packet that is being sent."""

    packets: int = 1 << 60
    size: int = 1 << 60
    time_ns: int = 1 << 60


def random_numbers() -> Iterator[float]:
    """Knuth's MMIX generator, from 1."""
    state = 1
    while True:
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        yield ((state >> 11) + 0.5) / 2**53


@dataclass
class Twin:
    limits: Limits
    parameters: dict[str, Any] = field(default_factory=dict)
    fates: list[Fate] = field(default_factory=list)
    sending: Packet | None = None

    def __post_init__(self) -> None:
        self.start(**self.parameters)

    def start(self) -> None: ...

    def queues(self) -> list[deque[Packet]]:
        raise NotImplementedError

    def drop(self, packet: Packet, event: str, now: int) -> None:
        self.fates.append((packet.number, event, now))

    def is_over(self, waiting: Sequence[Packet]) -> bool:
        held = [*waiting] + ([self.sending] if self.sending else [])
        return len(held) > self.limits.packets or sum(p.size for p in held) > self.limits.size

    def waiting(self) -> list[Packet]:
        return [packet for queue in self.queues() for packet in queue]

    def expire(self, queue: deque[Packet], now: int) -> None:
        while queue and now - queue[0].time_ns > self.limits.time_ns:
            self.drop(queue.popleft(), "limit", now)


def mark(packet: Packet) -> bool:
    if packet.ecn == NOT_ECT:
        return False
    packet.ecn, packet.marked = CE, True
    return True


@dataclass
class DropTail(Twin):
    def start(self, drop: str = "tail") -> None:
        self.queue: deque[Packet] = deque()
        self.end = drop

    def queues(self) -> list[deque[Packet]]:
        return [self.queue]

    def enqueue(self, packet: Packet, now: int) -> None:
        self.expire(self.queue, now)
        if self.end == "head":
            while self.queue and self.is_over([*self.queue, packet]):
                self.drop(self.queue.popleft(), "limit", now)
        if self.is_over([*self.queue, packet]):
            self.drop(packet, "limit", now)
        else:
            self.queue.append(packet)

    def dequeue(self, now: int) -> Packet | None:
        self.expire(self.queue, now)
        return self.queue.popleft() if self.queue else None
