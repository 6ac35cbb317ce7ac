"""Write `tcl/variants.tcl`, the Tcl side of the TCP variants in `tmt/spec/stacks.py`.

Run it with the project's Python after a change there: ``.venv/bin/python clift-ns2/make_variants.py``.
A test compares the committed file with what this prints.
"""

from __future__ import annotations

from pathlib import Path

from tmt.spec.stacks import NS2_STACKS, STACKS, VARIANTS

FILE = Path(__file__).parent / "tcl" / "variants.tcl"

SENDERS = {"2009": "Agent/TCP/Linux", "2009-as-shipped": "Agent/TCP/Linux", "modern": "Agent/TCP/Modern"}
"""Class of each stack's senders in ns-2."""


def script() -> str:
    """Return the text of the file."""
    senders = " ".join(f"{stack} {SENDERS[stack]}" for stack in NS2_STACKS)
    lines = [
        "# Written by clift-ns2/make_variants.py.",
        "",
        "# TCP stacks, and the class of each one's senders.",
        f"set stacks {{ {' '.join(NS2_STACKS)} }}",
        f"array set stack_senders {{ {senders} }}",
        "",
        "# TCP variants of each stack, and the names of their congestion controls: modules of TCP-Linux in",
        "# 2009, classes of core/tcp/congestion in modern. A control may be given by its own name, too.",
        "array set variants {",
    ]
    for stack in NS2_STACKS:
        controls = {name: VARIANTS[name].controls[stack] for name in STACKS[stack]}
        controls |= {control: control for control in controls.values()}
        lines += [f"\t{stack} {{", *(f"\t\t{name} {control}" for name, control in controls.items()), "\t}"]
    return "\n".join([*lines, "}"]) + "\n"


if __name__ == "__main__":
    FILE.write_text(script(), encoding="utf-8")
