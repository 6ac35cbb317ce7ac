"""CoDel and FQ-CoDel (RFC 8289, RFC 8290)."""

import math
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from tests.ns2.aqm_twins.twin import Packet, Twin, mark


class CoDelState:
    """RFC 8289, section 5, of one queue; a packet that can be marked is, and leaves."""

    def __init__(self, queue: deque[Packet], target: float, interval: float, mtu_bytes: int) -> None:
        self.queue, self.maxpacket = queue, mtu_bytes
        self.target, self.interval = round(target * 1e9), round(interval * 1e9)
        self.first_above_time = self.drop_next = self.count = self.lastcount = 0
        self.dropping = False

    def control_law(self, time: int, count: int) -> int:
        return time + math.floor(self.interval / math.sqrt(count) + 0.5)

    def dodequeue(self, now: int) -> tuple[Packet | None, bool]:
        if not self.queue:
            self.first_above_time = 0
            return None, False
        packet = self.queue.popleft()
        if now - packet.time_ns < self.target or sum(p.size for p in self.queue) <= self.maxpacket:
            self.first_above_time = 0
        elif self.first_above_time == 0:
            self.first_above_time = now + self.interval
        elif now >= self.first_above_time:
            return packet, True
        return packet, False

    def dequeue(self, now: int, drop: Callable[[Packet], None]) -> Packet | None:
        packet, ok_to_drop = self.dodequeue(now)
        if self.dropping:
            if not ok_to_drop:
                self.dropping = False
            while now >= self.drop_next and self.dropping:
                assert packet is not None
                self.count += 1
                if mark(packet):
                    self.drop_next = self.control_law(self.drop_next, self.count)
                    break
                drop(packet)
                packet, ok_to_drop = self.dodequeue(now)
                if not ok_to_drop:
                    self.dropping = False
                else:
                    self.drop_next = self.control_law(self.drop_next, self.count)
        elif ok_to_drop:
            assert packet is not None
            if not mark(packet):
                drop(packet)
                packet, _ = self.dodequeue(now)
            self.dropping = True
            delta = self.count - self.lastcount
            self.count = 1
            if delta > 1 and now - self.drop_next < 16 * self.interval:
                self.count = delta
            self.drop_next = self.control_law(now, self.count)
            self.lastcount = self.count
        return packet


@dataclass
class CoDel(Twin):
    def start(self, target: float = 0.005, interval: float = 0.1, mtu_bytes: int = 1500) -> None:
        self.queue: deque[Packet] = deque()
        self.codel = CoDelState(self.queue, target, interval, mtu_bytes)

    def queues(self) -> list[deque[Packet]]:
        return [self.queue]

    def enqueue(self, packet: Packet, now: int) -> None:
        self.expire(self.queue, now)
        if self.is_over([*self.queue, packet]):
            self.drop(packet, "limit", now)
        else:
            self.queue.append(packet)

    def dequeue(self, now: int) -> Packet | None:
        self.expire(self.queue, now)
        return self.codel.dequeue(now, lambda packet: self.drop(packet, "dropped", now))


@dataclass
class FqCoDel(Twin):
    """RFC 8290, section 4."""

    def start(
        self,
        target: float = 0.005,
        interval: float = 0.1,
        mtu_bytes: int = 1500,
        flows: int = 1024,
        quantum_bytes: int = 1514,
    ) -> None:
        self.flow_queues: list[deque[Packet]] = [deque() for _ in range(flows)]
        self.codels = [CoDelState(queue, target, interval, mtu_bytes) for queue in self.flow_queues]
        self.credits = [0] * flows
        self.new: list[int] = []
        self.old: list[int] = []
        self.quantum = quantum_bytes

    def queues(self) -> list[deque[Packet]]:
        return self.flow_queues

    def enqueue(self, packet: Packet, now: int) -> None:
        chosen = packet.flow % len(self.flow_queues)
        self.flow_queues[chosen].append(packet)
        if chosen not in self.new + self.old:
            self.new.append(chosen)
            self.credits[chosen] = self.quantum
        while self.is_over(self.waiting()) and self.waiting():
            longest = max(self.flow_queues, key=lambda queue: sum(p.size for p in queue))
            for _ in range(min(64, math.ceil(len(longest) / 2))):
                self.drop(longest.popleft(), "limit", now)

    def dequeue(self, now: int) -> Packet | None:
        while self.new or self.old:
            was_new = bool(self.new)
            source = self.new if was_new else self.old
            chosen = source[0]
            if self.credits[chosen] <= 0:
                self.credits[chosen] += self.quantum
                self.old.append(source.pop(0))
                continue
            self.expire(self.flow_queues[chosen], now)
            packet = self.codels[chosen].dequeue(now, lambda p: self.drop(p, "dropped", now))
            if packet is not None:
                self.credits[chosen] -= packet.size
                return packet
            source.pop(0)
            if was_new:
                self.old.append(chosen)
        return None
