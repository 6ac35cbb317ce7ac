"""The settings of every script of the simulator: refusals in one line before anything runs."""

from __future__ import annotations

from pathlib import Path

import pytest

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
    ("script", "words", "message"),
    [
        ("split.tcl", ("tcp", "Vegas"), "tcp is Vegas; allowed are Newreno, Reno"),
        ("split.tcl", ("arq", "yes"), "arq is yes; 0 and 1 are allowed"),
        ("hybrid.tcl", ("rate_bps", "0"), "rate_bps is 0; a number from 1 is allowed"),
        (
            "wlan.tcl",
            ("errors_per_cluster", "0"),
            "errors_per_cluster is 0; a number of more than 0 is allowed",
        ),
        (
            "split.tcl",
            ("window_packets", "2147483648"),
            "window_packets is 2147483648; a whole number from 1 to 2147483647 is allowed",
        ),
        ("hybrid.tcl", ("in_order", "2"), "in_order is 2; 0 and 1 are allowed"),
        (
            "replay.tcl",
            ("hold_s", "1e10"),
            "hold_s is 1e10; a number from 0 to 4611686018 is allowed",
        ),
        (
            "hybrid.tcl",
            ("duration_s", "1e17"),
            "duration_s is 1e17; a number of more than 0 to 4611686018 is allowed",
        ),
        (
            "replay.tcl",
            ("proxy_stack", "2020"),
            "proxy_stack is 2020; allowed are 2009, 2009-as-shipped, modern",
        ),
        (
            "replay.tcl",
            ("proxy_tcp", "vegas"),
            "proxy_tcp is vegas; with proxy_stack modern allowed are bbr, bbr3, compound, cubic, fectcp, "
            "hybla, newreno, reno, westwood",
        ),
    ],
)
def test_bad_setting__is_refused_by_what_is_allowed(
    script: str, words: tuple[str, ...], message: str, simulator: Path, tmp_path: Path
) -> None:
    done = run_script(simulator, SCRIPTS[script], tmp_path, *words)
    assert (done.returncode, done.stderr) == (2, f"{script}: {message}\n")
