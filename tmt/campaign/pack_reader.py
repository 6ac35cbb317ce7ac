"""Read packs from any source: every name, size and hash is checked before a file is used."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import stat
import tempfile
import zipfile
import zlib
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from tmt.campaign.columns import arrow_schema
from tmt.campaign.database import RESULTS
from tmt.campaign.pack_writer import INSIDE, KIND, MANIFEST, PACK_VERSION
from tmt.core.errors import InputError, OutputError, TmtError, first_line
from tmt.core.words.refusals import shown
from tmt.spec.scenario import Scenario
from tmt.spec.toml import files_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

Manifest = dict[str, Any]
"""Content of `pack.json`, as anybody may have written it."""

MOST_FILES = 100_000
MOST_MANIFEST_BYTES = 1 << 26
MOST_BYTES = 1 << 36
"""Upper bound on the content of a pack: 64 GiB."""

MOST_SCENARIO_BYTES = 1 << 24
MOST_TABLES_BYTES = 1 << 24
"""Upper bound on the signals and tables, and on the scenario, that a dry run unpacks."""

MOST_ROWS = 10_000_000
"""Upper bound on the results in memory: columns without values need much memory, but no file space."""

MOST_RATIO = 300
"""Upper bound on the ratio of a compressed file's content to its size; deflate could reach 1032."""

LEAST_CHECKED_BYTES = 1 << 20
"""Smaller files may have any ratio."""

MOST_NAME_BYTES = 200
"""Upper bound on each part of a name; file systems allow 255."""

MAGIC = b"PK\x03\x04"
FAULTS = (zipfile.BadZipFile, zlib.error, EOFError, ValueError, RuntimeError, OverflowError)
"""Exceptions of the standard library for a damaged archive."""


@dataclass(frozen=True, slots=True)
class Pack:
    """A pack whose files are in a temporary folder; the results have one row for each run."""

    folder: Path
    manifest: Manifest
    results: pa.Table

    @property
    def scenario(self) -> Path:
        """The scenario file in the folder."""
        return self.folder.joinpath(self.manifest["scenario"])


def is_pack(path: Path) -> bool:
    """Whether a file is an archive, by its first bytes."""
    try:
        with path.open("rb") as file:
            return file.read(len(MAGIC)) == MAGIC
    except OSError:
        return False


@contextmanager
def unpacked(path: Path, max_runs: int | None = None) -> Iterator[Pack]:
    """Yield a pack with its files in a folder that is removed afterwards; `max_runs` as for `Scenario.read`.

    InputError when it is damaged or has a file that is not allowed; OutputError when there is no room.
    """
    with _unpacked(path, lambda _, sizes: sizes, max_runs) as (folder, manifest):
        yield Pack(folder, manifest, _results(path, folder / RESULTS))


@contextmanager
def scenario_inside(path: Path, max_runs: int | None = None, *, with_traces: bool) -> Iterator[Path]:
    """Yield a pack's scenario, without results and records, in a folder that is removed afterwards.

    Without traces only the scenario file, its signals and its tables are there, which is enough to count link
    traces. InputError and OutputError as `unpacked`.
    """

    def chosen(manifest: Manifest, sizes: dict[str, int]) -> dict[str, int]:
        inside = {name: size for name, size in sizes.items() if name.startswith(f"{INSIDE}/")}
        if with_traces:
            return inside
        traces = [one.get("file") for one in manifest["traces"]]
        tables = {name: size for name, size in inside.items() if name not in traces}
        if (size := sum(tables.values())) > MOST_TABLES_BYTES:
            allowed = f"a dry run unpacks up to {MOST_TABLES_BYTES:,}"
            raise InputError(path, f"scenario, signals and tables have {size:,} bytes; {allowed}")
        return tables

    with _unpacked(path, chosen, max_runs) as (folder, manifest):
        yield folder / manifest["scenario"]


