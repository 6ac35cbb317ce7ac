"""Result files of flent: one of its series over time, as rates or as delays.

A file is JSON: ``x_values`` are times in s, ``results`` has for each series one value per time, null for
none, and ``metadata.SERIES_META`` names the unit of each series: ``Mbits/s`` or ``ms``. Source: the result
sets of flent's sources and files of its version 0.11.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np

from tmt.core.declaration import Param
from tmt.core.errors import InputError, UsageError
from tmt.core.units import NS_PER_MS, NS_PER_S, seconds_to_ns
from tmt.core.words.values import counted
from tmt.importers.log_files import Record, member, read_json
from tmt.importers.notes import HALF_TRIP
from tmt.importers.rate_series import RateImporter, RateSeries, durations

if TYPE_CHECKING:
    from tmt.core.trace import FloatArray, Int64Array

_RATE, _DELAY = "Mbits/s", "ms"
_MOST = 1e9
"""Largest value of a series: 1 Pbit/s, or 11 days."""


class Flent(RateImporter):
    """A series of a flent result file: rates of flows, or round trips.

    A series in Mbit/s gives rates. A series in ms gives delays, half of each round trip, at the rate of
    --line. See docs/import/rates.md.

        tmt import flent rrul.flent.gz down.parquet --series "TCP download sum"
    """

    name: ClassVar[str] = "flent"
    signs: ClassVar[tuple[bytes, ...]] = (
        b'"metadata"',
        b'"(FLENT_VERSION|NETPERF_WRAPPER_VERSION|SERIES_META)"',  # netperf-wrapper: its name before
    )

    series: Annotated[
        str | None, "series to import, as the file names it", Param(absent="the only one in the file")
    ] = None

    def rates(self, path: str) -> RateSeries:
        """Return the series over the times that have a value."""
        document = read_json(path)
        results, times = member(document, "results"), member(document, "x_values")
        if not isinstance(results, dict) or not results or not isinstance(times, list):
            raise InputError(path, "there are no results and x_values; this is not a file of flent")
        name = self._chosen(path, list(results))
        unit = member(document, "metadata", "SERIES_META", name, "UNITS") or _unit_of(name)
        if unit not in (_RATE, _DELAY):
            raise InputError(path, f"series {name} is in {unit}; {_RATE} or {_DELAY} is needed")
        if unit == _DELAY and self.line is None:
            raise UsageError(f"--series {name} is a delay in ms; give the rate of the link by --line")
        start, end, values, notes = _intervals(path, name, times, results[name])
        notes += [f"flent interpolates its values to one every {(end[0] - start[0]) / NS_PER_S:g} s"]
        duration, gaps = durations(path, start, end, [f"{name} at {time / NS_PER_S:g} s" for time in start])
        if unit == _RATE:
            notes.append("a rate of flent is what its flows got, in bytes of their payload")
            return RateSeries(duration, values * 1e6, notes=(*notes, *gaps))
        notes += [HALF_TRIP, "flent tells no losses of its pings"]
        delay = np.rint(values * NS_PER_MS / 2).astype(np.int64)
        return RateSeries(duration, np.zeros(len(values)), None, delay, (*notes, *gaps))

    def _chosen(self, path: str, names: list[str]) -> str:
        listed = ", ".join(names)
        if self.series is None and len(names) > 1:
            raise InputError(path, f"there are {len(names)} series; choose one by --series: {listed}")
        if self.series not in (None, *names):
            raise UsageError(f"--series is {self.series}; {path} holds {listed}")
        return self.series or names[0]


def _unit_of(name: str) -> str:
    """Return the unit of a series in a file without units, from its name in flent."""
    return _DELAY if "(ms)" in name or name.startswith("Ping") else _RATE


def _intervals(
    path: str, name: str, times: list[Any], values: Any
) -> tuple[Int64Array, Int64Array, FloatArray, list[str]]:
    """Return start and end of the intervals with a value, from the file's first one on, and their values."""
    if not isinstance(values, list) or len(values) != len(times) or len(times) < 2:
        found = len(values) if isinstance(values, list) else "no"
        needed = "2 or more are needed, one for each time"
        raise InputError(path, f"series {name} has {found} values for {len(times)} times; {needed}")
    for column, numbers in (("x_values", times), (name, [0 if value is None else value for value in values])):
        for index, number in enumerate(numbers):
            Record.of(path, f"{column}[{index}]", {"the value": number}).number("the value", 0, _MOST)
    edges = np.array([seconds_to_ns(time) for time in times], np.int64)
    edges = np.append(edges, 2 * edges[-1] - edges[-2])  # the last interval is as long as the one before
    known = [index for index, value in enumerate(values) if value is not None]
    if not known:
        raise InputError(path, f"series {name} has no value")
    missing = len(values) - len(known)
    notes = [f"{missing} of {counted(len(values), 'time')} without a value"] if missing else []
    return edges[:-1][known], edges[1:][known], np.array([values[i] for i in known], np.float64), notes
