"""Link-layer schemes: their names, their parameters, and their conversion of slots into rows."""

from __future__ import annotations

from tmt.core.schemes.arq import Arq
from tmt.core.schemes.fec import Fec
from tmt.core.schemes.harq import Harq
from tmt.core.schemes.harq_processes import HarqProcesses
from tmt.core.schemes.none import NoScheme
from tmt.core.schemes.online_only import GoBackN, Hybrid
from tmt.core.schemes.rlc import Rlc
from tmt.core.schemes.scheme import Scheme
from tmt.core.schemes.sliding_window import SlidingWindow
from tmt.core.schemes.tetrys import Tetrys

SCHEMES: dict[str, type[Scheme]] = Scheme.choose_from(
    *(NoScheme, Fec, Arq, Harq, HarqProcesses, SlidingWindow, Tetrys, Rlc, Hybrid, GoBackN)
)
"""Every scheme by its name; `Scheme.converts` is true for those that convert traces."""
