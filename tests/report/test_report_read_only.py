"""A report of a campaign that cannot be written."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

TMT = Path(sys.executable).with_name("tmt")


@pytest.mark.ns2
def test_report__of_a_read_only_folder_goes_to_the_current_one(campaign_folder: Path, tmp_path: Path) -> None:
    disk, here = tmp_path / "disk", tmp_path / "here"
    disk.mkdir()
    here.mkdir()
    mount = ["mount", "-t", "tmpfs", "tmpfs", str(disk)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("mounting a read-only disk needs root")
    try:
        shutil.copytree(campaign_folder, disk / "results")
        subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
        command = [str(TMT), "report", str(disk / "results"), "--no-figures"]
        result = subprocess.run(command, cwd=here, capture_output=True, text=True, check=False)
    finally:
        subprocess.run(["umount", str(disk)], check=True)
    assert (result.returncode, result.stdout) == (0, "report/report.html\n"), result.stderr
    assert (here / "report" / "report.html").stat().st_size > 100_000
