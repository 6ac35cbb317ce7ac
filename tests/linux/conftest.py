"""The kernel in simulated time; tests that need it are skipped where it has not been built."""

from pathlib import Path

import pytest

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
