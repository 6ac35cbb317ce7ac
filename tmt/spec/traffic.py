"""The traffic over a path: TCP flows of one variant, their stack, and FECTCP's code."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated, Final

from tmt.core.declaration import Param, PositiveSeconds, Seconds, Spec
from tmt.spec.tcp import DEFAULT_STACK, FECTCP, BackendName, Stack, Variant, backend_rule, stack_rule

if TYPE_CHECKING:
    from tmt.core.declaration import Rules

MAX_SEED = 1_000_000

Seed = Annotated[int, Param("", 1, MAX_SEED)]

RATELESS_CODES = ("raptorq", "lt")
"""Codes that were measured: RaptorQ (RFC 6330), and LT codes with the robust soliton distribution."""

DEFAULT_CODE: Final = "raptorq"

MAX_BLOCK_SEGMENTS = 10_000
"""Largest block, as large as any that was measured."""

ENDLESS_BLOCK_SEGMENTS = 256
"""Block of a flow without end, where none is given: data are of use when all of their block is decoded."""

_SHARE = re.compile(r"(\d+(?:\.\d+)?)%")


class Traffic(Spec):
    """TCP flows of one variant over a path, and when they start and end."""

    tcp: Annotated[Variant, "TCP variant of all flows", Param(label="TCP")] = "cubic"
    stack: Annotated[
        Stack,
        "TCP stack: modern (today's), 2009 (Linux 2.6.22, mended), 2009-as-shipped, or linux (a real kernel)",
    ] = DEFAULT_STACK
    duration: Annotated[PositiveSeconds, "simulated time at which the run ends at the latest"] = 200
    transfer_bytes: Annotated[
        int | None,
        "TCP payload that each flow sends, in whole segments",
        Param(
            "byte",
            1,
            2**62,
            absent="it sends until the end",
            counts="TCP payload bytes, each counted once; no TCP, IP or link header",
            null="for flows that send until the end",
        ),
    ] = None
    packet_bytes: Annotated[
        int,
        "IP size of a full data packet",
        Param("byte", 100, 65_535, label="packet size", counts="IP packet: payload and headers"),
    ] = 1500
    flows: Annotated[int, "number of TCP flows that share the path", Param("", 1, 1000)] = 1
    return_flows: Annotated[
        int,
        "number of TCP flows in the other direction, which send until the end and share both links",
        Param("", 0, 1000),
    ] = 0
    start: Annotated[Seconds, "simulated time at which the first flow may start"] = 0
    start_spread: Annotated[Seconds, "time within which each flow starts at random"] = 0
    delayed_acks: Annotated[
        bool,
        "whether receivers acknowledge every second packet, or a single waiting packet after 100 ms",
        Param(label="delayed acknowledgements"),
    ] = False
    receive_buffer_bytes: Annotated[
        int | None,
        "receive buffer of each flow, as the kernel counts memory; it may limit the sender",
        Param(
            "byte",
            4096,
            2**30,
            absent="so large that it never limits a sender",
            counts="memory of the receiver's socket: data and the kernel's own overhead",
            null="when the receive buffer never limits",
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

    def rules(self) -> Rules:
        """Refuse variants that a stack, stacks that a backend, and settings that a variant does not have."""
        yield from stack_rule(self.tcp, self.stack)
        yield from backend_rule(self.stack, self.backend)
        if self.start + self.start_spread >= self.duration:
            key = "start_spread" if self.start_spread else "start"
            yield key, f"start + start_spread less than duration, {self.duration:g} s", "is too late a start"
        for key in ("code", "block_segments"):
            if getattr(self, key) is not None and self.tcp != FECTCP:
                yield key, f'tcp = "{FECTCP}"', "has no meaning without FECTCP"
        if self.code is not None and self.code not in RATELESS_CODES:
            share = _SHARE.fullmatch(self.code)
            if not share or float(share[1]) > 100:
                yield "code", f"{', '.join(RATELESS_CODES)}, or a share from 0% to 100%", "is not allowed"
        if self.tcp == FECTCP and self.delayed_acks:
            yield "delayed_acks", "false: FECTCP acknowledges every segment"
        if self.tcp == FECTCP and self.return_flows:
            yield "return_flows", "0 with FECTCP"
