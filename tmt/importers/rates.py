"""Rate series of several data sets, known by their columns, and the history of a Starlink dish.

=============================================  ===========================================================
columns                                        source and units
=============================================  ===========================================================
``Timestamp``, ``DL_bitrate``, ``UL_bitrate``  UCC 4G and 5G logs: 1 Hz, kbit/s
``timestamp_start``, ``timestamp_end``,        WetLinks, Starlink on the Road: seconds of iperf3, bit/s
``download``, ``upload``
``time_s``, ``rate_bps``, ``loss``,            series of one's own: each row lasts until the next one; loss
``delay_ms``                                   (0 to 1) and delay are optional
=============================================  ===========================================================

A dish reports usage, loss and round trip of each of the last 900 s. ``dishGetHistory`` of ``grpcurl ...
{"get_history":{}}`` has rings that are indexed by ``current`` modulo their length: ``popPingDropRate`` (0 to
1), ``popPingLatencyMs`` (round trip to the point of presence), ``downlinkThroughputBps`` and
``uplinkThroughputBps``. Source: sparky8512/starlink-grpc-tools.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from tmt.core.declaration import ns
from tmt.core.errors import InputError
from tmt.core.units import NS_PER_MS, NS_PER_S
from tmt.core.words.refusals import shown
from tmt.importers.clocks import Clock
from tmt.importers.columns import Invalid, NamedColumn, TableRows
from tmt.importers.log_files import Record, TextTable, first_names, member, read_json
from tmt.importers.notes import HALF_TRIP
from tmt.importers.rate_series import RateSeries, TwoWayRateImporter
from tmt.importers.table_series import Gap, Holes, SeriesColumns, read_series
from tmt.io.files import head_of

if TYPE_CHECKING:
    from collections.abc import Collection

    from tmt.core.trace import FloatArray
    from tmt.importers.importer import Direction

_MOST_DIGITS = 18
"""Upper bound on the number of values that a ring has received: one a second."""
_RATES = {"up": "uplinkThroughputBps", "down": "downlinkThroughputBps"}

_FORMS = [
    {key: NamedColumn(*text.split(":")) for key, text in form.items()}
    for form in (
        {"time": "Timestamp:date", "down": "DL_bitrate:kbit/s", "up": "UL_bitrate:kbit/s"},
        {
            "time": "timestamp_start:iso",
            "end": "timestamp_end:iso",
            "down": "download:bit/s",
            "up": "upload:bit/s",
        },
        {
            "time": "time_s:s",
            "down": "rate_bps:bit/s",
            "up": "rate_bps:bit/s",
            "loss": "loss:share",
            "delay": "delay_ms:ms",
        },
    )
]
"""Columns of the known tables; those of loss and delay need not be there."""
_OPTIONAL = ("loss", "delay")


class RateTable(TwoWayRateImporter):
    """Rates over time: UCC 5G logs, WetLinks, a Starlink dish's history, time_s,rate_bps.

    Losses are drawn within each interval. Other tables: tmt import table --rate. See docs/import/rates.md.

        tmt import rates 5g-drive.csv down.parquet
        tmt import rates dish.json down.parquet --line 1e8
    """

    name: ClassVar[str] = "rates"

    gap: Gap = None
    holes: Holes = "remove"
    invalid: Invalid = "refuse"

    @classmethod
    def sniff(cls, head: bytes) -> bool:
        """Whether it is a dish's history, or the first line names the columns of a known table."""
        return _is_history(head) or _form_of(first_names(head)) is not None

    def rates(self, path: str) -> RateSeries:
        """Return the rates of one direction, by default down (InputError, with the line)."""
        direction = self.direction or "down"
        if _is_history(head_of(path)):
            return read_history(path, direction)
        table = TextTable(path)
        form = _form_of(table.names)
        if form is None:
            known = "; ".join(",".join(_needed(one)) for one in _FORMS)
            found = shown(",".join(table.names), 120)
            reason = f"the columns are {found}; known are {known}. tmt import table --rate reads others"
            raise InputError(path, reason)
        loss, delay, end = map(form.get, ("loss", "delay", "end"))
        columns = SeriesColumns(form["time"], form[direction], loss, delay, end)
        rows = TableRows(path, columns.names, Clock(columns.time), drops_invalid=self.invalid == "drop")
        return read_series(rows, columns, None if self.gap is None else ns(self.gap), self.holes)


def _needed(form: dict[str, NamedColumn]) -> dict[str, None]:
    return {column.name: None for key, column in form.items() if key not in _OPTIONAL}


def _form_of(names: Collection[str]) -> dict[str, NamedColumn] | None:
    """Return the columns that a known table with these names has, None for an unknown one."""
    form = next((form for form in _FORMS if _needed(form).keys() <= set(names)), None)
    return form and {key: column for key, column in form.items() if column.name in names}


def _is_history(head: bytes) -> bool:
    return b'"dishGetHistory"' in head


def read_history(path: str, direction: Direction) -> RateSeries:
    """Return usage, loss and half of the round trip of each second, oldest first (InputError)."""
    history = member(read_json(path), "dishGetHistory")
    if not isinstance(history, dict):
        raise InputError(path, "there is no dishGetHistory")
    rate, drops, trips = (
        _ring(path, history, name) for name in (_RATES[direction], "popPingDropRate", "popPingLatencyMs")
    )
    if not len(rate) == len(drops) == len(trips) or not len(rate):
        raise InputError(path, f"its rings hold {len(rate)}, {len(drops)} and {len(trips)} values")
    if (drops > 1).any():
        raise InputError(path, f"a value of popPingDropRate is {drops.max():g}; the most allowed is 1")
    notes = (
        f"{_RATES[direction]} is what was used, not what the link can carry: --line sets a rate",
        f"losses of pings ({100 * drops.mean():.2f} %) have no known direction: they count as {direction}",
        f"{HALF_TRIP} to the point of presence",
    )
    seconds = np.full(len(rate), NS_PER_S, np.int64)
    return RateSeries(seconds, rate, drops, np.rint(trips * NS_PER_MS / 2).astype(np.int64), notes)


def _ring(path: str, history: dict[str, Any], name: str) -> FloatArray:
    """Return the values of a ring that have been written, in order of time."""
    values, current = history.get(name), str(history.get("current", ""))
    if not isinstance(values, list) or not current.isdecimal() or len(current) > _MOST_DIGITS:
        raise InputError(path, f"{'current' if isinstance(values, list) else name} is missing or wrong")
    for place, value in enumerate(values):
        Record.of(path, f"value {place + 1}", {name: value}).number(name, 0, 1e15)
    array = np.array(values, np.float64)
    count = int(current)
    return np.roll(array, -(count % max(len(array), 1))) if count >= len(array) else array[:count]
