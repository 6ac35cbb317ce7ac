"""Which options of `tmt import table` conflict, and the form of those that name columns."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from tmt.core.units import seconds_to_ns, unit_in
from tmt.importers.clocks import NEVER
from tmt.importers.columns import (
    AMOUNT_UNITS,
    RATE_UNITS,
    SHARE_UNITS,
    TIME_UNITS,
    conditions,
    named_column,
)
from tmt.importers.dvb_modes import TABLES
from tmt.importers.log_files import UNITS_NS
from tmt.importers.sequences import SEQUENCE_UNITS
from tmt.importers.table_blocks import NEW_DATA_UNITS, HarqColumns

if TYPE_CHECKING:
    from collections.abc import Callable

    from tmt.core.declaration import Rules
    from tmt.importers.table import AnyTable

UNITS: dict[str, tuple[str, ...]] = {
    "time": TIME_UNITS,
    "end": TIME_UNITS,
    "rate": (*RATE_UNITS, *AMOUNT_UNITS),
    "loss": tuple(SHARE_UNITS),
    "size": ("bytes", "bits"),
    "delay": tuple(UNITS_NS),
    "received": TIME_UNITS,
    "sequence": SEQUENCE_UNITS,
    "transmissions": (),
    "es_n0": (),
    "mode": ("", *TABLES),
}
"""Parameters that name a column, and the units that may follow the name; the first one is the default."""
_OF_ROWS = (
    *("bad", "good", "size", "received", "propagation", "sequence", "transmissions", "process", "new_data"),
    *("es_n0", "mode"),
)
"""Parameters of single transmissions or packets."""


def rules_of(table: AnyTable) -> Rules:
    """Refuse texts of another form, and options that conflict."""
    yield from _forms(table)
    yield from _without(table, ("good",), table.bad, "one of bad and good", "beside bad")
    yield from _without(table, ("lldu_bytes",), table.size, "one of size and lldu_bytes", "beside size")
    if table.mode is not None and _parses(named_column, table.mode, UNITS["mode"]):
        table_of_modes = named_column(table.mode, UNITS["mode"]).unit
        yield from _without(
            table, ("lldu_bytes",), table_of_modes or None, "none with a table of modes", "for frames"
        )
    yield from _without(table, ("received",), table.delay, "one of delay and received", "beside delay")
    if table.propagation is not None and table.delay is None and table.received is None:
        yield "propagation", "with delay or received", "has no delay to be taken from"
    if table.received is not None and _kind(table.received) != _kind(table.time):
        yield "received", "a unit of the clock of --time", "is on another clock"
    is_phy = table.reading == "phy"
    sent_once = "none with --as phy: a slot is sent once"
    yield from _without(table, ("transmissions",), is_phy, sent_once, "for slots")
    for key, what in (("es_n0", "Es/N0"), ("mode", "modes")):
        allowed = f"none with --as link: a link trace has no {what}"
        yield from _without(table, (key,), not is_phy, allowed, "for blocks")
    yield from _of_processes(table)
    yield from _of_series(table) if table.is_series else _of_rows(table)


def _without(table: AnyTable, keys: tuple[str, ...], other: object, allowed: str, where: str) -> Rules:
    """Refuse parameters that conflict with another one that is given, or is true."""
    for key in keys:
        if other not in (None, False) and getattr(table, key) is not None:
            yield key, allowed, f"has no meaning {where}"


def _forms(table: AnyTable) -> Rules:
    for key, units in UNITS.items():
        text = getattr(table, key)
        if text is not None and not _parses(named_column, text, units):
            yield (
                key,
                f"NAME, or NAME:UNIT with a unit of {', '.join(filter(None, units))}",
                "has another unit",
            )
        elif units and units[0] == "s" and ":" not in (text or ":") and (unit := unit_in(text)) in UNITS_NS:
            yield key, f"{text}:{unit}, or {text}:s", "has no unit"
    for key in ("bad", "good", "where"):
        if not _parses(conditions, getattr(table, key)):
            yield key, "NAME=VALUE, or several with commas between", "is not a condition"
    if table.origin not in ("first", "zero") and not _parses(seconds_to_ns, table.origin):
        yield "origin", "first, zero, or a time in seconds", "is not a time"
    if table.wrap is not None and not _parses(table.ranges):
        allowed = f"a number of at least 2, {NEVER}, or NAME=NUMBER for a column of numbers"
        yield "wrap", f"{allowed}: the time or the sequence number", "is not a range"


def _of_processes(table: AnyTable) -> Rules:
    if table.process is None or table.new_data is None:
        for key, other in (("process", "new_data"), ("new_data", "process")):
            yield from _without(table, (key,), True, f"with {other}", f"without {other}")
        return
    if not _parses(HarqColumns, table.process, table.new_data):
        units = " or ".join(NEW_DATA_UNITS)
        yield "new_data", f"NAME, NAME:UNIT with unit {units}, or NAME=VALUE", "tells no new blocks"
    keys = ("sequence", "transmissions", "line")
    yield from _without(table, keys, True, "none with process", "for HARQ processes")


def _of_series(table: AnyTable) -> Rules:
    if table.rate is None and table.line is None:
        yield "loss", "none without rate or line", "is the loss of rows of no known rate"
    yield from _without(table, _OF_ROWS, True, "none with rate or loss", "for intervals")
    if table.origin != "first":
        yield "origin", "first with rate or loss", "has no meaning for intervals"


def _of_rows(table: AnyTable) -> Rules:
    for key, usual in (("gap", None), ("holes", "remove"), ("end", None)):
        if getattr(table, key) != usual:
            yield key, "none without rate or loss", "has no meaning for single rows"
    if table.line is None:
        return
    allowed = "none with line, whose rows have lldu_bytes"
    yield from _without(table, ("size", "transmissions"), True, allowed, "for probes")
    if table.origin != "first":
        yield "origin", "first with line", "has no meaning for probes"


def _kind(column: str) -> str:
    """Return the kind of clock of a column of times: numbers, dates, or the unit of another clock."""
    with suppress(ValueError):
        unit = named_column(column, TIME_UNITS).unit
        return "number" if unit in UNITS_NS else "date" if unit in ("iso", "date") else unit
    return "number"


def _parses(parse: Callable[..., object], *arguments: object) -> bool:
    try:
        parse(*arguments)
    except (ValueError, ArithmeticError):
        return False
    return True
