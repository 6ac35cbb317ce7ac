"""The JSON Schema of scenario files: good files are valid, and mistakes are marked where they are."""

import importlib
import json
import re
import tomllib
from pathlib import Path

import pytest
from in_process import tmt
from jsonschema import Draft7Validator
from jsonschema.exceptions import best_match

from tmt import Scenario
from tmt.campaign.columns import CAMPAIGN_COLUMNS, COLUMNS
from tmt.campaign.database import DATABASE, RESULTS
from tmt.campaign.opening import FOLDERS
from tmt.spec.schema import schema_of

ROOT = Path(__file__).resolve().parents[2]
FILES = [*sorted((ROOT / "scenarios").glob("*.toml")), *sorted((ROOT / "analysis").glob("*/**/*.toml"))]
GOOD = """
seeds = 5
[[trace]]
channel = { name = "lms", es_n0_db = [5, 8] }
length = 600
[[scheme]]
name = "arq"
[[scheme]]
name = "rlc"
below = { name = "harq", data = 10, repair = 2 }
[path]
rtt = 0.5
in_order = [false, true]
hold = ["none", 1]
wired = ["none", { rate = 1e6 }]
queue = ["droptail", { name = "codel", target = 0.01 }]
[[traffic]]
tcp = "cubic"
duration = 200
"""


@pytest.fixture(scope="module")
def validator() -> Draft7Validator:
    schema = schema_of(Scenario)
    Draft7Validator.check_schema(schema)
    return Draft7Validator(schema)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_scenarios_of_ours__are_valid(validator: Draft7Validator, path: Path) -> None:
    assert [error.message for error in validator.iter_errors(tomllib.loads(path.read_text()))] == []


@pytest.mark.parametrize(
    ("good", "bad", "place"),
    [
        ("", "", ""),
        ("seeds = 5", "sedes = 5", "$"),
        ("seeds = 5", "seeds = 0", "$.seeds"),
        ('name = "arq"', 'name = "arx"', "$.scheme[0].name"),
        ('name = "arq"', 'name = "arq"\ndata = 3', "$.scheme[0]"),
        ('name = "arq"', 'name = ["arq", "fecc"]', "$.scheme[0].name[1]"),
        ("data = 10", 'data = "10"', "$.scheme[1].below.data"),
        ("data = 10", "data = 0", "$.scheme[1].below.data"),
        ("data = 10", "data = [10, 0]", "$.scheme[1].below.data[1]"),
        (", repair = 2", "", "$.scheme[1].below"),
        ("es_n0_db = [5, 8]", "es_n0 = [5, 8]", "$.trace[0].channel"),
        ("rtt = 0.5", "rtt = -1", "$.path.rtt"),
        ("rtt = 0.5", "", "$.path"),
        ("in_order = [false, true]", "in_order = 1", "$.path.in_order"),
        ('hold = ["none", 1]', 'hold = ["nones", 1]', "$.path.hold[0]"),
        ('"droptail"', '"dropptail"', "$.path.queue[0]"),
        ('["droptail", { name = "codel", target = 0.01 }]', '"codel"', ""),
        ("rate = 1e6", "rates = 1e6", "$.path.wired[1]"),
        ('"cubic"', "5", "$.traffic[0].tcp"),
        ("duration = 200", "duration = 0", "$.traffic[0].duration"),
        ("duration = 200", "duration = []", "$.traffic[0].duration"),
    ],
)
def test_mistake__is_marked_where_it_is(validator: Draft7Validator, good: str, bad: str, place: str) -> None:
    errors = list(validator.iter_errors(tomllib.loads(GOOD.replace(good, bad, 1))))
    found = best_match(errors)
    assert (found.json_path if found is not None else "") == place


def test_schema__explains_keys_and_is_printed(tmp_path: Path) -> None:
    said = tmt("schema", folder=tmp_path)
    assert (said.status, said.err) == (0, "")
    schema = json.loads(said.out)
    assert schema == json.loads(json.dumps(schema_of(Scenario)))
    path = schema["definitions"]["Path"]["properties"]
    assert path["rtt"]["description"].startswith("Round-trip propagation time of the path")
    assert path["queue_packets"]["description"].endswith(
        "Default: one bandwidth-delay product, at least 10 packets."
    )


DOCS = Path(__file__).resolve().parents[2] / "docs"
SCENARIOS, CAMPAIGNS = (DOCS / "scenarios.md").read_text(), (DOCS / "campaigns.md").read_text()


def test_example__is_a_scenario_of_60_runs(tmp_path: Path) -> None:
    text = re.search(r"```toml\n(.*?)```", SCENARIOS, re.DOTALL)
    (tmp_path / "s.toml").write_text(text[1])
    found = Scenario.read(tmp_path / "s.toml")
    assert (len(found.trace), len(found.scheme), len(found.path), len(found.traffic)) == (1, 3, 2, 2)
    assert found.size == 60


def test_tables_of_parameters__are_what_their_program_writes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(DOCS.with_name("tools"))
    tool, filled = importlib.import_module("scenario_tables"), importlib.import_module("page_tables").filled
    programs = (DOCS / "programs.md").read_text()
    for page, tables in ((SCENARIOS, tool.tables()), (programs, tool.program_tables())):
        assert filled(page, tables) == page, "run `python tools/scenario_tables.py`"


def test_campaigns__names_every_file_and_column() -> None:
    assert all(f"`{name}" in CAMPAIGNS for name in (DATABASE, RESULTS, *FOLDERS))
    assert all(f"`{column.name}`" in CAMPAIGNS for column in CAMPAIGN_COLUMNS)


def test_columns__have_names_of_their_own() -> None:
    names = [column.name for column in COLUMNS]
    assert len(set(names)) == len(names)
