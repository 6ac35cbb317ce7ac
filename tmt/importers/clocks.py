"""Times and counters of a table: units, dates, times of day, and counters that wrap."""

from __future__ import annotations

import re
from contextlib import suppress
from datetime import datetime
from decimal import Decimal
from typing import TYPE_CHECKING

from tmt.core.errors import InputError
from tmt.core.units import NS_PER_MS, NS_PER_S
from tmt.core.words.refusals import shown
from tmt.core.words.values import counted
from tmt.importers.harq_logs import FRAME_NS, FRAMES, SLOTS_PER_FRAME
from tmt.importers.log_files import UNITS_NS, since_epoch_ns

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tmt.importers.columns import NamedColumn
    from tmt.importers.log_files import Row

DAY_NS = 86_400 * NS_PER_S

SLOT_UNITS = {f"{spacing_khz}kHz": slots for spacing_khz, slots in SLOTS_PER_FRAME.items()}
"""Slots per frame, by the unit of a frame with its slot: subcarrier spacings."""

_RANGES_NS = {
    DAY_NS,
    FRAMES * FRAME_NS,
    *(2**bits * unit_ns for bits in (31, 32) for unit_ns in (1, 1_000, NS_PER_MS)),
}
_ABOUT = Decimal(15) / 16
"""A step back by at least this share of a counter's range is a wrap."""

NEVER = "never"
"""Instead of a range: values that step back do not belong to a counter."""
WRAP_MEANING = (
    "value at which a counter begins again, in its unit: that of the time or of the sequence number; "
    f"NAME=VALUE,... names the columns of both; {NEVER}: no counter begins again"
)


class CounterRangeError(InputError):
    """A value steps back by about the range of a common counter; no rule may drop its row."""


class Counter:
    """A counter that wraps at `size`.

    A value up to an eighth of `size` behind the latest one is late; any other belongs to the next round.
    """

    def __init__(self, size: int) -> None:
        self.size = size
        self._first = self._latest = -1

    def whole(self, value: int) -> int:
        """Return the value plus all rounds before it."""
        if self._first < 0:
            self._first = self._latest = value
        late = self.size // 8
        found = self._latest + (value - self._latest + late) % self.size - late
        self._latest = max(self._latest, found)
        return found

    @property
    def rounds(self) -> int:
        """Number of wraps so far."""
        return max(self._latest, 0) // self.size


def about(back: int, sizes: Iterable[int]) -> int | None:
    """Return the least of some counter sizes that roughly equals a step back, or None."""
    return min((size for size in sizes if _ABOUT * size <= back <= size), default=None)


class Clock:
    """Times of a column, in the order of the file.

    `wrap` is the range of a counter in the column's unit, `NEVER`, or None. With None, a step back by about a
    common range is refused, naming the option that tells it.
    """

    def __init__(self, column: NamedColumn, wrap: str | None = None) -> None:
        self._column, self._wrap = column, wrap
        self._unit_ns = UNITS_NS.get(column.unit, 1)
        self._counter: Counter | None = None
        if column.unit == "clock":
            self._counter = Counter(DAY_NS)
        elif column.unit in SLOT_UNITS:
            self._counter = Counter(FRAMES * FRAME_NS)
        elif wrap is not None and wrap != NEVER:
            self._counter = Counter(int(Decimal(wrap) * self._unit_ns))
        self._before_ns: int | None = None
        self._style = _STYLES[0]
        self._parsers = {"iso": _iso_ns, "clock": time_of_day_ns, "date": self._date_ns}

    def time_ns(self, row: Row) -> int:
        """Return the time of a row in nanoseconds (InputError)."""
        time_ns = self._read(row, self._column)
        if self._counter is not None:
            if not 0 <= time_ns < self._counter.size:
                most = Decimal(self._counter.size) / self._unit_ns
                text = f"{self._column.name} is {shown(_text(row, self._column))}"
                raise row.refused(f"{text}, which a counter that begins again at {most:f} does not reach")
            return self._counter.whole(time_ns)
        if self._wrap is None and self._column.unit in UNITS_NS and self._before_ns is not None:
            self._check_step(row, self._before_ns - time_ns)
        self._before_ns = time_ns
        return time_ns

    @property
    def notes(self) -> list[str]:
        """A sentence on a counter that has wrapped."""
        rounds = self._counter.rounds if self._counter else 0
        if not rounds:
            return []
        what = "midnight passes" if self._column.unit == "clock" else f"{self._column.name} begins again"
        return [f"{what} {counted(rounds, 'time')}: times run on"]

    def _check_step(self, row: Row, back_ns: int) -> None:
        size_ns = about(back_ns, _RANGES_NS | {2**bits * self._unit_ns for bits in (16, 24, 31, 32)})
        if back_ns <= 0 or size_ns is None:
            return
        size = f"{(Decimal(size_ns) / self._unit_ns).normalize():f}"
        reason = f"the time steps back by {back_ns / NS_PER_S:g} s, about the range of a counter of {size}"
        advice = f"--wrap {size} says that it begins again there, --wrap {NEVER} sorts the rows"
        raise CounterRangeError(row.path, f"{reason}: {advice}", row.place)

    def end_ns(self, row: Row, column: NamedColumn, begin_ns: int) -> int:
        """Return a later time of a row, in the counter's round that follows `begin_ns` (InputError)."""
        end_ns = self._read(row, column)
        return end_ns if self._counter is None else begin_ns + (end_ns - begin_ns) % self._counter.size

    def _read(self, row: Row, column: NamedColumn) -> int:
        name, unit = column
        if unit in SLOT_UNITS:
            (frame, slot), slots = column.names, SLOT_UNITS[unit]
            count = slots * row.whole(frame, 0, FRAMES - 1) + row.whole(slot, 0, slots - 1)
            return count * FRAME_NS // slots
        text = _text(row, column)
        if unit in UNITS_NS:
            try:
                return row.time_ns(name, UNITS_NS[unit])
            except InputError as error:
                hint = next((word for word, parse in self._parsers.items() if parse(text) is not None), None)
                if hint is None:
                    raise
                what = "a time of day" if hint == "clock" else "a date and time"
                reason = f"{name} is {shown(text)}, {what}; write {name}:{hint}"
                raise row.refused(reason) from error
        if unit != "clock" and _DAY.fullmatch(text):
            reason = f"{name} is {text}, a date without a time of day"
            raise row.refused(f"{reason}; --time DATE+TIME:{unit} joins two columns")
        time_ns = self._parsers[unit](text)
        if time_ns is None:
            needed = "HH:MM:SS is" if unit == "clock" else "a date and time are"
            raise row.refused(f"{name} is {shown(text) or 'empty'}; {needed} needed")
        return time_ns

    def _date_ns(self, text: str) -> int | None:
        """Return a date of any style; the style of the row before is tried first."""
        for style in dict.fromkeys((self._style, *_STYLES)):
            if (time_ns := _moment_ns(text, style)) is not None:
                self._style = style
                return time_ns
        return None


