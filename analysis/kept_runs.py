"""Simulations that are run once each, on all cores, and whose results are kept as soon as they are there."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
from concurrent.futures import ThreadPoolExecutor, as_completed
from functools import partial
from typing import TYPE_CHECKING, Protocol, TypeVar

from tmt.backend.ns2.simulator import Simulator
from tmt.cli.progress import progress_bar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

Setting = str | int | float
Settings = dict[str, Setting]
Result = dict[str, float]


class Point(Protocol):
    """A configuration that is run with several seeds; equal ones are one."""

    def settings(self, seed: int) -> Settings:
        """Return what the run is told."""


P = TypeVar("P", bound=Point)


class KeptRuns:
    """Results by settings, in a file with one line for each run.

    Parameters
    ----------
    run
        What is run with the settings of a point; it waits for a process, not for the interpreter.
    version
        Whatever decides what a run gives, but for its settings: results of another version are not used.
    file
        Where results are kept.
    """

    def __init__(self, run: Callable[[Settings], Result], version: str, file: Path) -> None:
        self._run, self._version, self._file = run, version, file
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
            try:
                for done in as_completed(running):
                    key = running[done]
                    self._known[key] = done.result()
                    file.write(json.dumps({"key": key, "result": self._known[key]}) + "\n")
                    file.flush()
                    advance(1)
            except BaseException:
                # Else a failed run, or Ctrl-C, would be followed by all others, whose results nobody keeps.
                pool.shutdown(cancel_futures=True)
                raise
        return [self._known[self._key(point)] for point in points]

    def over_seeds(self, points: Iterable[P], seeds: int, title: str) -> dict[P, list[Result]]:
        """Return the results of each point with seeds 1 to `seeds`."""
        unique = list(dict.fromkeys(points))
        results = self([point.settings(seed) for point in unique for seed in range(1, seeds + 1)], title)
        return {point: results[seeds * i : seeds * (i + 1)] for i, point in enumerate(unique)}

    def _key(self, point: Settings) -> str:
        text = json.dumps([self._version, dict(sorted(point.items()))])
        return hashlib.sha256(text.encode()).hexdigest()[:32]


def run_script(script: Path, settings: Mapping[str, Setting]) -> Result:
    """Run an ns-2 script that takes keys and values and prints lines ``name<tab>number``."""
    words = [str(word) for item in settings.items() for word in item]
    done = subprocess.run(
        [Simulator.find().program, script, *words], check=False, capture_output=True, text=True
    )
    if done.returncode != 0:
        raise SystemExit(f"{script.name} {' '.join(words)}: {done.stderr.strip()}")
    # ns-2's wireless parts say things of their own between the lines.
    lines = (line.split("\t") for line in done.stdout.splitlines() if "\t" in line)
    return {name: float(value) for name, value in lines}


def script_runs(script: Path, file: Path) -> KeptRuns:
    """Return the runs of such a script."""
    return KeptRuns(partial(run_script, script), version_of(script), file)


def version_of(script: Path) -> str:
    """Return what the results of an ns-2 script depend on: the simulator, and all scripts beside it."""
    scripts = sorted(script.parent.glob("*.tcl"))
    content = hashlib.sha256(b"".join(path.read_bytes() for path in scripts)).hexdigest()
    return f"{Simulator.find().stamp} {content}"
