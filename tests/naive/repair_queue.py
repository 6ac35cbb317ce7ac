"""The sliding-window code as a queue: which source units a receiver loses, without any equation.

Each repair unit that arrives serves the oldest erased unit that waits, if it covers that unit. A unit that W
newer ones have followed waits no more: it is lost, and so are the served units before it. When nothing waits,
all served units are recovered. A unit that 2 W newer ones have followed before that is lost, too.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class RepairQueue:
    """Erased units that are not recovered, and those of them that wait, as distances from the newest unit."""

    window: int
    lacking: tuple[int, ...] = ()
    waiting: tuple[int, ...] = ()

    def source(self, *, arrives: bool) -> tuple[RepairQueue, tuple[int, ...]]:
        """Send a source unit; return the queue after it, and the lost units by their distances."""
        lacking = [unit + 1 for unit in self.lacking]
        waiting = [unit + 1 for unit in self.waiting]
        late = [unit for unit in waiting if unit >= self.window]
        least = min(late, default=2 * self.window)
        lost = tuple(unit for unit in lacking if unit >= least)
        kept = tuple(unit for unit in lacking if unit < least)
        wait = tuple(unit for unit in waiting if unit < self.window)
        new = () if arrives else (0,)
        return RepairQueue(self.window, kept + new, wait + new), lost

    def repair(self) -> RepairQueue:
        """Take a repair unit that arrives."""
        waiting = self.waiting[1:]
        return RepairQueue(self.window, self.lacking if waiting else (), waiting)


def lost_units(arrives: tuple[int, ...], window: int, interval: int) -> list[int]:
    """Return the numbers of the lost units of a trace."""
    queue, newest, lost = RepairQueue(window), -1, list[int]()
    for slot, arrived in enumerate(arrives):
        if slot % (interval + 1) < interval:
            newest += 1
            queue, gone = queue.source(arrives=bool(arrived))
            lost += [newest - distance for distance in gone]
        elif arrived:
            queue = queue.repair()
    return sorted(lost)


def loss(p: float, window: int, interval: int) -> float:
    """Return the share of the source units that are lost, for independent erasures with probability p.

    The queues at the begin of a cycle are a Markov chain; the law after some thousand cycles is stationary.
    """
    law: dict[RepairQueue, float] = {RepairQueue(window): 1.0}
    lost = before = 0.0
    for cycle in range(5000):
        before, lost = lost, 0.0
        for _ in range(interval):
            after: dict[RepairQueue, float] = {}
            for queue, weight in law.items():
                for arrives, share in ((True, 1 - p), (False, p)):
                    found, gone = queue.source(arrives=arrives)
                    after[found] = after.get(found, 0.0) + weight * share
                    lost += weight * share * len(gone)
            law = after
        after = {}
        for queue, weight in law.items():
            for found, share in ((queue.repair(), 1 - p), (queue, p)):
                after[found] = after.get(found, 0.0) + weight * share
        law = after
        if cycle > 4 * window and abs(lost - before) < 1e-13:
            return lost / interval
    raise AssertionError("the chain has not settled")