@contextmanager
def _unpacked(
    path: Path, choose: Callable[[Manifest, dict[str, int]], Iterable[str]], max_runs: int | None
) -> Iterator[tuple[Path, Manifest]]:
    """Yield a folder with the chosen files of the manifest, by name and size, and the manifest."""
    with tempfile.TemporaryDirectory(prefix="tmt-pack-") as name:
        folder = Path(name)
        try:
            with zipfile.ZipFile(path) as archive:
                entries = _entries(path, archive)
                manifest = _manifest(path, archive, entries)
                sizes = {name: entry.file_size for name, entry in entries.items()}
                wanted = [entries[name] for name in choose(manifest, sizes)]
                _check_room(path, sum(one.file_size for one in wanted), folder)
                for entry in wanted:
                    _extract(path, archive, entry, folder, manifest["files"].get(entry.filename))
        except TmtError:
            raise
        except OSError as error:
            raise OutputError(f"{path}: cannot be unpacked into {folder}: {error.strerror}") from error
        except FAULTS as error:
            raise InputError(path, f"is damaged: {first_line(error)}") from error
        try:
            scenario = Scenario.read(folder / manifest["scenario"], max_runs)
        except InputError as error:
            lines = str(error).removeprefix(f"{folder}/").replace(f"\n{folder}/", f"\n{path}: ")
            raise InputError(path, lines) from None
        _check_inside(path, scenario, folder, manifest["files"])
        yield folder, manifest


def _entries(path: Path, archive: zipfile.ZipFile) -> dict[str, zipfile.ZipInfo]:
    """Return the files by name; refuse what is not a plain file, lies outside, or is too large."""
    listed = archive.infolist()
    if len(listed) > MOST_FILES:
        raise InputError(path, f"holds {len(listed):,} files; up to {MOST_FILES:,} are allowed")
    entries: dict[str, zipfile.ZipInfo] = {}
    total = 0
    for entry in listed:
        name = shown(entry.filename)
        kind = stat.S_IFMT(entry.external_attr >> 16)
        if not _is_plain(entry.filename):
            raise InputError(path, f"the name {name} leads outside the pack, or is not a plain relative path")
        if entry.is_dir() or kind not in {0, stat.S_IFREG}:
            raise InputError(path, f"{name} is not a plain file: links and folders are not allowed")
        if entry.filename in entries:
            raise InputError(path, f"{name} is in it twice")
        if entry.flag_bits & 1 or entry.compress_type not in {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}:
            raise InputError(path, f"{name} is encrypted or compressed in an unknown way; deflate is allowed")
        if entry.file_size > max(LEAST_CHECKED_BYTES, MOST_RATIO * entry.compress_size):
            raise InputError(
                path,
                f"{name} says that {entry.compress_size:,} bytes hold {entry.file_size:,}; that is refused",
            )
        total += entry.file_size
        entries[entry.filename] = entry
    for name in entries:
        if inner := next((str(one) for one in PurePosixPath(name).parents if str(one) in entries), None):
            raise InputError(path, f"{shown(inner)} is a file and a folder in it")
    if sum(entry.compress_size for entry in listed) > path.stat().st_size:
        raise InputError(path, "its files overlap each other")
    if total > MOST_BYTES:
        raise InputError(path, f"its files have {total:,} bytes; up to {MOST_BYTES:,} are allowed")
    return entries


def _is_plain(name: str) -> bool:
    """Whether a name is a relative path in POSIX form without upward parts."""
    parts = name.split("/")
    is_text = re.fullmatch(r"[^\\:\x00-\x1f\x7f]{1,1000}", name) and name.isprintable()
    is_short = all(len(part.encode()) <= MOST_NAME_BYTES for part in parts)
    return bool(is_text) and is_short and not {"", ".", ".."} & set(parts)


