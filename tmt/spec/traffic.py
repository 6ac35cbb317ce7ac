"""The traffic over a path: flows of one TCP variant or groups of them, FECTCP's code."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated, Final, Literal

from tmt.core.declaration import Param, PositiveSeconds, Seconds, Spec
from tmt.core.problems import shown
from tmt.core.schemes.scheme import RoundTrip
from tmt.core.sharing import MAX_USERS
from tmt.spec.flow_settings import (
    ECN,
    DelayedAcks,
    Pause,
    ReceiveBuffer,
    Resumption,
    SlowStart,
    TransferBytes,
)
from tmt.spec.stacks import (
    BACKENDS,
    DEFAULT_STACK,
    FECTCP,
    HOST_STACKS,
    QUIC,
    RESUMING,
    WITH_SLOW_STARTS,
    BackendName,
    Ecn,
    Stack,
    Variant,
    stack_rule,
)

if TYPE_CHECKING:
    from tmt.core.declaration import Rules

MAX_SEED = 1_000_000

Seed = Annotated[int, Param("", 1, MAX_SEED)]

RATELESS_CODES = ("raptorq", "lt")
"""Measured codes: RaptorQ (RFC 6330), and LT codes with the robust soliton distribution."""

DEFAULT_CODE: Final = "raptorq"

MAX_FLOWS = 1000
"""Most flows of a run in one direction."""

MAX_BLOCK_SEGMENTS = 10_000
"""Largest block, equal to the largest measured one."""

ENDLESS_BLOCK_SEGMENTS = 256
"""Default block of a flow without end: data can be used when their whole block is decoded."""

_SHARE = re.compile(r"(\d+(?:\.\d+)?)%")


LEAST_QUIC_PACKET_BYTES = 1228
"""A UDP payload of 1,200 bytes (RFC 9000, section 14), and the headers of UDP and IP."""


def _own_rules(own: Traffic | Flow, traffic: Traffic) -> Rules:
    """Refuse settings that the flows' variant or stack does not have, and a start or pause without flows."""
    for key, place, having in (
        ("resume", ("resume", "window_bytes"), RESUMING),
        ("slow_start", ("slow_start",), WITH_SLOW_STARTS),
    ):
        if getattr(own, key) is not None and (traffic.stack != "modern" or own.tcp not in having):
            lacking = f"is not for {own.tcp}, stack {traffic.stack}"
            yield place, f"{', '.join(having)} with stack modern", lacking
    if own.receive_buffer_bytes is not None and not traffic.has_host_receivers:
        yield "receive_buffer_bytes", "none: the buffers of FECTCP and of 2009 never limit"
    if own.delayed_acks is not None and traffic.stack == QUIC:
        yield "delayed_acks", "none: QUIC has a rule of its own"
    until = "duration"
    latest = traffic.duration
    if isinstance(own, Flow) and own.end is not None and own.end < latest:
        until, latest = "end", own.end
    if own.start + traffic.start_spread >= latest:
        key = "start_spread" if own is traffic and traffic.start_spread else "start"
        yield key, f"start + start_spread less than {until}, {latest:g} s", "is too late a start"
    if own.pause is not None and own.transfer_bytes is None:
        yield "pause", "none without transfer_bytes", "divides a transfer"
    if own.pause is not None and own.tcp == FECTCP:
        yield "pause", "none with FECTCP"


_AS_TRAFFIC = "that of the traffic"


