"""Transfers that have been run, one file each, so that an interrupted judgement goes on where it stopped."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING

from analysis.judge.cases import CASES
from analysis.judge.runs import KERNEL, Transfer
from tmt.backend.ns2.simulator import Simulator
from tmt.io.atomic import staged

if TYPE_CHECKING:
    from pathlib import Path

    from analysis.judge.cases import Case


class Store:
    """Transfers in a folder, by stack, case and variant, and by what else decides their results.

    Those of the kernel hold for one link; those of ns-2 for one link and one build of the simulator.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._links = {case.name: case.fingerprint(folder) for case in CASES}
        self._simulator = Simulator.find().stamp[:12]

    def get(self, stack: str, case: Case, variant: str, repeat: int) -> Transfer | None:
        """Return a transfer that has been run before."""
        path = self._path(stack, case, variant, repeat)
        return Transfer(**json.loads(path.read_text())) if path.exists() else None

    def put(self, stack: str, case: Case, variant: str, repeat: int, transfer: Transfer) -> None:
        """Keep a transfer."""
        path = self._path(stack, case, variant, repeat)
        path.parent.mkdir(parents=True, exist_ok=True)
        with staged(path) as part:
            part.write_text(json.dumps(asdict(transfer)))

    def runs(self, stack: str, case: Case, variant: str) -> list[Transfer]:
        """Return all repeats that have been run."""
        found = [self.get(stack, case, variant, repeat) for repeat in range(case.repeats)]
        return [transfer for transfer in found if transfer is not None]

    def _path(self, stack: str, case: Case, variant: str, repeat: int) -> Path:
        key = self._links[case.name] + ("" if stack == KERNEL else f".{self._simulator}")
        return self._folder / "transfers" / f"{case.name}.{variant}.{stack}.{repeat}.{key}.json"
