"""PHY traces of a channel model, written to files of any length."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, cast

import numpy as np

from tmt.core import provenance
from tmt.core.channels import CHANNELS
from tmt.core.converter import rows_between
from tmt.core.errors import InputError, UsageError
from tmt.core.extent import Extent
from tmt.core.generate import in_mdb, lay_over
from tmt.core.schema import ES_N0_MDB, PHY_TRACE
from tmt.core.trace import PhyTrace
from tmt.core.units import MAX_TIME_NS
from tmt.io import create_trace, open_trace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from os import PathLike

    from tmt.core.channels.base import Channel, FadingRealisation
    from tmt.core.generate import Line
    from tmt.core.modes import Adaptation
    from tmt.core.sharing import Sharing
    from tmt.core.trace import Metadata

CHUNK_SLOTS = 1 << 18
"""Slots generated at a time; the trace does not depend on it."""


def _check_es_n0(channel: Channel) -> None:
    if not channel.has_es_n0:
        having = ", ".join(one.name for one in CHANNELS.values() if one.has_es_n0)
        raise UsageError(f"channel {channel.name} knows no Es/N0 of a slot; these channels do: {having}")


def generate(
    path: str | PathLike[str],
    channel: Channel,
    line: Line,
    *,
    duration_ns: int,
    seed: int,
    lldu_bytes: int | None = None,
    with_es_n0: bool = False,
    adaptation: Adaptation | None = None,
    sharing: Sharing | None = None,
    progress: Callable[[int], None] = lambda _: None,
    watch: Callable[[PhyTrace], None] = lambda _: None,
) -> int:
    """Write the PHY trace of a channel over regular slots, and return their number.

    Slots are sent from 0 to before `duration_ns`, and the trace ends with the last one. `lldu_bytes` goes
    into the metadata. With an `adaptation` the channel gives only its Es/N0; if modes have frames, the
    regular times are those of the signal's samples. With `sharing` the slots are those of one of the users
    who share the link. `progress` is called with the number of slots since its last call, `watch` with each
    chunk. UsageError when no slot fits, the trace is too long, the channel has no Es/N0, or no mode reaches
    its target; OutputError when the file cannot be written.
    """
    if not 0 < duration_ns <= MAX_TIME_NS:
        raise UsageError(f"duration is {duration_ns} ns; it must be within (0, {MAX_TIME_NS}]")
    # Before the channel is described, because this refuses files that the channel cannot read.
    if adaptation is None:
        chunks = _drawn(channel, line, duration_ns, seed, sharing, with_es_n0=with_es_n0)
    else:
        chunks = adapted(channel, line, duration_ns, seed, adaptation, sharing)
    how: Metadata = {
        "generator": channel.describe(),
        "seed": seed,
        "slot_interval_ns": str(line.interval_ns),
        "decode_time_ns": line.decode_time_ns,
    }
    if sharing is not None:
        how["sharing"] = sharing.describe()
    if adaptation is None:
        how["lldu_bytes"] = lldu_bytes
    else:
        how |= {"packing": "packed", "modes": adaptation.describe()}
    has_frames = adaptation is not None and adaptation.table.has_frames
    extent = Extent(0, duration_ns) if has_frames else _extent(line, duration_ns)
    slots = 0
    with create_trace(path, PHY_TRACE, provenance.record(PHY_TRACE.kind, **extent.metadata, **how)) as writer:
        for samples, chunk in chunks:
            watch(chunk)
            writer.write(chunk)
            slots += len(chunk)
            progress(samples)
    return slots


def _drawn(
    channel: Channel, line: Line, duration_ns: int, seed: int, sharing: Sharing | None, *, with_es_n0: bool
) -> Iterator[tuple[int, PhyTrace]]:
    """Return an iterator over the slots of a channel, in chunks, with the number of regular slots in each."""
    channel.check_fates()
    if with_es_n0:
        _check_es_n0(channel)
    slots = line.slots_within(duration_ns)
    own_slots, own_seed = None, seed
    if sharing is not None:
        own_slots, own_seed = sharing.own_slots(), sharing.seed_of(sharing.own_user, seed)
    realisation = channel.realisation(own_seed)

    def chunks() -> Iterator[tuple[int, PhyTrace]]:
        for first in range(0, slots, CHUNK_SLOTS):
            count = min(CHUNK_SLOTS, slots - first)
            tx_time_ns = line.tx_times_ns(first, count)
            if own_slots is not None:
                tx_time_ns = tx_time_ns[own_slots.of(count)]
            chunk = PhyTrace(tx_time_ns, np.full(len(tx_time_ns), line.decode_time_ns, np.int64))
            yield count, lay_over(chunk, realisation, with_es_n0=with_es_n0)

    return chunks()


def adapted(
    channel: Channel,
    line: Line,
    duration_ns: int,
    seed: int,
    adaptation: Adaptation,
    sharing: Sharing | None = None,
) -> Iterator[tuple[int, PhyTrace]]:
    """Return an iterator over the slots of an adaptation, in chunks, with the number of samples in each.

    With `sharing` they are those of one user. UsageError when the channel has no Es/N0, or, after the last
    slot, when no mode reaches the target.
    """
    from tmt.core.modes.adapter import Adapter  # noqa: PLC0415  (numba takes long to import)
    from tmt.core.sharing.adapted import AdaptedUser  # noqa: PLC0415

    _check_es_n0(channel)
    how = adaptation, line.interval_ns, line.decode_time_ns, seed
    adapter = Adapter(*how) if sharing is None else AdaptedUser(sharing, *how)
    signals = [cast("FadingRealisation", channel.realisation(one)) for one in adapter.seeds]
    size = -(-CHUNK_SLOTS // len(signals))

    def chunks() -> Iterator[tuple[int, PhyTrace]]:
        samples = line.slots_within(duration_ns)
        for first in range(0, samples, size):
            tx_time_ns = line.tx_times_ns(first, min(size, samples - first))
            chunk = adapter.feed(tx_time_ns, *(in_mdb(one.faded(tx_time_ns)[1]) for one in signals))
            last = int(np.searchsorted(chunk.tx_time_ns, duration_ns))
            yield len(tx_time_ns), rows_between(chunk, 0, last)
        adaptation.check_reached(adapter.most_db)

    return chunks()


def _extent(line: Line, duration_ns: int) -> Extent:
    """Return the total duration of regular slots, each as long as their distance."""
    slots = line.slots_within(duration_ns)
    last_ns = int(line.tx_times_ns(slots - 1, 1)[0])
    return Extent.of_rows(0, last_ns, slots) or Extent(0, duration_ns)


def overlay(
    source: str | PathLike[str],
    path: str | PathLike[str],
    channel: Channel,
    *,
    seed: int,
    with_es_n0: bool = False,
    progress: Callable[[int], None] = lambda _: None,
    watch: Callable[[PhyTrace], None] = lambda _: None,
) -> int:
    """Apply a channel to the PHY trace in file `source`, and return the number of slots.

    This is the indirect use of a trace (Kuhn 2014, section 3.2). With `with_es_n0` the trace gets the Es/N0
    of the channel, and must not have its own. `watch` is called with each chunk of `source`. InputError when
    `source` is no such PHY trace; UsageError when the channel has no Es/N0; OutputError when the file cannot
    be written.
    """
    channel.check_fates()
    if with_es_n0:
        _check_es_n0(channel)
    with open_trace(source, PHY_TRACE) as reader:
        if with_es_n0 and ES_N0_MDB in reader.columns:
            raise InputError(os.fspath(source), f"it has the column {ES_N0_MDB.name} already")
        realisation = channel.realisation(seed)
        metadata = provenance.record(
            PHY_TRACE.kind,
            **provenance.inherited(reader.metadata),
            **{key: reader.metadata[key] for key in ("modes",) if key in reader.metadata},
            source=provenance.source(source),
            generator=channel.describe(),
            seed=seed,
        )
        slots = 0
        with create_trace(path, PHY_TRACE, metadata) as writer:
            for chunk in reader:
                assert isinstance(chunk, PhyTrace)
                watch(chunk)
                left = lay_over(chunk, realisation, with_es_n0=with_es_n0)
                writer.write(left)
                slots += len(left)
                progress(len(chunk))
    return slots
