"""The kernel in simulated time; tests that need it are skipped where it has not been built."""

from pathlib import Path

import pytest

from tests.linux.schedules import write_lossy_trace
from tests.ns2.conftest import send_datagrams  # noqa: F401  (a fixture)
from tmt.core.errors import SimulatorError
from tmt.run.linux import Kernel


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
