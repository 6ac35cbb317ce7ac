"""Rate series of several data sets, known by their columns; `starlink` reads the history of a dish.

=============================================  ===========================================================
columns                                        source and units
=============================================  ===========================================================
``Timestamp``, ``DL_bitrate``, ``UL_bitrate``  UCC 4G and 5G logs: 1 Hz, kbit/s
``timestamp_start``, ``timestamp_end``,        WetLinks, Starlink on the Road: seconds of iperf3, bit/s
``download``, ``upload``
``time_s``, ``rate_bps``, ``loss``,            series of one's own: each row lasts until the next one; loss
``delay_ms``                                   (0 to 1) and delay are optional
=============================================  ===========================================================
"""

from __future__ import annotations

import csv
from datetime import datetime
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np

from tmt.core.errors import InputError
from tmt.core.units import NS_PER_MS, NS_PER_S, seconds_to_ns
from tmt.core.words.refusals import refusal, shown
from tmt.importers import starlink
from tmt.importers.log_files import since_epoch_ns, text_lines
from tmt.importers.rate_series import RateSeries, TwoWayRateImporter, durations
from tmt.io.files import head_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from tmt.core.trace import Int64Array


class _Form(NamedTuple):
    """Columns of a table: start, end (None: the next row's start), rates by direction, and their unit."""

    start: str
    end: str | None
    up: str
    down: str
    unit_bps: float
    parse: Callable[[str], int]
    loss: str = ""
    delay_ms: str = ""

    @property
    def needed(self) -> dict[str, None]:
        return dict.fromkeys((self.start, self.end or self.start, self.down, self.up))


def _clock(text: str) -> int:
    """Return nanoseconds since the epoch of a date and time, whose zone is taken as UTC."""
    for style in ("%Y.%m.%d_%H.%M.%S", None):
        try:
            time = datetime.strptime(text, style) if style else datetime.fromisoformat(text)
        except ValueError:
            continue
        return since_epoch_ns(time)
    raise ValueError


_FORMS = (
    _Form("Timestamp", None, "UL_bitrate", "DL_bitrate", 1e3, _clock),
    _Form("timestamp_start", "timestamp_end", "upload", "download", 1.0, _clock),
    _Form("time_s", None, "rate_bps", "rate_bps", 1.0, seconds_to_ns, "loss", "delay_ms"),
)

_LONGEST_S = 3
"""Time after which the next row no longer ends an interval: the log has a gap there."""


class RateTable(TwoWayRateImporter):
    """Rates over time: UCC 5G logs, WetLinks, a Starlink dish's history, time_s,rate_bps.

    Each interval gives opportunities at its rate. Losses of an interval are drawn among its rows. Time
    without a measurement is cut out.

        tmt import rates 5g-drive.csv down.parquet
        tmt import rates dish.json down.parquet --line 1e8
    """

    name: ClassVar[str] = "rates"

    @classmethod
    def sniff(cls, head: bytes) -> bool:
        """Whether it is a dish's history, or the first line names the columns of a known table."""
        first = head.lstrip(b"\xef\xbb\xbf").split(b"\n", 1)[0].decode("utf-8", "replace").strip()
        return starlink.is_history(head) or _form_of(first)[0] is not None

    def rates(self, path: str) -> RateSeries:
        """Return the rates of one direction, downwards unless told otherwise (InputError, with the line)."""
        direction = self.direction or "down"
        if starlink.is_history(head_of(path)):
            return starlink.read_history(path, direction)
        lines = text_lines(path)
        header = next(lines, None)
        if header is None:
            raise InputError(path, refusal("no_rows"))
        form, delimiter, names = _form_of(header.text)
        if form is None:
            known = "; ".join(",".join(f.needed) for f in _FORMS)
            reason = f"the header is {shown(header.text, 120)}; known columns are {known}"
            raise InputError(path, reason, header.number)
        columns = [form.start, form.end or form.start, getattr(form, direction)]
        columns += [name for name in (form.loss, form.delay_ms) if name in names]
        places = [names.index(name) for name in columns]
        rows: list[list[float]] = []
        notes = ["the rates are taken as the capacity; a rate of traffic is only a lower bound of it"]
        empty = 0
        for line in lines:
            try:
                fields = next(csv.reader([line.text], delimiter=delimiter))
            except csv.Error:
                raise InputError(path, "a carriage return stands within this line", line.number) from None
            if len(fields) != len(names):
                if not line.ended:
                    notes.append("the last line is cut and is left out")
                    break
                raise InputError(path, refusal("fields", found=len(fields), needed=len(names)), line.number)
            if fields[places[2]].strip() in ("", "-"):
                empty += 1
                continue
            texts = zip(columns, (fields[place] for place in places), strict=True)
            rows.append([line.number, *(_value(path, line.number, form, name, text) for name, text in texts)])
        if not rows:
            raise InputError(path, refusal("no_rows"))
        if empty:
            notes.append(f"{empty} rows have no {columns[2]} and are left out")
        return _series(path, rows, form, columns, notes)


def _form_of(header: str) -> tuple[_Form | None, str, list[str]]:
    """Return the form of a table with this header, None for an unknown one; its delimiter and its columns."""
    delimiter = max(",;\t", key=header.count)
    names = [name.strip() for name in header.split(delimiter)]
    return next((form for form in _FORMS if form.needed.keys() <= set(names)), None), delimiter, names


def _value(path: str, line: int, form: _Form, name: str, text: str) -> int | float:
    text = text.strip()
    try:
        if name in (form.start, form.end):
            return form.parse(text)
        value = float(text)
    except (ValueError, ArithmeticError):
        value = -1.0
    if not 0.0 <= value < 1e15 or (name == form.loss and value > 1.0):
        raise InputError(path, f"{name} is {shown(text) or 'empty'}, which is not allowed", line)
    return value


def _series(
    path: str, rows: list[list[float]], form: _Form, columns: list[str], notes: list[str]
) -> RateSeries:
    line, start, end = (np.array([row[i] for row in rows], np.int64) for i in range(3))
    values = np.array([row[3:] for row in rows], np.float64)
    if form.end is None:
        steps = np.diff(start)
        if (steps < 0).any():
            at = int(np.argmax(steps < 0)) + 1
            raise InputError(path, f"time goes back by {-steps[at - 1] / NS_PER_S:g} s", int(line[at]))
        first = np.flatnonzero(np.append(True, steps > 0))
        if merged := len(start) - len(first):
            notes.append(f"{merged} rows have the time of the row before and are averaged with it")
        counts = np.diff(np.append(first, len(start)))
        values = np.add.reduceat(values, first, axis=0) / counts[:, None]
        start, line = start[first], line[first]
        end = _ends(start, form)
    duration, gaps = durations(path, start, end, line.tolist())
    optional = dict(zip(columns[3:], values.T[1:], strict=True))
    delay = optional.get("delay_ms")
    delay_ns = None if delay is None else np.rint(delay * NS_PER_MS).astype(np.int64)
    return RateSeries(duration, values[:, 0] * form.unit_bps, optional.get("loss"), delay_ns, (*notes, *gaps))


def _ends(start: Int64Array, form: _Form) -> Int64Array:
    """Return the end of each interval: the next start, for the last one after the usual time."""
    usual = int(np.median(np.diff(start))) if len(start) > 1 else NS_PER_S
    steps: Int64Array = np.append(np.diff(start), usual)
    if form.parse is _clock:
        steps[steps > _LONGEST_S * NS_PER_S] = usual
    return start + steps
