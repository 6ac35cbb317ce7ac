"""A sample of `make faults`: a call fails, and nothing is lost, half-written or misreported."""

import multiprocessing
import os
import shutil
import tempfile
from pathlib import Path

import numpy as np
import pytest

from tests.faults.cases import CASES, Bench
from tests.faults.tracer import ERRORS, Fault, can_trace, trace
from tests.faults.warm import prepare
from tmt.core.errors import SimulatorError
from tmt.core.schema import PACKET_RECORDS
from tmt.run.records import read_array_of

SAMPLE = {
    "convert": [
        ("open", "EIO", 6),
        ("read", "short", 3),
        ("write", "ENOSPC", 1),
        ("write", "EDQUOT", 1),
        ("rename", "EIO", 1),
        ("any", "kill", 40),
        ("change", "EROFS", 2),
    ],
    "import": [("write", "EIO", 1), ("read", "EINTR", 2), ("rename", "ENOSPC", 2), ("clone", "EAGAIN", 17)],
    "run": [
        ("rename", "EIO", 7),
        ("fsync", "EIO", 9),
        ("mkdir", "ENOSPC", 4),
        ("write", "EDQUOT", 30),
        ("change", "EROFS", 90),
        ("any", "kill", 400),
    ],
}


def _check(name: str, place: Path) -> None:
    prepare()
    bench = Bench(next(case for case in CASES if case.name == name), place)
    wrong = []
    for call, how, number in SAMPLE[name]:
        fault = Fault(call, how, number)
        wrong += [f"{fault}: {defect}" for defect in bench.defects(fault)[1]]
    assert not wrong, wrong


@pytest.mark.parametrize("name", SAMPLE)
def test_failed_call__ends_in_one_line_and_the_next_call_completes(name: str, simulator: Path) -> None:
    """A process of its own forks the commands: pytest's threads would be missing in its forks."""
    assert simulator.is_file()
    if not can_trace():
        pytest.skip("this machine does not let a process trace its children")
    place = Path(tempfile.mkdtemp(prefix="tmt-faults-"))  # sockets need a short path
    process = multiprocessing.get_context("spawn").Process(target=_check, args=(name, place))
    process.start()
    process.join()
    shutil.rmtree(place)
    assert process.exitcode == 0


COMPLETE, REFUSED, WRONG = 0, 3, 4
ROWS = 50_000
"""More than one call of read transfers: the header is read with the first rows, the others after them."""


def _read(path: Path) -> None:
    """Read the records in a process of its own; its status says how that ended."""
    status = WRONG
    try:
        if read_array_of(path, PACKET_RECORDS)["time_ns"].tolist() == list(range(ROWS)):
            status = COMPLETE
    except SimulatorError as error:
        if str(error).startswith(f"{path}: ") and str(error).endswith("cannot be read: Input/output error"):
            status = REFUSED
    os._exit(status)


def _check_reads(place: Path) -> None:
    path = place / "packets.npy"
    records = np.zeros(ROWS, PACKET_RECORDS.dtype)
    records["time_ns"] = np.arange(ROWS)
    np.save(path, records)
    for how in ERRORS["read"]:
        calls = trace(lambda: _read(path), place, Fault("read", how, 0), 60.0).calls
        assert calls >= 2, "the header and the rows"
        for number in range(1, calls + 1):
            end = trace(lambda: _read(path), place, Fault("read", how, number), 60.0)
            assert end.status == (REFUSED if how == "EIO" else COMPLETE), (how, number, end)


def test_failed_read__of_records_is_an_error() -> None:
    """A process of its own forks the readers: pytest's threads would be missing in its forks."""
    if not can_trace():
        pytest.skip("this machine does not let a process trace its children")
    place = Path(tempfile.mkdtemp(prefix="tmt-faults-"))
    process = multiprocessing.get_context("spawn").Process(target=_check_reads, args=(place,))
    process.start()
    process.join()
    shutil.rmtree(place)
    assert process.exitcode == 0
