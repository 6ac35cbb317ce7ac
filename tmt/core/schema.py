"""Every column of TMT's files, declared once.

Readers, writers, validators, the reference in `docs/formats.md` and the C++ header `clift-ns2/core/schema.h`
are derived from these declarations alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Literal, get_args

from tmt.core.units import MAX_TIME_NS

if TYPE_CHECKING:
    import numpy as np

FORMAT_VERSION = 1
"""Written into every file's metadata; a reader warns about a newer version."""

UNSETTLED = -1
"""`delay_ns`, in `.npy` and in memory, of an LLDU whose fate is open when the trace ends."""

Order = Literal["any", "strictly increasing", "increasing"]


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its name carries the unit, its dtype is little-endian.

    `minimum` and `maximum` are inclusive bounds (None: no bound), `order` is the rule from row to row, and
    `null` is the number for "no value" in memory and in `.npy` (Parquet and CSV use their own null).
    """

    name: str
    dtype: str
    meaning: str
    minimum: int | None = None
    maximum: int | None = None
    order: Order = "any"
    null: int | None = None


@dataclass(frozen=True, slots=True)
class Table:
    """An ordered set of columns, and the `kind` that names it in metadata and messages.

    `optional` columns follow the others in a file that has them. `named` columns, any of them, come last;
    text without a header has none, because there the number of columns decides their meaning.
    """

    kind: str
    title: str
    columns: tuple[Column, ...]
    optional: tuple[Column, ...] = ()
    named: tuple[Column, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns that every file has, in file order."""
        return tuple(column.name for column in self.columns)

    @property
    def described(self) -> str:
        """Names and types of all columns, for messages."""
        return ", ".join(
            [f"{column.name} {column.dtype}" for column in self.columns]
            + [f"optional {column.name} {column.dtype}" for column in self.optional + self.named]
        )

    @property
    def dtype(self) -> np.dtype[np.void]:
        """The packed structured dtype of the `.npy` form without optional columns."""
        return row_dtype(self.columns)

    @property
    def variants(self) -> tuple[tuple[Column, ...], ...]:
        """Sets of columns that text without a header may have, the largest first."""
        return (*([(*self.columns, *self.optional)] if self.optional else []), self.columns)

    @property
    def forms(self) -> tuple[tuple[Column, ...], ...]:
        """Sets of columns that a file of any other format may have, larger ones first."""
        some = [part for count in range(len(self.named) + 1) for part in combinations(self.named, count)]
        found = [(*columns, *part) for part in reversed(some) for columns in self.variants]
        return tuple(sorted(found, key=len, reverse=True))

    def column(self, name: str) -> Column:
        """Return the column called `name` (KeyError when there is none)."""
        return {column.name: column for column in self.columns + self.optional + self.named}[name]


def row_dtype(columns: tuple[Column, ...]) -> np.dtype[np.void]:
    """Return the packed structured dtype of rows with these columns."""
    import numpy as np  # noqa: PLC0415  (commands that only show their help need none of it)

    return np.dtype([(column.name, column.dtype) for column in columns])


_TX_TIME = Column(
    "tx_time_ns",
    "<i8",
    "when the slot is sent, on the sender's clock",
    minimum=0,
    maximum=MAX_TIME_NS,
    order="strictly increasing",
)

SIZE_BYTES = Column(
    "size_bytes",
    "<u4",
    "bytes that the slot can carry, in a link trace the slot of the LLDU's first transmission; optional: "
    "without it every row carries the metadata's lldu_bytes",
    minimum=1,
    maximum=2**31 - 1,
)

MAX_ES_N0_MDB = 100_000
"""Greatest Es/N0 of a slot, 100 dB; the least is its negative."""

ES_N0_MDB = Column(
    "es_n0_mdb",
    "<i4",
    "Es/N0 of the slot at the receiver, in thousandths of a dB; optional: soft combining needs it",
    minimum=-MAX_ES_N0_MDB,
    maximum=MAX_ES_N0_MDB,
)

MODE = Column(
    "mode",
    "|u1",
    "row of the table of modes, from 0, that the slot was sent with; optional: `modes` of the metadata "
    "describe the table",
    minimum=0,
    maximum=255,
)

Packing = Literal["padded", "packed"]

PACKINGS: tuple[Packing, ...] = get_args(Packing)
"""Packings of packets in rows: each packet begins in a new row, or bytes follow each other over rows."""

