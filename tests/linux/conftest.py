"""The kernel in simulated time; tests that need it are skipped where it has not been built."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.linux.program_machine import CLIENT, SERVER, Machine
from tests.linux.schedules import write_lossy_trace
from tests.ns2.conftest import send_datagrams  # noqa: F401  (a fixture)
from tmt.core.errors import SimulatorError
from tmt.run.linux import Kernel

HOME = Path(__file__).parents[2] / "clift-linux"


@pytest.fixture
def kernel() -> Path:
    """The built kernel."""
    try:
        return Kernel.find().program
    except SimulatorError as error:
        pytest.skip(f"{error}")


@pytest.fixture
def lossy_trace(tmp_path: Path) -> Path:
    """A trace with losses and delays, as Parquet and beside it for ns-2."""
    return write_lossy_trace(tmp_path)


@pytest.fixture
def machine(tmp_path: Path) -> Callable[[str], Machine]:
    """Makes a machine whose run has a folder of its own."""
    program = Path(os.environ.get("CLIFT_PROGRAMS", HOME / "build" / "programs" / "linux"))
    if not program.is_file():
        pytest.skip(f"{program} is not built")
    files = tmp_path / "files"
    files.mkdir()
    for name, text in (("server.py", SERVER), ("client.py", CLIENT)):
        (files / name).write_text(text)
        os.utime(files / name, (1_767_225_600, 1_767_225_600))
    return lambda name: Machine(program, tmp_path / name)
