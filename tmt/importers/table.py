"""Any table of transmissions, packets or rates: CSV, TSV, `;`, blanks or Parquet, columns by name."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

import numpy as np

from tmt.core.declaration import Param, Seconds, ns
from tmt.core.problems import number
from tmt.core.schema import Packing
from tmt.core.units import NS_PER_S, seconds_to_ns
from tmt.importers.clocks import WRAP_MEANING, Clock, wraps
from tmt.importers.columns import TIME_UNITS, Invalid, NamedColumn, TableRows, named_column
from tmt.importers.dvb_modes import dvb_modes
from tmt.importers.importer import (
    AS_MEANING,
    LLDU_BYTES_MEANING,
    DecodeTime,
    Importer,
    LineRate,
    Measurement,
    Reading,
)
from tmt.importers.notes import agreed, rate_note
from tmt.importers.probes import read_as
from tmt.importers.rate_series import USUAL_BYTES, Seed
from tmt.importers.table_blocks import HarqColumns
from tmt.importers.table_rows import Line, Outcome, in_time, measured, probes_of, read_lines, repeated
from tmt.importers.table_rules import UNITS, rules_of
from tmt.importers.table_series import Gap, Holes, SeriesColumns, read_series

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tmt.core.declaration import Rules
    from tmt.core.trace import Trace

_LONG_DECODING_NS = 5_000_000
"""A shortest delay above this may include propagation: light takes as long over 1,500 km."""


class AnyTable(Importer):
    """Any CSV, TSV, text or Parquet table, with columns by name.

    Each row is an attempt or a packet; with --rate, or with --loss and --line, an interval of a rate series;
    with --process and --new-data, a transmission of a block, which is merged with its retransmissions.
    Without a header the columns are called 1, 2, 3 and so on. See docs/import/table.md.

        tmt import table trace.csv phy.parquet --time Time:s --bad corrupt=1 \\
          --size tbSize --where direction=DL,rnti=1
        tmt import table frames.csv phy.parquet --time at:date \\
          --good crc=OK --mode modcod:dvb-s2x --es-n0 es_n0
        tmt import table harq.csv link.parquet --time ms:ms --good crc=OK \\
          --process harq_id --new-data ndi
        tmt import table modem.csv phy.parquet --time sent:ms \\
          --received decoded:ms --propagation 0.27
        tmt import table probes.csv link.parquet --time sent:iso \\
          --delay owd:ms --line 50e6
        tmt import table drive.txt link.parquet --time 1 --rate 2:Mbit/s
    """

    name: ClassVar[str] = "table"

    time: Annotated[
        str,
        "column of the time, with its unit: NAME:s, NAME:ms, NAME:us or NAME:ns; NAME:iso or NAME:date for "
        "dates, NAME:clock for HH:MM:SS. DAY+TIME:date joins two columns, and FRAME+SLOT:30kHz those of a "
        "subcarrier spacing of 15, 30, 60 or 120 kHz",
    ]
    end: Annotated[
        str | None,
        "with --rate or --loss: column of the end of a row, as --time; the column of --time itself: a row "
        "lasts since the one before",
        Param(absent="a row lasts until the next one"),
    ] = None
    as_: Annotated[
        Reading | None,
        AS_MEANING,
        Param(absent="phy; link with --rate, --line or --process"),
    ] = None
    rate: Annotated[
        str | None,
        "column of a rate, with its unit: NAME:bit/s, NAME:kbit/s, NAME:Mbyte/s and so on; NAME:bytes for "
        "the bytes of the row's interval",
    ] = None
    loss: Annotated[
        str | None,
        "with --rate or --line: column of the share that is lost: NAME:share (0 to 1) or NAME:percent",
    ] = None
    bad: Annotated[str | None, "rows that were lost: NAME=VALUE, the column and its value"] = None
    good: Annotated[
        str | None,
        "instead of --bad: rows that were not lost",
        Param(absent="those that have a delay or a time of receipt"),
    ] = None
    sequence: Annotated[
        str | None,
        "column of the sequence numbers of received rows (also NAME:hex, NAME:hex-text); missing are lost",
    ] = None
    wrap: Annotated[
        str | None,
        WRAP_MEANING,
        Param(absent="none; a step back by about the range of a usual counter is refused"),
    ] = None
    size: Annotated[str | None, "column of the size in bytes; in bits if :bits follows"] = None
    lldu_bytes: Annotated[
        int | None,
        LLDU_BYTES_MEANING,
        Param("byte", 1, 2**31 - 1, absent=f"unknown; {USUAL_BYTES} with --rate or --line"),
    ] = None
    delay: Annotated[
        str | None,
        "column of the time until a row is decoded or received, with its unit: NAME:s, NAME:ms, NAME:us or "
        "NAME:ns. Lost rows may have none",
    ] = None
    received: Annotated[
        str | None,
        "instead of --delay: column of the time when a row was decoded or received, on the clock of --time, "
        "with its unit",
    ] = None
    propagation: Annotated[
        Seconds | None,
        "propagation in --delay or --received, to be taken off: a trace has none, `tmt replay --rtt` adds it",
        Param(absent="none"),
    ] = None
    transmissions: Annotated[
        str | None, "with --as link: column of the number of transmissions", Param(absent="1 each")
    ] = None
    process: Annotated[
        str | None,
        "with --new-data: column of the HARQ process of each transmission; + joins the column of a carrier "
        "or code word",
    ] = None
    new_data: Annotated[
        str | None,
        "with --process: what tells a new block: NAME of an indicator (NDI) that toggles, NAME:count of a "
        "number of the transmission or retransmission, or NAME=VALUE that new blocks have (rv=0)",
    ] = None
    es_n0: Annotated[
        str | None, "with --as phy: column of the Es/N0 (or SNR) in dB, which soft combining needs"
    ] = None
    mode: Annotated[
        str | None,
        "with --as phy: column of the mode's number, such as the MCS index; NAME:dvb-s2 or NAME:dvb-s2x "
        "takes names such as 8PSK 3/4, or MODCODs, and gives rows the bytes of their frames",
    ] = None
    line: LineRate = None
    where: Annotated[
        str | None,
        "rows to take: NAME=VALUE,... A name given several times may have any of its values; ; begins an "
        "alternative",
    ] = None
    invalid: Invalid = "refuse"
    decimal: Annotated[Literal["point", "comma"], "what begins the fraction of a number"] = "point"
    gap: Gap = None
    holes: Holes = "remove"
    origin: Annotated[
        str,
        "time 0 of the trace: first (the file's earliest row; with --rate or --line the first row taken), "
        "zero (the table's own clock), or a time in seconds on that clock",
    ] = "first"
    packing: Annotated[
        Packing,
        "how packets lie in rows: their bytes follow each other, or each begins in a new row",
    ] = "packed"
    decode_time: DecodeTime = 0.001
    seed: Seed = 1

    def rules(self) -> Rules:
        """Refuse texts of another form, and options that conflict."""
        return rules_of(self)

    @property
    def is_series(self) -> bool:
        """Whether rows are intervals of a rate series."""
        return self.rate is not None or self.loss is not None

    @property
    def reading(self) -> Reading:
        """The kind of trace to make."""
        makes_link = self.is_series or self.line is not None or self.process is not None
        return self.as_ or ("link" if makes_link else "phy")

    def read(self, path: str) -> Measurement:
        """Return the trace of the rows, sorted by time, or of the intervals."""
        if self.is_series:
            return self._series(path)
        columns = {key: column for key in UNITS if (column := self._column(key)) is not None}
        outcome = Outcome(self.bad, self.good)
        harq = None if self.process is None else HarqColumns(self.process, self.new_data or "")
        others = outcome.columns if harq is None else (*outcome.columns, *harq.columns)
        rows = self._rows(path, list(columns.values()), others)
        decode_time_ns, wrap = ns(self.decode_time), self.ranges().get("sequence")
        lines, said = read_lines(
            rows,
            columns,
            outcome,
            decode_time_ns,
            None if wrap is None else int(wrap),
            harq,
            propagation_ns=ns(self.propagation or 0),
        )
        origin_ns = 0 if self.origin == "zero" else rows.first_ns
        if self.line is not None:
            origin_ns = min(line.time_ns for line in lines)
        elif self.origin not in ("first", "zero"):
            origin_ns = seconds_to_ns(self.origin)
        if harq is not None:
            harq.check_times(path, lines)
        lines, notes = in_time(path, lines, origin_ns)
        said += notes
        has_delays = self.delay is not None or self.received is not None
        if has_delays and harq is None:
            said += repeated(lines)
        if self.line is not None:
            what = agreed(len(lines), "row", "lie", "of probes")
            said.append(f"{what} over a line of {number(self.line)} bit/s")
            lldu_bytes = self.lldu_bytes or USUAL_BYTES
            probes = probes_of(path, lines)
            trace = read_as(self.reading, probes.over_line(self.line, lldu_bytes, self.until_ns))
            said += probes.holes
            return Measurement(trace, self.packing, lldu_bytes, tuple(said), extent=probes.extent)
        if harq is None:
            found = measured(lines, self.reading)
            said += [*found.notes, *self._propagation_notes(lines)]
            are_slots = self.es_n0 is not None or self.mode is not None
            if not are_slots and (self.sequence is not None or (has_delays and self.transmissions is None)):
                said.append(self._probes_note(lines, found.trace))
        else:
            has_outcomes = has_delays or bool(outcome.columns)
            found = harq.measurement(path, lines, self.reading, has_outcomes=has_outcomes)
            said += found.notes
        modes = columns["mode"].unit if "mode" in columns else ""
        return replace(
            found,
            packing=self.packing,
            lldu_bytes=self.lldu_bytes,
            notes=tuple(said),
            modes=dvb_modes(modes).metadata if modes else None,
        )

    def _probes_note(self, lines: Sequence[Line], trace: Trace) -> str:
        """Return a sentence on the rate of rows, from which users see whether they are probes."""
        usual_bytes = (self.lldu_bytes or USUAL_BYTES) * len(lines)
        octets = usual_bytes if trace.size_bytes is None else int(np.sum(trace.size_bytes, dtype=np.int64))
        return f"if rows are probes, {rate_note(8 * octets, lines[-1].time_ns - lines[0].time_ns)}"

    def _propagation_notes(self, lines: Sequence[Line]) -> list[str]:
        """Return a sentence on decode times that are too long for decoding alone."""
        shortest_ns = min((line.decode_time_ns or 0 for line in lines if not line.failed), default=0)
        if self.reading == "link" or self.propagation is not None or shortest_ns < _LONG_DECODING_NS:
            return []
        return [
            f"no delay is shorter than {number(shortest_ns / NS_PER_S)} s: if that is propagation, "
            "--propagation takes it off, and --rtt of a replay adds it"
        ]

    def _series(self, path: str) -> Measurement:
        others = map(self._column, ("rate", "loss", "delay", "end"))
        columns = SeriesColumns(named_column(self.time, TIME_UNITS), *others)
        rows = self._rows(path, [column for column in columns if column is not None])
        series = read_series(rows, columns, None if self.gap is None else ns(self.gap), self.holes)
        return replace(series.measurement(path, self, self.reading), packing=self.packing)

    def _rows(self, path: str, columns: Sequence[NamedColumn], others: Sequence[str] = ()) -> TableRows:
        return TableRows(
            path,
            [*(name for column in columns for name in column.names), *others],
            Clock(named_column(self.time, TIME_UNITS), self.ranges().get("time")),
            self.where,
            decimal_comma=self.decimal == "comma",
            drops_invalid=self.invalid == "drop",
        )

    def _column(self, key: str) -> NamedColumn | None:
        text = getattr(self, key)
        return None if text is None else named_column(text, UNITS[key])

    def ranges(self) -> dict[str, str]:
        """Return the given ranges of the time and of the sequence number (ValueError)."""
        keys = ("time", "sequence")
        return wraps(self.wrap, [(key, column) for key in keys if (column := self._column(key)) is not None])
