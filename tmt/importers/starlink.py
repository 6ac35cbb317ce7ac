"""The history of a Starlink dish: usage, loss and round trip of each second, of the last 900 s.

``dishGetHistory`` of ``grpcurl ... {"get_history":{}}`` has rings that are indexed by ``current`` modulo
their length: ``popPingDropRate`` (0 to 1), ``popPingLatencyMs`` (round trip to the point of presence),
``downlinkThroughputBps`` and ``uplinkThroughputBps``. Source: sparky8512/starlink-grpc-tools.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tmt.core.errors import InputError
from tmt.core.units import NS_PER_MS, NS_PER_S
from tmt.importers.log_files import json_number, member, read_json
from tmt.importers.notes import HALF_TRIP
from tmt.importers.rate_series import RateSeries

if TYPE_CHECKING:
    from tmt.core.trace import FloatArray
    from tmt.importers.importer import Direction

_MOST_DIGITS = 18
"""Of the number of values that a ring has had: one a second."""
_RATES = {"up": "uplinkThroughputBps", "down": "downlinkThroughputBps"}


def is_history(head: bytes) -> bool:
    """Whether a file that begins with these bytes is a dish's history."""
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
    """Return the values of a ring in order of time, those that have been written."""
    values, current = history.get(name), str(history.get("current", ""))
    if not isinstance(values, list) or not current.isdecimal() or len(current) > _MOST_DIGITS:
        raise InputError(path, f"{'current' if isinstance(values, list) else name} is missing or wrong")
    for place, value in enumerate(values):
        json_number(path, f"value {place + 1}", name, value, 0, 1e15)
    array = np.array(values, np.float64)
    count = int(current)
    return np.roll(array, -(count % max(len(array), 1))) if count >= len(array) else array[:count]
