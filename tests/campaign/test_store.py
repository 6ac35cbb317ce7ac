"""A store keeps every finished run once, for several writers and after each kind of abrupt end."""

import fcntl
import os
import resource
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pyarrow.parquet as pq
import pytest
from machine import disk, make_read_only, preloaded
from processes import execute
from result_rows import row_of, stored
from waiting import until

from tmt.campaign.columns import DONE, FAILED, arrow_schema
from tmt.campaign.database import DATABASE, StoredRuns, read_runs
from tmt.campaign.rows import checksum
from tmt.campaign.store import Store
from tmt.campaign.system import System
from tmt.core.errors import InputError, OutputError

Row = dict[str, Any]


def _rows(store: StoredRuns) -> list[Row]:
    rows: list[Row] = store.table().to_pylist()
    return sorted(rows, key=lambda row: row["seed"])


def test_store__keeps_rows_over_engines(tmp_path: Path) -> None:
    for number in range(3):
        stored(tmp_path / "out", row_of(number))
        assert _rows(StoredRuns(tmp_path / "out")) == [row_of(one) for one in range(number + 1)]
    assert pq.read_table(tmp_path / "out" / "results.parquet").equals(read_runs(tmp_path / "out"))
    left = {path.name for path in (tmp_path / "out").iterdir()}
    assert left == {"campaign.sqlite", "results.parquet", "cache", "records", "scratch"}
    assert list((tmp_path / "out" / "scratch").iterdir()) == []


def test_store__keeps_values_as_they_are(tmp_path: Path) -> None:
    row = row_of(
        1,
        goodput_bps=1 / 3,
        message="two\nlines, ü, \x00, \U0001f6f0",
        in_order=True,
        loop=False,
        queue_packets=2**53 + 1,
        capacity_bps=float("inf"),
    )
    store = Store(tmp_path / "out")
    store.append(row, row_of(2, goodput_bps=float("nan"), trace="bad \udce4"))
    assert _rows(store) == [row, row_of(2, trace="bad \\udce4")]
    assert store.table().schema == arrow_schema()
    store.close()


def test_store__keeps_the_row_that_is_done_or_the_last(tmp_path: Path) -> None:
    stored(tmp_path / "out", *(row_of(number, status=FAILED, attempt=1) for number in (1, 2)))
    store = Store(tmp_path / "out")
    store.append(row_of(1, status=DONE, attempt=2))
    store.append(row_of(2, status=FAILED, attempt=2))
    store.append(row_of(3, status=DONE, attempt=1))
    store.append(row_of(3, status=FAILED, attempt=2))
    expected = [
        row_of(1, status=DONE, attempt=2),
        row_of(2, status=FAILED, attempt=2),
        row_of(3, status=DONE, attempt=1),
    ]
    assert _rows(store) == expected
    assert sorted(store.held.values()) == [(DONE, 1, None), (DONE, 2, None), (FAILED, 2, None)]
    store.close()
    assert pq.read_table(tmp_path / "out" / "results.parquet").num_rows == 3


def test_stores__at_work_at_once_see_each_others_rows(tmp_path: Path) -> None:
    first, second = Store(tmp_path / "out"), Store(tmp_path / "out")
    first.append(row_of(1))
    second.append(row_of(2))
    first.look()
    assert len(first.held) == len(second.held) == 2
    second.close()
    first.append(row_of(3))
    assert len(first.held) == 3
    first.close()
    assert pq.read_table(tmp_path / "out" / "results.parquet")["seed"].to_pylist() == [1, 2, 3]


CLAIMER = """
import sys
from tmt.campaign.store import Store
store = Store(sys.argv[1])
print(store.claim(sys.argv[2]), flush=True)
sys.stdin.readline()
"""


