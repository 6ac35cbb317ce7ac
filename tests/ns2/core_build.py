"""Programs that test the simulator's core, with sanitizers."""

import fcntl
from pathlib import Path

from processes import execute

SOURCE = Path(__file__).resolve().parents[2] / "clift-ns2"
BUILD = SOURCE / "build-tests"


def built(program: str) -> Path:
    """Return a program of `clift-ns2/tests`, made anew if its sources have changed."""
    BUILD.mkdir(exist_ok=True)
    steps = (
        ("cmake", "-S", SOURCE, "-B", BUILD, "-G", "Ninja", "-DCLIFT_TESTS=ON", "-DCLIFT_SIMULATOR=OFF"),
        ("cmake", "--build", BUILD, "--parallel", "2", "--target", program),
    )
    # One worker builds at a time.
    with (BUILD / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        for step in steps:
            result = execute(*step)
            assert result.returncode == 0, f"{result.args}\n{result.stdout}{result.stderr}"
    return BUILD / program
