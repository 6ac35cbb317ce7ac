"""Real programs over link traces, in real time: parameters in, what their packets met out."""

from tmt.backend.emulate.emulator import run
from tmt.backend.emulate.parameters import Emulation, WayOut
from tmt.backend.emulate.results import EmulationResult

__all__ = ["Emulation", "EmulationResult", "WayOut", "run"]
