"""Runs of an ns-2 script that is not `tmt replay`'s: each once, on all cores, kept as soon as it is there."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import TYPE_CHECKING

from tmt.cli.progress import progress_bar
from tmt.replay.simulator import Simulator

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

Setting = str | int | float
Settings = dict[str, Setting]
Result = dict[str, float]


class Simulations:
    """The results of one script, in a file with one line for each run.

    Parameters
    ----------
    script
        A script that takes alternating keys and values, and prints lines ``name<tab>number``.
    file
        Where results are kept: those in it are not computed again, unless the script or the simulator has
        changed.
    """

    def __init__(self, script: Path, file: Path) -> None:
        self._simulator = Simulator.find()
        self._script, self._file = script, file
        content = hashlib.sha256(script.read_bytes()).hexdigest()
        self._version = f"{self._simulator.stamp} {content}"
        self._known: dict[str, Result] = {}
        lines = file.read_text(encoding="utf-8").splitlines(keepends=True) if file.exists() else []
        whole = [line for line in lines if line.endswith("\n")]
        if whole != lines:  # the last one was cut short
            file.write_text("".join(whole), encoding="utf-8")
        for line in whole:
            kept = json.loads(line)
            self._known[kept["key"]] = kept["result"]

    def __call__(self, wanted: Iterable[Settings], title: str) -> list[Result]:
        """Return the result of each of `wanted`, in that order; run what is missing, with a progress bar."""
        points = list(wanted)
        missing = {self._key(point): point for point in points if self._key(point) not in self._known}
        with (
            ThreadPoolExecutor(os.cpu_count()) as pool,
            self._file.open("a", encoding="utf-8") as file,
            progress_bar(title, total=len(missing), unit="runs") as advance,
        ):
            running = {pool.submit(self._run, point): key for key, point in missing.items()}
            for done in as_completed(running):
                key = running[done]
                self._known[key] = done.result()
                file.write(json.dumps({"key": key, "result": self._known[key]}) + "\n")
                file.flush()
                advance(1)
        return [self._known[self._key(point)] for point in points]

    def _key(self, point: Settings) -> str:
        text = json.dumps([self._version, dict(sorted(point.items()))])
        return hashlib.sha256(text.encode()).hexdigest()[:32]

    def _run(self, point: Settings) -> Result:
        words = [str(word) for item in point.items() for word in item]
        done = subprocess.run(
            [self._simulator.program, self._script, *words], check=True, capture_output=True, text=True
        )
        return {name: float(value) for name, value in (line.split("\t") for line in done.stdout.splitlines())}
