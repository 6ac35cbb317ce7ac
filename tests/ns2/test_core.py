"""Unit tests of the simulator core, which are C++ and run with address and undefined-behaviour sanitizers."""

import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "clift-ns2"
BUILD = SOURCE / "build-tests"
STEPS = (
    ("cmake", "-S", SOURCE, "-B", BUILD, "-G", "Ninja", "-DCLIFT_TESTS=ON", "-DCLIFT_SIMULATOR=OFF"),
    ("cmake", "--build", BUILD, "--parallel", "2"),
    (BUILD / "core_tests", "--gtest_brief=1"),
)


def test_core__passes_its_unit_tests() -> None:
    # One test for all: two workers would otherwise build in one folder at the same time.
    for step in STEPS:
        result = subprocess.run(step, capture_output=True, text=True, check=False)
        assert result.returncode == 0, f"{result.args}\n{result.stdout}{result.stderr}"
