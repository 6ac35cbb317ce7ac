"""Link traces that runs share: making one, and checking one that lies in the cache before it is used.

Beside each trace lies a file of facts: the length of its channel, the counts of its conversion, and the size
and hash of the trace, so that a trace that was cut short, swapped or changed is made anew.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from tmt.core.convert import Share
from tmt.core.errors import ChangedProgramsError, InputError, TmtError
from tmt.core.identity import core_places, loaded_hash, model_places, source_hash
from tmt.core.provenance import digest, file_sha256, file_version
from tmt.core.schema import PHY_TRACE
from tmt.core.trace import PhyTrace
from tmt.io import create_trace, open_trace
from tmt.io.conversion import convert_file
from tmt.io.generation import generate, overlay

if TYPE_CHECKING:
    from pathlib import Path

    from tmt.campaign.recipe import Phy, Recipe
    from tmt.core.provenance import FileVersion
    from tmt.core.trace import Trace


class DamagedTraceError(InputError):
    """A link trace of the cache is missing, or is not the one whose hash lies beside it."""


@dataclass(frozen=True, slots=True)
class Convert:
    """Make a link trace and its facts in `cache`; `scratch` is for unfinished files."""

    recipe: Recipe
    cache: Path
    scratch: Path


def trace_sources(*models: object) -> str:
    """Return the hash of the sources that decide a link trace which a channel and a scheme make, if any."""
    return source_hash(*core_places(), *model_places(*models))


def link_file(cache: Path, recipe: Recipe) -> Path:
    """Return the path of a conversion's link trace."""
    return cache / f"{recipe.identity}.npy"


def facts_file(cache: Path, recipe: Recipe) -> Path:
    """Return the path of a link trace's facts, which are written after the trace."""
    return cache / f"{recipe.identity}.json"


def is_converted(cache: Path, recipe: Recipe) -> bool:
    """Whether the cache holds a conversion's link trace, undamaged."""
    try:
        read_facts(cache, recipe)
    except DamagedTraceError:
        return False
    return True


def read_facts(cache: Path, recipe: Recipe) -> dict[str, Any]:
    """Return the facts of a link trace, after a check that they belong to the trace in the cache.

    A process checks the content of a file once, and again when the file's size or time has changed.

    DamagedTraceError when the trace or its facts are missing or damaged.
    """
    trace, facts = link_file(cache, recipe), facts_file(cache, recipe)
    return _checked_facts(trace, facts, recipe.identity, file_version(trace), file_version(facts))


@lru_cache(maxsize=4096)
def _checked_facts(trace: Path, facts: Path, identity: str, *_versions: FileVersion | None) -> dict[str, Any]:
    try:
        found = json.loads(facts.read_bytes())
        is_whole = (
            found["identity"] == identity
            and found["bytes"] == trace.stat().st_size
            and found["sha256"] == file_sha256(trace)
            and type(found["span_ns"]) is int
        )
    except OSError as error:
        raise DamagedTraceError(trace, f"cannot be used: {error.strerror}") from error
    except (ValueError, LookupError, TypeError, RecursionError):
        is_whole = False
    if not is_whole:
        raise DamagedTraceError(trace, "is damaged: it is not the link trace whose hash lies beside it")
    return cast("dict[str, Any]", found)


def make_link_trace(task: Convert) -> dict[str, Any]:
    """Make a link trace, unless the cache holds it; return ``{"error": text or None}``.

    Raises
    ------
    ChangedProgramsError
        When the sources are not, or no longer, those of the trace's identity.
    InputError
        When a folder stands in the place of a file of the cache.
    OSError
        When a file of the cache cannot be written.
    """
    recipe, cache = task.recipe, task.cache
    if is_converted(cache, recipe):
        return {"error": None}
    for place in (link_file(cache, recipe), facts_file(cache, recipe)):
        if place.is_dir():
            raise InputError(place, "is a folder where a file of the cache belongs; remove it")
    folder = task.scratch / f"{recipe.identity}-{os.getpid()}"
    folder.mkdir()
    try:
        slots = SlotsHash()
        phy = _phy_file(task, folder, slots)
        watch = _Watch(slots if phy == recipe.phy.file else None)
        staged = folder / "link.npy"
        counts: dict[str, int] = {}
        if recipe.scheme is None:
            _keep_slots(phy, staged, recipe, watch)
        else:
            counts = asdict(convert_file(phy, staged, recipe.scheme, recipe.rtt, recipe.every, watch=watch))
        _check_slots(recipe.phy, slots)
        _check_sources(recipe)
        keep_link_trace(staged, recipe, cache, {"span_ns": watch.span_ns} | counts)
    except TmtError as error:
        on_disk = isinstance(error, OSError) and isinstance(error.__cause__, OSError)
        if on_disk or isinstance(error, ChangedProgramsError):
            raise
        _check_sources(recipe)
        return {"error": str(error)}
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return {"error": None}


