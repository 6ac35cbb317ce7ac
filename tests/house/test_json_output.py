"""`--json` prints one object on stdout, and nothing else, for every command that makes a trace."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.house.conftest import Said


def _record(tmt: Callable[[str], Said], arguments: str) -> dict[str, Any]:
    status, out, err = tmt(f"{arguments} --json")
    assert (status, err) == (0, "")
    record: dict[str, Any] = json.loads(out)
    return record


def test_generate__gives_channel_seed_and_slots(tmt: Callable[[str], Said]) -> None:
    channel = "--channel bernoulli --probability 0.1"
    made = {"phy": "a.npy", "channel": {"channel": "bernoulli", "probability": 0.1}}
    assert _record(tmt, f"generate {channel} --duration 3 --seed 7 a.npy") == made | {
        "seed": 7,
        "slots": 3000,
    }
    assert _record(tmt, f"generate {channel} --over phy.parquet a.npy") == made | {"seed": 1, "slots": 2000}


def test_convert__gives_each_conversion_with_its_counts(tmt: Callable[[str], Said]) -> None:
    (made,) = _record(tmt, "convert phy.parquet a.npy --scheme arq --rtt 0.1 --every 2")["conversions"]
    assert (made["phy"], made["link"], made["every"], made["slots"]) == ("phy.parquet", "a.npy", 2, 1000)
    assert made["scheme"] == {
        "name": "arq",
        "rtt_ns": 100_000_000,
        "max_transmissions": None,
        "detection_delay_ns": 0,
    }
    assert made["data_rows"] + made["retransmission_slots"] == made["slots"]
    assert made["delivered"] + made["lost"] + made["unsettled"] == made["data_rows"]
    both = _record(tmt, "convert phy.parquet --output links --scheme none --scheme fec --data 3 --repair 1")
    assert [one["scheme"]["name"] for one in both["conversions"]] == ["none", "fec"]


@pytest.mark.parametrize(("options", "tool"), [("", None), ("--for mahimahi", "mahimahi")])
def test_export__gives_rows_and_notes(tmt: Callable[[str], Said], options: str, tool: str | None) -> None:
    made = _record(tmt, f"export link.parquet link.txt {options}")
    assert (made["trace"], made["out"], made["for"]) == ("link.parquet", "link.txt", tool)
    assert made["rows"] > 900
    assert all(isinstance(note, str) for note in made["notes"])
    assert bool(made["notes"]) == (tool is not None)


@pytest.mark.parametrize("file_format", ["mahimahi", "auto"])
def test_import__gives_counts_and_notes(folder: Path, tmt: Callable[[str], Said], file_format: str) -> None:
    (folder / "cell.down").write_text("0\n10\n20\n")
    assert _record(tmt, f"import {file_format} cell.down a.npy") == {
        "trace": "a.npy",
        "kind": "phy",
        "format": "mahimahi",
        "rows": 3,
        "erased": 0,
        "notes": [],
    }
