"""TCP stacks and variants, and the backends that have them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, get_args

if TYPE_CHECKING:
    from tmt.core.declaration import Rules

Stack = Literal["2009", "2009-as-shipped", "modern", "linux", "quic"]
Ns2Stack = Literal["2009", "2009-as-shipped", "modern"]
Ns2Variant = Literal[
    "newreno", "westwood", "hybla", "cubic", "compound", "bbr", "bbr3", "dctcp", "prague", "fectcp"
]
KernelVariant = Literal[
    "bic", "cdg", "highspeed", "htcp", "illinois", "lp", "nv", "scalable", "vegas", "veno", "yeah"
]
Variant = Ns2Variant | KernelVariant
Ecn = Literal["off", "classic", "accurate"]
BackendName = Literal["ns2", "linux", "emulate", "quic"]

NS2_STACKS = get_args(Ns2Stack)
"""The stacks of the simulator.

`2009` is ns-2's TCP-Linux (the code of Linux 2.6.22) with its faults corrected; sending one further packet
for each window of acknowledgements in recovery is CLIFT's model, not Linux's. `2009-as-shipped` is the same
without the patches that change results (docs/tcp-linux.md). `modern` is CLIFT's own.
"""

LINUX: Final = "linux"
"""The stack of a real kernel: in simulated time (docs/linux.md), or in real time with backend emulate."""

QUIC: Final = "quic"
"""QUIC as implemented by quinn, a library in Rust, in simulated time (docs/quic.md)."""

STACK_LABELS = {
    "2009": "2009 stack (recovery: a model of CLIFT's)",
    "2009-as-shipped": "2009 stack as shipped",
    "modern": "modern stack",
    LINUX: "Linux stack",
    QUIC: "QUIC (quinn)",
}
"""Names of the stacks in titles."""

WINDOWS_PER_PATH = {"2009": 1, "2009-as-shipped": 1, "modern": 4, LINUX: 4, QUIC: 4}
"""Default window of each stack, in multiples of the packets that path and queue hold.

In the stacks of 2009 slow start overshoots the path by as much as the window allows. In the other stacks the
window is the receiver's buffer, which must hold the packets that arrive during a retransmission, and during a
second one.
"""


@dataclass(frozen=True, slots=True)
class TcpVariant:
    """A TCP variant: its name in tables and figures, and that of its congestion control in each stack.

    Controls are modules of TCP-Linux in the stacks of 2009, classes of `clift-ns2/core/tcp/congestion` in the
    modern stack, kernel modules in stack linux, and quinn's controllers in stack quic.
    """

    label: str
    controls: dict[str, str]


def _in_all(control: str, **others: str) -> dict[str, str]:
    return dict.fromkeys(NS2_STACKS, control) | others


VARIANTS: dict[str, TcpVariant] = {
    "newreno": TcpVariant("New Reno", _in_all("reno", linux="reno", quic="newreno")),
    "westwood": TcpVariant("Westwood+", _in_all("westwood", linux="westwood")),
    "hybla": TcpVariant("Hybla", _in_all("hybla", linux="hybla")),
    "cubic": TcpVariant("CUBIC", _in_all("cubic", linux="cubic", quic="cubic")),
    "compound": TcpVariant("Compound", _in_all("compound")),
    "bbr": TcpVariant("BBRv1", {"modern": "bbr", LINUX: "bbr", QUIC: "bbr"}),
    "bbr3": TcpVariant("BBRv3", {"modern": "bbr3"}),
    "dctcp": TcpVariant("DCTCP", {"modern": "dctcp", LINUX: "dctcp"}),
    "prague": TcpVariant("Prague", {"modern": "prague"}),
    "fectcp": TcpVariant("FECTCP", _in_all("fectcp")),
    "bic": TcpVariant("BIC", {LINUX: "bic"}),
    "cdg": TcpVariant("CDG", {LINUX: "cdg"}),
    "highspeed": TcpVariant("HighSpeed", {LINUX: "highspeed"}),
    "htcp": TcpVariant("H-TCP", {LINUX: "htcp"}),
    "illinois": TcpVariant("Illinois", {LINUX: "illinois"}),
    "lp": TcpVariant("LP", {LINUX: "lp"}),
    "nv": TcpVariant("NV", {LINUX: "nv"}),
    "scalable": TcpVariant("Scalable", {LINUX: "scalable"}),
    "vegas": TcpVariant("Vegas", {LINUX: "vegas"}),
    "veno": TcpVariant("Veno", {LINUX: "veno"}),
    "yeah": TcpVariant("YeAH", {LINUX: "yeah"}),
}
"""Every TCP variant by its name. FECTCP has its own agents, the same beside each stack."""

STACKS = {
    stack: tuple(name for name, variant in VARIANTS.items() if stack in variant.controls)
    for stack in get_args(Stack)
}
"""TCP stacks and the variants that each has."""

BACKENDS: dict[str, tuple[str, ...]] = {
    "ns2": NS2_STACKS,
    LINUX: (LINUX,),
    "emulate": (LINUX,),
    QUIC: (QUIC,),
}
"""Programs that carry runs out, packages of `tmt.run`, and the stacks of each."""

DEFAULT_STACK: Final = "modern"

HOST_STACKS = ("modern", LINUX, QUIC)
"""Stacks whose receivers behave like today's hosts."""

