"""Metadata of a trace: its checks, and the file beside a trace whose format has no room for metadata.

``LINK.npy`` has its metadata in ``LINK.npy.json``, with the size of ``LINK.npy``, so that metadata of another
file is refused.
"""

from __future__ import annotations

import json
import warnings
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tmt.core.errors import InputError
from tmt.core.provenance import file_version
from tmt.core.schema import FORMAT_VERSION, PACKINGS
from tmt.core.words.refusals import refusal, shown
from tmt.io.atomic import file_system, is_uri, staged
from tmt.io.files import input_errors, open_input, size_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tmt.core.provenance import FileVersion
    from tmt.core.trace import Metadata

METADATA_KEY = "tmt"

TOTALS_KEY = "tmt_totals"
"""Key of the metadata that are known only after the last row, in a format that writes the others first."""

_LEAST = {"lldu_bytes": 1, "slots": 1, "sent_bytes": 1, "begin_ns": 0, "length_ns": 1}
_LEAST_OF_SCHEME = {"data": 1, "repair": 0, "rtt_ns": 0}
_MOST = 2**62
"""Numbers in the metadata that readers compute with: the least and the greatest value of each."""

_MOST_BYTES, _MOST_DB = 1 << 24, 1000


def parsed(texts: Iterable[bytes | str], path: str) -> Metadata:
    """Return the metadata in JSON texts of the trace `path` (InputError when a reader cannot use it)."""
    metadata: Metadata = {}
    for text in texts:
        found = _json_object(text)
        if found is None:
            raise InputError(path, refusal("metadata"))
        metadata |= found
    return checked(metadata, path)


def checked(metadata: Metadata, path: str) -> Metadata:
    """Return the metadata of the trace `path` (InputError for a value that a reader cannot use)."""
    for key, value, allowed in _wrong_values(metadata):
        told = f"{key} in the metadata under the key {METADATA_KEY} is {shown(json.dumps(value))}; {allowed}"
        raise InputError(path, refusal("damaged", detail=told))
    version = metadata.get("format_version")
    if isinstance(version, int) and version > FORMAT_VERSION:
        warnings.warn(
            f"{path}: its format version {version} is newer than {FORMAT_VERSION}, which this program knows",
            stacklevel=4,
        )
    return metadata


def read_beside(path: str, file_bytes: int | None) -> Metadata:
    """Return the metadata beside a trace of `file_bytes`, if any; InputError if broken or of another size."""
    beside = metadata_file(path)
    if size_of(beside) is None:
        return {}
    with open_input(beside) as file, input_errors(beside):
        found = _json_object(file.read(_MOST_BYTES))
    metadata = None if found is None else found.get(METADATA_KEY)
    if found is None or not isinstance(metadata, dict):
        raise InputError(beside, f"this is not metadata of {path}; remove it")
    if file_bytes is not None and found.get("file_bytes") != file_bytes:
        told = f"it describes a file of {shown(json.dumps(found.get('file_bytes')))} bytes"
        raise InputError(beside, f"{told}, but {path} has {file_bytes}; remove it, or write the trace again")
    return checked(metadata, beside)


def write_beside(path: str, file_bytes: int, metadata: Metadata) -> None:
    """Write the metadata of the trace `path`, or remove those of an earlier trace (OutputError)."""
    beside = metadata_file(path)
    if metadata:
        with staged(beside) as part:
            held = {"file_bytes": file_bytes, METADATA_KEY: metadata}
            part.write_text(json.dumps(held, sort_keys=True, indent=1) + "\n", encoding="utf-8")
    elif size_of(beside) is not None:
        _remove(beside)


def metadata_file(path: str) -> str:
    """Return the name of the metadata file beside a trace."""
    return path + ".json"


def trace_version(path: str) -> tuple[FileVersion | None, FileVersion | None]:
    """Return the versions of a trace's file and of the metadata beside it, as part of a cache's key."""
    return file_version(path), file_version(metadata_file(path))


def _remove(path: str) -> None:
    with suppress(FileNotFoundError):
        if is_uri(path):
            system, inner = file_system(path)
            system.delete_file(inner)
        else:
            Path(path).unlink()


def _json_object(text: bytes | str) -> dict[str, Any] | None:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _wrong_values(metadata: Metadata) -> Iterator[tuple[str, Any, str]]:
    """Yield key, value and allowed values of each number that a reader cannot use."""
    scheme = metadata.get("scheme", {})
    if not isinstance(scheme, dict):
        yield "scheme", scheme, "an object is needed"
        return
    for prefix, group, limits in (("", metadata, _LEAST), ("scheme.", scheme, _LEAST_OF_SCHEME)):
        for name, least in limits.items():
            value = group.get(name)
            if value is not None and (type(value) is not int or not least <= value <= _MOST):
                yield prefix + name, value, f"a whole number of {least} or more is needed"
    modes = metadata.get("modes", {})
    half_db: Any = modes.get("half_db", []) if isinstance(modes, dict) else None
    known = isinstance(half_db, list) and {type(db) for db in half_db} <= {int, float}
    if not known or not all(abs(db) < _MOST_DB for db in half_db):
        yield "modes", modes, "an object is needed, whose half_db is a list of numbers of dB"
    begin_ns, length_ns = (metadata.get(name) for name in ("begin_ns", "length_ns"))
    if (begin_ns is None) != (length_ns is None):
        name = "begin_ns" if begin_ns is None else "length_ns"
        yield name, None, "a whole number is needed: begin_ns and length_ns go together"
    elif type(begin_ns) is int and type(length_ns) is int and begin_ns + length_ns > _MOST:
        yield "length_ns", length_ns, f"with begin_ns it may be {_MOST} at most"
    packing = metadata.get("packing")
    if packing is not None and packing not in PACKINGS:
        yield "packing", packing, f"one of {', '.join(PACKINGS)} is needed"
