"""Pages that programs write: all are listed, stale ones are found, cheap ones are fresh; tables of pages."""

import importlib
import json
import math
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from matplotlib.image import imread

from analysis import stale_pages
from analysis.stale_pages import Page, is_stale, main, read_pages
from analysis.statements import Statement, write_judged
from tmt.results.statistics import Interval
from tools.page_tables import cross_table, listed, plus_minus

ROOT = Path(__file__).resolve().parents[2]
CHEAP_MINUTES = 0.2
PAGES = read_pages()


def test_pages__are_all_figures_and_all_pages_with_tables_that_programs_write() -> None:
    listed = {path for page in PAGES for pattern in page.files for path in ROOT.glob(pattern)}
    figures = set((ROOT / "docs" / "images").glob("*.png"))
    filled = {path for path in (ROOT / "docs").glob("*.md") if "<!-- end -->" in path.read_text()}
    notebooks = set((ROOT / "docs" / "notebooks").glob("*.ipynb"))
    assert figures | filled | notebooks <= listed
    assert all((ROOT / folder).exists() for page in PAGES for folder in (*stale_pages.FOLDERS, *page.folders))
    assert all(page.place.exists() for page in PAGES)
    for page in PAGES:
        assert all(list(ROOT.glob(pattern)) for pattern in (*page.files, *page.inputs)), page.name


def test_modules_of_pages__import_what_there_is() -> None:
    for page in PAGES:
        if page.program.startswith("-m "):
            module = importlib.import_module(page.name)
            if hasattr(module, "__path__"):  # a package
                importlib.import_module(f"{page.name}.__main__")


RESULTS = {
    path
    for page in PAGES
    if page.name.startswith(("analysis", "benchmarks"))
    for pattern in page.files
    for path in ROOT.glob(pattern)
    if path.suffix == ".md"
}


@pytest.mark.parametrize("path", sorted(RESULTS), ids=lambda path: path.stem)
def test_tables_of_results__have_at_most_20_rows(path: Path) -> None:
    text = path.read_text()
    written = re.findall(r"<!-- [\w -]+ -->\n(.*?)<!-- end -->", text, re.DOTALL) or [text]
    tables = [table for part in written for table in re.findall(r"(?:^\|.*\n)+", part, re.MULTILINE)]
    assert [table for table in tables if table.count("\n") - 2 > 20] == []


