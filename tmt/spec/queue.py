"""Disciplines of the queue in front of a link: which packet is sent next, which are dropped or marked.

Bounds and defaults are those of `clift-ns2/core/aqm`; a test compares them.
"""

from __future__ import annotations

from typing import Annotated, Literal

from tmt.core.declaration import Param, Spec, declared, ns
from tmt.core.units import seconds_text


class Discipline(Spec):
    """Discipline of the queue in front of each link."""

    @property
    def label(self) -> str:
        """The name with the parameters that differ from the defaults, such as ``codel target=0.01``."""
        return " ".join([self.name, *(f"{key}={getattr(self, key)}" for key in self.said())])

    def words(self) -> str:
        """Return name, keys and values for the backends' programs; times are in seconds."""
        found = [self.name]
        for key, field in declared(type(self)).items():
            value = getattr(self, key)
            if value is not None:
                found += [key, seconds_text(ns(value)) if field.param.unit == "s" else str(value)]
        return " ".join(found)


class DropTail(Discipline):
    """First in, first out: a full queue drops the arriving packet, or those at its head."""

    name = "droptail"

    drop: Annotated[Literal["tail", "head"], "end at which a full queue drops"] = "tail"


class CoDel(Discipline):
    """CoDel (RFC 8289): drops at the head while packets have waited too long for an interval."""

    name = "codel"

    target: Annotated[float, "acceptable waiting time", Param("s", 1e-6, 10)] = 0.005
    interval: Annotated[float, "time for which packets may wait longer", Param("s", 1e-5, 100)] = 0.1
    mtu_bytes: Annotated[int, "backlog that is no standing queue", Param("byte", 0, 65_535)] = 1500


class FqCoDel(CoDel):
    """FQ-CoDel (RFC 8290): a queue for each flow, served in turn, new flows first; each has CoDel."""

    name = "fq-codel"

    flows: Annotated[int, "queues, which flows are hashed to", Param("", 1, 65_536)] = 1024
    quantum_bytes: Annotated[int, "bytes that a flow sends in its turn", Param("byte", 1, 1_048_576)] = 1514


class Pie(Discipline):
    """PIE (RFC 8033): drops at arrival, with a probability that a controller of the waiting time sets."""

    name = "pie"

    target: Annotated[float, "waiting time that the controller aims at", Param("s", 1e-5, 10)] = 0.015
    update: Annotated[float, "interval of the controller", Param("s", 1e-4, 1)] = 0.015
    burst: Annotated[float, "time after an idle link for which nothing is dropped", Param("s", 0, 100)] = 0.15
    alpha: Annotated[float, "gain of the distance from the target", Param("1/s", 0, 1000)] = 0.125
    beta: Annotated[float, "gain of the waiting time's change", Param("1/s", 0, 10_000)] = 1.25
    mark_below: Annotated[float, "probability below which packets are marked", Param("", 0, 1)] = 0.1
    packet_bytes: Annotated[int, "packet of which two are no queue", Param("byte", 1, 65_535)] = 1500
    delay: Annotated[Literal["timestamp", "rate"], "measure of the waiting time"] = "timestamp"
    measured_bytes: Annotated[int, "bytes over which the rate is measured", Param("byte", 1, 65_536)] = 16_384


class DualPi2(Discipline):
    """DualPI2 (RFC 9332): one queue for L4S packets and one for others, with coupled probabilities."""

    name = "dualpi2"

    target: Annotated[float, "waiting time that the controller aims at", Param("s", 1e-4, 10)] = 0.015
    rtt_max: Annotated[float, "longest round trip that the gains are for", Param("s", 1e-3, 10)] = 0.1
    coupling: Annotated[float, "ratio of the probabilities' roots, k", Param("", 0.1, 10)] = 2
    threshold: Annotated[float, "waiting time from which L4S packets are marked", Param("s", 0, 1)] = 0.0008
    ramp: Annotated[float, "further waiting time until all of them are", Param("s", 0, 1)] = 0.0004
    threshold_packets: Annotated[
        int, "packets behind up to which none is marked", Param("packets", 0, 1000)
    ] = 1
    scheduler: Annotated[Literal["wrr", "ts-fifo"], "weighted round robin, or time-shifted FIFO"] = "wrr"
    classic_weight: Annotated[float, "share of the other packets, with wrr", Param("", 0.001, 0.5)] = 0.0625
    shift: Annotated[float, "head start of L4S packets, with ts-fifo", Param("s", 0, 10)] = 0.05


class KernelQdisc(Discipline):
    """A queueing discipline of the kernel itself, with its default parameters; it marks packets if it can."""

    name = "kernel"

    qdisc: Annotated[
        Literal["cake", "codel", "dualpi2", "fq", "fq_codel", "fq_pie", "pfifo", "pie", "sfq"],
        "the kernel's name of the discipline",
    ]

    @property
    def has_own_limit(self) -> bool:
        """Whether the discipline has no limit in packets, or one that cannot be set."""
        return self.qdisc in ("cake", "sfq")


DISCIPLINES: dict[str, type[Discipline]] = Discipline.choose_from(
    DropTail, CoDel, FqCoDel, Pie, DualPi2, KernelQdisc
)
"""Every discipline by its name."""
