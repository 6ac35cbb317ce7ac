"""Programs in simulated time: over a machine that stands for the kernel, and over the kernel."""

import sys
from pathlib import Path

import pytest

from tmt.core.errors import SimulatorError
from tmt.run import load_backend

HERE = Path(__file__).parent


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine in the place of the kernel; what it finds is kept in a cache of the test's own."""
    program = tmp_path / "machine"
    paths = [str(HERE), str(HERE.parents[1])]
    program.write_text(
        f"#!{sys.executable}\nimport sys\nsys.path[:0] = {paths}\nimport machine\nmachine.main()\n"
    )
    program.chmod(0o755)
    monkeypatch.setenv("CLIFT_PROGRAMS", str(program))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return program


@pytest.fixture
def kernel() -> Path:
    """The built kernel with processes."""
    try:
        return load_backend("programs").program()
    except SimulatorError as error:
        pytest.skip(f"{error}")