def keep_link_trace(staged: Path, recipe: Recipe, cache: Path, facts: dict[str, int]) -> None:
    """Move a finished link trace into the cache, then its facts with its size and hash."""
    proof = {
        "identity": recipe.identity,
        "bytes": staged.stat().st_size,
        "sha256": file_sha256(staged),
    }
    staged_facts = staged.with_suffix(".json")
    staged_facts.write_text(json.dumps(proof | facts))
    for part, place in ((staged, link_file), (staged_facts, facts_file)):
        with part.open("rb") as file:
            os.fsync(file.fileno())  # a power cut must not leave a name without its content
        part.replace(place(cache, recipe))


class SlotsHash:
    """The hash of a PHY trace's slots, which come in chunks: the same for the same slots in any format."""

    def __init__(self) -> None:
        self._columns: dict[str, Any] = {}

    def update(self, chunk: Trace) -> None:
        """Take the next slots."""
        for column in chunk.columns:
            values = np.ascontiguousarray(getattr(chunk, column.name))
            self._columns.setdefault(column.name, hashlib.sha256()).update(values)

    def digest(self) -> str:
        """Return the hash of the slots so far."""
        return digest({name: found.hexdigest() for name, found in self._columns.items()})


class _Watch:
    """Takes note of the slots that a conversion reads: their span, and their hash where it is asked for."""

    def __init__(self, slots: SlotsHash | None) -> None:
        self._slots = slots
        self._first_ns: int | None = None
        self._last_ns = 0

    def __call__(self, chunk: PhyTrace) -> None:
        if self._first_ns is None:
            self._first_ns = int(chunk.tx_time_ns[0])
        self._last_ns = int(chunk.tx_time_ns[-1])
        if self._slots is not None:
            self._slots.update(chunk)

    @property
    def span_ns(self) -> int:
        """Time from the first slot to the last."""
        assert self._first_ns is not None
        return self._last_ns - self._first_ns


def _check_slots(phy: Phy, slots: SlotsHash) -> None:
    """Refuse a PHY trace's file whose slots, as read, are not those that the campaign was planned with."""
    if phy.file is not None and slots.digest() != phy.file_slots:
        raise InputError(phy.file, "was changed while the campaign ran; call again")


def _check_sources(recipe: Recipe) -> None:
    """Refuse a trace that other sources have made than those of its identity (ChangedProgramsError)."""
    if loaded_hash(*core_places(), *model_places(*recipe.models)) != recipe.sources:
        raise ChangedProgramsError("the sources of tmt were changed while the campaign ran; call again")


def _keep_slots(phy: Path, staged: Path, recipe: Recipe, watch: _Watch) -> None:
    """Copy every n-th slot into the form that the simulator maps."""
    share = Share(recipe.every)
    with open_trace(phy, PHY_TRACE) as reader, create_trace(staged, PHY_TRACE, {}) as writer:
        for chunk in reader:
            assert isinstance(chunk, PhyTrace)
            watch(chunk)
            kept = share.of(chunk)
            writer.write(kept if recipe.needs_es_n0 else replace(kept, es_n0_mdb=None))


def _phy_file(task: Convert, folder: Path, slots: SlotsHash) -> Path:
    """Return the PHY trace's file, generated into `folder` where it comes from a channel.

    `slots` takes those of the file that the channel is laid over.
    """
    phy = task.recipe.phy
    if phy.channel is None:
        assert phy.file is not None
        return phy.file
    path = folder / "phy.parquet"
    with_es_n0 = task.recipe.needs_es_n0 and phy.channel.has_es_n0
    if phy.file is not None:
        overlay(phy.file, path, phy.channel, seed=phy.seed, with_es_n0=with_es_n0, watch=slots.update)
    else:
        assert phy.line is not None
        generate(path, phy.channel, phy.line, duration_ns=phy.length_ns, seed=phy.seed, with_es_n0=with_es_n0)
    return path
