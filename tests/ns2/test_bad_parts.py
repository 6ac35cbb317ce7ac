"""Wrong settings of scripts, and wrong arguments to CLIFT's Tcl classes, are refused in one line."""

import shlex
from pathlib import Path

import pytest
from answers import assert_answer, cases

from tests.ns2.scripts import run_script

pytestmark = pytest.mark.ns2

PREFACE = """
add-packet-header Clift CliftWindow
set ns [new Simulator]
set tcp [new Agent/TCP]
set recorder [new Clift/Recorder]
"""


def refusal(simulator: Path, folder: Path, script: str) -> tuple[int, list[str]]:
    """Run a script; return its exit status and its lines on stderr."""
    (folder / "bad.tcl").write_text(script)
    done = run_script(simulator, "bad.tcl", folder)
    return done.returncode, done.stderr.splitlines()


@cases(__file__, "bad_parts.txt")
def test_bad_part__is_refused_in_one_line(case: list[str], simulator: Path, tmp_path: Path) -> None:
    line, answer = case
    assert refusal(simulator, tmp_path, f"{PREFACE}{line}\n") == (2, [answer])


def test_header__is_asked_for(simulator: Path, tmp_path: Path) -> None:
    script = (
        "remove-all-packet-headers\nadd-packet-header IP TCP Flags\nset ns [new Simulator]\n"
        "new Clift/Proxy [new Agent/TCP] 5 0\n"
    )
    message = "Clift/Proxy: call `add-packet-header CliftWindow` before `new Simulator`"
    assert refusal(simulator, tmp_path, script) == (2, [message])


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


@cases(__file__, "bad_settings.txt")
def test_bad_setting__is_refused(case: list[str], simulator: Path, tmp_path: Path) -> None:
    (script, *words), answer = shlex.split(case[0]), case[1]
    for name in SCRIPTS if script == "SCRIPT" else [script]:
        done = run_script(simulator, SCRIPTS[name], tmp_path, *words)
        assert (done.returncode, done.stdout) == (2, "")
        assert_answer(done.stderr, answer.replace("SCRIPT", name, 1) + "\n")
        assert list(tmp_path.iterdir()) == []
