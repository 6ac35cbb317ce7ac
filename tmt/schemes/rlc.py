"""Schemes `rlc` and `rlc-over-...`: radio link control, alone or above another scheme."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from tmt.schemes.arq import Arq
from tmt.schemes.converter import Converter, grown_ring, joined
from tmt.schemes.fec import Fec
from tmt.schemes.harq import Harq
from tmt.schemes.harq_processes import HarqProcesses
from tmt.schemes.none import NoScheme
from tmt.schemes.parameters import (
    Delivery,
    MaxRetransmissions,
    PollPdus,
    PollRetransmit,
    Reassembly,
    RlcMode,
    RlcWindow,
    Scheme,
    StatusProhibit,
    check_choice,
    check_count,
    check_delay,
)
from tmt.schemes.sliding_window import SlidingWindow
from tmt.trace import PhyTrace

if TYPE_CHECKING:
    from tmt.kernels import Rows
    from tmt.kernels.rlc import Entity
    from tmt.schemes.counts import Counts
    from tmt.trace import Int64Array, LinkTrace

MODES = ("acknowledged", "unacknowledged")
DELIVERIES = ("in-order", "any-order")


@dataclass(frozen=True, kw_only=True)
class RlcLayer(Scheme):
    """RLC above a scheme, which carries a segment in each of its rows.

    Parameters
    ----------
    rtt_ns
        Round-trip propagation time of the link: from a status report to the first segment that it causes.
    rlc_mode, delivery
        Acknowledged or unacknowledged; in order or any order.
    max_retransmissions
        Retransmissions of a segment after which the sender gives it up.
    rlc_window
        Segments that the sender may have sent from the first one without acknowledgement on.
    poll_pdus
        New segments from poll to poll.
    poll_retransmit_ns
        From a poll to the next one if no status report answers it; 0: twice the RTT, plus the receiver's
        timers.
    reassembly_ns
        From the detection of a gap until the receiver reports it, or gives it up in unacknowledged mode.
    status_prohibit_ns
        Least time between status reports.

    Raises
    ------
    UsageError
        When a parameter is out of range.
    """

    lower: ClassVar[type[Scheme]]
    """The scheme below."""

    rtt_ns: int
    rlc_mode: RlcMode = "acknowledged"
    delivery: Delivery = "in-order"
    max_retransmissions: MaxRetransmissions = 8
    rlc_window: RlcWindow = 2048
    poll_pdus: PollPdus = 16
    poll_retransmit_ns: PollRetransmit = 0
    reassembly_ns: Reassembly = 35_000_000
    status_prohibit_ns: StatusProhibit = 0

    def __post_init__(self) -> None:
        self.below()  # refuses the parameters of its own
        check_delay("rtt_ns", self.rtt_ns)
        check_choice("rlc_mode", self.rlc_mode, MODES)
        check_choice("delivery", self.delivery, DELIVERIES)
        check_count("max_retransmissions", self.max_retransmissions, 0, 2**31 - 1)
        check_count("rlc_window", self.rlc_window, 1, 131_072)
        check_count("poll_pdus", self.poll_pdus, 1, 2**31 - 1)
        check_delay("poll_retransmit_ns", self.poll_retransmit_ns)
        check_delay("reassembly_ns", self.reassembly_ns)
        check_delay("status_prohibit_ns", self.status_prohibit_ns)

    def below(self) -> Scheme:
        """Return the scheme below."""
        return self.lower(**{field.name: getattr(self, field.name) for field in fields(self.lower)})

    @property
    def label(self) -> str:
        """``RLC(AM)``, or with the scheme below ``RLC-over-HARQ(10/12, AM)``."""
        mode = "AM" if self.rlc_mode == "acknowledged" else "UM"
        if self.lower is NoScheme:
            return f"RLC({mode})"
        below = f"RLC-over-{self.below().label}"
        return below.replace(")", f", {mode})", 1) if ")" in below else f"{below}({mode})"

    def converter(self) -> Converter:
        """Start a conversion."""
        return _RlcConverter(self)


@dataclass(frozen=True)
class Rlc(RlcLayer, NoScheme):
    """RLC over the bare link."""

    name: ClassVar[str] = "rlc"
    lower: ClassVar[type[Scheme]] = NoScheme


@dataclass(frozen=True)
class RlcOverFec(RlcLayer, Fec):
    """RLC above `fec`."""

    name: ClassVar[str] = "rlc-over-fec"
    lower: ClassVar[type[Scheme]] = Fec


@dataclass(frozen=True)
class RlcOverArq(RlcLayer, Arq):
    """RLC above `arq`."""

    name: ClassVar[str] = "rlc-over-arq"
    lower: ClassVar[type[Scheme]] = Arq


@dataclass(frozen=True)
class RlcOverHarq(RlcLayer, Harq):
    """RLC above `harq`."""

    name: ClassVar[str] = "rlc-over-harq"
    lower: ClassVar[type[Scheme]] = Harq


@dataclass(frozen=True)
class RlcOverHarqProcesses(RlcLayer, HarqProcesses):
    """RLC above `harq-processes`, as in LTE and NR."""

    name: ClassVar[str] = "rlc-over-harq-processes"
    lower: ClassVar[type[Scheme]] = HarqProcesses


@dataclass(frozen=True)
class RlcOverSlidingWindow(RlcLayer, SlidingWindow):
    """RLC above `sliding-window`."""

    name: ClassVar[str] = "rlc-over-sliding-window"
    lower: ClassVar[type[Scheme]] = SlidingWindow


class _RlcConverter(Converter):
    """Feeds the slots to the scheme below, and its rows to the RLC entity as opportunities to send."""

    def __init__(self, scheme: RlcLayer) -> None:
        from tmt.kernels import rlc  # noqa: PLC0415

        super().__init__()
        self._below = scheme.below().converter()
        timers_ns = scheme.reassembly_ns + scheme.status_prohibit_ns
        self._settings = np.zeros(9, np.int64)
        for place, value in (
            (rlc.ACKNOWLEDGED, scheme.rlc_mode == "acknowledged"),
            (rlc.IN_ORDER, scheme.delivery == "in-order" or scheme.rlc_mode == "unacknowledged"),
            (rlc.RTT_NS, scheme.rtt_ns),
            (rlc.POLL_PDUS, scheme.poll_pdus),
            (rlc.POLL_RETRANSMIT_NS, scheme.poll_retransmit_ns or 2 * scheme.rtt_ns + timers_ns),
            (rlc.REASSEMBLY_NS, scheme.reassembly_ns),
            (rlc.STATUS_PROHIBIT_NS, scheme.status_prohibit_ns),
            (rlc.MAX_RETRANSMISSIONS, scheme.max_retransmissions),
            (rlc.WINDOW, scheme.rlc_window),
        ):
            self._settings[place] = value
        state = np.zeros(rlc.STATE_SIZE, np.int64)
        state[[rlc.POLL_DUE_NS, rlc.REASSEMBLY_DUE_NS]] = rlc.NEVER
        state[[rlc.POLL_SN, rlc.WAITING_POLL]] = -1
        rings = np.zeros(1, rlc.ARRIVAL), np.zeros(1, rlc.REPORT), np.zeros(1, np.int64)
        self._entity: Entity = (state, *rings, np.zeros(1, rlc.UNIT))

    def feed(self, phy: PhyTrace) -> LinkTrace:
        """Send the next slots and return the rows that are settled now, maybe none."""
        return super().feed(_opportunities(self._below.feed(phy)))

    def finish(self) -> LinkTrace:
        """Let happen what is due after the last slot, then return the rows that are left."""
        from tmt.kernels.rlc import NEVER, pass_time  # noqa: PLC0415

        settled = super().feed(_opportunities(self._below.finish()))
        window = self._window
        rows = (window.tx_time_ns, window.delay_ns, window.delivered, window.transmissions)
        self._make_room(0, len(window))
        pass_time(NEVER - 1, self._settings, self._entity, rows)
        return joined(settled, super().finish())

    @property
    def counts(self) -> Counts:
        """Counts so far: the slots of the scheme below, its rows divided among uses, and the fates."""
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
        from tmt.kernels.rlc import NEVER, send_segments  # noqa: PLC0415

        self._make_room(len(tx_time_ns), len(window[0]))
        arrival_ns = np.where(decode_time_ns > 0, tx_time_ns + decode_time_ns, NEVER)
        return send_segments(tx_time_ns, arrival_ns, self._settings, self._entity, begun, window)

    def _make_room(self, n_segments: int, n_rows: int) -> None:
        """Grow the queues for the events that so many segments can cause, and the units to so many rows.

        Each arrival causes at most two gaps that are reported, one answer to its own poll and one to a poll
        that waited; so does each segment that is given up.
        """
        from tmt.kernels import rlc  # noqa: PLC0415

        state, arrivals, reports, repeats, units = self._entity
        in_arrivals, in_reports, in_repeats = (
            (int(state[head]), int(state[tail]))
            for head, tail in (
                (rlc.ARRIVAL_HEAD, rlc.ARRIVAL_TAIL),
                (rlc.REPORT_HEAD, rlc.REPORT_TAIL),
                (rlc.REPEAT_HEAD, rlc.REPEAT_TAIL),
            )
        )
        events = in_arrivals[1] - in_arrivals[0] + n_segments + n_rows
        grown_units = np.zeros(n_rows, rlc.UNIT)
        kept = min(n_rows, len(units))
        grown_units[:kept] = units[:kept]
        self._entity = (
            state,
            grown_ring(arrivals, *in_arrivals, n_segments),
            grown_ring(reports, *in_reports, 4 * events + 2),
            grown_ring(repeats, *in_repeats, 2 * n_rows + 1),
            grown_units,
        )

    def _oldest_open_row(self, n_rows: int) -> int:
        from tmt.kernels import rlc  # noqa: PLC0415

        state = self._entity[rlc.STATE]
        first = state[rlc.TX_NEXT_ACK if self._settings[rlc.ACKNOWLEDGED] else rlc.RX_NEXT]
        return int(first - state[rlc.FIRST_ROW])

    def _move_window(self, n_rows: int) -> None:
        from tmt.kernels.rlc import FIRST_ROW  # noqa: PLC0415

        state, arrivals, reports, repeats, units = self._entity
        state[FIRST_ROW] += n_rows
        self._entity = (state, arrivals, reports, repeats, units[n_rows:].copy())

    def _retransmission_slots(self) -> int:
        from tmt.kernels.rlc import RETRANSMISSIONS, STATE  # noqa: PLC0415

        return int(self._entity[STATE][RETRANSMISSIONS])

    def _stalled_slots(self) -> int:
        from tmt.kernels.rlc import STALLS, STATE  # noqa: PLC0415

        return int(self._entity[STATE][STALLS])


def _opportunities(rows: LinkTrace) -> PhyTrace:
    """Turn the rows of the scheme below into slots; open and lost rows are erased."""
    decode_time_ns = np.where(rows.delivered, rows.delay_ns, 0)
    return PhyTrace(rows.tx_time_ns, decode_time_ns, size_bytes=rows.size_bytes)
