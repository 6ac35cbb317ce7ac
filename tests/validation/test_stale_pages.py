"""Pages that programs write: all are known, and one is stale exactly when its sources or inputs changed."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from analysis import stale_pages
from analysis.stale_pages import PAGES, stale

ROOT = Path(__file__).resolve().parents[2]
pytestmark = [pytest.mark.ns2, pytest.mark.usefixtures("simulator")]


def test_pages__write_files_that_exist() -> None:
    for page in PAGES:
        for pattern in page.files:
            assert list(ROOT.glob(pattern)), f"{page.module}: {pattern}"


def test_pages__are_all_that_say_that_a_program_has_written_them() -> None:
    known = {file for page in PAGES for file in page.files}
    for path in (ROOT / "docs").glob("*.md"):
        if re.search(r"page is\s+written\s+by\s+`python -m analysis", path.read_text()):
            assert f"docs/{path.name}" in known


def test_stale__are_those_whose_identity_has_changed() -> None:
    current = {page.module: page.identity() for page in PAGES}
    assert stale(current) == []
    dearest = max(PAGES, key=lambda page: page.minutes)
    cheapest = min(PAGES, key=lambda page: page.minutes)
    assert stale(current | {dearest.module: "of yesterday", cheapest.module: "none"}) == [cheapest, dearest]


def test_identity__follows_sources_and_inputs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = replace(PAGES[0], inputs=("input.toml",))
    monkeypatch.setattr(stale_pages, "ROOT", tmp_path)
    (tmp_path / "analysis" / "kuhn2014").mkdir(parents=True)
    program = tmp_path / "analysis" / "kuhn2014" / "readings.py"
    found = set()
    for number, value, module in (
        (1, "a", "units"),
        (2, "a", "units"),
        (2, "b", "units"),
        (2, "b", "errors"),
    ):
        program.write_text(f"from tmt.{module} import name\nx = {number}\n")
        (tmp_path / "input.toml").write_text(value)
        stale_pages.source_hash.cache_clear()
        found.add(page.identity())
    assert len(found) == 4
    program.write_text("from tmt.errors import name  # a comment changes nothing\nx = 2\n")
    stale_pages.source_hash.cache_clear()
    assert page.identity() in found
