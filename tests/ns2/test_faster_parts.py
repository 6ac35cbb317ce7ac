"""Patches 0030 to 0036 make parts faster; results equal the distribution's, also at the edges."""

import subprocess
from pathlib import Path

import pytest

from tests.ns2.scripts import WITHIN_TWO_MINUTES

pytestmark = pytest.mark.ns2

PARTS = Path(__file__).with_name("parts")


def outputs(ns: Path, script: str, argument: str, folder: Path) -> dict[str, bytes]:
    """Run a script; return its files, its output and its exit status."""
    folder.mkdir()
    done = subprocess.run(
        [*WITHIN_TWO_MINUTES, ns, PARTS / f"{script}.tcl", argument],
        cwd=folder,
        check=False,
        capture_output=True,
        stdin=subprocess.DEVNULL,
    )
    files = {path.name: path.read_bytes() for path in sorted(folder.iterdir())}
    return files | {"stdout": done.stdout, "stderr": done.stderr, "status": str(done.returncode).encode()}


@pytest.mark.parametrize(
    ("script", "argument", "least_bytes"),
    [
        ("events", "1", 20_000),
        ("events", "2", 20_000),
        ("events", "3", 20_000),
        ("far_headers", "", 50_000),
        ("classifiers", "", 500),
        ("hierarchy", "", 10_000),
        ("defaults", "", 2_000),
        ("random", "", 100_000),
    ],
)
def test_part__does_what_the_distribution_s_does(
    script: str, argument: str, least_bytes: int, simulator: Path, distribution_ns: Path, tmp_path: Path
) -> None:
    ours = outputs(simulator, script, argument, tmp_path / "ours")
    theirs = outputs(distribution_ns, script, argument, tmp_path / "theirs")
    assert theirs["status"] == b"0", theirs["stderr"]
    assert max(map(len, theirs.values())) >= least_bytes, "the script has written next to nothing"
    assert ours == theirs
