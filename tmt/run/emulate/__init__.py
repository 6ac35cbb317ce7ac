"""Real programs over link traces, in real time, and the kernel's TCP as a backend of experiments."""

from tmt.run.emulate.backend import Emulate
from tmt.run.emulate.emulator import run
from tmt.run.emulate.parameters import Emulation, WayOut
from tmt.run.emulate.results import EmulationResult

__all__ = ["BACKEND", "Emulation", "EmulationResult", "WayOut", "run"]

BACKEND = Emulate()
