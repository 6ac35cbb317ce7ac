"""Conversion under `rlc`: the RLC entity sends segments in the rows of the scheme below."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from tmt.core.converter import Converter, Counts, grown_ring, joined, kernel_rows, ring_ends
from tmt.core.declaration import ns
from tmt.core.schemes.rlc.kernel import pass_time, send_segments
from tmt.core.schemes.rlc.receiver import ARRIVAL, NEVER, REPORT, SETTINGS, STATE, UNIT
from tmt.core.trace import Int64Array, LinkTrace, PhyTrace
from tmt.core.units import NS_PER_S

if TYPE_CHECKING:
    from typing import Self

    from tmt.core.kernels import Rows
    from tmt.core.schemes.rlc import Rlc
    from tmt.core.trace import Metadata


class RlcConverter(Converter):
    """Feeds the slots to the scheme below, and its rows to the RLC entity as opportunities to send."""

    def __init__(self, scheme: Rlc, rtt_ns: int) -> None:
        super().__init__()
        self._below = scheme.below.converter(rtt_ns / NS_PER_S)
        timers_ns = ns(scheme.reassembly) + ns(scheme.status_prohibit)
        poll_ns = None if scheme.poll_retransmit is None else ns(scheme.poll_retransmit)
        self._settings = np.zeros(1, SETTINGS)
        for name, value in {
            "acknowledged": scheme.mode == "acknowledged",
            "in_order": scheme.delivery == "in-order" or scheme.mode == "unacknowledged",
            "rtt_ns": rtt_ns,
            "poll_pdus": scheme.poll_pdus,
            "poll_retransmit_ns": 2 * rtt_ns + timers_ns if poll_ns is None else poll_ns,
            "reassembly_ns": ns(scheme.reassembly),
            "status_prohibit_ns": ns(scheme.status_prohibit),
            "max_retransmissions": scheme.max_retransmissions,
            "window": scheme.window_pdus,
        }.items():
            self._settings[name] = value
        self._state = np.zeros(1, STATE)
        self._state[["poll_due_ns", "reassembly_due_ns", "status_due_ns"]] = NEVER
        self._state[["poll_sn", "waiting_poll"]] = -1
        self._queues = np.zeros(1, ARRIVAL), np.zeros(1, REPORT), np.zeros(1, np.int64)
        self._units = np.zeros(1, UNIT)

    def knowing(self, metadata: Metadata) -> Self:
        """Pass the metadata on to the scheme below."""
        self._below.knowing(metadata)
        return self

    def feed(self, phy: PhyTrace) -> LinkTrace:
        """Send the next slots and return the newly settled rows, maybe none."""
        return super().feed(_opportunities(self._below.feed(phy)))

    def finish(self) -> LinkTrace:
        """Process the events after the last slot, then return the remaining rows."""
        settled = super().feed(_opportunities(self._below.finish()))
        rows = kernel_rows(self._window)
        self._make_room(0, len(self._window))
        pass_time(NEVER - 1, self._settings, self._state, self._queues, self._units, rows)
        return joined(settled, super().finish())

    @property
    def counts(self) -> Counts:
        """Counts so far: the slots of the scheme below, its rows by their use, and the fates."""
        own, below = super().counts, self._below.counts
        return replace(
            own,
            slots=below.slots,
            repair_slots=below.repair_slots,
            retransmission_slots=below.retransmission_slots + own.retransmission_slots,
            stalled_slots=below.stalled_slots + own.stalled_slots,
            dropped_tail=below.dropped_tail,
            sent_bytes=below.sent_bytes,
        )

    def _send(self, tx_time_ns: Int64Array, decode_time_ns: Int64Array, begun: int, window: Rows) -> int:
        del begun  # the state knows it
        self._make_room(len(tx_time_ns), len(window[0]))
        arrival_ns = np.where(decode_time_ns > 0, tx_time_ns + decode_time_ns, NEVER)
        return send_segments(
            tx_time_ns, arrival_ns, self._settings, self._state, self._queues, self._units, window
        )

    def _make_room(self, n_segments: int, n_rows: int) -> None:
        """Grow the queues for the events that `n_segments` can cause, and the units to `n_rows`.

        Each arrival, and each segment that is given up, causes at most two reported gaps, one answer to its
        own poll, and one to a poll that waited.
        """
        arrivals, reports, repeats = self._queues
        in_arrivals, in_reports, in_repeats = (
            ring_ends(self._state, f"{queue}_") for queue in ("arrival", "report", "repeat")
        )
        events = in_arrivals[1] - in_arrivals[0] + n_segments + n_rows
        units = np.zeros(n_rows, UNIT)
        kept = min(n_rows, len(self._units))
        units[:kept] = self._units[:kept]
        self._units = units
        self._queues = (
            grown_ring(arrivals, *in_arrivals, n_segments),
            grown_ring(reports, *in_reports, 4 * events + 2),
            grown_ring(repeats, *in_repeats, 2 * n_rows + 1),
        )

    def _oldest_open_row(self, n_rows: int) -> int:
        acknowledged = self._settings[0]["acknowledged"]
        first = self._state[0]["tx_next_ack" if acknowledged else "rx_next"]
        return int(first - self._state[0]["first_row"])

    def _move_window(self, n_rows: int) -> None:
        self._state["first_row"] += n_rows
        self._units = self._units[n_rows:].copy()

    def _retransmission_slots(self) -> int:
        return int(self._state[0]["retransmissions"])

    def _stalled_slots(self) -> int:
        return int(self._state[0]["stalls"])


def _opportunities(rows: LinkTrace) -> PhyTrace:
    """Turn the rows of the scheme below into slots; open and lost rows are erased."""
    decode_time_ns = np.where(rows.delivered, rows.delay_ns, 0)
    return PhyTrace(rows.tx_time_ns, decode_time_ns, size_bytes=rows.size_bytes)


start = RlcConverter