def _text(row: Row, column: NamedColumn) -> str:
    return " ".join(row[name] for name in column.names)


def wraps(text: str | None, counters: Iterable[tuple[str, NamedColumn]]) -> dict[str, str]:
    """Return the ranges in a text of `WRAP_MEANING` by the keys of the counters (ValueError).

    The first counter is the time; other ranges are whole numbers.
    """
    found: dict[str, str] = {}
    (time, column), *_ = known = list(counters)
    keys = {one.name: key for key, one in known}
    unit_ns = UNITS_NS.get(column.unit, 0)  # a date has no counter
    for part in text.split(",") if text else ():
        name, _, value = part.rpartition("=")
        key = keys.get(name, "" if name else time)
        is_time = key == time
        if not key or not (is_time or value.isdecimal()):
            raise ValueError(part)
        if value != NEVER and not 2 <= Decimal(value) * (unit_ns if is_time else 1) < 2**63:
            raise ValueError(part)
        found[key] = value
    return found


_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_TIME_OF_DAY = re.compile(r"(\d{1,2}):(\d\d):(\d\d)(?:[.,](\d{1,18}))?")
_FRACTION = re.compile(r"(?<=:\d\d)[.,](\d{1,18})")
_ZONE = re.compile(r"(?<=[\dM]) (?!AM|PM)([A-Z]{2,5}|[+-]\d{2,4})(?= \d{4}$|$)")
"""Name of a time zone in the output of `date`; `strptime` knows only a few."""

_STYLES = (
    "",  # ISO 8601
    "%a %b %d %H:%M:%S %Y",
    "%a %b %d %I:%M:%S %p %Y",
    "%a %d %b %Y %H:%M:%S",
    "%a %d %b %Y %I:%M:%S %p",
    "%a, %d %b %Y %H:%M:%S %z",
    "%Y.%m.%d_%H.%M.%S",
    "%Y/%m/%d %H:%M:%S",
    "%d.%m.%Y %H:%M:%S",
)
"""Output of `date`, with `-I`, `-R` or without, in some languages; phone logs; logs of Go; German dates."""


def time_of_day_ns(text: str) -> int | None:
    """Return a time of day, ``HH:MM:SS`` with a fraction or not, in nanoseconds; None for other texts."""
    found = _TIME_OF_DAY.fullmatch(text)
    if found is None:
        return None
    hours, minutes, seconds = (int(part) for part in found.groups()[:3])
    if hours > 23 or minutes > 59 or seconds > 59:
        return None
    return (3600 * hours + 60 * minutes + seconds) * NS_PER_S + _fraction_ns(found[4])


def _moment_ns(text: str, style: str) -> int | None:
    """Return a date and time of a style as nanoseconds since 1970, exactly; without an offset it is UTC."""
    fraction = _FRACTION.search(text)
    whole = text if fraction is None else text[: fraction.start()] + text[fraction.end() :]
    if style and not style.endswith("%z"):
        whole = _ZONE.sub("", whole)
    with suppress(ValueError):
        moment = datetime.strptime(" ".join(whole.split()), style) if style else datetime.fromisoformat(whole)
        return since_epoch_ns(moment) + _fraction_ns(fraction and fraction[1])
    return None


def _fraction_ns(digits: str | None) -> int:
    return int((digits or "")[:9].ljust(9, "0"))


def _iso_ns(text: str) -> int | None:
    return _moment_ns(text, "")
