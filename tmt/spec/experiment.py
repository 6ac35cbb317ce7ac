"""One experiment: links, path, traffic and seed; what carries it out is a backend of `tmt.run`."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Annotated

from tmt.core.declaration import Count, Param, Rate, Spec
from tmt.core.schema import Packing
from tmt.core.schemes.scheme import Scheme
from tmt.core.units import MAX_TIME_NS
from tmt.spec.path import Path
from tmt.spec.tcp import FECTCP, LINUX, NS2_STACKS, STACKS, backend_of, stack_rule
from tmt.spec.traffic import Seed, Traffic

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tmt.core.declaration import Place, Rules


MOST_RATE_BPS = 1e12
"""Upper bound on the rate of a link, so that no run counts more bytes than 64 bits hold."""


class Link(Spec):
    """A link in one direction of a path."""


class PlainLink(Link):
    """A link of constant rate that loses nothing."""

    rate: Annotated[Rate, "bits per second, IP bytes"]

    @property
    def rate_bps(self) -> float:
        """The rate, as a link over a trace has one."""
        return self.rate


class TraceLink(Link):
    """A link that serves packets by a link trace, or by a scheme that works on a PHY trace meanwhile."""

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

    def rules(self) -> Rules:
        """Refuse a scheme that converts."""
        if self.scheme is not None and not self.scheme.online:
            yield ("scheme", "online"), "true: the scheme works inside the simulator"


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
        """Refuse what does not go together."""
        for key, usual in (("return_link", "plain"), ("return_rate", None)):
            if self.back is None and getattr(self.path, key) != usual:
                yield ("path", key), "back, the return link of one run", "is for a scenario, which has traces"
        for part, *rest in together(self.path, self.traffic, self._schemes()):
            place: Place = part if isinstance(part, tuple) else (part,)
            yield place, rest[0], *rest[1:]  # type: ignore[misc]

    def _schemes(self) -> Iterator[tuple[Place, Scheme]]:
        for key in ("forward", "back"):
            scheme = getattr(getattr(self, key), "scheme", None)
            if scheme is not None:
                yield (key, "scheme"), scheme

    @property
    def backend(self) -> str:
        """The program that carries the experiment out."""
        return backend_of(self.traffic.stack, self.traffic.backend)


def together(path: Path, traffic: Traffic, schemes: Iterator[tuple[Place, Scheme]]) -> Rules:
    """Refuse a path, traffic and schemes that do not go together; places begin with path or traffic."""
    backend = backend_of(traffic.stack, traffic.backend)
    proxy = path.proxy
    if proxy is not None:
        tcp, stack = proxy.variant(traffic.tcp, traffic.stack)
        if stack != LINUX and proxy.tcp is not None:
            for _, *rest in stack_rule(tcp, stack):
                yield ("path", "proxy", "tcp"), *rest  # type: ignore[misc]
        elif stack != LINUX and tcp not in STACKS[stack]:
            having = " or ".join(name for name in NS2_STACKS if tcp in STACKS[name])
            yield ("path", "proxy", "stack"), having, f"does not have {tcp}, the senders' variant"
        if FECTCP in (tcp, traffic.tcp):
            yield ("path", "proxy"), "TCP: a proxy cannot split FECTCP", "does not go with FECTCP"
        if traffic.return_flows:
            yield ("traffic", "return_flows"), "0 with a proxy"
    for place, scheme in schemes:
        for key, allowed in scheme.on_link(path.rtt):
            yield (*place, key), allowed
        if backend != "ns2":
            yield (
                (*place, "online"),
                "false: only backend ns2 has online schemes",
                f"is not in backend {backend}",
            )
    yield from chain(_only_ns2(path, backend), _only_kernel(path, traffic, backend))


def _only_ns2(path: Path, backend: str) -> Rules:
    for key in ("wired", "proxy"):
        if backend != "ns2" and getattr(path, key) is not None:
            yield ("path", key), '"none": only backend ns2 has it', f"is given, which backend {backend} lacks"


def _only_kernel(path: Path, traffic: Traffic, backend: str) -> Rules:
    if backend == "ns2" and traffic.receive_buffer_bytes is not None:
        yield ("traffic", "receive_buffer_bytes"), "none: only a kernel has it", "is not in backend ns2"
    if backend == "emulate":
        lacking = "is not in backend emulate"
        if traffic.delayed_acks:
            yield ("traffic", "delayed_acks"), "false: the kernel's own rule holds", lacking
        if path.window_packets is not None:
            yield ("path", "window_packets"), '"none": the kernel\'s own buffers bound it', lacking
        if traffic.return_flows:
            yield ("traffic", "return_flows"), "0", lacking
