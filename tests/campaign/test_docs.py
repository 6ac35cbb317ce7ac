"""The statements of the pages about scenarios, campaigns and statistics are true."""

from __future__ import annotations

import importlib
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from tmt.campaign.scenario import load
from tmt.campaign.sections import (
    CHANNEL_SECTIONS,
    SCHEME_SECTIONS,
    Grid,
    Link,
    ProxySection,
    TraceFile,
    Traffic,
    Wired,
)

from tmt.campaign.columns import CAMPAIGN_COLUMNS, COLUMNS
from tmt.campaign.database import DATABASE
from tmt.campaign.store import FOLDERS
from tmt.campaign.stored_runs import RESULTS

if TYPE_CHECKING:
    import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"
SCENARIOS, CAMPAIGNS = (DOCS / "scenarios.md").read_text(), (DOCS / "campaigns.md").read_text()
LMS = (DOCS / "lms.md").read_text()


def _keys(section: str) -> set[str]:
    """Return the first column of the tables under a heading that begins with `section`."""
    part = SCENARIOS.split(f"\n## `{section}`", 1)[1].split("\n## ", 1)[0]
    return set(re.findall(r"^\| `([\w-]+)` \|", part, re.MULTILINE))


def test_example__is_a_scenario_of_60_runs(tmp_path: Path) -> None:
    text = re.search(r"```toml\n(.*?)```", SCENARIOS, re.DOTALL)
    assert text
    (tmp_path / "s.toml").write_text(text[1])
    found = load(tmp_path / "s.toml")
    sizes = (len(found.grid.tcp), len(found.grid.seeds), len(found.traces), len(found.schemes))
    assert sizes == (2, 5, 1, 3)
    assert "60 runs" in SCENARIOS
    assert 2 * 5 * 1 * 3 * len(found.links) * len(found.traffics) == 60


def test_tables_of_parameters__are_what_their_program_writes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(DOCS.with_name("tools"))
    tables = importlib.import_module("scenario_tables").tables()
    made = importlib.import_module("page_tables").filled(SCENARIOS, tables)
    assert made == SCENARIOS, "run `python tools/scenario_tables.py`"


def test_tables__name_every_key() -> None:
    assert _keys("[grid]") == set(Grid.model_fields)
    assert _keys("[link]") == set(Link.model_fields)
    assert _keys("[wired]") == set(Wired.model_fields)
    assert _keys("[proxy]") == set(ProxySection.model_fields)
    assert _keys("[[traffic]]") == set(Traffic.model_fields)
    channel_keys = set.intersection(*(set(model.model_fields) for model in CHANNEL_SECTIONS.values()))
    assert _keys("[[trace]]") == set(TraceFile.model_fields) | channel_keys | set(CHANNEL_SECTIONS)
    assert _keys("[[scheme]]") == {"name", *SCHEME_SECTIONS}
    for model in [*SCHEME_SECTIONS.values(), *CHANNEL_SECTIONS.values()]:
        assert all(f"`{key}`" in SCENARIOS + LMS for key in model.model_fields)


def test_campaigns__names_every_file_and_column() -> None:
    assert all(f"`{name}" in CAMPAIGNS for name in (DATABASE, RESULTS, *FOLDERS))
    assert all(f"`{column.name}`" in CAMPAIGNS for column in CAMPAIGN_COLUMNS)


def test_columns__have_names_of_their_own() -> None:
    names = [column.name for column in COLUMNS]
    assert len(set(names)) == len(names)


def test_statistics__example_runs() -> None:
    script = re.search(r"```python\n(.*?)```", (DOCS / "statistics.md").read_text(), re.DOTALL)
    assert script
    result = subprocess.run([sys.executable, "-c", script[1]], capture_output=True, text=True, check=True)
    lines = result.stdout.splitlines()
    assert [line.split()[-1] for line in lines[:3]] == ["a", "a", "b"]
