"""An adaptation in progress: samples of a signal in, in pieces of any size, slots out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tmt.core.declaration import ns
from tmt.core.errors import UsageError
from tmt.core.modes.kernel import FEEDBACK, IDEAL, MARGIN, OLLA, REPORT, STATE, UNKNOWN, adapt
from tmt.core.seeds import uniform_sources
from tmt.core.trace import PhyTrace
from tmt.core.units import NS_PER_S

if TYPE_CHECKING:
    from fractions import Fraction

    from tmt.core.modes import Adaptation
    from tmt.core.trace import Int32Array, Int64Array

RULES = {"ideal": IDEAL, "margin": MARGIN, "olla": OLLA}

DUMMY_SYMBOLS = 90 + 36 * 90
"""Symbols of a dummy PLFRAME: its header and 36 slots of 90 symbols (EN 302 307-1, clause 5.5.1)."""

_APART = 1000
"""Index beyond the generators of any channel."""

MOST_UNDER_WAY = 1 << 24
"""Most slots in one report delay."""


def new_state() -> np.ndarray:
    """Return the state of a sender that has no report yet: [1], `STATE`."""
    state = np.zeros(1, STATE)
    state["reported_mdb"] = UNKNOWN
    state["choice"] = -1
    return state


def new_rings(delay_ns: int, slot_ns: float) -> tuple[np.ndarray, np.ndarray]:
    """Return rings of reports and of feedback with room for one delay (UsageError when that is too much)."""
    room = delay_ns / slot_ns + 3.0
    if room > MOST_UNDER_WAY:
        raise UsageError(
            f"a report delay of {delay_ns / NS_PER_S:g} s has {room:.3g} slots of {slot_ns:g} ns; "
            f"up to {MOST_UNDER_WAY} are possible"
        )
    entries = 1 << int(room).bit_length()
    return np.zeros(entries, REPORT), np.zeros(entries, FEEDBACK)


def fates_and_losses(seed: int) -> list[np.random.Generator]:
    """Return the generators of slots' fates and of lost reports, apart from those of the seed's channel."""
    return uniform_sources(seed, 2, apart=_APART)


class Adapter:
    """Sends slots over a signal that arrives as samples: one slot per sample, or frames that begin in some
    samples.

    `interval_ns` is the time from sample to sample. Equal seeds give the same fates and lost reports to the
    same samples, whatever the other parameters.
    """

    def __init__(self, adaptation: Adaptation, interval_ns: Fraction, decode_time_ns: int, seed: int) -> None:
        self._adaptation, self._decode_time_ns = adaptation, decode_time_ns
        self._settings = adaptation.settings()
        self._delay_ns, self._every_ns = ns(adaptation.report_delay), ns(adaptation.report_every)
        self.seeds = [seed]
        """Seeds of the channels whose signals are needed."""
        self._fates, self._losses = fates_and_losses(seed)
        self._state = new_state()
        self._reports, self._feedback = new_rings(self._delay_ns, float(interval_ns))
        self.most_db = -np.inf
        """Greatest Es/N0 of the samples so far."""

    def feed(self, tx_time_ns: Int64Array, es_n0_mdb: Int32Array) -> PhyTrace:
        """Return the slots that begin in the next samples: [n_samples] each, without metadata."""
        samples, settings, one = len(tx_time_ns), self._settings, self._adaptation
        if samples:
            self.most_db = max(self.most_db, int(es_n0_mdb.max()) / 1000.0)
        tx_ns, decode_ns = np.empty(samples, np.int64), np.empty(samples, np.int64)
        es_n0, mode = np.empty(samples, np.int32), np.empty(samples, np.uint8)
        frames = one.table.has_frames
        made = adapt(
            np.ascontiguousarray(tx_time_ns, np.int64),
            np.ascontiguousarray(es_n0_mdb, np.int32),
            self._fates.random(samples),
            self._losses.random(samples if one.report_loss else 0),
            RULES[one.adapt],
            settings.needed_mdb,
            settings.modes,
            settings.half_mdb,
            settings.width_mdb,
            settings.levels_mdb,
            settings.numbers,
            self._every_ns,
            self._delay_ns,
            self._decode_time_ns,
            settings.symbols,
            int(settings.symbols.min()) if frames else 0,
            one.symbol_rate or 1,
            (DUMMY_SYMBOLS if frames else 0) if one.below == "idle" else -1,
            self._state,
            self._reports,
            self._feedback,
            tx_ns,
            decode_ns,
            es_n0,
            mode,
        )
        mode = mode[:made]
        size_bytes = settings.size_bytes.astype(np.uint32)[mode]
        return PhyTrace(
            tx_ns[:made], decode_ns[:made], size_bytes=size_bytes, es_n0_mdb=es_n0[:made], mode=mode
        )