PHY_TRACE = Table(
    "phy",
    "PHY trace: one row per slot",
    (
        _TX_TIME,
        Column(
            "decode_time_ns",
            "<i8",
            "how long after tx_time_ns the PHY has decoded the slot, without propagation; 0 means erased",
            minimum=0,
            maximum=MAX_TIME_NS,
        ),
    ),
    (SIZE_BYTES,),
    (ES_N0_MDB, MODE),
)

ERASABLE = PHY_TRACE.column("decode_time_ns")
"""The column whose absent value is an erased slot."""

LINK_TRACE = Table(
    "link",
    "link trace: one row per data LLDU, in order of first transmission",
    (
        _TX_TIME,
        Column(
            "delay_ns",
            "<i8",
            "from the first transmission until the LLDU's fate is settled at the receiver (delivered or "
            "given up), without propagation; null while unsettled at the end of the trace",
            minimum=0,
            maximum=MAX_TIME_NS,
            null=UNSETTLED,
        ),
        Column("delivered", "|b1", "whether the LLDU was delivered"),
        Column(
            "transmissions",
            "|u1",
            "times the LLDU was sent (harq: 1 + requests of its block); 255 means 255 or more",
            minimum=1,
        ),
    ),
    (SIZE_BYTES,),
)

PACKET_RECORDS = Table(
    "packets",
    "packet records of one simulation, in order of time, from the taps and the trace-driven queues",
    (
        Column("time_ns", "<i8", "simulated time of the event", minimum=0, order="increasing"),
        Column("event", "|u1", "one of PACKET_EVENTS, by its number"),
        Column("direction", "|u1", "0: forward (sender to receiver), 1: return"),
        Column("flow", "<u2", "number of the flow, from 0"),
        Column(
            "sequence",
            "<i8",
            "TCP segment number (forward) or highest segment acknowledged (return); `decoded`: segments of "
            "data handed over before",
        ),
        Column(
            "size_bytes",
            "<u4",
            "IP packet size: payload, TCP and IP headers; `decoded`: payload that is handed over",
        ),
        Column(
            "transmission", "<u2", "which transmission of this segment by TCP it is, from 1; 0: not TCP data"
        ),
        Column("uid", "<i8", "ns-2's number of the packet"),
        Column(
            "delay_ns",
            "<i8",
            "for `received`: one-way delay from the sending agent to the receiving one; else null",
            minimum=0,
            null=UNSETTLED,
        ),
    ),
)

PACKET_EVENTS = (
    "sent",
    "received",
    "link_lost",
    "link_unsettled",
    "queue_dropped",
    "decoded",
    "ack_thinned",
    "aqm_dropped",
    "marked",
)
"""Numbers of `event` in `PACKET_RECORDS`: sent by the agent, received by the agent, given up by the link's
scheme, open when the link trace ends, dropped by the queue's limit, handed to the application after decoding,
removed by ACK thinning because a later acknowledgement replaces it, dropped by the discipline, marked by the
discipline (ECN).
"""

WINDOW_RECORDS = Table(
    "windows",
    "congestion control over time: one row per flow and change",
    (
        Column("time_ns", "<i8", "simulated time of the change", minimum=0, order="increasing"),
        Column("flow", "<u2", "number of the flow, from 0"),
        Column("cwnd_packets", "<f8", "congestion window, in segments"),
        Column("ssthresh_packets", "<f8", "slow-start threshold, in segments"),
        Column(
            "srtt_ns",
            "<i8",
            "smoothed round-trip time; null before the first sample",
            minimum=1,
            null=UNSETTLED,
        ),
        Column("state", "|u1", "one of CONGESTION_STATES, by its number"),
        Column("pacing_bps", "<f8", "pacing rate in bit/s of TCP payload; 0: packets are not paced"),
    ),
)

CONGESTION_STATES = ("open", "disorder", "cwr", "recovery", "loss")
"""Numbers of `state` in `WINDOW_RECORDS`, as in Linux: no loss suspected, loss or reordering suspected,
window reduced without loss (ECN), fast recovery, after a retransmission timeout.
"""

RTT_SERIES = Table(
    "rtt",
    "series of round-trip times, linear between rows; two rows at one time are a step",
    (
        Column("time_ns", "<i8", "time of the value", minimum=0, maximum=MAX_TIME_NS, order="increasing"),
        Column(
            "rtt_ns",
            "<i8",
            "round-trip propagation time, half of it in each direction",
            minimum=0,
            maximum=MAX_TIME_NS,
        ),
    ),
)

TABLES = (PHY_TRACE, LINK_TRACE, PACKET_RECORDS, WINDOW_RECORDS, RTT_SERIES)
