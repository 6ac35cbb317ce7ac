"""The settings of every script of the simulator: refusals in one line before anything runs."""

from pathlib import Path

import pytest
from answers import blocks

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


@pytest.mark.parametrize("script", SCRIPTS)
@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("colour", "red"), "colour is no setting; there are "),
        (("seed",), "the last key, seed, has no value"),
        (("duration_s", "5", "seed"), "the last key, seed, has no value"),
        (("seed", "0"), "seed is 0; a whole number from 1 "),
        (("seed", "1.5"), "seed is 1.5; a whole number from 1 "),
        (("packet_bytes", "0"), "packet_bytes is 0; a whole number from "),
        (("duration_s", "long"), "duration_s is long; a number "),
        (("duration_s", "nan"), "duration_s is nan; a number "),
        (("duration_s", "inf"), "duration_s is inf; a number "),
        (("duration_s", "-1"), "duration_s is -1; a number "),
    ],
)
def test_bad_setting__is_refused_by_name(
    script: str, words: tuple[str, ...], message: str, simulator: Path, tmp_path: Path
) -> None:
    done = run_script(simulator, SCRIPTS[script], tmp_path, *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"{script}: {message}")
    assert done.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "case", blocks(Path(__file__).with_name("bad_settings.txt")), ids=lambda case: case[0]
)
def test_bad_setting__is_refused_by_what_is_allowed(case: list[str], simulator: Path, tmp_path: Path) -> None:
    (script, *words), answer = case[0].split(), case[1]
    done = run_script(simulator, SCRIPTS[script], tmp_path, *words)
    assert (done.returncode, done.stderr) == (2, f"{answer}\n")
    assert list(tmp_path.iterdir()) == []
