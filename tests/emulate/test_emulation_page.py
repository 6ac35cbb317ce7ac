"""docs/emulation.md is correct: its example runs as printed, and its table names every figure."""

import os
import re
import sys
from pathlib import Path

import pytest
from processes import execute
from waiting import PATIENCE_S

from tmt import Path as LinkPath, PlainLink, TraceLink
from tmt.run.emulate.emulation import Emulation
from tmt.run.emulate.emulator import run

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "emulation.md").read_text()

pytestmark = pytest.mark.usefixtures("emulator")


def test_example__runs_as_printed(tmp_path: Path) -> None:
    script = re.search(r"```sh\n(.*?)```", PAGE, re.DOTALL)
    assert script
    (tmp_path / "traces").symlink_to(ROOT / "traces")
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    result = execute(
        "sh", "-e", "-c", script[1], cwd=tmp_path, env=os.environ | {"PATH": path}, timeout=PATIENCE_S
    )
    assert result.returncode == 0, result.stderr
    assert result.stdout.splitlines()[-1] == str((ROOT / "traces" / "README.md").stat().st_size)
    assert "packets sent" in result.stderr
    said = [line.split() for line in result.stderr.splitlines()]
    assert ["trace", "starts", "at,", "repeats", "-", "0", "s,", "0", "times"] in said


def test_table__names_every_figure_of_a_direction(tmp_path: Path) -> None:
    from tmt.cli.convert_command import command

    link = tmp_path / "link.npy"
    command.main(
        [str(ROOT / "traces" / "rare-outages.parquet"), str(link), "--scheme", "none"], standalone_mode=False
    )
    result = run(Emulation(command=("true",), forward=TraceLink(link), path=LinkPath(0), back=PlainLink(1e6)))
    settings = {"trace", "sha256", "rate_bps", "lldu_bytes", "packing", "begin_s", "length_s", "offset_s"}
    names = {name.removeprefix("forward_") for name in result.row if name.startswith("forward_")} - settings
    table = PAGE.split("## Counters and delays", 1)[1]
    assert [name for name in sorted(names) if not _named(name, table)] == []


def _named(name: str, table: str) -> bool:
    """Whether the table has the name, or the pattern of its family."""
    return f"`{name}`" in table or (
        name.startswith(("delay_p", "lateness_")) and f"`{name.split('_', maxsplit=1)[0]}" in table
    )
