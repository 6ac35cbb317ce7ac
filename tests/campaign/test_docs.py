"""The statements of the pages about scenarios, campaigns and statistics are true."""

import importlib
import re
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from processes import execute

from tmt import Scenario
from tmt.campaign.columns import CAMPAIGN_COLUMNS, COLUMNS
from tmt.campaign.database import DATABASE, RESULTS
from tmt.campaign.store import FOLDERS

DOCS = Path(__file__).resolve().parents[2] / "docs"
SCENARIOS, CAMPAIGNS = (DOCS / "scenarios.md").read_text(), (DOCS / "campaigns.md").read_text()


def test_example__is_a_scenario_of_60_runs_in_toml_and_in_python(tmp_path: Path) -> None:
    text = re.search(r"```toml\n(.*?)```", SCENARIOS, re.DOTALL)
    script = re.search(r"```python\n(.*?)```", SCENARIOS, re.DOTALL)
    assert text
    assert script
    (tmp_path / "s.toml").write_text(text[1])
    found = Scenario.read(tmp_path / "s.toml")
    assert (len(found.trace), len(found.scheme), len(found.path), len(found.traffic)) == (1, 3, 2, 2)
    assert found.size == 60
    names: dict[str, Scenario] = {}
    exec(script[1], names)
    files = {"trace": found.trace}
    assert replace(names["scenario"], **files) == found


def test_tables_of_parameters__are_what_their_program_writes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(DOCS.with_name("tools"))
    tables = importlib.import_module("scenario_tables").tables()
    made = importlib.import_module("page_tables").filled(SCENARIOS, tables)
    assert made == SCENARIOS, "run `python tools/scenario_tables.py`"


def test_campaigns__names_every_file_and_column() -> None:
    assert all(f"`{name}" in CAMPAIGNS for name in (DATABASE, RESULTS, *FOLDERS))
    assert all(f"`{column.name}`" in CAMPAIGNS for column in CAMPAIGN_COLUMNS)


def test_columns__have_names_of_their_own() -> None:
    names = [column.name for column in COLUMNS]
    assert len(set(names)) == len(names)


def test_statistics__example_runs() -> None:
    script = re.search(r"```python\n(.*?)```", (DOCS / "statistics.md").read_text(), re.DOTALL)
    assert script
    result = execute(sys.executable, "-c", script[1], check=True)
    lines = result.stdout.splitlines()
    assert [line.split()[-1] for line in lines[:3]] == ["a", "a", "b"]