class Flow(Spec):
    """A group of equal flows that compete with those of other groups on one path."""

    tcp: Annotated[Variant | str, "TCP variant of the group's flows", Param(label="TCP")]
    count: Annotated[int, "number of TCP flows of the group", Param("", 1, MAX_FLOWS)] = 1
    start: Annotated[Seconds, "simulated time at which the group's first flow may start"] = 0
    end: Annotated[
        PositiveSeconds | None,
        "simulated time from which on the group's flows send nothing new",
        Param(absent="the end of the run", null="for flows that send until the end of the run"),
    ] = None
    transfer_bytes: TransferBytes = None
    pause: Pause = None
    direction: Annotated[
        Literal["forward", "return"], "direction of the group's data: along the forward link, or against it"
    ] = "forward"
    rtt: Annotated[
        RoundTrip | None,
        "round-trip propagation time of the group's flows: the path's, and that of an access link of theirs",
        Param(absent="that of the path", null="without an access link"),
    ] = None
    delayed_acks: Annotated[DelayedAcks, Param(absent=_AS_TRAFFIC)] = None
    ecn: Annotated[Ecn | None, ECN, Param(label="ECN", absent=_AS_TRAFFIC)] = None
    receive_buffer_bytes: Annotated[ReceiveBuffer, Param(absent=_AS_TRAFFIC)] = None
    slow_start: SlowStart = None
    resume: Resumption = None
    user: Annotated[
        int | None,
        "the group's user of a line that users share in one run",
        Param("", 1, MAX_USERS, absent="the first group is the first user's, and so on"),
    ] = None

    def rules(self) -> Rules:
        """Refuse an end that is not after the start."""
        if self.end is not None and self.end <= self.start:
            yield "end", f"more than start, {self.start:g} s", "is not behind the start"

    @property
    def label(self) -> str:
        """Name of the group: number and variant of its flows, and every setting that differs from the
        default.
        """
        settings = [(key, getattr(self, key)) for key in self.said() if key not in ("tcp", "count", "resume")]
        if self.resume is not None:
            settings += [(f"resume.{key}", getattr(self.resume, key)) for key in self.resume.said()]
        said = (f"{key}={shown(value).strip(chr(39))}" for key, value in settings)
        return " ".join([*([str(self.count)] if self.count > 1 else []), self.tcp, *said])


