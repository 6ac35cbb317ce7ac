"""Rows of a campaign's database against damage and strangers, and packet records against other attempts."""

from __future__ import annotations

import os
import sqlite3
import struct
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from result_rows import row_of, stored

from tmt.campaign.columns import DONE, FAILED
from tmt.campaign.database import DATABASE, read_runs
from tmt.campaign.store import Store
from tmt.core.errors import InputError, TmtError

if TYPE_CHECKING:
    from tmt.campaign.columns import Row


@pytest.fixture
def out(tmp_path: Path) -> Path:
    """Return the folder of a campaign with a few rows."""
    rows = (row_of(n, goodput_bps=799_296.5 + n, delay_p95_s=0.16 / (n + 1)) for n in range(12))
    return stored(tmp_path / "out", *rows)


def test_row__that_has_changed_is_refused_and_its_run_is_done_again(out: Path) -> None:
    key = read_runs(out)["key"][3].as_py()
    with sqlite3.connect(out / DATABASE) as connection:
        connection.execute("UPDATE runs SET goodput_bps = -839104.0 WHERE key = ?", (key,))
    with pytest.raises(TmtError, match=f"the row of run {key} has changed; `tmt run` does it again"):
        read_runs(out)
    store = Store(out)
    assert len(store.held) == 11
    assert key not in store.held
    store.close()
    assert len(read_runs(out)) == 11


@pytest.mark.parametrize(
    ("sql", "named"),
    [
        ("CREATE TRIGGER t AFTER INSERT ON runs BEGIN UPDATE runs SET goodput_bps = 1; END", "trigger t"),
        ("CREATE INDEX i ON runs (abs(goodput_bps))", "index i"),
        ("CREATE VIEW v AS SELECT 1", "view v"),
        ("CREATE TABLE more (a)", "table more"),
        ("ALTER TABLE runs ADD COLUMN c TEXT CHECK (c != '')", "table runs"),
        ("ALTER TABLE runs ADD COLUMN c TEXT GENERATED ALWAYS AS (key) VIRTUAL", "table runs"),
    ],
)
def test_database__with_something_of_a_stranger_is_refused(sql: str, named: str, out: Path) -> None:
    with sqlite3.connect(out / DATABASE) as connection:
        connection.execute(sql)
    for use in (read_runs, Store):
        with pytest.raises(TmtError, match=f"it holds the {named}, which is not ours"):
            use(out)


def test_journal__that_names_another_file_does_not_remove_it(out: Path, tmp_path: Path) -> None:
    # SQLite plays such a journal back when the database is opened, and then removes the file that it names.
    page_bytes, magic = 4096, bytes.fromhex("d9d505f920a163d7")
    victim = tmp_path / "victim"
    victim.write_text("mine")
    pages = (out / DATABASE).stat().st_size // page_bytes
    head = magic + struct.pack(">5I", 0, 0, pages, 512, page_bytes)
    name = bytes(victim)
    end = struct.pack(">II", len(name), sum(name)) + magic
    (out / f"{DATABASE}-journal").write_bytes(head.ljust(512, b"\0") + b"\0\4\0\1" + name + end)
    assert len(read_runs(out)) == 12
    with pytest.raises(InputError, match=r"campaign\.sqlite-journal: names another file"):
        Store(out)
    assert victim.exists()


@pytest.mark.parametrize("kind", ["link", "pipe"])
def test_log__that_is_no_file_is_refused(kind: str, out: Path) -> None:
    log = out / f"{DATABASE}-wal"
    if kind == "pipe":
        os.mkfifo(log)
    else:
        log.symlink_to("/dev/zero")
    for use in (read_runs, Store):
        with pytest.raises(TmtError, match=r"campaign\.sqlite-wal: is a link or a device"):
            use(out)


def test_records__come_with_the_row_of_their_attempt(tmp_path: Path) -> None:
    """A second engine finds the records of one that died before its row: they go, whatever they hold."""
    first = Store(tmp_path / "out")
    row = _with_records(first, row_of(1), "first")
    assert first.append(row) == 1
    dead = _with_records(first, row_of(2), "dead")
    (first.scratch / Path(str(dead["records"])).name).rename(tmp_path / "out" / str(dead["records"]))
    first.close()
    (tmp_path / "out" / "records" / "notes").mkdir()
    second = Store(tmp_path / "out")
    left = {path.name for path in (tmp_path / "out" / "records").iterdir()}
    assert left == {"notes", Path(str(row["records"])).name}
    assert second.has_records(second.held[str(row["key"])])
    late = _with_records(second, row_of(1), "late")
    assert second.append(late) == 0
    assert second.append(_with_records(second, row_of(2), "again")) == 1
    (_, again) = second.table()["records"].to_pylist()
    assert (tmp_path / "out" / again / "made_by").read_text() == "again"
    second.close()


def test_records__of_a_later_attempt_replace_the_row_that_failed(tmp_path: Path) -> None:
    store = Store(tmp_path / "out")
    store.append(row_of(1, status=FAILED))
    store.append(_with_records(store, row_of(1, attempt=2), "second"))
    assert [(held.status, held.attempt) for held in store.held.values()] == [(DONE, 2)]
    store.close()


@pytest.mark.parametrize("target", ["elsewhere", "nowhere"])
def test_records__harm_nobody_behind_a_link_beside_them(target: str, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "work").touch()
    key = row_of(1)["key"]
    out = stored(tmp_path / "out", row_of(2))
    for name in (f"{key}", f"{key}-{0:016x}"):
        (out / "records" / name).symlink_to(tmp_path / target)
    store = Store(out)
    assert store.append(_with_records(store, row_of(1), "ours")) == 1
    (held,) = (held for held in store.held.values() if held.records)
    assert store.has_records(held)
    store.close()
    assert (tmp_path / "elsewhere" / "work").exists()


def _with_records(store: Store, row: Row, text: str) -> Row:
    """Return the row with packet records that wait in the engine's scratch folder."""
    name = f"{row['key']}-{len(list(store.scratch.iterdir())):016x}"
    (store.scratch / name).mkdir()
    (store.scratch / name / "made_by").write_text(text)
    return row | {"records": f"records/{name}"}
