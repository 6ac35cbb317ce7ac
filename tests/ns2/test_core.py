"""The simulator's core: its own unit tests, and files of its sources that programs write."""

import runpy

from processes import execute

from tests.ns2.core_build import SOURCE, built


def test_core__passes_its_unit_tests() -> None:
    result = execute(built("core_tests"), "--gtest_brief=1")
    assert result.returncode == 0, f"{result.stdout}{result.stderr}"


def test_schema_header__is_what_its_maker_writes() -> None:
    maker = runpy.run_path(str(SOURCE / "make_schema_header.py"))
    committed = (SOURCE / "core" / "schema.h").read_text(encoding="utf-8")
    assert committed == maker["header"](), "run clift-ns2/make_schema_header.py with the project's Python"


def test_variants_of_tcp__are_what_their_maker_writes() -> None:
    maker = runpy.run_path(str(SOURCE / "make_variants.py"))
    committed = (SOURCE / "tcl" / "variants.tcl").read_text(encoding="utf-8")
    assert committed == maker["script"](), "run clift-ns2/make_variants.py with the project's Python"
