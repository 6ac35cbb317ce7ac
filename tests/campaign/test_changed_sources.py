"""Sources that change while a campaign runs: nothing that they may have made is stored."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from processes import copied_programs
from waiting import until

from tmt.campaign.database import frame, read_runs

COMMAND = "import sys; sys.argv[0] = 'tmt'; from tmt.cli.main import main; main()"
SCENARIO = """
seeds = 1
trace = {{ file = "{phy}" }}
scheme = {{ name = {schemes} }}
path = {{ rtt = 0.1 }}
traffic = {{ duration = {duration} }}
"""


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """The package of a copy of the tree."""
    return copied_programs(tmp_path)


class _Campaign:
    """A campaign of the copy, with one worker process."""

    def __init__(self, folder: Path, simulator: Path, phy: Path, schemes: str, duration: float) -> None:
        self.out = folder / "out" / "s"
        (folder / "s.toml").write_text(SCENARIO.format(phy=phy, schemes=schemes, duration=duration))
        self._environment = os.environ | {"PYTHONPATH": str(folder), "CLIFT_NS": str(simulator)}
        self._folder = folder

    def start(self) -> subprocess.Popen[str]:
        words = ["run", "s.toml", "--jobs", "1", "--quiet", "--plot", "a.json"]
        command = [sys.executable, "-c", COMMAND, *words]
        return subprocess.Popen(
            command, cwd=self._folder, env=self._environment, stderr=subprocess.PIPE, text=True
        )

    def stored(self) -> tuple[int, int]:
        """Return the numbers of link traces and of rows."""
        rows = frame(read_runs(self.out)) if (self.out / "results.parquet").exists() else ()
        return len(list((self.out / "cache").glob("*.npy"))), len(rows)


def _refused(process: subprocess.Popen[str], place: str) -> None:
    """Assert that a command ends with a line on a changed file."""
    said = process.communicate()[1]
    assert process.returncode == 1
    (line,) = said.splitlines()
    assert line.endswith(
        f"{place}: was changed after tmt had started; what it made since then is not kept; call again"
    )


def test_kernel__that_changes_while_a_campaign_converts_makes_no_link_trace(
    package: Path, simulator: Path, phy: Path, tmp_path: Path
) -> None:
    """A worker imports a scheme's kernel when it converts; the trace would be stored for the old one."""
    campaign = _Campaign(tmp_path, simulator, phy, '["none", "arq"]', 3)
    kernel = package / "core" / "schemes" / "arq" / "kernel.py"
    old = kernel.read_bytes()
    with campaign.start() as process:
        until(lambda: list((campaign.out / "scratch").glob("*/*-*")), process)  # of scheme none
        kernel.write_bytes(old.replace(b"took_ns > 0", b"took_ns > 10**12"))
        assert kernel.read_bytes() != old
        _refused(process, "core/schemes/arq/kernel.py")
    assert campaign.stored() == (1, 0)


@pytest.mark.parametrize("place", ["core/measure/transport.py", "run/records.py"])
def test_sources__that_change_during_a_run_give_no_row(
    place: str, package: Path, simulator: Path, phy: Path, tmp_path: Path
) -> None:
    campaign = _Campaign(tmp_path, simulator, phy, '"none"', 200)
    with campaign.start() as process:
        until(lambda: list((campaign.out / "scratch").glob("*/*/stdout.txt")), process)
        with (package / place).open("a") as file:
            file.write("\nADDED = 1\n")
        _refused(process, place)
    assert campaign.stored() == (1, 0)


def test_page__may_change_during_a_run(package: Path, simulator: Path, phy: Path, tmp_path: Path) -> None:
    campaign = _Campaign(tmp_path, simulator, phy, '"none"', 200)
    with campaign.start() as process:
        until(lambda: list((campaign.out / "scratch").glob("*/*/stdout.txt")), process)
        with (package / "show" / "page" / "page.py").open("a") as file:
            file.write("\nADDED = 1\n")
        assert (process.communicate()[1], process.returncode) == ("", 0)
    assert campaign.stored() == (1, 1)
