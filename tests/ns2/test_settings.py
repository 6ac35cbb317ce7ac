"""The settings of every script of the simulator: refusals in one line before anything runs."""

import shlex
from pathlib import Path

import pytest
from answers import assert_answer, blocks

from tests.ns2.scripts import run_script

HOUSE = Path(__file__).parents[2]
SCRIPTS = {
    path.name: path
    for path in (
        HOUSE / "clift-ns2" / "tcl" / "replay.tcl",
        HOUSE / "analysis" / "botos" / "wlan.tcl",
        HOUSE / "analysis" / "jin2006" / "split.tcl",
        HOUSE / "analysis" / "barakat2003" / "hybrid.tcl",
        HOUSE / "analysis" / "tcp" / "congestion_controls.tcl",
    )
}


@pytest.mark.parametrize(
    "case", blocks(Path(__file__).with_name("bad_settings.txt")), ids=lambda case: case[0]
)
def test_bad_setting__is_refused(case: list[str], simulator: Path, tmp_path: Path) -> None:
    (script, *words), answer = shlex.split(case[0]), case[1]
    for name in SCRIPTS if script == "SCRIPT" else [script]:
        done = run_script(simulator, SCRIPTS[name], tmp_path, *words)
        assert (done.returncode, done.stdout) == (2, "")
        assert_answer(done.stderr, answer.replace("SCRIPT", name, 1) + "\n")
        assert list(tmp_path.iterdir()) == []