class SweptSystem(System):
    """A machine on which another engine opens the campaign while this one makes its database."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.others = folder, list[Store]()

    def connect(self, path: Path) -> sqlite3.Connection:
        connection = super().connect(path)
        if path.parent.name == "scratch" and not self.others:
            connection.execute("CREATE TABLE first (a)")
            connection.execute("DROP TABLE first")
            self.others.append(Store(self.folder))
            assert not path.exists(), "the other engine takes the file for one that a dead engine has left"
        return connection


def test_store__opens_while_another_makes_the_database(tmp_path: Path) -> None:
    system = SweptSystem(tmp_path / "out")
    store = Store(tmp_path / "out", system)
    (other,) = system.others
    other.append(row_of(1))
    assert store.append(row_of(2)) == 1
    assert _rows(store) == [row_of(1), row_of(2)]
    other.close()
    store.close()


def test_claim__holds_until_its_owner_is_dead(tmp_path: Path) -> None:
    key, other = row_of(1)["key"], row_of(2)["key"]
    store = Store(tmp_path / "out")
    command = [sys.executable, "-c", CLAIMER, str(tmp_path / "out"), key]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "True\n"
        assert not store.claim(key)
        assert store.claim(other)
        process.send_signal(signal.SIGSTOP)
        assert not store.claim(key), "a stopped engine is alive"
        process.kill()
    assert store.claim(key)
    store.release(key)
    assert store.claim(key)
    store.close()


WRITER = """
import sys
from tmt.campaign.columns import blank_row
from tmt.campaign.store import Store
store = Store(sys.argv[1])
for number in range(int(sys.argv[2]), 10**6):
    store.append(blank_row() | {"key": f"{number:032x}", "status": "done", "attempt": 1, "seed": number})
    print(number, flush=True)
