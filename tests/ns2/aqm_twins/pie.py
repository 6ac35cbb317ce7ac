"""PIE (RFC 8033)."""

from collections import deque
from dataclasses import dataclass

from tests.ns2.aqm_twins.twin import Packet, Twin, mark, random_numbers


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
