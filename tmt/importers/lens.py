"""CSV files of the LENS data set (Starlink and OneWeb): irtt round trips, or ping replies.

irtt: ``timestamp,rtt,uplink,downlink``, the stamp in ns since the epoch, delays in ms. -1 marks a loss: in
``uplink``, in ``downlink``, or in ``rtt`` where the direction is unknown; the other two then are 0.
ping: ``timestamp,rtt``, the stamp of the reply in s since the epoch; lost probes have no line.
Source: README of clarkzjw/LENS.
"""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING

import numpy as np

from tmt.core.errors import InputError
from tmt.core.units import MAX_TIME_NS, NS_PER_MS, NS_PER_S
from tmt.core.words.refusals import refusal, shown
from tmt.importers.irtt import one_direction
from tmt.importers.probes import Probes, milliseconds, probe_importer
from tmt.importers.text_lines import text_lines

if TYPE_CHECKING:
    from tmt.core.trace import Int64Array
    from tmt.importers.options import Direction

IRTT_HEADER, PING_HEADER = "timestamp,rtt,uplink,downlink", "timestamp,rtt"

_IRTT_BYTES = 88
"""IP packet of irtt in this data set: 60 bytes of UDP payload."""
_PING_BYTES = 84


def read_lens(path: str, direction: Direction) -> Probes:
    """Return the probes of one direction.

    Raises
    ------
    InputError
        With the line, where the header is none of the two, a field is no number, or time goes back.
    """
    lines = text_lines(path)
    header = next(lines, None)
    names = header.text.replace(" ", "") if header else ""
    if header is None or names not in (IRTT_HEADER, PING_HEADER):
        columns = f"{IRTT_HEADER} or {PING_HEADER}"
        number = header.number if header else None
        raise InputError(path, refusal("csv_header", found=shown(names, 120), columns=columns), number)
    width = names.count(",") + 1
    rows: list[list[Decimal]] = []
    cut = False
    for line in lines:
        fields = line.text.split(",")
        try:
            row = [Decimal(field.strip()) for field in fields]
            if len(row) != width or not all(value.is_finite() for value in row):
                raise InvalidOperation
        except InvalidOperation:
            if not line.ended:
                cut = True
                break
            if len(fields) != width:
                raise InputError(
                    path, refusal("fields", found=len(fields), needed=width), line.number
                ) from None
            raise InputError(path, f"{shown(line.text)} holds no {width} numbers", line.number) from None
        units = (1, NS_PER_MS, NS_PER_MS, NS_PER_MS) if width == 4 else (NS_PER_S, NS_PER_MS)
        if any(
            value.copy_abs() > Decimal(MAX_TIME_NS) / unit for value, unit in zip(row, units, strict=True)
        ):
            raise InputError(path, f"{shown(line.text)} holds a time beyond 146 years", line.number)
        if rows and row[0] < rows[-1][0]:
            raise InputError(path, f"time goes back from {rows[-1][0]} to {row[0]}", line.number)
        if width == 2 and row[1] < 0:
            raise InputError(path, f"the round trip is {row[1]} ms; it must be 0 or more", line.number)
        rows.append(row)
    if not rows:
        raise InputError(path, refusal("no_rows"))
    probes = _ping(rows) if width == 2 else _irtt(path, rows, direction)
    return replace(probes, notes=(*probes.notes, "the last line is cut and is left out")) if cut else probes


def _irtt(path: str, rows: list[list[Decimal]], direction: Direction) -> Probes:
    sent = np.array([int(row[0]) for row in rows], np.int64)
    trips, up, down = (_nanoseconds(rows, column) for column in (1, 2, 3))
    lost = np.select(
        [trips == -NS_PER_MS, up == -NS_PER_MS, down == -NS_PER_MS], ["unknown", "up", "down"], ""
    )
    # A -1 is a loss only where the other two delays are 0: clocks that differ give negative delays, too.
    zeros = (trips == 0).astype(int) + (up == 0) + (down == 0)
    lost = np.where(zeros == 2, lost, "")
    whole = lost == ""
    if not whole.any():
        raise InputError(path, f"all {len(rows)} probes are lost; no delay is known")
    return one_direction(sent, lost, up[whole], down[whole], _IRTT_BYTES, direction)


def _ping(rows: list[list[Decimal]]) -> Probes:
    stamps = np.array([int(row[0] * NS_PER_S) for row in rows], np.int64)
    trips = _nanoseconds(rows, 1)
    notes = (
        "the delay of each direction is taken as half of the round trip",
        f"the file holds no sequence numbers: losses are unknown; longest time between replies "
        f"{milliseconds(int(np.diff(stamps).max(initial=0)))}",
    )
    return Probes.of(stamps - trips, trips // 2, np.ones(len(rows), np.bool_), _PING_BYTES, notes)


def _nanoseconds(rows: list[list[Decimal]], column: int) -> Int64Array:
    return np.array([int((row[column] * NS_PER_MS).to_integral_value()) for row in rows], np.int64)


def _sniff(head: bytes) -> bool:
    first = head.split(b"\n", 1)[0].strip().replace(b" ", b"").decode("utf-8", "replace")
    return first in (IRTT_HEADER, PING_HEADER)


IMPORTER = probe_importer(
    "lens",
    "round trips of the LENS data set (CSV of irtt or ping)",
    read_lens,
    _sniff,
    """Each probe becomes a row. In the irtt form -1 tells the direction of a loss; the ping form holds no
losses.

\b
  tmt import lens irtt-10ms-2024-01-20.csv up.parquet --direction up""",
)