"""


def test_store__loses_no_row_that_it_has_taken_when_its_engine_is_killed(tmp_path: Path) -> None:
    taken: list[int] = []
    for _ in range(6):
        start = taken[-1] + 1 if taken else 0
        command = [sys.executable, "-c", WRITER, str(tmp_path / "out"), str(start)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as engine:
            taken += [int(engine.stdout.readline()) for _ in range(3)]
            engine.kill()
            taken += [int(line) for line in engine.stdout if line.endswith("\n")]
        # The row after the last one that was told may have been written too.
        found = read_runs(tmp_path / "out")["seed"].to_pylist()
        assert found[: len(taken)] == taken
        taken = found
    store = Store(tmp_path / "out")
    assert len(store.held) == len(taken) >= 18
    assert [path.name for path in (tmp_path / "out" / "scratch").iterdir()] == [store.engine]
    store.close()


def test_store__sweeps_the_scratch_of_dead_engines_and_nothing_else(tmp_path: Path) -> None:
    out = tmp_path / "out"
    alive = Store(out)
    (alive.scratch / "work").touch()
    dead, other = out / "scratch" / f"1-{0:016x}", out / "scratch" / "notes"
    (dead / "run").mkdir(parents=True)
    other.mkdir()
    (out / "notes.txt").write_text("mine")
    store = Store(out)
    assert not dead.exists()
    assert other.exists()
    assert (alive.scratch / "work").exists()
    assert (out / "notes.txt").read_text() == "mine"
    store.close()
    alive.close()


def test_store__harms_nobody_behind_a_link_in_its_scratch(tmp_path: Path) -> None:
    """A folder from somebody else, whose scratch leads elsewhere: nothing there is deleted or killed."""
    out, elsewhere = tmp_path / "out", tmp_path / "elsewhere"
    Store(out).close()
    elsewhere.mkdir()
    (elsewhere / "work").touch()
    (out / "scratch" / f"1-{0:016x}").symlink_to(elsewhere)
    (out / "scratch" / f"2-{0:016x}").mkdir()
    (out / "scratch" / f"2-{0:016x}" / "run").symlink_to(elsewhere)
    with subprocess.Popen(["sleep", "60"], cwd=elsewhere) as stranger:
        Store(out).close()
        assert stranger.poll() is None
        stranger.kill()
    assert (elsewhere / "work").exists()
    (out / "scratch" / f"1-{0:016x}").unlink()
    (out / "scratch").rmdir()
    (out / "scratch").symlink_to(elsewhere)
    with pytest.raises(InputError, match="scratch: is a link or a file where a folder belongs"):
        Store(out)
    assert [path.name for path in elsewhere.iterdir()] == ["work"]


@pytest.mark.parametrize("target", [".", "/nowhere", None])
def test_store__names_the_link_or_file_in_place_of_its_folder(target: str | None, tmp_path: Path) -> None:
    place = stored(tmp_path / "out", row_of(1)) / "records"
    place.rmdir()
    place.symlink_to(target) if target else place.touch()
    with pytest.raises(InputError, match="records: is a link or a file where a folder belongs"):
        Store(tmp_path / "out")


def test_store__refuses_a_folder_with_other_things(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").touch()
    with pytest.raises(InputError, match=r"holds thesis\.tex and no campaign"):
        Store(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


def _deep(folder: Path, length: int) -> Path:
    """Return a path of so many bytes below a folder."""
    while (missing := length - len(os.fsencode(folder))) > 0:
        folder /= "n" * (missing - 1 if missing <= 200 else 100)
    return folder


def test_folder__with_too_long_a_path_for_sqlite_is_named_before_anything_is_made(tmp_path: Path) -> None:
    """SQLite's paths have up to 512 bytes, 8 of them for an ending; "/scratch/new-" and 16 digits are 29."""
    deep = _deep(tmp_path, 476)
    said = "n: its path has 476 bytes; SQLite, which keeps the results, allows up to 475"
    for use in (Store, StoredRuns):
        with pytest.raises(InputError, match=said):
            use(deep)
    assert list(tmp_path.iterdir()) == []

    whole = stored(_deep(tmp_path, 475), row_of(1))
    moved = whole.rename(whole.with_name(f"{whole.name}{'m' * 13}"))
    assert read_runs(moved)["seed"].to_pylist() == [1]
    moved = moved.rename(moved.with_name(f"{moved.name}m"))
    with pytest.raises(InputError, match=r"has 489 bytes; SQLite, .* allows up to 488"):
        read_runs(moved)
    (tmp_path / "link").symlink_to(moved)
    with pytest.raises(InputError, match="its path has 489 bytes"):
        read_runs(tmp_path / "link")


def test_store__refuses_an_engine_of_another_machine(tmp_path: Path) -> None:
    store = Store(tmp_path / "out")
    with sqlite3.connect(tmp_path / "out" / DATABASE) as connection:
        connection.execute("UPDATE engines SET boot = 'another', machine = 'node7'")
    with pytest.raises(OutputError, match=r"an engine of another machine \(node7\) is at work here"):
        Store(tmp_path / "out")
    store.close()
    Store(tmp_path / "out").close()


@pytest.mark.parametrize("kind", ["none", "cut", "other", "view", "text", "part", "later"])
def test_store__leaves_a_damaged_database(kind: str, tmp_path: Path) -> None:
    out = stored(tmp_path / "out", *(row_of(number, message="x" * 3000) for number in range(50)))
    path = out / DATABASE
    reason = "is damaged"
    if kind == "none":
        path.write_bytes(b"no database at all, but long enough to be one" * 100)
    elif kind == "cut":
        path.write_bytes(path.read_bytes()[:40_000])
    elif kind == "other":
        path.unlink()
        with sqlite3.connect(path) as connection:
            connection.execute("CREATE TABLE runs (key)")
        reason = "is not the database of a campaign"
    elif kind == "later":
        with sqlite3.connect(path) as connection:
            connection.execute("PRAGMA user_version = 99")
        reason = "is of format 99"
    else:
        with sqlite3.connect(path) as connection:
            if kind == "part":
                connection.execute("UPDATE runs SET seed = 1.5")
            elif kind == "view":
                connection.execute("ALTER TABLE runs RENAME TO r")
                connection.execute("CREATE VIEW runs AS SELECT * FROM r")
            else:
                connection.execute("UPDATE runs SET trace = CAST(x'ff00fe' AS TEXT), goodput_bps = 'fast'")
    before = path.read_bytes()
    with pytest.raises(InputError, match=rf"campaign\.sqlite: {reason}") as caught:
        read_runs(out)
    assert "\n" not in str(caught.value)
    assert path.read_bytes() == before
    if kind not in {"text", "part", "cut"}:
        with pytest.raises(InputError, match=rf"campaign\.sqlite: {reason}"):
            Store(out)


