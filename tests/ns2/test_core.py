"""The simulator's core: its own unit tests with sanitizers, and files of its sources that programs write."""

import runpy
from pathlib import Path

from processes import execute

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "clift-ns2"
BUILD = SOURCE / "build-tests"
STEPS = (
    ("cmake", "-S", SOURCE, "-B", BUILD, "-G", "Ninja", "-DCLIFT_TESTS=ON", "-DCLIFT_SIMULATOR=OFF"),
    ("cmake", "--build", BUILD, "--parallel", "2"),
    (BUILD / "core_tests", "--gtest_brief=1"),
)


def test_core__passes_its_unit_tests() -> None:
    # One test for all: two workers would otherwise build in one folder at the same time.
    for step in STEPS:
        result = execute(*step)
        assert result.returncode == 0, f"{result.args}\n{result.stdout}{result.stderr}"


SIMULATOR = Path(__file__).resolve().parents[2] / "clift-ns2"


def test_schema_header__is_what_its_maker_writes() -> None:
    maker = runpy.run_path(str(SIMULATOR / "make_schema_header.py"))
    committed = (SIMULATOR / "core" / "schema.h").read_text(encoding="utf-8")
    assert committed == maker["header"](), "run clift-ns2/make_schema_header.py with the project's Python"


def test_variants_of_tcp__are_what_their_maker_writes() -> None:
    maker = runpy.run_path(str(SIMULATOR / "make_variants.py"))
    committed = (SIMULATOR / "tcl" / "variants.tcl").read_text(encoding="utf-8")
    assert committed == maker["script"](), "run clift-ns2/make_variants.py with the project's Python"
