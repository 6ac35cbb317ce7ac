"""TCP-Linux as shipped: with `as_shipped_` it gives the results of ns-2.35, without it the mended ones."""

import gzip
from pathlib import Path

import pytest

from tests.ns2.mended import mended
from tests.ns2.scripts import output_of
from tests.ns2.stock import STOCK_TCL, run_stock_script

pytestmark = pytest.mark.ns2

COURSE = Path(__file__).with_name("linux_course.tcl")
AS_SHIPPED = "Agent/TCP/Linux set as_shipped_ true\n"
REFERENCES = STOCK_TCL / "test" / "test-output-tcpLinux"
CONTROLS = (
    *("bic", "compound", "cubic", "highspeed", "htcp", "hybla", "illinois"),
    *("lp", "reno", "scalable", "vegas", "veno", "westwood", "yeah"),
)
TESTS = ["tcpLinuxBase", *(f"tcpLinux{queue}_{name}" for queue in ("DropTail", "RED") for name in CONTROLS)]


def course(ns: Path, folder: Path, case: tuple[object, ...], *, as_shipped: bool) -> bytes:
    folder.mkdir()
    output_of(ns, COURSE, folder, *case, "true" if as_shipped else "false")
    return (folder / "course.tr").read_bytes()


@pytest.mark.parametrize(
    ("patch", "case"),
    [
        ("0014", ("reno", 20, 0.25, 40, 0)),
        ("0015", ("hybla", 600, 0.405, 0.405, 0)),
        ("0016", ("westwood", 600, 0.25, 0.25, 0.005)),
        ("0016", ("cubic", 10_000, 0.25, 0.25, 0)),
        ("0017", ("hybla", 60, 0.25, 0.25, 0)),
        ("0017", ("compound", 60, 0.25, 0.25, 0)),
    ],
)
def test_patch_that_moves_results__has_two_sides(
    patch: str, case: tuple[object, ...], simulator: Path, distribution_ns: Path, tmp_path: Path
) -> None:
    theirs = course(distribution_ns, tmp_path / "theirs", case, as_shipped=False)
    assert len(theirs) > 10_000, "the flow has sent next to nothing"
    assert course(simulator, tmp_path / "as shipped", case, as_shipped=True) == theirs
    assert course(simulator, tmp_path / "mended", case, as_shipped=False) != theirs, patch


@pytest.mark.parametrize("test", TESTS)
def test_stock_test__gives_its_reference_output(test: str, simulator: Path, tmp_path: Path) -> None:
    # ns-2's authors made the references. They differ from the mended agent's where `mended.py` says so.
    files, _, _ = run_stock_script(simulator, f"tcpLinux {test}", tmp_path / "run", AS_SHIPPED)
    assert files["temp.rands"] == gzip.decompress((REFERENCES / f"{test}.gz").read_bytes())


def test_tests__are_all_that_have_references() -> None:
    assert sorted(TESTS) == sorted(path.name.removesuffix(".gz") for path in REFERENCES.iterdir())
    assert mended("tcpLinux") <= set(TESTS)
