"""One experiment: links, the path around them, traffic and seed; a backend of `tmt.run` carries it out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from tmt.core.declaration import Count, Param, Rate, Spec
from tmt.core.schema import Packing
from tmt.core.schemes.scheme import Scheme
from tmt.core.sharing import SCHEDULERS, Scheduler
from tmt.core.units import MAX_TIME_NS
from tmt.spec.path import Path, Proxy
from tmt.spec.queue import DISCIPLINES, KernelQdisc
from tmt.spec.shared_line import shared_line_rules
from tmt.spec.stacks import (
    FECTCP,
    LINUX,
    NS2_STACKS,
    PRAGUE,
    STACKS,
    answers_marks,
    stack_rule,
)
from tmt.spec.traffic import Seed, Traffic

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tmt.core.declaration import Rules
    from tmt.core.problems import Place


class Link(Spec):
    """A link in one direction of a path."""


class PlainLink(Link):
    """A link of constant rate that loses nothing."""

    rate: Annotated[Rate, "bits per second, IP bytes"]

    @property
    def rate_bps(self) -> float:
        """The rate, as a link over a trace also has one."""
        return self.rate


class TraceLink(Link):
    """A link that serves packets by a link trace, or by an online scheme over a PHY trace."""

    path: Annotated[str, "link trace; with a scheme a PHY trace"]
    lldu_bytes: Annotated[
        Count | None, "useful bytes of one LLDU", Param("byte", absent="those of the trace, or 1500")
    ] = None
    offset_ns: Annotated[
        int, "where in the trace the run starts, from its first row", Param("ns", 0, MAX_TIME_NS)
    ] = 0
    scheme: Annotated[
        Scheme | None,
        "scheme that works inside the simulator, on the packets that really come",
        Param(absent="the trace is a link trace"),
    ] = None
    packing: Annotated[
        Packing | None, "how packets lie in rows", Param(absent="that of the trace, or padded")
    ] = None
    scheduler: Annotated[
        Scheduler | None,
        "rule that gives each slot, at its time, to a user who has something to send",
        Param(absent="the slots are one user's"),
    ] = None
    others: Annotated[tuple[str, ...], "PHY traces of the same slots, one of each further user"] = ()

    def rules(self) -> Rules:
        """Refuse a scheme that cannot work online, and users without a rule or a scheme."""
        if self.scheme is not None and not self.scheme.online:
            yield ("scheme", "online"), "true: the scheme works inside the simulator"
        if self.scheduler is None:
            if self.others:
                yield "scheduler", ", ".join(SCHEDULERS), "is missing: users share the slots"
            return
        if self.scheme is None:
            yield "scheme", "a scheme with online = true", "is missing: users share the slots of PHY traces"
        if (fault := self.scheduler.fault(self.users)) is not None:
            field, *rest = fault
            yield ("scheduler", field), *rest  # type: ignore[misc]

    @property
    def users(self) -> int:
        """Number of users of a line that is shared; otherwise 0."""
        return 0 if self.scheduler is None else 1 + len(self.others)


class Experiment(Spec):
    """TCP flows over a forward link, their acknowledgements over a return link."""

    forward: Annotated[Link, "link from the senders to the receivers"]
    path: Annotated[Path, "path between sender and receiver"]
    traffic: Annotated[Traffic, "flows"] = Traffic()
    back: Annotated[
        Link | None,
        "link from the receivers to the senders",
        Param(absent="a plain link as fast as the forward link is on average"),
    ] = None
    seed: Annotated[Seed, "number of the random substream"] = 1

    def rules(self) -> Rules:
        """Refuse combinations that are not possible."""
        for key, usual in (("return_link", "plain"), ("return_rate", None)):
            if self.back is None and getattr(self.path, key) != usual:
                yield ("path", key), "back, the return link of one run", "is for a scenario, which has traces"
        if self.users and isinstance(self.back, TraceLink):
            yield "back", "a plain link", "is a trace, which does not go with users in one run"
        yield from shared_line_rules(self.users, self.path, self.traffic)
        yield from together(self.path, self.traffic, self._schemes())

    @property
    def users(self) -> int:
        """Number of users who share the forward link in this run; 0 if it is one user's."""
        return self.forward.users if isinstance(self.forward, TraceLink) else 0

    def _schemes(self) -> Iterator[tuple[Place, Scheme]]:
        for key in ("forward", "back"):
            scheme = getattr(getattr(self, key), "scheme", None)
            if scheme is not None:
                yield (key, "scheme"), scheme

    @property
    def backend(self) -> str:
        """The program that carries the experiment out."""
        return self.traffic.carrier


