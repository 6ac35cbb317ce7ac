"""Two links, segment by segment and event by event, from what TCP's sender, receiver and proxy do."""

import heapq
import itertools
import math
from collections import deque
from collections.abc import Callable

from tmt.theory.split import TcpSender, TwoLinks


class Clock:
    """Events in order of time."""

    def __init__(self) -> None:
        self.now = 0.0
        self._events: list[tuple[float, int, Callable[[], None]]] = []
        self._order = itertools.count()

    def after(self, delay: float, act: Callable[[], None]) -> None:
        heapq.heappush(self._events, (self.now + delay, next(self._order), act))

    def run(self) -> None:
        while self._events:
            self.now, _, act = heapq.heappop(self._events)
            act()


class Link:
    """Sends one packet after the other and hands it on a propagation delay later."""

    def __init__(self, clock: Clock, packet_s: float, delay_s: float, target: Callable[[], None]) -> None:
        self.clock, self.packet_s, self.delay_s, self.target = clock, packet_s, delay_s, target
        self.waiting, self.busy = 0, False

    def accept(self) -> None:
        self.waiting += 1
        if not self.busy:
            self._begin()

    def _begin(self) -> None:
        self.waiting -= 1
        self.busy = True
        self.clock.after(self.packet_s, self._sent)

    def _sent(self) -> None:
        self.clock.after(self.delay_s, self.target)
        self.busy = False
        if self.waiting:
            self._begin()


class Sender:
    """Slow start and congestion avoidance; sends data as the window allows."""

    def __init__(self, parameters: TcpSender, link: Link, data: int) -> None:
        self.parameters, self.link, self.data = parameters, link, data
        self.window, self.sent, self.acked = parameters.initial_window, 0, 0

    def send(self) -> None:
        while self.sent < self.data and self.sent - self.acked < math.floor(self.window):
            self.sent += 1
            self.link.accept()

    def on_ack(self) -> None:
        limits = self.parameters
        self.acked += limits.packets_per_ack
        if self.window < limits.threshold:
            self.window = min(self.window + 1.0, limits.threshold)
        else:
            self.window = min(self.window + 1.0 / self.window, limits.largest_window)
        self.send()


class Receiver:
    """Acknowledges every b-th segment."""

    def __init__(self, clock: Clock, packets_per_ack: int, ack_s: float) -> None:
        self.clock, self.packets_per_ack, self.ack_s = clock, packets_per_ack, ack_s
        self.received = 0
        self.sender: Sender | None = None

    def receive(self) -> None:
        self.received += 1
        if self.received % self.packets_per_ack == 0:
            self.clock.after(self.ack_s, self.sender.on_ack)


def end_to_end(path: TwoLinks, sender: TcpSender, segments: int) -> list[float]:
    """Return the arrival time of each segment."""
    clock, times = Clock(), deque[float]()
    receiver = Receiver(clock, sender.packets_per_ack, path.wired_ack_s + path.wireless_ack_s)

    def arrive() -> None:
        times.append(clock.now)
        receiver.receive()

    wireless = Link(clock, path.wireless_packet_s, path.wireless_delay_s, arrive)
    wired = Link(clock, path.wired_packet_s, path.wired_delay_s, wireless.accept)
    receiver.sender = Sender(sender, wired, segments)
    receiver.sender.send()
    clock.run()
    return list(times)


def split(path: TwoLinks, sender: TcpSender, proxy: TcpSender, segments: int) -> list[float]:
    """Return the same through a proxy that acknowledges at once and sends on after its processing."""
    clock, times = Clock(), deque[float]()
    receiver = Receiver(clock, proxy.packets_per_ack, path.wireless_ack_s)
    acknowledger = Receiver(clock, sender.packets_per_ack, path.wired_ack_s)

    def arrive() -> None:
        times.append(clock.now)
        receiver.receive()

    def processed() -> None:
        second.data += 1
        second.send()

    def arrive_at_proxy() -> None:
        acknowledger.receive()
        clock.after(path.processing_s, processed)

    second = Sender(proxy, Link(clock, path.wireless_packet_s, path.wireless_delay_s, arrive), 0)
    receiver.sender = second
    wired = Link(clock, path.wired_packet_s, path.wired_delay_s, arrive_at_proxy)
    acknowledger.sender = Sender(sender, wired, segments)
    acknowledger.sender.send()
    clock.run()
    return list(times)
