"""Every scheme by its name. Conversions do not import it: a link trace depends on its own scheme only."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tmt.core.schemes.arq import Arq
from tmt.core.schemes.fec import Fec
from tmt.core.schemes.harq import Harq
from tmt.core.schemes.harq_processes import HarqProcesses
from tmt.core.schemes.none import NoScheme
from tmt.core.schemes.online_only import GoBackN, Hybrid
from tmt.core.schemes.rlc import (
    Rlc,
    RlcOverArq,
    RlcOverFec,
    RlcOverHarq,
    RlcOverHarqProcesses,
    RlcOverSlidingWindow,
    RlcOverTetrys,
)
from tmt.core.schemes.sliding_window import SlidingWindow
from tmt.core.schemes.tetrys import Tetrys

if TYPE_CHECKING:
    from tmt.core.schemes.parameters import OnlineScheme, Scheme

OFFLINE_AND_ONLINE: tuple[type[Scheme], ...] = (
    *(NoScheme, Fec, Arq, Harq, HarqProcesses, SlidingWindow, Tetrys),
    *(Rlc, RlcOverFec, RlcOverArq, RlcOverHarq, RlcOverHarqProcesses, RlcOverSlidingWindow, RlcOverTetrys),
)
"""Schemes that convert traces and also run inside the simulator."""

ONLINE_ONLY: tuple[type[OnlineScheme], ...] = (Hybrid, GoBackN)
"""Schemes that only run inside the simulator."""

SCHEMES: dict[str, type[Scheme]] = {scheme.name: scheme for scheme in OFFLINE_AND_ONLINE}
"""Every scheme that converts traces, by the name that users type."""

ONLINE_SCHEMES: dict[str, type[OnlineScheme]] = {
    scheme.name: scheme for scheme in (*OFFLINE_AND_ONLINE, *ONLINE_ONLY)
}
"""Every scheme that runs inside the simulator."""

ALL_SCHEMES: dict[str, type[OnlineScheme]] = ONLINE_SCHEMES | SCHEMES
"""Every scheme."""
