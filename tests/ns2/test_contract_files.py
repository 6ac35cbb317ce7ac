"""The simulator reads the contract files as TMT does, and refuses the bad ones with the same messages."""

from pathlib import Path

import pytest

from tests.ns2.scripts import run_script

pytestmark = pytest.mark.ns2

CONTRACT = Path(__file__).resolve().parents[2] / "traces" / "contract"
LINES = [line.split("\t") for line in (CONTRACT / "expected.tsv").read_text().splitlines()[1:]]
FILES = [(name, kind, place, reason) for name, kind, place, reason in LINES if name[-4:] == ".npy"]
QUEUES = {"link": "Queue/Clift", "phy": "Queue/Clift/Online"}
SCRIPT = """
new Simulator
set queue [new [lindex $argv 0]]
$queue load [lindex $argv 1]
puts loaded
exit 0
"""


@pytest.mark.parametrize(("name", "kind", "place", "reason"), FILES)
def test_file__is_loaded_or_refused_in_one_line(
    name: str, kind: str, place: str, reason: str, simulator: Path, tmp_path: Path
) -> None:
    (tmp_path / "load.tcl").write_text(SCRIPT)
    path = CONTRACT / name
    result = run_script(simulator, "load.tcl", tmp_path, QUEUES[kind], path)
    if reason:
        line = f"{path}:{place}: {reason}\n" if place else f"{path}: {reason}\n"
        assert (result.returncode, result.stdout, result.stderr) == (2, "", line)
    else:
        assert (result.returncode, result.stdout, result.stderr) == (0, "loaded\n", "")


def test_contract__has_good_and_bad_files_of_both_kinds() -> None:
    assert len({(kind, bool(reason)) for _, kind, _, reason in FILES}) == 4
