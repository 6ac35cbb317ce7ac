"""`tmt compare`: what it prints, its JSON, its page and its refusals."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from result_rows import run

from tmt.campaign.store import Store
from tmt.cli.compare_command import command, names_of
from tmt.core.errors import UsageError


def _campaign(folder: Path, gain: float, **values: Any) -> Path:
    store = Store(folder)
    for number in range(6):
        about = {"key": f"{number:032x}", "status": "done", "attempt": 1, "experiment": "e"}
        place = {"tcp": ("newreno", "cubic")[number % 2], "seed": number // 2 + 1}
        goodput = {"goodput_bps": 1e5 + 1000 * gain * (number % 2) * (10 + number)}
        store.append(run() | place | goodput | about | values)
    store.close()
    return folder


def _said(*arguments: object) -> str:
    result = CliRunner().invoke(command, [str(argument) for argument in arguments], catch_exceptions=False)
    assert result.exit_code == 0
    return result.output


def test_compare__prints_pairs_settings_programs_and_differences(tmp_path: Path) -> None:
    first = _campaign(tmp_path / "one" / "out", 0)
    second = _campaign(tmp_path / "two" / "out", 1, stack="modern", simulator="n" * 64)
    said = _said(first, second, "--output", tmp_path / "page.html")
    lines = [" ".join(line.split()) for line in said.splitlines()]
    assert lines[:3] == [
        "one/out: out, 6 runs",
        "two/out: out, 6 runs",
        "6 pairs of runs: the same place in the grid, the same seed",
    ]
    assert "stack n/a modern 6" in lines
    assert f"simulator ns {'n' * 16}" in lines
    # CUBIC gains 11, 13 and 15 kbit/s: 13 +- 4.303 * 2 / sqrt(3).
    assert "CUBIC ARQ 100 ±0 113.0 ±5.0 +13.0 ±5.0* +13.0% 3 0.016" in lines
    assert "3 pairs are equal in everything that they measured, bit by bit." in lines
    assert "<title>one/out and two/out: paired" in (tmp_path / "page.html").read_text()


def test_compare__of_equal_campaigns_says_so_and_no_more(tmp_path: Path) -> None:
    first, second = (_campaign(tmp_path / name, 1) for name in ("a", "b"))
    said = _said(first, second)
    assert said.endswith("All pairs are equal in everything that they measured, bit by bit.\n")
    assert "Goodput" not in said


def test_compare__gives_json(tmp_path: Path) -> None:
    first, second = (_campaign(tmp_path / name, gain) for name, gain in (("a", 0), ("b", 1)))
    found = json.loads(_said(first, second, "--json"))
    assert (found["pairs"], found["equal"], found["unpaired"]) == (6, 3, [])
    cubic = next(cell for cell in found["cells"] if cell["tcp"] == "cubic")
    assert cubic["measures"]["goodput_bps"]["difference"]["mean"] == pytest.approx(13)
    assert found["measures"]["goodput_bps"] == "kbit/s"


def test_compare__of_one_campaign_takes_its_earlier_runs(tmp_path: Path) -> None:
    folder = _campaign(tmp_path / "a", 0)
    with pytest.raises(UsageError, match="it has none; name two"):
        CliRunner().invoke(command, [str(folder)], catch_exceptions=False)
    store = Store(folder)
    for number in range(6):
        about = {"key": f"1{number:031x}", "status": "done", "attempt": 1, "experiment": "f"}
        place = {"tcp": ("newreno", "cubic")[number % 2], "seed": number // 2 + 1, "goodput_bps": 3e5}
        store.append(run() | place | about)
    store.close()
    found = json.loads(_said(folder, "--json"))
    assert (found["first"]["name"], found["second"]["name"], found["pairs"]) == ("earlier", "latest", 6)


def test_names__are_the_shortest_ends_that_differ(tmp_path: Path) -> None:
    assert names_of(tmp_path / "a" / "out" / "q", tmp_path / "b" / "out" / "q") == ("a/out/q", "b/out/q")
    assert names_of(tmp_path / "a", tmp_path / "b") == ("a", "b")
    assert names_of(tmp_path, tmp_path) == ("first", "second")
