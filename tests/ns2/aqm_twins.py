"""The disciplines of a queue again, slowly, line by line as their RFCs write them."""

import math
from collections import deque
from collections.abc import Callable, Iterator, Sequence
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


@dataclass
class Pie(Twin):
    """RFC 8033: appendix A with ECN (5.1), rates (5.2, appendix B), derandomization (5.4), the cap (5.5).

    A delay that is a packet's does not outlast the queue: an empty one has delay 0.
    """

    def start(
        self,
        target: float = 0.015,
        update: float = 0.015,
        burst: float = 0.15,
        alpha: float = 0.125,
        beta: float = 1.25,
        mark_below: float = 0.1,
        packet_bytes: int = 1500,
        delay: str = "timestamp",
        measured_bytes: int = 2**14,
    ) -> None:
        self.queue: deque[Packet] = deque()
        self.random = random_numbers()
        self.qdelay_ref, self.t_update, self.max_burst = target, round(update * 1e9), round(burst * 1e9)
        self.alpha, self.beta, self.mark_ecnth = alpha, beta, mark_below
        self.mean_pktsize, self.by_rate, self.dq_threshold = packet_bytes, delay == "rate", measured_bytes
        self.burst_allowance = self.max_burst
        self.drop_prob = self.qdelay_old = self.current_qdelay = self.accu_prob = 0.0
        self.next_update = self.t_update
        self.in_measurement = False
        self.dq_count = self.measurement_start = 0
        self.avg_dq_time = 0.0

    def queues(self) -> list[deque[Packet]]:
        return [self.queue]

    def byte_length(self) -> int:
        return sum(packet.size for packet in self.queue)

    def enqueue(self, packet: Packet, now: int) -> None:
        self.update_until(now)
        self.expire(self.queue, now)
        if self.is_over([*self.queue, packet]):
            self.drop(packet, "limit", now)
            self.accu_prob = 0
            return
        half = self.qdelay_ref / 2
        if self.drop_prob == 0 and self.current_qdelay < half and self.qdelay_old < half:
            self.burst_allowance = self.max_burst
        if self.burst_allowance == 0 and self.drop_early():
            self.accu_prob = 0
            if not (self.drop_prob < self.mark_ecnth and mark(packet)):
                self.drop(packet, "dropped", now)
                return
        self.queue.append(packet)

    def drop_early(self) -> bool:
        if self.qdelay_old < self.qdelay_ref / 2 and self.drop_prob < 0.2:
            return False
        if self.byte_length() <= 2 * self.mean_pktsize:
            return False
        if self.drop_prob == 0:
            self.accu_prob = 0
        self.accu_prob += self.drop_prob
        if self.accu_prob < 0.85:
            return False
        if self.accu_prob >= 8.5:
            return True
        return next(self.random) < self.drop_prob

    def dequeue(self, now: int) -> Packet | None:
        self.update_until(now)
        self.expire(self.queue, now)
        if not self.queue:
            return None
        packet = self.queue.popleft()
        self.current_qdelay = (now - packet.time_ns) / 1e9
        if self.in_measurement:
            self.dq_count += packet.size
            if self.dq_count >= self.dq_threshold:
                dq_time = (now - self.measurement_start) / 1e9
                weight = self.dq_threshold / 2**16
                if self.avg_dq_time == 0:
                    self.avg_dq_time = dq_time
                else:
                    self.avg_dq_time = dq_time * weight + self.avg_dq_time * (1 - weight)
                self.in_measurement = False
        if self.byte_length() >= self.dq_threshold and not self.in_measurement:
            self.in_measurement = True
            self.measurement_start = now
            self.dq_count = 0
        return packet

    def update_until(self, now: int) -> None:
        while self.next_update <= now:
            self.calculate_drop_prob()
            self.next_update += self.t_update

    def calculate_drop_prob(self) -> None:
        if self.by_rate:
            self.current_qdelay = self.byte_length() * self.avg_dq_time / self.dq_threshold
        elif not self.queue:
            self.current_qdelay = 0
        p = self.alpha * (self.current_qdelay - self.qdelay_ref) + self.beta * (
            self.current_qdelay - self.qdelay_old
        )
        if self.drop_prob < 0.000001:
            p /= 2048
        elif self.drop_prob < 0.00001:
            p /= 512
        elif self.drop_prob < 0.0001:
            p /= 128
        elif self.drop_prob < 0.001:
            p /= 32
        elif self.drop_prob < 0.01:
            p /= 8
        elif self.drop_prob < 0.1:
            p /= 2
        if self.drop_prob >= 0.1 and p > 0.02:
            p = 0.02
        self.drop_prob += p
        if self.current_qdelay == 0 and self.qdelay_old == 0:
            self.drop_prob *= 0.98
        if self.drop_prob < 0:
            self.drop_prob = 0.0
        if self.drop_prob > 1:
            self.drop_prob = 1.0
        self.qdelay_old = self.current_qdelay
        self.burst_allowance = max(0, self.burst_allowance - self.t_update)


