"""Every reader of files, as a function of a path that reads all of it."""

from __future__ import annotations

import hashlib
import json
import shutil
import sqlite3
import tempfile
import warnings
import zipfile
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING
from unittest.mock import patch

from tests.scenario_parts import HARQ_OVER_GEO
from tmt.errors import TmtError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tmt.results.dataset import Results

ROOT = Path(__file__).resolve().parents[2]
CONTRACT = ROOT / "traces" / "contract"
CORPUS = Path(__file__).with_name("corpus")

IMPORTER_OPTIONS = {
    "bler": {"slot_interval_ns": 1_000_000},
    "ns3-lte": {"user": "1"},
}
"""Options without which a reader of measurements reads nothing."""

SCENARIO = f"""
[grid]
tcp = ["newreno"]
seeds = 2
[[trace]]
channel = "gilbert-elliott"
alpha = 0.99
beta = 0.5
rate = 1000000
length = 10
lldu_bytes = 1500
{HARQ_OVER_GEO}[[traffic]]
stack = "2009"
duration = 5
""".encode()


FEW_ROWS = 100_000
"""In place of `tmt.measured.probes.MAX_ROWS` and `MOST_LOST`: so many rows take a second and 2 GB."""

LONGEST_SEED_BYTES = 40_000
"""Longer inputs of the corpora are read, but not changed: one of them takes the time of a thousand others."""


def read(name: str, path: Path) -> str:
    """Read a file with the reader called `name`; return the refusal's line, empty for a good file.

    Raises
    ------
    Exception
        What no reader may raise, and AssertionError for a refusal of more than one line.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            READERS[name](path)
        except TmtError as refused:
            line = str(refused)
            assert "\n" not in line, f"a refusal of several lines: {line!r}"
            return line
    return ""


def import_libraries() -> None:
    """Import what the readers import when they are first used."""
    import tmt.campaign.pack_reader
    import tmt.campaign.scenario
    import tmt.io
    import tmt.measured.files
    import tmt.results.reading  # noqa: F401


def read_in_one_thread() -> None:
    """Read traces without the thread that reads ahead: a start of it takes longer than a short trace."""
    from tmt.io import base

    base.ahead = iter  # type: ignore[assignment]


def _trace(path: Path) -> None:
    from tmt.io import open_trace

    with open_trace(path) as reader:
        for _ in reader:
            pass


def _metadata(path: Path) -> None:
    from tmt.io import open_trace

    trace = path.with_name("beside.npy")
    if not trace.exists():
        shutil.copyfile(CONTRACT / "link.npy", trace)
    shutil.copyfile(path, f"{trace}.json")
    with open_trace(trace):
        pass


def _scenario(path: Path) -> None:
    from tmt.campaign.scenario import load

    load(path)


def _campaign(path: Path) -> None:
    """Read the rows of a campaign; see `_database`."""
    from tmt.campaign.database import DATABASE, read_runs
    from tmt.results.reading import check_rows

    folder = _database(path)
    rows = read_runs(folder).to_pandas()
    check_rows(rows, folder / DATABASE)


def _results(path: Path) -> None:
    """Read a campaign as a report does; see `_database`."""
    from tmt.results.reading import read_results

    read_results(_database(path))


def _database(path: Path) -> Path:
    """Return a campaign whose database is the input, or whose run has it in the column of its first byte."""
    folder = path.with_name("campaign")
    folder.mkdir(exist_ok=True)
    database = folder / "campaign.sqlite"
    content = path.read_bytes()
    if content.startswith(b"SQLite"):
        database.write_bytes(content)
        return folder
    shutil.copyfile(CORPUS / "campaign" / "one-run.sqlite", database)
    column, _, text = content.partition(b"=")
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("PRAGMA journal_mode = OFF")
        connection.execute("PRAGMA synchronous = OFF")
        _, *names = [name for _, name, *_ in connection.execute("PRAGMA table_info(runs)")]
        chosen = names[(column[0] - 1 if column else 0) % len(names)]
        connection.execute(f"UPDATE runs SET {chosen} = CAST(? AS TEXT)", (text,))
        connection.commit()
    return folder


def _published(path: Path) -> None:
    from tmt.results.published import read_published, unmatched_warnings

    results = _one_run()
    unmatched_warnings(read_published(path, results.axes, results.title), results.runs)


@cache
def _one_run() -> Results:
    from tmt.results.reading import read_results

    with tempfile.TemporaryDirectory() as folder:
        shutil.copyfile(CORPUS / "campaign" / "one-run.sqlite", Path(folder) / "campaign.sqlite")
        return read_results(Path(folder))


def _pack(path: Path) -> None:
    """Read a pack, or one whose `pack.json` or results are the input, by the input's first byte."""
    from tmt.campaign.pack_reader import is_pack, unpacked
    from tmt.results.reading import check_rows

    content = path.read_bytes()
    if not is_pack(path):
        with zipfile.ZipFile(CORPUS / "pack" / "one-run") as archive:
            files = {name: archive.read(name) for name in archive.namelist()}
        name = "results.parquet" if content.startswith(b"PAR1") else "pack.json"
        files[name] = content
        if name == "results.parquet":
            manifest = json.loads(files["pack.json"])
            manifest["files"][name] = {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
            files["pack.json"] = json.dumps(manifest).encode()
        with zipfile.ZipFile(path, "w") as archive:
            for name, content in files.items():
                archive.writestr(name, content)
    with unpacked(path) as found:
        check_rows(found.results.to_pandas(), path)


def _importer(name: str) -> Callable[[Path], None]:
    def read_measurement(path: Path) -> None:
        from tmt.measured import probes
        from tmt.measured.files import import_trace

        with patch.multiple(probes, MAX_ROWS=FEW_ROWS, MOST_LOST=FEW_ROWS):
            import_trace(name, path, **IMPORTER_OPTIONS.get(name, {}))

    return read_measurement


IMPORTERS = (
    *(
        "ns3-lte",
        "ns3-nr",
        "srsran",
        "mobileinsight",
        "lte-harq",
        "nr-scope",
        "ng-scope",
        "irtt",
        "lens",
        "ping",
    ),
    *("pcap", "iperf3", "rates", "bler", "mahimahi"),
)

READERS: dict[str, Callable[[Path], None]] = {
    **dict.fromkeys(("npy", "txt", "csv", "parquet"), _trace),
    "metadata": _metadata,
    "scenario": _scenario,
    "campaign": _campaign,
    "results": _results,
    "published": _published,
    "pack": _pack,
    **{name: _importer(name) for name in IMPORTERS},
}

ENDINGS = {name: f".{name}" for name in ("npy", "txt", "csv", "parquet")} | {"scenario": ".toml"}


def seeds(name: str) -> Iterator[bytes]:
    """Yield the known inputs of a reader: its corpus, and the contract files."""
    for path in sorted((CORPUS / {"results": "campaign"}.get(name, name)).glob("*")):
        yield path.read_bytes()
    if name in {"npy", "txt", "csv", "parquet"}:
        for path in sorted(CONTRACT.glob(f"*.{name}")):
            yield path.read_bytes()
    if name == "scenario":
        yield SCENARIO
        for path in sorted((ROOT / "scenarios").glob("*.toml")):
            yield path.read_bytes()
    if name == "pack":
        with zipfile.ZipFile(CORPUS / "pack" / "one-run") as archive:
            yield from (archive.read(inner) for inner in ("pack.json", "results.parquet"))
