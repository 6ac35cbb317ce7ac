"""QUIC in simulated time; tests that need its program are skipped where it has not been built."""

from pathlib import Path

import pytest

from tests.linux.conftest import lossy_trace  # noqa: F401  (a fixture)
from tests.ns2.conftest import send_datagrams  # noqa: F401  (a fixture)
from tmt.core.errors import SimulatorError
from tmt.run import load_backend


@pytest.fixture
def quic() -> Path:
    """The built program."""
    try:
        return load_backend("quic").program()
    except SimulatorError as error:
        pytest.skip(f"{error}")