def together(path: Path, traffic: Traffic, schemes: Iterator[tuple[Place, Scheme]]) -> Rules:
    """Refuse a combination of path, traffic and schemes that is not possible; places begin with path or
    traffic.
    """
    if path.proxy is not None:
        yield from _of_proxy(path.proxy, traffic)
    for at, group in enumerate(traffic.flow):
        if group.rtt is not None and group.rtt < path.rtt:
            yield ("traffic", "flow", at, "rtt"), f"at least that of the path, {path.rtt:g} s", "is too short"
    for place, scheme in schemes:
        for key, allowed in scheme.on_link(path.rtt):
            yield (*place, key), allowed
        if traffic.carrier != "ns2":
            lacking = f"is not in backend {traffic.carrier}"
            yield (*place, "online"), "false: only backend ns2 has online schemes", lacking
    yield from _of_backend(path, traffic, traffic.carrier)


def _of_proxy(proxy: Proxy, traffic: Traffic) -> Rules:
    tcp, stack = proxy.variant(traffic.tcp, traffic.stack)
    if stack != LINUX and proxy.tcp is not None:
        for _, *rest in stack_rule(tcp, stack):
            yield ("path", "proxy", "tcp"), *rest  # type: ignore[misc]
    elif stack != LINUX and tcp not in STACKS[stack]:
        having = " or ".join(name for name in NS2_STACKS if tcp in STACKS[name])
        yield ("path", "proxy", "stack"), having, f"does not have {tcp}, the senders' variant"
    if FECTCP in (tcp, traffic.tcp):
        yield ("path", "proxy"), "TCP: a proxy cannot split FECTCP", "does not go with FECTCP"
    for key, usual in (("return_flows", "0"), ("pause", "none")):
        if getattr(traffic, key) != traffic.usual(key):
            yield ("traffic", key), f"{usual} with a proxy"
    if traffic.ecn != "off" and not answers_marks(tcp, stack):
        yield ("traffic", "ecn"), '"off": the proxy\'s senders lack it'
    elif tcp == PRAGUE and traffic.ecn != "accurate":
        yield ("traffic", "ecn"), '"accurate": the proxy\'s senders need it'
    if traffic.flow:
        yield ("traffic", "flow"), "none with a proxy", "does not go with a proxy"


def queue_rule(path: Path, backend: str) -> Rules:
    """Refuse a discipline that a backend does not have."""
    if isinstance(path.queue, KernelQdisc) and backend != LINUX:
        ours = ", ".join(name for name in DISCIPLINES if name != path.queue.name)
        yield ("path", "queue"), f"{ours}; kernel with backend linux only", f"is not in backend {backend}"


def _of_backend(path: Path, traffic: Traffic, backend: str) -> Rules:
    lacking = f"is not in backend {backend}"
    for key in ("wired", "proxy"):
        if backend != "ns2" and getattr(path, key) is not None:
            yield ("path", key), '"none": only backend ns2 has it', f"is given, which backend {backend} lacks"
    if path.ack_thinning != "none" and (backend in ("emulate", "programs") or traffic.tcp == FECTCP):
        why = lacking if backend != "ns2" else "goes without FECTCP, which needs all of them"
        yield ("path", "ack_thinning"), '"none"', why
    yield from queue_rule(path, backend)
    if backend == "emulate":
        if traffic.delayed_acks is not None:
            yield ("traffic", "delayed_acks"), "none: the kernel's own rule holds", lacking
        if path.window_packets is not None:
            yield ("path", "window_packets"), '"none": the kernel\'s own buffers bound it', lacking
        if traffic.pause is not None:
            yield ("traffic", "pause"), "none", lacking
        if traffic.return_flows:
            yield ("traffic", "return_flows"), "0", lacking
        if traffic.flow:
            yield ("traffic", "flow"), "none: all flows have one variant", lacking