def test_store__reads_a_campaign_with_fewer_columns(tmp_path: Path) -> None:
    stored(tmp_path / "out", row_of(1))
    with sqlite3.connect(tmp_path / "out" / DATABASE) as connection:
        connection.execute("ALTER TABLE runs DROP COLUMN capacity_bps")
        connection.execute("PRAGMA journal_mode = DELETE")
    assert _rows(StoredRuns(tmp_path / "out")) == [row_of(1)]
    store = Store(tmp_path / "out")
    store.append(row_of(2, capacity_bps=7.0))
    assert _rows(store) == [row_of(1), row_of(2, capacity_bps=7.0)]
    store.close()


def test_store__without_room_keeps_the_rows_before(tmp_path: Path) -> None:
    store = Store(tmp_path / "out")
    store.append(row_of(1))
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    # Python ignores SIGXFSZ, so that a write beyond the limit fails as on a full disk.
    resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, hard))
    try:
        with pytest.raises(OutputError, match=r"campaign\.sqlite: cannot be written"):
            store.append(*(row_of(number, message="x" * 10_000) for number in range(2, 40)))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert _rows(store) == [row_of(1)]
    store.append(row_of(2))
    store.close()
    assert read_runs(tmp_path / "out")["seed"].to_pylist() == [1, 2]


def test_store__reads_each_row_once_when_it_opens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = (row_of(number, goodput_bps=number / 7, command="ns replay " * 20) for number in range(3000))
    stored(tmp_path / "out", *rows)
    checked = Mock(wraps=checksum)
    monkeypatch.setattr("tmt.campaign.rows.checksum", checked)
    store = Store(tmp_path / "out")
    assert len(store.held) == checked.call_count == 3000
    store.look()
    assert checked.call_count == 3000
    store.append(row_of(3000))
    assert len(store.table()) == 3001
    store.close()


@pytest.fixture
def read_only(tmp_path: Path) -> Iterator[Path]:
    """Return a campaign on a file system that cannot be written."""
    with disk(tmp_path / "disk") as folder:
        stored(folder / "out", row_of(1))
        make_read_only(folder)
        yield folder / "out"


def test_read_only_folder__is_read_and_refused_for_work_in_one_line(read_only: Path) -> None:
    assert len(read_runs(read_only)) == 1
    stored = StoredRuns(read_only)
    stored.look()
    assert len(stored.held) == 1
    with pytest.raises(OutputError, match="Read-only file system"):
        Store(read_only)


def _tree(folder: Path) -> dict[str, tuple[int, int, bytes]]:
    found = {}
    for path in sorted(folder.rglob("*")):
        status = path.stat()
        content = path.read_bytes() if path.is_file() and not path.name.endswith("-shm") else b""
        found[str(path)] = status.st_ino, status.st_mtime_ns, content
    return found


