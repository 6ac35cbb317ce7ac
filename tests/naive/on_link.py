"""Schemes on a link, with all times in whole nanoseconds, as the twins count."""

from typing import Any, NamedTuple

from tmt import Arq, Fec, Harq, HarqProcesses, NoScheme, Rlc, Tetrys
from tmt.core.converter import Converter
from tmt.core.declaration import declared
from tmt.core.schemes.scheme import Scheme
from tmt.core.units import NS_PER_S


class OnLink(NamedTuple):
    """A scheme and the link's RTT in seconds: the arguments of a conversion."""

    scheme: Scheme
    rtt: float = 0.0

    def converter(self) -> Converter:
        return self.scheme.converter(self.rtt)

    def __str__(self) -> str:
        return f"{self.scheme.label}, {self.rtt:g} s"


def in_seconds(values: dict[str, Any]) -> dict[str, Any]:
    """Return arguments without ``_ns``, in seconds."""
    return {
        name.removesuffix("_ns"): value / NS_PER_S if name.endswith("_ns") and value is not None else value
        for name, value in values.items()
    }


def on_link(kind: type[Scheme], rtt_ns: int = 0, **values: Any) -> OnLink:
    return OnLink(kind(**in_seconds(values)), rtt_ns / NS_PER_S)


def none(detection_delay_ns: int = 0) -> OnLink:
    return on_link(NoScheme, detection_delay_ns=detection_delay_ns)


def fec(data: int, repair: int, depth: int = 1, detection_delay_ns: int = 0) -> OnLink:
    return on_link(Fec, data=data, repair=repair, depth=depth, detection_delay_ns=detection_delay_ns)


def arq(rtt_ns: int, max_transmissions: int | None = None, detection_delay_ns: int = 0) -> OnLink:
    return on_link(Arq, rtt_ns, max_transmissions=max_transmissions, detection_delay_ns=detection_delay_ns)


def harq(data: int, repair: int, rtt_ns: int, **values: Any) -> OnLink:
    return on_link(Harq, rtt_ns, data=data, repair=repair, **values)


def harq_processes(rtt_ns: int, processes: int = 16, **values: Any) -> OnLink:
    return on_link(HarqProcesses, rtt_ns, processes=processes, **values)


def tetrys(coding_window: int, repair_interval: int, rtt_ns: int, **values: Any) -> OnLink:
    return on_link(Tetrys, rtt_ns, coding_window=coding_window, repair_interval=repair_interval, **values)


def rlc(rtt_ns: int, below: Scheme | OnLink | None = None, **values: Any) -> OnLink:
    scheme = below.scheme if isinstance(below, OnLink) else below or NoScheme()
    return on_link(Rlc, rtt_ns, below=scheme, **values)


def rlc_over(kind: type[Scheme], *positional: Any, rtt_ns: int = 0, **values: Any) -> OnLink:
    """RLC above a scheme of a kind: each argument goes to the one that has it."""
    own = {name: values.pop(name) for name in list(values) if name.removesuffix("_ns") in declared(Rlc)}
    return rlc(rtt_ns, kind(*positional, **in_seconds(values)), **own)