def _manifest(path: Path, archive: zipfile.ZipFile, entries: dict[str, zipfile.ZipInfo]) -> Manifest:
    """Return the manifest, if it names exactly the files in the pack."""
    entry = entries.get(MANIFEST)
    if entry is None:
        raise InputError(path, f"is not a pack: it holds no {MANIFEST}; `tmt pack` makes packs")
    if entry.file_size > MOST_MANIFEST_BYTES:
        raise InputError(
            path, f"{MANIFEST} has {entry.file_size:,} bytes; up to {MOST_MANIFEST_BYTES:,} are allowed"
        )
    try:
        found = json.loads(archive.read(entry))
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict) or found.get("kind") != KIND:
        raise InputError(path, f"is not a pack: {MANIFEST} does not say so")
    if found.get("format_version") != PACK_VERSION:
        version = shown(json.dumps(found.get("format_version")))
        raise InputError(path, f"is a pack of version {version}; this program reads {PACK_VERSION}")
    files = found.get("files")
    if not isinstance(files, dict) or not all(isinstance(one, dict) for one in files.values()):
        raise InputError(path, f"{MANIFEST} lists no files")
    if differing := sorted({*files, MANIFEST} ^ entries.keys()):
        raise InputError(path, f"{shown(differing[0])} is not both in the pack and in {MANIFEST}")
    traces = found.get("traces")
    if not isinstance(traces, list) or not all(isinstance(one, dict) for one in traces):
        raise InputError(path, f"{MANIFEST} lists no traces")
    scenario = found.get("scenario")
    if RESULTS not in files or scenario not in files or not str(scenario).startswith(f"{INSIDE}/"):
        raise InputError(path, f"is not a pack: {RESULTS} or the scenario is missing")
    if (size := entries[str(scenario)].file_size) > MOST_SCENARIO_BYTES:
        said = f"the scenario has {size:,} bytes; up to {MOST_SCENARIO_BYTES:,} are allowed"
        raise InputError(path, said)
    return found


def _check_room(path: Path, size: int, folder: Path) -> None:
    """Refuse to fill the disk of the temporary folder."""
    free = shutil.disk_usage(folder).free
    if size > free:
        raise OutputError(
            f"{path}: unpacks to {size:,} bytes, and {folder.parent} has room for {free:,}; "
            "the variable TMPDIR names another folder"
        )


def _extract(
    path: Path, archive: zipfile.ZipFile, entry: zipfile.ZipInfo, folder: Path, told: Manifest | None
) -> None:
    """Write a file, and compare it with its entry in the manifest (None for the manifest itself)."""
    place, digest, size = folder / entry.filename, hashlib.sha256(), 0
    place.parent.mkdir(parents=True, exist_ok=True)
    with archive.open(entry) as source, place.open("xb") as sink:
        while block := source.read(1 << 20):
            sink.write(block)
            digest.update(block)
            size += len(block)
    if told is not None and (told.get("sha256"), told.get("bytes")) != (digest.hexdigest(), size):
        raise InputError(
            path, f"{shown(entry.filename)} is not the file that {MANIFEST} lists: another SHA-256 or size"
        )


def _check_inside(path: Path, scenario: Scenario, folder: Path, files: Manifest) -> None:
    """Refuse a scenario that names files outside its pack, or runs programs, which no pack contains."""
    if scenario.program:
        raise InputError(path, "its scenario runs programs, which a pack does not hold")
    for place in files_of(scenario):
        if os.path.relpath(place, folder) not in files:
            raise InputError(path, f"its scenario names {shown(place)}, which is not in the pack")


def _results(path: Path, file: Path) -> pa.Table:
    schema = arrow_schema()
    try:
        with file.open("rb") as opened, pq.ParquetFile(opened) as source:
            if source.metadata.num_rows > MOST_ROWS:
                raise ValueError(f"{source.metadata.num_rows:,} rows; up to {MOST_ROWS:,} are allowed")
            found = set(source.schema_arrow.names)
            known = [name for name in schema.names if name in found]
            table = source.read(known, use_threads=False)  # see `tmt.campaign.database.frame`
        table.validate(full=True)  # Arrow's reader accepts text that is not UTF-8
        missing = [name for name in schema.names if name not in found]
        for name in missing:  # an older version of the results
            table = table.append_column(name, pa.nulls(len(table), schema.field(name).type))
        table = table.select(schema.names).cast(schema)
    except (OSError, pa.ArrowException, ValueError) as error:
        raise InputError(path, f"{RESULTS} is damaged: {first_line(error)}") from error
    return table
