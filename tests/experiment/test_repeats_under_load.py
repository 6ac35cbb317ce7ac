"""A run in simulated time leaves the same bytes alone and beside a busy loop on each processor."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

import pytest

from tests.linux.schedules import write_lossy_trace
from tmt import Experiment, Path as LinkPath, TraceLink, Traffic
from tmt.core.errors import SimulatorError
from tmt.run import load_backend
from tmt.run.experiment import run
from tmt.spec.columns import RUN_RESULTS
from tmt.spec.programs import Program

COSTS = {column.name for column in RUN_RESULTS if column.group == "cost"}
SERVE = (
    "python3 -c \"import socket; s = socket.create_server(('', 80)).accept()[0]\nwhile s.recv(65536): pass\""
)
SEND = "python3 -c \"import socket; socket.create_connection(('server', 80)).sendall(bytes(300000))\""


@contextmanager
def _load() -> Iterator[None]:
    loops = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(os.cpu_count() or 1)]
    yield
    for loop in loops:
        loop.kill()
        loop.wait()


@pytest.mark.parametrize(
    "traffic",
    [
        Traffic("cubic", "2009", duration=20),
        Traffic("bbr3", "modern", duration=20),
        Traffic("bbr", "linux", duration=20),
        Traffic("cubic", "quic", duration=20),
        Program(client=SEND, server=SERVE, ready="tcp:80", duration=20),
    ],
    ids=["2009", "modern", "linux", "quic", "programs"],
)
def test_run__repeats_to_the_byte(traffic: Traffic | Program, tmp_path: Path) -> None:
    asked = Experiment(TraceLink(str(write_lossy_trace(tmp_path))), LinkPath(rtt=0.1), traffic, seed=3)
    try:
        load_backend(asked.backend).stamp()
    except SimulatorError as error:
        pytest.skip(f"{error}")
    rows, records = [], []
    for name, load in (("alone", nullcontext()), ("beside", _load())):
        folder = tmp_path / name
        with load:
            result = run(asked, folder)
        result.save(folder)
        rows.append({key: value for key, value in result.row.items() if key not in COSTS})
        records.append([(folder / f"{table}.parquet").read_bytes() for table in ("packets", "windows")])
    assert rows[0] == rows[1]
    assert records[0] == records[1]