RECEIVE_BUFFER_BYTES = 32 << 20
"""Default largest receive buffer: that of Linux since 6.16; before, it was 6 MiB."""

PRAGUE: Final = "prague"
"""The variant that needs AccECN."""

FECTCP: Final = "fectcp"
"""The variant that codes instead of retransmitting."""

ANSWER_MARKS = ("newreno", "westwood", "hybla", "cubic", "compound", "dctcp", "prague")
"""Variants of stacks modern and quic that reduce their window for ECN marks."""

HEADER_BYTES = 52
"""TCP and IP headers of a data segment, with timestamps: in `clift-ns2/tcl/flows.tcl` and in the kernel."""

RESUMING = ("newreno", "cubic", "bbr", "bbr3")
"""Variants of the modern stack with Careful Resume."""

WITH_SLOW_STARTS = ("newreno", "cubic")
"""Variants of the modern stack with a choice of slow start."""

_OWN_CONTROL = re.compile(r"[A-Za-z0-9_.-]{1,15}")
"""The name of a congestion control in Linux."""


def control_of(tcp: str, stack: str) -> str:
    """Return the name of a variant's congestion control in a stack that has it."""
    return VARIANTS[tcp].controls[stack] if tcp in VARIANTS else tcp


def answers_marks(tcp: str, stack: str) -> bool:
    """Whether a variant of a stack responds to ECN marks: a kernel has a rule of its own for each."""
    return stack == LINUX or (stack in ("modern", QUIC) and tcp in ANSWER_MARKS)


def stack_rule(tcp: str, stack: str, ecn: Ecn | None = None) -> Rules:
    """Refuse a variant that a stack does not have, and ECN that it does not support.

    A kernel may have other variants, for which its backend asks.
    """
    if tcp not in VARIANTS:
        if stack != LINUX or not _OWN_CONTROL.fullmatch(tcp):
            yield "tcp", tuple(VARIANTS)
    elif tcp not in STACKS[stack]:
        having = [name for name in STACKS if tcp in STACKS[name]]
        reason = f"needs stack {' or '.join(having)}"
        yield "tcp", f"{', '.join(STACKS[stack])} with stack {stack}", reason
    if ecn is not None and tcp == PRAGUE and ecn != "accurate":
        yield "ecn", f'"accurate" with {PRAGUE}'
    elif ecn == "accurate" and stack in (LINUX, QUIC):
        yield "ecn", '"off" or "classic": only stack modern has accurate ECN'
    elif ecn not in (None, "off") and not answers_marks(tcp, stack):
        yield "ecn", f'"off": stack linux has it, and stacks modern and quic with {", ".join(ANSWER_MARKS)}'
