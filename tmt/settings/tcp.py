"""The TCP that there is: stacks, and the variants of each."""

from __future__ import annotations

from typing import Final

from tmt.errors import UsageError

STACKS = {
    "2009": ("newreno", "westwood", "hybla", "cubic", "compound", "fectcp"),
    "modern": ("newreno", "westwood", "hybla", "cubic", "compound", "bbr", "bbr3", "fectcp"),
}
"""TCP stacks and the variants that each has: ns-2's TCP-Linux (the code of Linux 2.6.22), and CLIFT's own.

FECTCP has agents of its own, which are the same beside either stack.
"""

TCP_VARIANTS = tuple(dict.fromkeys(name for names in STACKS.values() for name in names))
"""The variants that any stack has."""

DEFAULT_STACK: Final = "2009"

FECTCP: Final = "fectcp"
"""The variant that codes instead of sending again."""

HEADER_BYTES = 52
"""TCP and IP headers of a data segment, with timestamps: in `clift-ns2/tcl/flows.tcl` as in the kernel."""


def check_stack(tcp: str, stack: str, whose: str = "") -> None:
    """Refuse a stack that does not exist, or a variant that it does not have (UsageError)."""
    if stack not in STACKS:
        raise UsageError(f"{whose}stack is {stack!r}, must be one of {', '.join(STACKS)}")
    if tcp not in STACKS[stack]:
        allowed = ", ".join(STACKS[stack])
        raise UsageError(f"{whose}tcp is {tcp!r}, must be one of {allowed} with stack {stack}")
