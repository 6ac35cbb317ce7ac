"""Packs: a campaign as one archive to publish, with its scenario, traces, results, and the programs'
versions.

A pack is a ZIP file. `pack.json` lists every other file with its size and SHA-256. The scenario's files are
beside it. Dates of files are left out, so that the same campaign makes the same pack, byte for byte.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import shutil
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq

from tmt import __version__
from tmt.campaign.columns import DONE, RECORDS, arrow_schema
from tmt.campaign.database import DATABASE, RESULTS, SCENARIO, read_runs
from tmt.campaign.plan import expand
from tmt.campaign.recipe import source_of
from tmt.core.errors import InputError
from tmt.io import open_trace
from tmt.io.atomic import check_not_source, folded, staged
from tmt.io.metadata import metadata_file
from tmt.spec.points import plain
from tmt.spec.scenario import Scenario
from tmt.spec.toml import files_of
from tmt.spec.toml_text import relative_to, text_of
from tmt.spec.trace import Trace

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tmt.campaign.columns import Row
    from tmt.campaign.runs import Programs
    from tmt.spec.settings import Value

MANIFEST, README, KIND = "pack.json", "README.txt", "tmt pack"
PACK_VERSION = 1

INSIDE = "campaign"
"""Folder in a pack of the scenario and the files that it names."""

INSIDE_SCENARIO = f"{INSIDE}/{SCENARIO}"

DATE = (1980, 1, 1, 0, 0, 0)
"""Date of every file in a pack: the earliest in ZIP."""

COMPRESSED = (".parquet", ".gz")
"""Endings of files that compression does not shrink."""

MADE_BY = ("tmt_version", "simulator", "sources", "schema_version")
"""Columns that say what made the results."""

Contents = dict[str, bytes | Path]
"""Content of each file of a pack, or the file that holds it."""


@dataclass(frozen=True, slots=True)
class PackSummary:
    """Contents of a pack: planned, done and failed runs of the scenario, and its files."""

    runs: int
    done: int
    failed: int
    files: int
    bytes: int


def write_pack(scenario: Scenario, folder: Path, output: Path, *, records: bool = False) -> PackSummary:
    """Write the campaign of a scenario, whose results are in a folder, into the archive `output`.

    InputError when the folder lacks results of this scenario and its traces; OutputError when writing fails.
    """
    if scenario.program:
        raise InputError(folder, "holds runs of programs, whose files a pack would lack")
    if not (folder / SCENARIO).is_file() or Scenario.read(folder / SCENARIO) != scenario:
        raise InputError(folder, "holds no results of this scenario as it is; call `tmt run` first")
    names = _names(scenario)
    rows, runs = _rows(scenario, folder)
    contents = _scenario_files(scenario, names) | _record_files(rows, folder, wanted=records)
    contents[RESULTS] = _parquet(rows)
    contents[README] = f"{scenario.title}\n{README_TEXT}".encode()
    done = sum(row["status"] == DONE for row in rows)
    failed = len(rows) - done
    manifest = {
        "kind": KIND,
        "format_version": PACK_VERSION,
        "program": f"tmt {__version__}",
        "title": scenario.title,
        "scenario": INSIDE_SCENARIO,
        "runs": {"planned": runs, "done": done, "failed": failed},
        "made_by": {name: sorted({str(row[name]) for row in rows}) for name in MADE_BY},
        "traces": _traces(scenario, names),
        "link_traces": _link_traces(rows),
        "files": {name: _described(content) for name, content in sorted(contents.items())},
    }
    packed = (content for content in contents.values() if isinstance(content, Path))
    check_not_source(output, *packed, *(folder / name for name in (DATABASE, RESULTS, SCENARIO)))
    with staged(output) as part:
        _write(part, contents | {MANIFEST: (json.dumps(manifest, indent=1, sort_keys=True) + "\n").encode()})
        return PackSummary(runs, done, failed, len(contents) + 1, part.stat().st_size)


def _scenario_files(scenario: Scenario, names: Mapping[str, str]) -> Contents:
    """Return the scenario and its files, with the metadata beside them."""
    contents: Contents = {name: Path(file) for file, name in names.items()}
    beside = {metadata_file(name): Path(metadata_file(file)) for file, name in names.items()}
    contents |= {name: file for name, file in beside.items() if file.is_file()}
    inside = relative_to(Path(INSIDE))
    contents[INSIDE_SCENARIO] = text_of(scenario, lambda file: inside(names[file])).encode()
    return contents


def _record_files(rows: Sequence[Row], folder: Path, *, wanted: bool) -> Contents:
    """Return the packet records, if wanted; the rows name them in the pack, and no folder of this machine."""
    contents: Contents = {}
    for row in rows:
        row["command"] = None
        if wanted and row["records"] is not None:
            kept, row["records"] = folder / str(row["records"]), f"{RECORDS}/{row['key']}"
            contents |= {f"{row['records']}/{file.name}": file for file in sorted(kept.iterdir())}
        else:
            row["records"] = None
    return contents


def _rows(scenario: Scenario, folder: Path) -> tuple[list[Row], int]:
    """Return the rows of a scenario's runs in their order, and the number of planned runs.

    If several versions of the programs have done an experiment, the version with the most done runs counts.
    """
    versions: dict[Programs, list[Row]] = {}
    for row in read_runs(folder).to_pylist():
        versions.setdefault((str(row["simulator"]), str(row["sources"])), []).append(row)
    experiments = [run.experiment for run in expand(scenario, lambda *_: ("", ""))]
    found: dict[str, list[dict[int, Row]]] = {}
    for version, rows in versions.items():
        runs = expand(scenario, lambda *_, version=version: version)
        places: dict[tuple[Value, Value], int] = {
            (run.experiment, run.seed): place for place, run in enumerate(runs)
        }
        theirs: dict[str, dict[int, Row]] = {}
        for row in rows:
            place = places.get((row["experiment"], row["seed"]))
            if place is None:
                continue
            held = theirs.setdefault(experiments[place], {})
            if row["status"] == DONE or held.get(place, row)["status"] != DONE:
                held[place] = row
        for experiment, held in theirs.items():
            found.setdefault(experiment, []).append(held)
    kept = {place: row for rows in found.values() for place, row in max(rows, key=_done).items()}
    if not any(row["status"] == DONE for row in kept.values()):
        raise InputError(
            folder, "holds no results of this scenario with its traces as they are; call `tmt run`"
        )
    return [kept[place] for place in sorted(kept)], len(experiments)


def _done(rows: dict[int, Row]) -> int:
    return sum(row["status"] == DONE for row in rows.values())


def _names(scenario: Scenario) -> dict[str, str]:
    """Return the name in the pack of each file; names differ in more than case and Unicode form."""
    names: dict[str, str] = {}
    taken = {folded(INSIDE_SCENARIO)}
    for file in files_of(scenario):
        place = Path(file)
        name, number = f"{INSIDE}/{place.name}", 1
        while folded(name) in taken:
            number += 1
            name = f"{INSIDE}/{number}-{place.name}"
        names[file] = name
        taken.add(folded(name))
    return names


def _parquet(rows: Sequence[Row]) -> bytes:
    buffer = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(list(rows), arrow_schema()), buffer, compression="zstd")
    return buffer.getvalue()


def _traces(scenario: Scenario, names: Mapping[str, str]) -> list[dict[str, object]]:
    """Return the provenance of each trace: its file with the metadata in it, or its channel."""
    sources = [source_of(trace, ("trace", at)) for at, trace in enumerate(scenario.trace)]
    backs = dict.fromkeys(path.return_trace for path in scenario.path if path.return_trace is not None)
    sources += [source_of(Trace(back), ("path", "return_trace")) for back in backs]
    found = []
    for source in sources:
        key = "path.return_trace" if source.place[0] == "path" else "trace"
        told = {"key": key, "label": source.trace.title} | plain(source.trace)
        if source.trace.file is not None:
            with open_trace(source.trace.file) as reader:
                made = reader.metadata
            told["file"] = names[source.trace.file]
            told |= {"slots_sha256": source.sha256, "made": made}
        found.append(told)
    return found


def _link_traces(rows: Sequence[Row]) -> list[Row]:
    """Return the hash of every link trace that the runs used, with its slots, scheme and seed."""
    told = ("trace", "trace_parameters", "scheme", "scheme_parameters")
    found: dict[Value, Row] = {}
    for row in rows:
        for column in ("forward_sha256", "return_sha256"):
            if row[column] is not None:
                found.setdefault(row[column], {name: row[name] for name in told} | {"seed": row["seed"]})
    return [{"sha256": sha256} | about for sha256, about in found.items()]


def _described(content: bytes | Path) -> Row:
    with _opened(content) as file:
        sha256 = hashlib.file_digest(file, "sha256").hexdigest()
        return {"bytes": file.seek(0, os.SEEK_END), "sha256": sha256}


def _opened(content: bytes | Path) -> io.BytesIO | io.BufferedReader:
    return io.BytesIO(content) if isinstance(content, bytes) else content.open("rb")


def _write(part: Path, contents: Contents) -> None:
    with zipfile.ZipFile(part, "w") as archive:
        for name in sorted(contents, key=lambda name: (name not in {README, MANIFEST}, name)):
            entry = zipfile.ZipInfo(name, DATE)
            entry.external_attr = 0o100644 << 16  # a plain file that everyone may read
            entry.create_system = 3
            entry.compress_type = zipfile.ZIP_STORED if name.endswith(COMPRESSED) else zipfile.ZIP_DEFLATED
            with archive.open(entry, "w", force_zip64=True) as file, _opened(contents[name]) as source:
                shutil.copyfileobj(source, file, 1 << 20)


README_TEXT = f"""
A campaign of TMT: the scenario {INSIDE_SCENARIO} with the traces that it names, and its results in
results.parquet, one row for each run. pack.json says what made them (made_by has the versions), and lists the
SHA-256 of every file.

Repeat the campaign, and see whether the results are equal bit by bit; then make its tables and charts:
    tmt run NAME-OF-THIS-ARCHIVE
    tmt report FOLDER-OF-THE-RESULTS --latex

Read the results in Python:
    import pandas
    pandas.read_parquet("results.parquet")
"""
