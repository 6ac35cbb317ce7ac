"""A sample of `make faults`: a call fails, and nothing is lost, half-written or misreported."""

import multiprocessing
import shutil
import tempfile
from pathlib import Path

import pytest

from tests.faults.cases import CASES, Bench
from tests.faults.tracer import Fault, can_trace
from tests.faults.warm import prepare

SAMPLE = {
    "convert": [
        ("open", "EIO", 6),
        ("read", "short", 3),
        ("write", "ENOSPC", 1),
        ("rename", "EIO", 1),
        ("any", "kill", 40),
    ],
    "import": [("write", "EIO", 1), ("read", "EINTR", 2), ("rename", "ENOSPC", 2), ("clone", "EAGAIN", 17)],
    "run": [("rename", "EIO", 7), ("fsync", "EIO", 9), ("mkdir", "ENOSPC", 4), ("any", "kill", 400)],
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
