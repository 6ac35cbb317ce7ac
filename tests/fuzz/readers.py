"""Every reader of files, as a function of a path that reads all of it."""

from __future__ import annotations

import hashlib
import json
import shutil
import sqlite3
import warnings
import zipfile
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from tests.scenario_parts import HARQ_OVER_GEO
from tmt.errors import TmtError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

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


FEW_ROWS = 10_000_000
"""In place of `tmt.measured.probes.MAX_ROWS`, which takes 2 GB."""


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
    import tmt.campaign.scenario
    import tmt.io
    import tmt.measured.files
    import tmt.results.reading  # noqa: F401


def _trace(path: Path) -> None:
    from tmt.io import open_trace

    with open_trace(path) as reader:
        for _ in reader:
            pass


def _metadata(path: Path) -> None:
    from tmt.io import open_trace

    trace = path.with_name("beside.npy")
    shutil.copyfile(CONTRACT / "link.npy", trace)
    shutil.copyfile(path, f"{trace}.json")
    with open_trace(trace):
        pass


def _scenario(path: Path) -> None:
    from tmt.campaign.scenario import load

    load(path)


def _campaign(path: Path) -> None:
    """Read a campaign whose database is the input, or whose run has it in the column of its first byte."""
    from tmt.results.reading import read_results

    folder = path.with_name("campaign")
    folder.mkdir(exist_ok=True)
    database = folder / "campaign.sqlite"
    content = path.read_bytes()
    if content.startswith(b"SQLite"):
        database.write_bytes(content)
    else:
        shutil.copyfile(CORPUS / "campaign" / "one-run.sqlite", database)
        column, _, text = content.partition(b"=")
        with closing(sqlite3.connect(database)) as connection:
            _, *names = [name for _, name, *_ in connection.execute("PRAGMA table_info(runs)")]
            chosen = names[(column[0] - 1 if column else 0) % len(names)]
            connection.execute(f"UPDATE runs SET {chosen} = CAST(? AS TEXT)", (text,))
            connection.commit()
    read_results(folder)


def _published(path: Path) -> None:
    from tmt.results.reading import read_results

    folder = path.with_name("campaign")
    folder.mkdir(exist_ok=True)
    shutil.copyfile(CORPUS / "campaign" / "one-run.sqlite", folder / "campaign.sqlite")
    read_results(folder, path)


def _pack(path: Path) -> None:
    """Read a pack, or one whose `pack.json` or results are the input, by the input's first byte."""
    from tmt.campaign.pack_reader import is_pack, unpacked
    from tmt.results.reading import check_rows, results_of

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
        rows = found.results.to_pandas()
        check_rows(rows, path)
        results_of(rows, "")


def _importer(name: str) -> Callable[[Path], None]:
    def read_measurement(path: Path) -> None:
        from tmt.measured import probes
        from tmt.measured.files import import_trace

        probes.MAX_ROWS = FEW_ROWS
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
    "published": _published,
    "pack": _pack,
    **{name: _importer(name) for name in IMPORTERS},
}

ENDINGS = {name: f".{name}" for name in ("npy", "txt", "csv", "parquet")} | {"scenario": ".toml"}


def seeds(name: str) -> Iterator[bytes]:
    """Yield the inputs from which a reader's random inputs are made: its corpus, and the contract files."""
    for path in sorted((CORPUS / name).glob("*")):
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