class Traffic(Spec):
    """TCP flows over a path, of one variant or in groups, and when they start and end."""

    tcp: Annotated[
        Variant | str,
        "TCP variant of all flows; with a kernel also any congestion control that it has, by its name",
        Param(label="TCP"),
    ] = "cubic"
    stack: Annotated[
        Stack,
        "TCP stack: modern (today's), 2009 (Linux 2.6.22, mended; its recovery adds a packet a window, a "
        "model of CLIFT's), 2009-as-shipped, linux (a real kernel), or quic instead of TCP (quinn)",
    ] = DEFAULT_STACK
    duration: Annotated[PositiveSeconds, "simulated time at which the run ends at the latest"] = 200
    transfer_bytes: TransferBytes = None
    pause: Pause = None
    packet_bytes: Annotated[
        int,
        "IP size of a full data packet",
        Param("byte", 100, 65_535, label="packet size", counts="IP packet: payload and headers"),
    ] = 1500
    flows: Annotated[int, "number of TCP flows that share the path", Param("", 1, MAX_FLOWS)] = 1
    return_flows: Annotated[
        int,
        "number of TCP flows in the other direction, which send until the end and share both links",
        Param("", 0, MAX_FLOWS),
    ] = 0
    start: Annotated[Seconds, "simulated time at which the first flow may start"] = 0
    start_spread: Annotated[Seconds, "time within which each flow starts at random"] = 0
    delayed_acks: Annotated[
        DelayedAcks,
        Param(
            absent="on with stacks modern and linux, off with those of 2009 and FECTCP",
            null="with backend emulate and stack quic, which have rules of their own",
        ),
    ] = None
    ecn: Annotated[Ecn, ECN, Param(label="ECN")] = "off"
    slow_start: SlowStart = None
    resume: Resumption = None
    receive_buffer_bytes: Annotated[
        ReceiveBuffer,
        Param(
            absent="32 MiB with stacks modern and linux",
            null="with the stacks of 2009 and FECTCP, whose buffers never limit",
        ),
    ] = None
    code: Annotated[
        str | None,
        "rateless code of FECTCP's flows: raptorq, lt, or a fixed overhead such as 5%",
        Param(absent=f"{DEFAULT_CODE} with FECTCP", null="for TCP"),
    ] = None
    block_segments: Annotated[
        int | None,
        "source symbols of the largest block that FECTCP codes",
        Param(
            "segments",
            1,
            MAX_BLOCK_SEGMENTS,
            absent="a whole transfer up to 10,000, 256 of a flow without end",
            counts="FECTCP segments of data",
            null="for TCP",
        ),
    ] = None
    backend: Annotated[
        BackendName | None, "program that carries the run out", Param(absent="the first that has the stack")
    ] = None
    seeds: Annotated[Seed | None, "number of seeds of this traffic", Param(absent="the scenario's")] = None
    flow: Annotated[
        tuple[Flow, ...], "groups of flows that share the path, each of a variant and settings of its own"
    ] = ()

    @property
    def variants(self) -> str:
        """The TCP variant in a word; for groups their names."""
        return " + ".join(one.label for one in self.flow) or self.tcp

    @property
    def delays_acks(self) -> bool | None:
        """Whether receivers delay ACKs: as set, else as the stack's hosts do; None: by QUIC's rule."""
        if self.delayed_acks is not None or self.stack == QUIC:
            return self.delayed_acks
        return self.has_host_receivers

    @property
    def has_host_receivers(self) -> bool:
        """Whether receivers behave like today's hosts, with delayed ACKs and buffers that grow."""
        return self.stack in HOST_STACKS and self.tcp != FECTCP

    @property
    def is_handed_over(self) -> bool:
        """Whether records say which data the application received, because segments do not show it."""
        return self.stack == QUIC or self.tcp == FECTCP

    @property
    def carrier(self) -> str:
        """The backend that carries the runs out: the named one, or the first that has the stack."""
        return self.backend or next(name for name in BACKENDS if self.stack in BACKENDS[name])

    def rules(self) -> Rules:
        """Refuse variants that a stack does not have, stacks that a backend does not have, and settings that
        a variant does not have.
        """
        yield from self._of_groups() if self.flow else stack_rule(self.tcp, self.stack, self.ecn)
        yield from _own_rules(self, self)
        if self.backend is not None and self.stack not in BACKENDS[self.backend]:
            having = [name for name in BACKENDS if self.stack in BACKENDS[name]]
            lacking = f"does not have stack {self.stack}"
            yield "backend", f"{' or '.join(having)} for stack {self.stack}", lacking
        for key in ("code", "block_segments"):
            if getattr(self, key) is not None and self.tcp != FECTCP:
                yield key, f'tcp = "{FECTCP}"', "has no meaning without FECTCP"
        if self.code is not None and self.code not in RATELESS_CODES:
            share = _SHARE.fullmatch(self.code)
            if not share or float(share[1]) > 100:
                yield "code", f"{', '.join(RATELESS_CODES)}, or a share from 0% to 100%", "is not allowed"
        if self.tcp == FECTCP and self.delayed_acks:
            yield "delayed_acks", "false: FECTCP acknowledges every segment"
        if self.stack == QUIC and self.packet_bytes < LEAST_QUIC_PACKET_BYTES:
            yield "packet_bytes", f"at least {LEAST_QUIC_PACKET_BYTES} with stack {QUIC}"
        if self.tcp == FECTCP and self.return_flows:
            yield "return_flows", "0 with FECTCP"

    def _of_groups(self) -> Rules:
        for key in ("tcp", "flows", "return_flows", "start", "transfer_bytes", "slow_start", "resume"):
            if getattr(self, key) != self.usual(key):
                yield key, "only without flow, whose groups have their own", "does not go with flow"
        for at, one in enumerate(self.flow):
            own = (*stack_rule(one.tcp, self.stack, one.ecn or self.ecn), *_own_rules(one, self))
            for place, *rest in own:
                yield ("flow", at, *([place] if isinstance(place, str) else place)), *rest  # type: ignore[misc]
            if one.tcp == FECTCP:
                yield ("flow", at, "tcp"), "a variant of TCP", "does not go in a group"
            if one.end is not None and one.end > self.duration:
                yield ("flow", at, "end"), f"up to duration, {self.duration:g} s", "is behind duration"
            if one in self.flow[:at]:
                yield ("flow", at), "each group once", "describes a group that is there already"
        counts = {"forward": 0, "return": 0}
        for one in self.flow:
            counts[one.direction] += one.count
        if not counts["forward"]:
            yield "flow", 'a group with direction = "forward"', "has no flow in the forward direction"
        if max(counts.values()) > MAX_FLOWS:
            yield "flow", f"up to {MAX_FLOWS} flows in each direction", f"has {max(counts.values())} flows"
