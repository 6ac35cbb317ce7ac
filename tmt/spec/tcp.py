"""TCP stacks and variants, declared once: names, labels and congestion controls."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from tmt.core.errors import UsageError

NS2_STACKS = ("2009", "2009-as-shipped", "modern")
"""The stacks of the simulator.

`2009` is ns-2's TCP-Linux (the code of Linux 2.6.22) with its faults mended. `2009-as-shipped` is the same
without the patches that change results (docs/tcp-linux.md). `modern` is CLIFT's own.
"""

LINUX: Final = "linux"
"""The stack of a real kernel: in simulated time (docs/linux.md), or in real time with backend emulate."""

WINDOWS_PER_PATH = {"2009": 1, "2009-as-shipped": 1, "modern": 4, LINUX: 4}
"""Default window of each stack, in multiples of the packets that path and queue hold.

In the stacks of 2009 slow start overshoots the path by as much as the window allows. In the other stacks the
window is the receiver's buffer, which must hold the packets that arrive during a retransmission, and of
another one.
"""


@dataclass(frozen=True, slots=True)
class TcpVariant:
    """A TCP variant.

    Attributes
    ----------
    label
        Its name in tables and figures.
    controls
        Name of its congestion control in each stack that has it: modules of TCP-Linux in the stacks of 2009,
        classes of `clift-ns2/core/tcp/congestion` in the modern stack, modules of the kernel in stack linux.
    """

    label: str
    controls: dict[str, str]


def _in_all(control: str, kernel: str = "") -> dict[str, str]:
    return dict.fromkeys(NS2_STACKS, control) | ({LINUX: kernel} if kernel else {})


VARIANTS = {
    "newreno": TcpVariant("New Reno", _in_all("reno", "reno")),
    "westwood": TcpVariant("Westwood+", _in_all("westwood", "westwood")),
    "hybla": TcpVariant("Hybla", _in_all("hybla", "hybla")),
    "cubic": TcpVariant("CUBIC", _in_all("cubic", "cubic")),
    "compound": TcpVariant("Compound", _in_all("compound")),
    "bbr": TcpVariant("BBRv1", {"modern": "bbr", LINUX: "bbr"}),
    "bbr3": TcpVariant("BBRv3", {"modern": "bbr3"}),
    "fectcp": TcpVariant("FECTCP", _in_all("fectcp")),
    "bic": TcpVariant("BIC", {LINUX: "bic"}),
    "cdg": TcpVariant("CDG", {LINUX: "cdg"}),
    "dctcp": TcpVariant("DCTCP", {LINUX: "dctcp"}),
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
"""Every TCP variant by the name that users type. FECTCP has agents of its own, the same beside each stack."""

TCP_VARIANTS = tuple(VARIANTS)

STACKS = {
    stack: tuple(name for name, variant in VARIANTS.items() if stack in variant.controls)
    for stack in (*NS2_STACKS, LINUX)
}
"""TCP stacks and the variants that each has."""

NS2_VARIANTS = tuple(dict.fromkeys(name for stack in NS2_STACKS for name in STACKS[stack]))

DEFAULT_STACK: Final = "modern"

FECTCP: Final = "fectcp"
"""The variant that codes instead of retransmitting."""

HEADER_BYTES = 52
"""TCP and IP headers of a data segment, with timestamps: in `clift-ns2/tcl/flows.tcl` as in the kernel."""


def check_stack(tcp: str, stack: str, whose: str = "") -> None:
    """Refuse a stack that does not exist, or a variant that it does not have (UsageError)."""
    if stack not in STACKS:
        raise UsageError(f"{whose}stack is {stack!r}; it must be one of {', '.join(STACKS)}")
    if tcp not in STACKS[stack]:
        allowed, having = ", ".join(STACKS[stack]), [name for name in STACKS if tcp in STACKS[name]]
        hint = f"; {tcp} needs stack {' or '.join(having)} (--stack {having[0]})" if having else ""
        raise UsageError(f"{whose}tcp is {tcp!r}; it must be one of {allowed} with stack {stack}{hint}")
