"""Series of round-trip times in text: columns ``time,rtt`` in seconds, or ``time_ns,rtt_ns``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tmt.core.errors import InputError
from tmt.core.schema import RTT_SERIES
from tmt.core.units import seconds_text
from tmt.core.words.refusals import refusal, shown
from tmt.io.atomic import staged
from tmt.io.files import open_output, text_lines

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy.typing as npt

HEADERS: dict[tuple[str, ...], bool] = {("time", "rtt"): True, ("time_ns", "rtt_ns"): False}
"""Whether times are in seconds, by the columns."""


def read_rtt_series(path: str) -> npt.NDArray[np.void]:
    """Return the rows of a CSV file, perhaps with gzip, as `RTT_SERIES`.

    InputError with the line of a value that is no time, negative, too large, or earlier than the one before.
    """
    from tmt.io.fields import field_value  # noqa: PLC0415  (pyarrow takes long to import)

    rows: list[tuple[int, ...]] = []
    seconds: bool | None = None
    for number, text, _ in text_lines(path):
        fields = tuple(field.strip() for field in text.split(","))
        if seconds is None:
            seconds, header = HEADERS.get(fields), fields
            if seconds is None:
                needed = "time,rtt in seconds, or time_ns,rtt_ns"
                reason = refusal("csv_header", found=shown(text, 120), columns=needed)
                raise InputError(path, reason, number)
            continue
        if len(fields) != len(header):
            raise InputError(path, refusal("fields", found=len(fields), needed=len(header)), number)
        try:
            pairs = zip(RTT_SERIES.columns, fields, strict=True)
            rows.append(tuple(field_value(column, field, seconds=seconds) for column, field in pairs))
        except ValueError as error:
            raise InputError(path, str(error), number) from None
        if len(rows) > 1 and rows[-1][0] < rows[-2][0]:
            previous = seconds_text(rows[-2][0]) if seconds else rows[-2][0]
            reason = refusal("not_sorted", column=header[0], value=fields[0], previous=previous)
            raise InputError(path, reason, number)
    if not rows:
        raise InputError(path, "there are no rows; a series has at least one")
    return np.array(rows, RTT_SERIES.dtype)


def write_rtt_series(path: str, rows: npt.NDArray[np.void], comments: Iterable[str]) -> None:
    """Write the rows of `RTT_SERIES` below comments; errors as for `staged`."""
    lines = [*(f"# {comment}" for comment in comments), "time,rtt"]
    lines += [f"{seconds_text(time_ns)},{seconds_text(rtt_ns)}" for time_ns, rtt_ns in rows.tolist()]
    with staged(path) as part, open_output(part) as file:
        file.write(("\n".join(lines) + "\n").encode())
