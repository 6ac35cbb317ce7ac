"""TCP stacks and variants, declared once: names, labels and congestion controls."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, get_args

if TYPE_CHECKING:
    from tmt.core.declaration import Rules

Stack = Literal["2009", "2009-as-shipped", "modern", "linux"]
Ns2Stack = Literal["2009", "2009-as-shipped", "modern"]
Ns2Variant = Literal["newreno", "westwood", "hybla", "cubic", "compound", "bbr", "bbr3", "fectcp"]
KernelVariant = Literal[
    "bic", "cdg", "dctcp", "highspeed", "htcp", "illinois", "lp", "nv", "scalable", "vegas", "veno", "yeah"
]
Variant = Ns2Variant | KernelVariant
BackendName = Literal["ns2", "linux", "emulate"]

NS2_STACKS = get_args(Ns2Stack)
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


VARIANTS: dict[str, TcpVariant] = {
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

NS2_VARIANTS: tuple[Ns2Variant, ...] = get_args(Ns2Variant)

BACKENDS: dict[str, tuple[str, ...]] = {"ns2": NS2_STACKS, LINUX: (LINUX,), "emulate": (LINUX,)}
"""Programs that carry runs out, packages of `tmt.run`, and the stacks of each."""

DEFAULT_STACK: Final = "modern"

FECTCP: Final = "fectcp"
"""The variant that codes instead of retransmitting."""

HEADER_BYTES = 52
"""TCP and IP headers of a data segment, with timestamps: in `clift-ns2/tcl/flows.tcl` as in the kernel."""


def stack_rule(tcp: str, stack: str) -> Rules:
    """Refuse a variant that a stack does not have."""
    if tcp not in STACKS[stack]:
        having = [name for name in STACKS if tcp in STACKS[name]]
        reason = f"needs stack {' or '.join(having)}"
        yield "tcp", f"{', '.join(STACKS[stack])} with stack {stack}", reason


def backend_rule(stack: str, backend: str | None) -> Rules:
    """Refuse a backend that does not have a stack."""
    if backend is not None and stack not in BACKENDS[backend]:
        having = [name for name in BACKENDS if stack in BACKENDS[name]]
        yield "backend", f"{' or '.join(having)} for stack {stack}", f"does not have stack {stack}"


def backend_of(stack: str, backend: str | None = None) -> str:
    """Return the backend that carries out runs with a stack: the named one, or the first that has it."""
    return backend or next(name for name in BACKENDS if stack in BACKENDS[name])
