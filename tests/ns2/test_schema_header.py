"""The C++ header of the schema says what `tmt.core.schema` and the refusals say."""

import runpy
from pathlib import Path

SIMULATOR = Path(__file__).resolve().parents[2] / "clift-ns2"


def test_schema_header__is_what_its_maker_writes() -> None:
    maker = runpy.run_path(str(SIMULATOR / "make_schema_header.py"))
    committed = (SIMULATOR / "core" / "schema.h").read_text(encoding="utf-8")
    assert committed == maker["header"](), "run clift-ns2/make_schema_header.py with the project's Python"


def test_variants_of_tcp__are_what_their_maker_writes() -> None:
    maker = runpy.run_path(str(SIMULATOR / "make_variants.py"))
    committed = (SIMULATOR / "tcl" / "variants.tcl").read_text(encoding="utf-8")
    assert committed == maker["script"](), "run clift-ns2/make_variants.py with the project's Python"
