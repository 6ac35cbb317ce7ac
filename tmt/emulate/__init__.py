"""Real programs over link traces, in real time: parameters in, what their packets met out."""

from tmt.emulate.emulator import run
from tmt.emulate.parameters import Emulation, WayOut
from tmt.emulate.results import EmulationResult

__all__ = ["Emulation", "EmulationResult", "WayOut", "run"]
