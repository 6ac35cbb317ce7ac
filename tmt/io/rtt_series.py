"""Series of round-trip times in text: columns ``time,rtt`` in seconds, or ``time_ns,rtt_ns``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tmt.core.errors import InputError
from tmt.core.schema import RTT_SERIES
from tmt.core.units import MAX_TIME_NS, seconds_text, seconds_to_ns
from tmt.core.words.refusals import refusal, shown
from tmt.io.files import input_errors, open_input

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

HEADERS: dict[tuple[str, ...], Callable[[str], int]] = {
    ("time", "rtt"): seconds_to_ns,
    ("time_ns", "rtt_ns"): int,
}


def read_rtt_series(path: str) -> npt.NDArray[np.void]:
    """Return the rows of a CSV file, perhaps with gzip: those of `RTT_SERIES`.

    InputError with the line of a value that is no time, negative, too large, or earlier than the one before.
    """
    found: list[tuple[int, int]] = []
    header: tuple[str, ...] = ()
    to_ns: Callable[[str], int] | None = None
    with open_input(path) as file, input_errors(path):
        for number, content in enumerate(file, 1):
            line = content.decode("utf-8", "replace")
            fields = tuple(field.strip() for field in line.split(","))
            if line.startswith("#") or fields == ("",):
                continue
            if to_ns is None:
                header, to_ns = fields, HEADERS.get(fields)
                if to_ns is None:
                    needed = "time,rtt in seconds, or time_ns,rtt_ns"
                    reason = refusal("csv_header", found=shown(",".join(header), 120), columns=needed)
                    raise InputError(path, reason, number)
                continue
            found.append(_row(path, number, header, fields, to_ns))
            if len(found) > 1 and found[-1][0] < found[-2][0]:
                previous = f"{found[-2][0]}" if to_ns is int else seconds_text(found[-2][0])
                reason = refusal("not_sorted", column=header[0], value=fields[0], previous=previous)
                raise InputError(path, reason, number)
    if not found:
        raise InputError(path, "there are no rows; a series has at least one")
    return np.array(found, RTT_SERIES.dtype)


def _row(
    path: str, line: int, header: tuple[str, ...], fields: tuple[str, ...], to_ns: Callable[[str], int]
) -> tuple[int, int]:
    if len(fields) != len(header):
        raise InputError(path, refusal("fields", found=len(fields), needed=len(header)), line)
    values = []
    for name, text in zip(header, fields, strict=True):
        try:
            value = to_ns(text)
        except ValueError:
            kind = "not_integer" if to_ns is int else "not_seconds"
            raise InputError(path, refusal(kind, column=name, value=shown(text)), line) from None
        if not 0 <= value <= MAX_TIME_NS:
            kind, bound = ("below_minimum", 0) if value < 0 else ("above_maximum", MAX_TIME_NS)
            raise InputError(path, refusal(kind, column=name, value=text, minimum=bound, maximum=bound), line)
        values.append(value)
    return values[0], values[1]
