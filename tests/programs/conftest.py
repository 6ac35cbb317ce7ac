"""Programs in simulated time: the kernel that runs them, and a cache of each test's own."""

from pathlib import Path

import pytest

from tests.linux.conftest import lossy_trace  # noqa: F401  (a fixture)
from tests.ns2.conftest import send_datagrams  # noqa: F401  (a fixture)
from tmt.core.errors import SimulatorError
from tmt.run import load_backend


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Roots and the files that programs open are kept below the test's folder."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture
def kernel() -> Path:
    """The built kernel with processes; tests that need it are skipped where it has not been built."""
    try:
        return load_backend("programs").program()
    except SimulatorError as error:
        pytest.skip(f"{error}")
