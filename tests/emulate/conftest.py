"""Fixtures of every test here: a machine that allows emulation, and traces to emulate."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from link_traces import sent_once
from waiting import PATIENCE_S

from tmt.core.trace import LinkTrace
from tmt.io import write_trace
from tmt.run.emulate.emulator import find_program


@pytest.fixture(scope="session")
def emulator(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Path of the built emulator; skips where this machine allows no namespaces or no TUN."""
    program = find_program()
    folder = tmp_path_factory.mktemp("allowed")
    command = [program, "folder", folder, "--", "true"]
    status = subprocess.run(command, check=False, timeout=PATIENCE_S).returncode
    if status != 0:
        pytest.skip((folder / "failure.txt").read_text().strip())
    return program


TraceFactory = Callable[..., tuple[Path, LinkTrace]]


@pytest.fixture
def random_trace(tmp_path: Path) -> TraceFactory:
    """Return a function that writes a link trace of random gaps and delays, and of sizes up to a most."""

    def make(
        name: str,
        *,
        rows: int,
        gap_ns: int,
        delay_ns: int = 0,
        lost: float = 0.0,
        seed: int = 1,
        most_bytes: int | None = None,
    ) -> tuple[Path, LinkTrace]:
        random = np.random.default_rng(seed)
        trace = sent_once(
            np.cumsum(random.integers(1, 2 * gap_ns, rows)),
            random.integers(0, delay_ns + 1, rows),
            np.flatnonzero(random.random(rows) < lost),
            None if most_bytes is None else random.integers(1, most_bytes + 1, rows),
        )
        write_trace(tmp_path / name, trace)
        return tmp_path / name, trace

    return make
