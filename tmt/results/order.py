"""The order in which TCP variants and schemes are shown."""

from __future__ import annotations

from tmt.core.schemes.registry import SCHEMES
from tmt.spec.tcp import VARIANTS


def tcp_place(name: str) -> tuple[int, str]:
    """Return the sort key of a TCP variant: declared variants first, in their order, then others by name."""
    return _place(name, list(VARIANTS)), name


def scheme_place(label: str) -> tuple[int, str]:
    """Return the sort key of a scheme's label: declared schemes first, in their order, then by label."""
    return _place(family(label), list(SCHEMES)), label


def family(label: str) -> str:
    """Return the scheme that a label names: ``harq`` for ``HARQ(10/12)``."""
    return label.split("(", maxsplit=1)[0].strip().lower()


def _place(name: str, known: list[str]) -> int:
    return known.index(name) if name in known else len(known)