@dataclass
class DualPi2(Twin):
    """RFC 9332, appendix A.2; `ts-fifo` as in appendix B.

    The weighted round robin is ours: a queue's credit counts only while both have packets, and L4S begins.
    """

    def start(
        self,
        target: float = 0.015,
        rtt_max: float = 0.1,
        coupling: float = 2,
        threshold: float = 0.0008,
        ramp: float = 0.0004,
        threshold_packets: int = 1,
        scheduler: str = "wrr",
        classic_weight: float = 1 / 16,
        shift: float = 0.05,
    ) -> None:
        self.lq: deque[Packet] = deque()
        self.cq: deque[Packet] = deque()
        self.target, self.k = target, coupling
        self.min_th, self.range, self.th_len = round(threshold * 1e9), round(ramp * 1e9), threshold_packets
        self.scheduler_name, self.weight, self.tshift = scheduler, classic_weight, round(shift * 1e9)
        self.p_cmax = min(1 / coupling**2, 1)
        self.tupdate = min(round(target * 1e9), round(rtt_max * 1e9) // 3)
        self.alpha = 0.1 * self.tupdate / 1e9 / rtt_max**2
        self.beta = 0.3 / rtt_max
        self.next_update = self.tupdate
        self.p = self.p_cl = self.p_c = self.prevq = 0.0
        self.l_count = self.c_count = 0.0
        self.served_l = self.served_c = 0.0

    def queues(self) -> list[deque[Packet]]:
        return [self.lq, self.cq]

    def enqueue(self, packet: Packet, now: int) -> None:
        self.update_until(now)
        self.expire(self.lq, now)
        self.expire(self.cq, now)
        if self.is_over([*self.waiting(), packet]):
            self.drop(packet, "limit", now)
        elif packet.ecn % 2 == 1:
            self.lq.append(packet)
        else:
            self.cq.append(packet)

    def time(self, queue: deque[Packet], now: int) -> int:
        return now - queue[0].time_ns if queue else 0

    def scheduler(self, now: int) -> deque[Packet]:
        if not self.lq or not self.cq:
            return self.lq or self.cq
        if self.scheduler_name == "ts-fifo":
            return self.lq if self.time(self.lq, now) + self.tshift >= self.time(self.cq, now) else self.cq
        # What each has had, over its weight.
        return self.lq if self.served_l * self.weight <= self.served_c * (1 - self.weight) else self.cq

    def recur_l(self, likelihood: float) -> bool:
        self.l_count += likelihood
        if self.l_count > 1:
            self.l_count -= 1
            return True
        return False

    def recur_c(self, likelihood: float) -> bool:
        self.c_count += likelihood
        if self.c_count > 1:
            self.c_count -= 1
            return True
        return False

    def laqm(self, qdelay: int) -> float:
        if qdelay >= self.min_th + self.range:
            return 1
        if qdelay > self.min_th:
            return (qdelay - self.min_th) / self.range
        return 0

    def dequeue(self, now: int) -> Packet | None:
        self.update_until(now)
        self.expire(self.lq, now)
        self.expire(self.cq, now)
        while self.lq or self.cq:
            both = bool(self.lq and self.cq)
            if self.scheduler(now) is self.lq:
                packet = self.lq.popleft()
                if self.cq:
                    self.served_l += packet.size
                if self.p_cl < 1:
                    p_l = self.laqm(now - packet.time_ns) if len(self.lq) > self.th_len else 0
                    if self.recur_l(max(p_l, self.p_cl)):
                        mark(packet)
                else:
                    if self.recur_l(self.p_c):
                        self.drop(packet, "dropped", now)
                        continue
                    if self.recur_l(self.p_cl):
                        mark(packet)
            else:
                packet = self.cq.popleft()
                if both:
                    self.served_c += packet.size
                if self.recur_c(self.p_c):
                    if packet.ecn == NOT_ECT or self.p_c >= self.p_cmax:
                        self.drop(packet, "dropped", now)
                        continue
                    mark(packet)
            return packet
        self.served_l = self.served_c = 0.0
        return None

    def update_until(self, now: int) -> None:
        while self.next_update <= now:
            curq = max(self.time(self.cq, self.next_update), self.time(self.lq, self.next_update)) / 1e9
            self.p += self.alpha * (curq - self.target) + self.beta * (curq - self.prevq)
            self.p = min(max(self.p, 0.0), 1.0)
            self.p_cl = min(self.p * self.k, 1.0)
            self.p_c = self.p**2
            self.prevq = curq
            self.next_update += self.tupdate


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
