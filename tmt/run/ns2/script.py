"""An experiment carried out by its own ns-2 script; such scripts belong to single papers.

The script takes alternating keys and values, ``seed`` among them, and prints lines ``NAME<tab>NUMBER``. It
may leave packet records in ``packets.npy``.
"""

from __future__ import annotations

import json
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from tmt.core.errors import SimulatorError
from tmt.core.measure.transport import RECEIVED, SENT
from tmt.core.provenance import digest, file_sha256
from tmt.core.schema import PACKET_RECORDS
from tmt.core.units import NS_PER_S
from tmt.run.experiment import run_sources
from tmt.run.ns2 import Simulator
from tmt.run.program import STDOUT
from tmt.run.records import PACKETS, read_array_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tmt.core.measure.transport import Records

CHECKOUT = Path(__file__).resolve().parents[3]

ScriptSettings = dict[str, str | int | float]
"""The settings of a script, by key."""
ScriptFigures = dict[str, float]
"""Numbers that a script has printed, and those of its packet records, by name."""


@dataclass(frozen=True, slots=True)
class ScriptExperiment:
    """A script with its settings besides ``seed``.

    A file in the checkout is named relative to its root, so that other machines find it.
    """

    script: str
    settings: ScriptSettings
    seed: int

    @classmethod
    def of(cls, script: Path, settings: Mapping[str, str | int | float]) -> ScriptExperiment:
        """Return the experiment of a script's file with settings that name the seed, by default 1."""
        place = script.resolve()
        name = place.relative_to(CHECKOUT) if place.is_relative_to(CHECKOUT) else place
        others = {key: value for key, value in sorted(settings.items()) if key != "seed"}
        return cls(str(name), others, int(settings.get("seed", 1)))

    def programs(self) -> tuple[str, str]:
        """Return the hash of simulator and script, and the hash of the sources that read the results.

        SimulatorError when the simulator is not built, OSError when the script cannot be read.
        """
        stamp = digest(Simulator.find().stamp, file_sha256(CHECKOUT / self.script))
        return stamp, run_sources("ns2")

    def fingerprint(self, *programs: str) -> str:
        """Return a hash of everything that decides the result besides the seed."""
        return digest(self.settings, programs)

    def run(self, directory: Path, timeout_s: float | None = None) -> dict[str, str | float]:
        """Run the script in a new folder; return its result columns, with the figures as JSON.

        RunError and SimulatorError when the run fails or hangs, or leaves damaged results.
        """
        directory.mkdir()
        words = [str(word) for item in (self.settings | {"seed": self.seed}).items() for word in item]
        argv, wall_time_s = Simulator.find().run(words, directory, timeout_s, CHECKOUT / self.script)
        text = (directory / STDOUT).read_text(encoding="utf-8", errors="replace")
        try:
            figures = printed_figures(text)
        except ValueError as error:
            said = f"{directory / STDOUT}: lines NAME<tab>NUMBER are needed"
            raise SimulatorError(f"{said}: {error}") from error
        packets = directory / PACKETS
        if packets.exists():
            figures |= transfer_figures(read_array_of(packets, PACKET_RECORDS))
        return {
            "command": shlex.join(argv),
            "wall_time_s": wall_time_s,
            "script_figures": json.dumps(figures),
        }


def printed_figures(text: str) -> ScriptFigures:
    """Return the numbers of lines ``NAME<tab>NUMBER``; parts of ns-2 print other lines between them."""
    lines = (line.split("\t") for line in text.splitlines() if "\t" in line)
    return {name: float(value) for name, value in lines}


def transfer_figures(packets: Records) -> ScriptFigures:
    """Return the number of data segments that arrived, and the time from the first start to the last arrival.

    Segment 0 is the SYN. Only the first arrival of a segment counts.
    """
    data = packets[packets["sequence"] > 0]
    sent, received = data[data["event"] == SENT], data[data["event"] == RECEIVED]
    numbers, first = np.unique(received["sequence"], return_index=True)
    if not len(numbers):
        return {"segments_received": 0.0}
    span_ns = int(received["time_ns"][first].max()) - int(sent["time_ns"].min())
    return {"segments_received": float(len(numbers)), "transfer_s": span_ns / NS_PER_S}
