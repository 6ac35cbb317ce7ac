"""`tmt replay` as people call it: refusals, table, JSON, kept records and figure."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

TMT = Path(sys.executable).with_name("tmt")
BASIC = ["--rtt", "0.5", "--duration", "5"]


def tmt(*arguments: str, **settings: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [TMT, "replay", *arguments], capture_output=True, text=True, check=False, **settings
    )


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (BASIC, ["--forward", "--forward-rate"]),
        ([*BASIC, "--forward", "a.npy", "--forward-rate", "1e6"], ["--forward-rate", "exclude"]),
        ([*BASIC, "--forward-rate", "1e6", "--return-lldu-bytes", "33"], ["--return-lldu-bytes", "--return"]),
        ([*BASIC, "--forward", "missing.npy"], ["missing.npy"]),
        ([*BASIC, "--forward-rate", "1e6", "--flows", "5000"], ["flows is 5000", "1000"]),
        ([*BASIC, "--forward-rate", "1e6", "--plot", "run.gif"], ["run.gif", ".svg"]),
        ([*BASIC, "--forward-rate", "1e6", "--start", "5"], ["start_ns"]),
        ([*BASIC, "--forward-rate", "1e6", "--tcp", "vegas"], ["vegas", "westwood"]),
        (["--forward-rate", "1e6", "--rtt", "-1", "--duration", "5"], ["--rtt", "-1"]),
    ],
)
def test_bad_arguments__are_refused_by_name_with_status_2(
    arguments: list[str], words: list[str], tmp_path: Path
) -> None:
    result = tmt(*arguments, cwd=tmp_path)
    assert result.returncode == 2
    assert all(word in result.stderr for word in words), result.stderr
    assert "Traceback" not in result.stderr
    assert list(tmp_path.iterdir()) == []
