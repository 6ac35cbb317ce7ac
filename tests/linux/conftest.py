"""The kernel in simulated time; tests that need it are skipped where it has not been built."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.ns2.conftest import send_datagrams  # noqa: F401  (a fixture)
from tmt.core.errors import SimulatorError
from tmt.run.linux.kernel import Kernel

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def kernel() -> Path:
    """The built kernel."""
    try:
        return Kernel.find().program
    except SimulatorError as error:
        pytest.skip(f"{error}")
