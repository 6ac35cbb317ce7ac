"""TCP stacks and variants, declared once: names, congestion controls, labels and looks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from tmt.errors import UsageError
from tmt.palette import BLUE, GREEN, INK, MUTED, ORANGE, PURPLE, SKY, VERMILLION


@dataclass(frozen=True, slots=True)
class TcpVariant:
    """A TCP variant.

    Attributes
    ----------
    controls
        Name of its congestion control in each stack that has it: modules of TCP-Linux in stack 2009, classes
        of `clift-ns2/core/tcp/congestion` in the modern stack.
    label, colour, marker
        Its name and looks in tables and figures.
    """

    controls: dict[str, str]
    label: str
    colour: str
    marker: str


def _in_both(control: str) -> dict[str, str]:
    return {"2009": control, "modern": control}


VARIANTS = {
    "newreno": TcpVariant(_in_both("reno"), "New Reno", MUTED, "o"),
    "westwood": TcpVariant(_in_both("westwood"), "Westwood+", ORANGE, "s"),
    "hybla": TcpVariant(_in_both("hybla"), "Hybla", GREEN, "^"),
    "cubic": TcpVariant(_in_both("cubic"), "CUBIC", BLUE, "D"),
    "compound": TcpVariant(_in_both("compound"), "Compound", PURPLE, "v"),
    "bbr": TcpVariant({"modern": "bbr"}, "BBRv1", VERMILLION, "P"),
    "bbr3": TcpVariant({"modern": "bbr3"}, "BBRv3", SKY, "X"),
    "fectcp": TcpVariant(_in_both("fectcp"), "FECTCP", INK, "h"),
}
"""Every TCP variant by the name that users type. FECTCP has agents of its own, the same beside each stack."""

TCP_VARIANTS = tuple(VARIANTS)

STACKS = {
    stack: tuple(name for name, variant in VARIANTS.items() if stack in variant.controls)
    for stack in ("2009", "modern")
}
"""TCP stacks and their variants: ns-2's TCP-Linux (the code of Linux 2.6.22), and CLIFT's own."""

DEFAULT_STACK: Final = "2009"

FECTCP: Final = "fectcp"
"""The variant that codes instead of retransmitting."""

HEADER_BYTES = 52
"""TCP and IP headers of a data segment, with timestamps: in `clift-ns2/tcl/flows.tcl` as in the kernel."""


def check_stack(tcp: str, stack: str, whose: str = "") -> None:
    """Refuse a stack that does not exist, or a variant that it does not have (UsageError)."""
    if stack not in STACKS:
        raise UsageError(f"{whose}stack is {stack!r}, must be one of {', '.join(STACKS)}")
    if tcp not in STACKS[stack]:
        allowed = ", ".join(STACKS[stack])
        raise UsageError(f"{whose}tcp is {tcp!r}, must be one of {allowed} with stack {stack}")
