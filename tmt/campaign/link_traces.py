"""Link traces that runs share, in a campaign's cache: made once, and made again if one is damaged.

Beside each link trace there is a file of facts: its metadata, the length of its channel, the counts of its
conversion, the size and hash of the trace, and a checksum of the facts. They reveal a trace or facts that
were cut short, swapped or changed.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import shutil
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tmt.campaign.phy_file import SlotsSeen
from tmt.campaign.rows import CHECKSUM
from tmt.core.convert import Share
from tmt.core.errors import ChangedProgramsError, InputError, TmtError
from tmt.core.extent import Extent
from tmt.core.identity import core_places, loaded_hash, model_places
from tmt.core.provenance import file_sha256, file_version
from tmt.core.schema import PHY_TRACE
from tmt.core.trace import PhyTrace
from tmt.io import create_trace, open_trace
from tmt.io.conversion import convert_file
from tmt.io.generation import generate, overlay
from tmt.io.metadata import METADATA_KEY, metadata_file, read_beside

if TYPE_CHECKING:
    from tmt.campaign.recipe import Recipe
    from tmt.core.provenance import FileVersion
    from tmt.core.trace import Metadata


class DamagedTraceError(InputError):
    """A link trace of the cache is missing, or does not match the hash in its facts."""


@dataclass(frozen=True, slots=True)
class Convert:
    """Make a link trace and its facts in `cache`; `scratch` is for unfinished files."""

    recipe: Recipe
    cache: Path
    scratch: Path


def own_folder(scratch: Path, name: str) -> Path:
    """Return a path that no other worker uses: in other containers, process numbers may be the same."""
    return scratch / f"{name}-{secrets.token_hex(8)}"


def link_file(cache: Path, recipe: Recipe) -> Path:
    """Return the path of a recipe's link trace."""
    return cache / f"{recipe.identity}.npy"


def facts_file(cache: Path, recipe: Recipe) -> Path:
    """Return the path of a link trace's facts, which are written after the trace."""
    return Path(metadata_file(str(link_file(cache, recipe))))


def is_converted(cache: Path, recipe: Recipe) -> bool:
    """Whether the cache holds a recipe's link trace, undamaged."""
    try:
        read_facts(cache, recipe)
    except DamagedTraceError:
        return False
    return True


def read_facts(cache: Path, recipe: Recipe) -> dict[str, int]:
    """Return the numbers among a link trace's facts, after checking that they belong to the trace.

    A file's content is checked once, and after each change of its size or time (DamagedTraceError).
    """
    trace, facts = link_file(cache, recipe), facts_file(cache, recipe)
    return _checked_facts(trace, facts, recipe.identity, file_version(trace), file_version(facts))


@lru_cache(maxsize=4096)
def _checked_facts(trace: Path, facts: Path, identity: str, *_versions: FileVersion | None) -> dict[str, int]:
    try:
        found = json.loads(facts.read_bytes())
        is_whole = (
            found[CHECKSUM] == _checksum(found)
            and found["identity"] == identity
            and found["sha256"] == file_sha256(trace)
        )
        numbers = found | read_beside(str(trace), found["file_bytes"])
    except OSError as error:
        raise DamagedTraceError(trace, f"cannot be used: {error.strerror}") from error
    except (ValueError, LookupError, TypeError, RecursionError):
        is_whole = False
    if not is_whole:
        raise DamagedTraceError(trace, "is damaged: it is not the link trace whose hash lies beside it")
    return {name: value for name, value in numbers.items() if isinstance(value, int)}


