"""Real programs over link traces, in real time, and the kernel's TCP as a backend of experiments."""

from tmt.backend.emulate.backend import Emulate
from tmt.backend.emulate.emulator import run
from tmt.backend.emulate.parameters import Emulation, WayOut
from tmt.backend.emulate.results import EmulationResult

__all__ = ["BACKEND", "Emulation", "EmulationResult", "WayOut", "run"]

BACKEND = Emulate()
