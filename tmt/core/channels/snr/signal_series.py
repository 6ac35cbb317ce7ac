"""Signal over time: Es/N0 or attenuation in dB, as text of two columns.

The form is that of OpenSAND's attenuation file: seconds and dB in each line, comments behind ``#``, a linear
course between two lines, and a new beginning after the last one. Commas, semicolons and tabs may separate
them, and a header may name the columns. Source: the sources of OpenSAND's plugin for attenuation files.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tmt.core.channels.snr.text_lines import is_number, text_lines
from tmt.core.errors import InputError
from tmt.core.units import seconds_to_ns
from tmt.core.words.refusals import refusal, shown

if TYPE_CHECKING:
    from tmt.core.trace import FloatArray, Int64Array

_ATTENUATION = re.compile(r"att|loss|fade|fading", re.IGNORECASE)
_SEPARATORS = re.compile(r"[\s,;]+")


@dataclass(frozen=True, slots=True)
class SignalSeries:
    """Samples of a signal.

    Attributes
    ----------
    time_ns : [n], int64, strictly increasing
        Since the first sample.
    value_db : [n], float64
    attenuation
        Whether a header calls the values an attenuation; None without a header.
    """

    time_ns: Int64Array
    value_db: FloatArray
    attenuation: bool | None

    def at(self, time_ns: Int64Array) -> FloatArray:
        """Return the values at times since the first sample, linear between samples.

        The series begins anew at the time of its last sample; a single sample holds for ever.
        """
        length = int(self.time_ns[-1])
        if length == 0:
            return np.full(len(time_ns), self.value_db[0])
        return np.interp(time_ns % length, self.time_ns, self.value_db)


def read_signal_series(path: str) -> SignalSeries:
    """Read a series, which may be compressed (.gz).

    Raises
    ------
    InputError
        With the line, where it does not hold two numbers, or time does not rise.
    """
    times: list[int] = []
    values: list[float] = []
    attenuation: bool | None = None
    for number, text in text_lines(path):
        fields = [field for field in _SEPARATORS.split(text) if field]
        if not times and attenuation is None and not is_number(fields[0]):
            attenuation = len(fields) > 1 and _ATTENUATION.search(fields[1]) is not None
            continue
        if len(fields) != 2:
            reason = f"{refusal('fields', found=len(fields), needed=2)}: seconds and dB"
            raise InputError(path, reason, number)
        wrong = next((field for field in fields if not is_number(field)), None)
        if wrong is not None:
            raise InputError(path, f"{shown(wrong)} is no finite number", number)
        try:
            time_ns = seconds_to_ns(fields[0])
        except ValueError as error:
            raise InputError(path, str(error), number) from None
        if times and time_ns <= times[-1]:
            reason = f"time is {fields[0]} s, not after the line before; times must increase"
            raise InputError(path, reason, number)
        times.append(time_ns)
        values.append(float(fields[1]))
    if not times:
        raise InputError(path, refusal("no_rows"))
    time = np.array(times, np.int64)
    return SignalSeries(time - time[0], np.array(values, np.float64), attenuation)