def make_link_trace(task: Convert) -> str | None:
    """Make a link trace, unless the cache holds it; return the reason if it cannot be made.

    ChangedProgramsError when the sources differ from those of the trace's identity; InputError when a folder
    has the name of a file of the cache; OSError when a file cannot be written.
    """
    recipe, cache = task.recipe, task.cache
    if is_converted(cache, recipe):
        return None
    for place in (link_file(cache, recipe), facts_file(cache, recipe)):
        if place.is_dir():
            raise InputError(place, "is a folder where a file of the cache belongs; remove it")
    folder = own_folder(task.scratch, recipe.identity)
    folder.mkdir()
    try:
        of_file = SlotsSeen(_extent_of(recipe.phy.file))
        phy = _phy_file(task, folder, of_file)
        # Users of a link start at the same time, whichever slots are theirs.
        extent = of_file.extent if recipe.phy.sharing is None else _extent_of(phy)
        slots = of_file if phy == recipe.phy.file else SlotsSeen(extent, is_hashed=False)
        staged = folder / "link.npy"
        counts: dict[str, int] = {}
        if recipe.scheme is None:
            _keep_slots(phy, staged, recipe, slots)
        else:
            made = convert_file(phy, staged, recipe.scheme, recipe.rtt, recipe.every, watch=slots.update)
            counts = asdict(made)
        if recipe.phy.file is not None and of_file.digest() != recipe.phy.file_slots:
            raise InputError(recipe.phy.file, "was changed while the campaign ran; call again")
        _check_sources(recipe)
        keep_link_trace(staged, recipe, cache, {"span_ns": slots.span_ns} | counts)
    except TmtError as error:
        on_disk = isinstance(error, OSError) and isinstance(error.__cause__, OSError)
        if on_disk or isinstance(error, ChangedProgramsError):
            raise
        _check_sources(recipe)
        return str(error)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return None


def keep_link_trace(staged: Path, recipe: Recipe, cache: Path, facts: dict[str, int]) -> None:
    """Move a finished link trace into the cache, then its facts with its size and hash."""
    size = staged.stat().st_size
    proof = {
        "identity": recipe.identity,
        "file_bytes": size,
        "sha256": file_sha256(staged),
        METADATA_KEY: _of_extent(read_beside(str(staged), size)),
    }
    staged_facts = staged.with_suffix(".json")
    content = proof | facts
    staged_facts.write_text(json.dumps(content | {CHECKSUM: _checksum(content)}))
    for part, place in ((staged, link_file), (staged_facts, facts_file)):
        with part.open("rb") as file:
            os.fsync(file.fileno())  # after a power cut a name must not exist without its content
        part.replace(place(cache, recipe))


def _checksum(facts: dict[str, Any]) -> str:
    told = {name: value for name, value in facts.items() if name != CHECKSUM}
    return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()


def _check_sources(recipe: Recipe) -> None:
    """Refuse a trace made by sources other than those of its identity (ChangedProgramsError)."""
    if loaded_hash(*core_places(), *model_places(*recipe.models)) != recipe.sources:
        raise ChangedProgramsError("the sources of tmt were changed while the campaign ran; call again")


def _keep_slots(phy: Path, staged: Path, recipe: Recipe, slots: SlotsSeen) -> None:
    """Copy every n-th slot into the form that the simulator maps."""
    share = Share(recipe.every)
    with (
        open_trace(phy, PHY_TRACE) as reader,
        create_trace(staged, PHY_TRACE, _of_extent(reader.metadata)) as writer,
    ):
        for chunk in reader:
            assert isinstance(chunk, PhyTrace)
            slots.update(chunk)
            kept = share.of(chunk)
            es_n0_mdb = kept.es_n0_mdb if recipe.needs_es_n0 else None
            writer.write(replace(kept, es_n0_mdb=es_n0_mdb, mode=None))


def _of_extent(metadata: Metadata) -> Metadata:
    """Return the entries that state the extent of a trace."""
    extent = Extent.said(metadata)
    return {} if extent is None else extent.metadata


def _extent_of(file: Path | None) -> Extent | None:
    """Return the extent that a file of slots states, if there is a file."""
    if file is None:
        return None
    with open_trace(file, PHY_TRACE) as reader:
        return Extent.said(reader.metadata)


def _phy_file(task: Convert, folder: Path, slots: SlotsSeen) -> Path:
    """Return the PHY trace's file; if it comes from a channel, generate it into `folder`."""
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
        generate(
            path,
            phy.channel,
            phy.line,
            duration_ns=phy.length_ns,
            seed=phy.seed,
            with_es_n0=with_es_n0,
            adaptation=phy.adaptation,
            sharing=phy.sharing,
        )
    return path
