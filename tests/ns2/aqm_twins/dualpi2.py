"""DualPI2 (RFC 9332)."""

from collections import deque
from dataclasses import dataclass

from tests.ns2.aqm_twins.twin import NOT_ECT, Packet, Twin, mark


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
