"""Link-layer schemes: their names, their parameters, and their conversion of slots into rows."""

from __future__ import annotations

from tmt.schemes.arq import Arq
from tmt.schemes.converter import Converter
from tmt.schemes.counts import Counts
from tmt.schemes.fec import Fec
from tmt.schemes.harq import Harq
from tmt.schemes.harq_processes import HarqProcesses
from tmt.schemes.none import NoScheme
from tmt.schemes.online import GoBackN, Hybrid
from tmt.schemes.parameters import OnlineScheme, Scheme
from tmt.schemes.rlc import (
    Rlc,
    RlcOverArq,
    RlcOverFec,
    RlcOverHarq,
    RlcOverHarqProcesses,
    RlcOverSlidingWindow,
    RlcOverTetrys,
)
from tmt.schemes.sliding_window import SlidingWindow
from tmt.schemes.tetrys import Tetrys

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

__all__ = [
    "ALL_SCHEMES",
    "ONLINE_SCHEMES",
    "SCHEMES",
    "Arq",
    "Converter",
    "Counts",
    "Fec",
    "GoBackN",
    "Harq",
    "HarqProcesses",
    "Hybrid",
    "NoScheme",
    "OnlineScheme",
    "Rlc",
    "RlcOverArq",
    "RlcOverFec",
    "RlcOverHarq",
    "RlcOverHarqProcesses",
    "RlcOverSlidingWindow",
    "RlcOverTetrys",
    "Scheme",
    "SlidingWindow",
    "Tetrys",
]
