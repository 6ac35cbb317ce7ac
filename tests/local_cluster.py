"""A real scheduler with real workers on this machine."""

import json
import os
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import distributed
from waiting import PATIENCE_S, until


class Cluster:
    """A scheduler, and workers of one thread each without nannies that would start them again."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self.folder, self._stack = folder, stack
        self.scheduler = self._start(
            "scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", "at.json"
        )
        self.address = str(json.loads(until(self._told, self.scheduler))["address"])

    def _told(self) -> str:
        """Return what the scheduler has told of itself, once it has told all: its file is empty at first."""
        file = self.folder / "at.json"
        text = file.read_text() if file.exists() else ""
        return text if text.endswith("\n}") else ""

    def start_worker(
        self, name: str, before: tuple[str | Path, ...] = (), **environment: str
    ) -> subprocess.Popen[bytes]:
        """Start a worker; the words of `before` stand before its command."""
        arguments = ("--no-nanny", "--nthreads", "1", "--no-dashboard", "--name", name)
        return self._start("worker", self.address, *arguments, before=before, **environment)

    def await_workers(self, number: int) -> None:
        connect: Any = distributed.Client
        with connect(self.address, set_as_default=False) as client:
            client.wait_for_workers(number, PATIENCE_S)

    def _start(
        self, *arguments: str, before: tuple[str | Path, ...] = (), **environment: str
    ) -> subprocess.Popen[bytes]:
        # A worker that is killed leaves its temporary files.
        with (self.folder / "log.txt").open("ab") as log:
            process = subprocess.Popen(
                [*before, sys.executable, "-m", "dask", *arguments],
                cwd=self.folder,
                stdout=log,
                stderr=log,
                env=os.environ | {"TMPDIR": str(self.folder)} | environment,
            )
        self._stack.callback(process.wait)
        self._stack.callback(process.kill)
        return process
