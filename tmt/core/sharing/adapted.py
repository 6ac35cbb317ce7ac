"""Users of a shared link who adapt their modes: samples of their signals in, one user's slots out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tmt.core.declaration import ns
from tmt.core.modes.adapter import RULES, fates_and_losses, new_rings, new_state
from tmt.core.sharing import ProportionalFair
from tmt.core.sharing.adapted_kernel import adapt_users
from tmt.core.trace import PhyTrace

if TYPE_CHECKING:
    from fractions import Fraction

    from tmt.core.modes import Adaptation
    from tmt.core.sharing import Sharing
    from tmt.core.trace import Int32Array, Int64Array


class AdaptedUser:
    """Sends the slots of one user of a link; a user alone sends as with `tmt.core.modes.adapter.Adapter`.

    Under proportional fairness all users adapt, and the scheduler compares what their modes would carry. The
    other schedulers use no modes, so the one user's signal is enough.
    """

    def __init__(
        self,
        sharing: Sharing,
        adaptation: Adaptation,
        interval_ns: Fraction,
        decode_time_ns: int,
        seed: int,
    ) -> None:
        self._adaptation = adaptation
        self._decode_time_ns, self._settings = decode_time_ns, adaptation.settings()
        scheduler = sharing.scheduler
        users = range(1, sharing.users + 1) if scheduler.uses_rates else (sharing.own_user,)
        self.seeds = [sharing.seed_of(user, seed) for user in users]
        """Seeds of the channels whose signals are needed."""
        self._own, self._own_slots, self._part = users.index(sharing.own_user), None, 0.0
        if isinstance(scheduler, ProportionalFair):
            self._part = 1.0 / scheduler.averaging_slots
        else:
            self._own_slots = sharing.own_slots()
        self._draws = [fates_and_losses(one) for one in self.seeds]
        self._delay_ns, self._every_ns = ns(adaptation.report_delay), ns(adaptation.report_every)
        rings = [new_rings(self._delay_ns, float(interval_ns)) for _ in users]
        self._states = np.concatenate([new_state() for _ in users])
        self._reports, self._feedback = (np.stack(each) for each in zip(*rings, strict=True))
        self._means = np.zeros(len(users))
        self.most_db = -np.inf
        """Greatest Es/N0 of the user's samples so far."""

    def feed(self, tx_time_ns: Int64Array, *es_n0_mdb: Int32Array) -> PhyTrace:
        """Return the user's slots among the next ones of the link, without metadata.

        `es_n0_mdb` : [n_slots], int32, the signal of each channel of `seeds`.
        """
        slots, one, settings = len(tx_time_ns), self._adaptation, self._settings
        if slots:
            self.most_db = max(self.most_db, int(es_n0_mdb[self._own].max()) / 1000.0)
        given = np.empty(0, np.int64)
        if self._own_slots is not None:
            given = np.where(self._own_slots.of(slots), 0, -1)
        user, mode = np.empty(slots, np.int64), np.zeros(slots, np.uint8)
        erased = np.zeros(slots, np.bool_)
        adapt_users(
            np.ascontiguousarray(tx_time_ns, np.int64),
            np.stack(es_n0_mdb),
            np.stack([fates.random(slots) for fates, _ in self._draws]),
            np.stack([losses.random(slots if one.report_loss else 0) for _, losses in self._draws]),
            RULES[one.adapt],
            settings.needed_mdb,
            settings.modes,
            settings.size_bytes,
            settings.half_mdb,
            settings.width_mdb,
            settings.levels_mdb,
            settings.numbers,
            self._every_ns,
            self._delay_ns,
            one.below == "idle",
            self._states,
            self._reports,
            self._feedback,
            given,
            self._means,
            self._part,
            user,
            mode,
            erased,
        )
        own = user == self._own
        modes = mode[own]
        decode_ns = np.where(erased[own], 0, self._decode_time_ns)
        size_bytes = settings.size_bytes.astype(np.uint32)[modes]
        return PhyTrace(
            tx_time_ns[own], decode_ns, size_bytes=size_bytes, es_n0_mdb=es_n0_mdb[self._own][own], mode=modes
        )