@pytest.mark.parametrize(
    "page",
    [p for p in PAGES if p.minutes <= CHEAP_MINUTES and all(file.endswith(".png") for file in p.files)],
    ids=str,
)
def test_cheap_figures__are_what_their_programs_draw(page: Page, tmp_path: Path) -> None:
    program = page.program.removesuffix(" --docs").split()
    subprocess.run([sys.executable, *program, tmp_path], cwd=ROOT, check=True)
    paths = [path for pattern in page.files for path in ROOT.glob(pattern)]
    for path in paths:
        np.testing.assert_array_equal(
            imread(tmp_path / path.relative_to(ROOT / "docs")), imread(path), f"make pages: {path}"
        )


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a small tree with three programs, of which the second fails."""
    monkeypatch.setattr(stale_pages, "ROOT", tmp_path)
    monkeypatch.setattr(stale_pages, "PAGES", tmp_path / "pages.toml")
    monkeypatch.setattr(stale_pages, "FOLDERS", ("lib",))
    monkeypatch.setattr(stale_pages, "PACKAGES", ())
    stale_pages.reached.cache_clear()
    monkeypatch.setattr(stale_pages, "IDENTITIES", tmp_path / "docs" / "identities.json")
    for folder in ("tools/dear", "docs", "lib", "more"):
        (tmp_path / folder).mkdir(parents=True)
    entries = []
    for name, minutes, text in (
        ("dear", 3, "from tools.dear.words import WORD\nopen('docs/dear.md', 'w').write(WORD)\n"),
        ("broken", 2, "raise SystemExit(7)\n"),
        ("cheap", 1, "open('docs/cheap.md', 'w').write('cheap')\n"),
    ):
        file = f"{name}.py" if name != "dear" else "dear/__main__.py"
        (tmp_path / "tools" / file).write_text(text)
        files = f'files = ["docs/{name}.md"]\ninputs = ["{name}.toml"]\nfolders = ["more"]'
        entries.append(f'[[page]]\nprogram = "-m tools.{name}"\nminutes = {minutes}\n{files}\n')
    (tmp_path / "tools" / "dear" / "words.py").write_text("WORD = 'a'\n")
    (tmp_path / "pages.toml").write_text("\n".join(entries))
    return tmp_path


def test_main__makes_stale_pages_by_cost(house: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["--list"]) == 1
    listed = capfd.readouterr().out
    assert [line.split()[1] for line in listed.splitlines()[:3]] == [
        "tools.cheap,",
        "tools.broken,",
        "tools.dear,",
    ]
    assert "at most 6 min" in listed
    assert not list((house / "docs").iterdir())
    assert main([]) == 1
    assert "FAILED tools.broken: exit status 7" in capfd.readouterr().out
    assert (house / "docs" / "dear.md").read_text() == "a"
    assert set(json.loads((house / "docs" / "identities.json").read_text())) == {"tools.cheap", "tools.dear"}
    assert main(["--list"]) == 1
    assert "1 of 3 programs, at most 2 min" in capfd.readouterr().out
    (house / "lib" / "words.py").write_text("MORE = 1\n")
    stale_pages.source_hash.cache_clear()
    assert main(["--same", "tools.dear"]) == 0
    assert main(["--list"]) == 1
    assert "2 of 3 programs, at most 3 min" in capfd.readouterr().out
    with pytest.raises(SystemExit, match="2"):
        main(["--dear"])


def test_identity__follows_folders_and_inputs(house: Path) -> None:
    page = next(page for page in read_pages() if page.name == "tools.dear")

    def identity() -> str:
        stale_pages.source_hash.cache_clear()
        return page.identity()

    first = identity()
    assert not is_stale(page, {"tools.dear": first})
    program, found = house / "tools" / "dear" / "__main__.py", {first}
    program.write_text("# a comment changes nothing\n" + program.read_text())
    (house / "tools" / "cheap.py").write_text("another = 'program'\n")
    assert identity() == first
    others = ("tools/dear/words.py", "lib/a.py", "more/b.py", "dear.toml", "analysis/shared.py")
    for path in (program, *map(house.joinpath, others)):
        path.parent.mkdir(exist_ok=True)
        path.write_text((path.read_text() if path.exists() else "") + "\nMORE = 1\n")
        found.add(identity())
    assert len(found) == 2 + len(others)


def test_reached__is_what_a_program_imports() -> None:
    stale_pages.reached.cache_clear()
    found = stale_pages.reached("analysis.log_modes")
    assert {"tmt/theory/fit/handovers.py", "tmt/results/statistics.py"} <= set(found)
    assert "tmt/show/page/report_page.py" not in found
    assert "tmt/theory/fit/handovers.py" not in stale_pages.reached("analysis.jin2006")
    assert stale_pages.reached("tools/cli_reference.py") == ["tmt/theory", "tmt/results", "tmt/show"]


def test_programs_that_call_tmt__name_its_commands_or_have_all_that_these_import() -> None:
    for page in PAGES:
        files = page.place.rglob("*.py") if page.place.is_dir() else [page.place]
        if any('with_name("tmt")' in file.read_text() for file in files):
            assert page.commands or {"tmt/theory", "tmt/results", "tmt/show"} <= set(page.folders), page.name


def test_identity__of_a_notebook_follows_its_code_and_not_what_it_shows(house: Path) -> None:
    page = replace(read_pages()[0], inputs=("a.ipynb",))
    found = []
    for code, shown in (("x = 1", "1"), ("x = 1", "2"), ("x = 2", "2")):
        cell = {"cell_type": "code", "source": [code], "outputs": [{"text": shown}]}
        (house / "a.ipynb").write_text(json.dumps({"cells": [cell]}))
        found.append(page.identity())
    assert found[0] == found[1] != found[2]


def test_page__whose_backend_is_missing_is_stale(house: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLIFT_NS", "/nowhere/ns")
    page = replace(read_pages()[0], backends=("ns2",))
    assert is_stale(page, {})
    assert "CLIFT_NS" in str(stale_pages.make(page))


@pytest.mark.parametrize(
    ("interval", "spec", "text"),
    [
        (Interval(178.4, 158.2, 198.6, 9), ".0f", "178 ± 20"),
        (Interval(-0.25, -0.31, -0.19, 9), "+.2f", "-0.25 ± 0.06"),
        (Interval(0.015, 0.013, 0.017, 9), "+.1%", "+1.5 ± 0.2 %"),
        (Interval(0.5, math.nan, math.nan, 1), ".0%", "50 ± nan %"),
    ],
)
def test_plus_minus__has_one_sign_and_one_unit(interval: Interval, spec: str, text: str) -> None:
    assert plus_minus(interval, spec) == text


def test_cross_table__has_a_row_and_a_column_for_each_value() -> None:
    cells = pd.DataFrame(
        [("a", "x", 1), ("a", "y", 2), ("b", "y", 3)], columns=["link_layer", "orbit", "kbps"]
    )
    assert cross_table(cells, "link_layer", "orbit", lambda cell: f"{cell['kbps']} kbit/s").splitlines() == [
        "| link layer | x | y |",
        "| --- | --- | --- |",
        "| a | 1 kbit/s | 2 kbit/s |",
        "| b |  | 3 kbit/s |",
    ]


@pytest.mark.parametrize(("words", "text"), [("a", "a"), ("ab", "a and b"), ("abc", "a, b and c")])
def test_listed__joins_words_as_in_a_sentence(words: str, text: str) -> None:
    assert listed(words) == text


def test_statements__that_fail_are_a_list_with_figures_and_the_csv_file_has_all(tmp_path: Path) -> None:
    statements = [Statement("figure 1", "A", "yes", "1"), Statement("figure 2", "B", "in part", "2 of 3")]
    template = tmp_path / "page.md.j2"
    template.write_text("{{ held }}/{{ partly }}/{{ total }}, {{ seeds }} seeds\n{{ judged }}\n")
    said = write_judged(tmp_path, "page.md", template, statements, seeds=5)
    assert said == f"1 of 2 statements of the paper hold, 1 in part ({tmp_path / 'page.md'})"
    text = (tmp_path / "page.md").read_text()
    assert text == "1/1/2, 5 seeds\n* **in part**, figure 2: *B*. Here: 2 of 3.\n"
    kept = pd.read_csv(tmp_path / "page.csv", dtype=str)
    assert kept["here"].tolist() == ["1", "2 of 3"]