def test_reading__changes_nothing_and_asks_no_lock(tmp_path: Path) -> None:
    out = tmp_path / "out"
    store = Store(out)
    store.append(row_of(1))
    before = _tree(out)
    connection = sqlite3.connect(out / DATABASE, isolation_level=None)
    connection.execute("BEGIN EXCLUSIVE")  # whoever asks for a lock now is refused
    assert read_runs(out)["seed"].to_pylist() == [1]
    connection.execute("ROLLBACK")
    assert _tree(out) == before
    connection.close()
    store.close()
    before = _tree(out)
    assert read_runs(out)["seed"].to_pylist() == [1]
    assert _tree(out) == before


def test_reading__while_an_engine_writes_gives_all_rows_of_one_moment(tmp_path: Path) -> None:
    """The log is short here, so that it is copied into the database and begun anew all the time."""
    script = WRITER.replace(
        "store = Store", "from tmt.campaign import opening; opening.LOG_PAGES = 500\nstore = Store"
    )
    out = tmp_path / "out"
    command = [sys.executable, "-c", script, str(out), "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as engine:
        engine.stdout.readline()
        os.set_blocking(engine.stdout.fileno(), False)
        looks = most = 0

        def is_enough() -> bool:
            nonlocal looks, most
            seeds = read_runs(out)["seed"].to_pylist()
            assert seeds == list(range(len(seeds)))
            assert len(seeds) >= most
            looks, most = looks + 1, len(seeds)
            engine.stdout.read()
            return looks >= 6 and most > 100

        until(is_enough, engine)
        engine.kill()


@pytest.mark.parametrize(
    ("error", "reason"),
    [(None, "grants the same lock twice"), (37, "files cannot be locked here: No locks available")],
)
def test_store__refuses_a_file_system_without_locks(error: int | None, reason: str, tmp_path: Path) -> None:
    """A library between the program and the system stands for such a file system."""
    variables = {} if error is None else {"LOCK_ERROR": str(error)}
    environment = preloaded(Path(__file__).with_name("false_locks.c"), tmp_path, **variables)
    script = (
        "import sys; from tmt.campaign.store import Store; from tmt.core.errors import OutputError\n"
        "try: Store(sys.argv[1])\nexcept OutputError as error: print(error)"
    )
    command = [sys.executable, "-c", script, tmp_path / "out"]
    result = execute(*command, env=environment)
    assert result.stderr == ""
    assert reason in result.stdout
    assert result.stdout.count("\n") == 1
    assert not (tmp_path / "out" / DATABASE).exists()


def test_store__works_without_hard_links(tmp_path: Path) -> None:
    """A library stands for exFAT by FUSE; one of two engines that start at once makes the database."""
    environment = preloaded(Path(__file__).with_name("no_links.c"), tmp_path)
    script = (
        "import sys; from pathlib import Path; from tmt.campaign import opening\n"
        "from tmt.campaign.store import Store\n"
        "made = [Store(sys.argv[1]) for _ in range(2)]\n"
        "opening.make_database(made[1].folder, made[1]._system)\n"
        "for store in made: store.close()\n"
        "print(*sorted(path.name for path in Path(sys.argv[1]).rglob('*')))"
    )
    result = execute(sys.executable, "-c", script, tmp_path / "out", env=environment)
    assert (result.stdout, result.stderr) == ("cache campaign.sqlite records scratch\n", "")


def test_engine__may_be_looked_at_by_other_users(tmp_path: Path) -> None:
    """One that root had started, and that was killed, would keep the folder's owner out."""
    before = os.umask(0o022)
    try:
        store = Store(tmp_path / "out")
        assert (store.scratch / "alive").stat().st_mode & 0o777 == 0o644
        store.close()
    finally:
        os.umask(before)


def test_store__opens_beside_an_engine_of_the_same_process_number(tmp_path: Path) -> None:
    """Another container may have one, which looks at the locks just now."""
    (tmp_path / "out" / "scratch").mkdir(parents=True)
    with (tmp_path / "out" / "scratch" / f"lock-{os.getpid()}").open("w") as probe:
        fcntl.flock(probe, fcntl.LOCK_EX)
        Store(tmp_path / "out").close()
