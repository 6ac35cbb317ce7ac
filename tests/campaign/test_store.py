"""A store keeps every finished run once, whoever writes to it and however they end."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from tmt.campaign.columns import DONE, FAILED, arrow_schema
from tmt.campaign.journal import encode
from tmt.campaign.store import Store
from tmt.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

Row = dict[str, Any]


def _rows(store: Store) -> list[Row]:
    rows: list[Row] = store.table().to_pylist()
    return sorted(rows, key=lambda row: row["seed"])


def test_store__keeps_rows_over_engines_that_come_and_go(
    tmp_path: Path, make_row: Callable[..., Row]
) -> None:
    for number in range(3):
        store = Store(tmp_path / "out")
        store.append(make_row(number))
        assert len(store.held) == number + 1
        store.close()
    store = Store(tmp_path / "out")
    assert _rows(store) == [make_row(number) for number in range(3)]
    assert list((tmp_path / "out" / "journal").glob("*.jsonl")) == [store._writer.path]
    store.close()


def test_store__keeps_the_row_that_is_done_and_else_the_last(
    tmp_path: Path, make_row: Callable[..., Row]
) -> None:
    store = Store(tmp_path / "out")
    store.append(make_row(1, status=FAILED, attempt=1))
    store.append(make_row(2, status=FAILED, attempt=1))
    store.close()
    store = Store(tmp_path / "out")
    store.append(make_row(1, status=DONE, attempt=2))
    store.append(make_row(2, status=FAILED, attempt=2))
    store.append(make_row(3, status=DONE, attempt=1))
    store.append(make_row(3, status=FAILED, attempt=2))
    expected = [
        make_row(1, status=DONE, attempt=2),
        make_row(2, status=FAILED, attempt=2),
        make_row(3, status=DONE, attempt=1),
    ]
    assert _rows(store) == expected
    assert sorted(store.held.values()) == [(DONE, 1), (DONE, 2), (FAILED, 2)]
    store.close()
    again = Store(tmp_path / "out")
    assert _rows(again) == expected
    again.close()


def test_stores__at_work_at_once_see_each_others_rows(tmp_path: Path, make_row: Callable[..., Row]) -> None:
    first, second = Store(tmp_path / "out"), Store(tmp_path / "out")
    first.append(make_row(1))
    second.append(make_row(2))
    assert len(second.held) == 1
    second.refresh()
    assert len(second.held) == 2
    second.close()  # moves its own row into the results, not that of the other, which is still at work
    first.append(make_row(3))
    first.refresh()
    assert len(first.held) == 3
    assert _rows(first) == [make_row(number) for number in (1, 2, 3)]
    first.close()
    third = Store(tmp_path / "out")
    assert _rows(third) == [make_row(number) for number in (1, 2, 3)]
    third.close()


CLAIMER = """
import sys
from tmt.campaign.store import Store
store = Store(sys.argv[1])
print(store.claim(sys.argv[2]), flush=True)
sys.stdin.readline()
"""


def test_claim__holds_off_other_processes_until_its_owner_is_dead(
    tmp_path: Path, make_row: Callable[..., Row]
) -> None:
    key, other = make_row(1)["key"], make_row(2)["key"]
    store = Store(tmp_path / "out")
    command = [sys.executable, "-c", CLAIMER, str(tmp_path / "out"), key]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "True\n"
        assert not store.claim(key)
        assert store.claim(other)
        process.kill()
    assert store.claim(key)
    store.close()


def test_store__sweeps_the_scratch_of_dead_engines_and_nothing_else(
    tmp_path: Path, make_row: Callable[..., Row]
) -> None:
    out = tmp_path / "out"
    alive = Store(out)
    (alive.scratch / "work").touch()
    dead = out / "scratch" / "1-0000"
    (dead / "run").mkdir(parents=True)
    (out / "notes.txt").write_text("mine")
    (out / "journal" / "1-0000.1.jsonl").write_bytes(encode(make_row(7)) + b"1234 torn")
    with subprocess.Popen(["sleep", "60"], cwd=dead / "run") as stray:
        store = Store(out)
        assert stray.wait(5) == -9
    assert not dead.exists()
    assert (alive.scratch / "work").exists()
    assert (out / "notes.txt").read_text() == "mine"
    assert _rows(store) == [make_row(7)]
    store.close()
    alive.close()


def test_store__refuses_a_folder_with_other_things(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").touch()
    with pytest.raises(InputError, match=r"holds thesis\.tex and no campaign"):
        Store(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


def test_store__refuses_damaged_results_and_leaves_them(tmp_path: Path, make_row: Callable[..., Row]) -> None:
    store = Store(tmp_path / "out")
    store.append(make_row(1))
    store.close()
    results = tmp_path / "out" / "results.parquet"
    results.write_bytes(results.read_bytes()[:-20])
    damaged = results.read_bytes()
    with pytest.raises(InputError, match=r"results\.parquet: is damaged"):
        Store(tmp_path / "out")
    assert results.read_bytes() == damaged


def test_store__refuses_results_of_other_types(tmp_path: Path, make_row: Callable[..., Row]) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    store = Store(tmp_path / "out")
    store.append(make_row(1))
    store.close()
    results = tmp_path / "out" / "results.parquet"
    table = pq.read_table(results).drop_columns(["goodput_bps"])
    pq.write_table(table.append_column("goodput_bps", pa.array(["fast"])), results)
    with pytest.raises(
        InputError, match=r"results\.parquet: is damaged: column goodput_bps holds string, not double"
    ):
        Store(tmp_path / "out").table()


def test_store__reads_results_of_an_earlier_schema(tmp_path: Path, make_row: Callable[..., Row]) -> None:
    import pyarrow.parquet as pq

    store = Store(tmp_path / "out")
    store.append(make_row(1))
    store.close()
    results = tmp_path / "out" / "results.parquet"
    pq.write_table(pq.read_table(results).drop_columns(["capacity_bps", "finished_at"]), results)
    store = Store(tmp_path / "out")
    store.append(make_row(2))
    assert _rows(store) == [make_row(1), make_row(2)]
    assert store.table().schema == arrow_schema()
    store.close()


def test_store__of_100000_runs_opens_and_takes_more(tmp_path: Path, make_row: Callable[..., Row]) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    store = Store(tmp_path / "out")
    store.append(make_row(0))
    store.close()
    rows = [
        make_row(number, goodput_bps=number / 7, command="ns replay.tcl " * 20) for number in range(100_000)
    ]
    pq.write_table(pa.Table.from_pylist(rows, schema=arrow_schema()), tmp_path / "out" / "results.parquet")
    store = Store(tmp_path / "out")
    assert len(store.held) == 100_000
    store.append(make_row(100_000))
    assert len(store.table()) == 100_001
    store.close()
