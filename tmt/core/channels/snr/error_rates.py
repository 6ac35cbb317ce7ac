"""Tables of block error rate over Es/N0: AFF3CT's, Sionna's printed ones, and text of two columns.

AFF3CT separates columns by ``|`` and names them in a comment: ``# Es/N0 | Eb/N0 | FRA | BE | FE | BER |
FER``. Sionna prints ``EbNo [dB] | BER | BLER | ...``. A plain table has a header
such as ``es_n0_db,bler``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tmt.core.channels.snr.text_lines import is_number, text_lines
from tmt.core.errors import InputError
from tmt.core.words.refusals import refusal, shown

if TYPE_CHECKING:
    from tmt.core.trace import FloatArray

_AXES = ("Es/N0", "Eb/N0")
_AXIS_NAMES = {"esn0": "Es/N0", "esno": "Es/N0", "snr": "Es/N0", "ebn0": "Eb/N0", "ebno": "Eb/N0"}
_RATE_NAMES = {"fer", "bler", "per", "wer"}


@dataclass(frozen=True, slots=True)
class ErrorRates:
    """A curve of block error rates.

    Attributes
    ----------
    signal_db : [n], float64, strictly increasing
    error_rate : [n], float64, from 0 to 1
    axis
        Name of `signal_db`: Es/N0 or Eb/N0.
    """

    signal_db: FloatArray
    error_rate: FloatArray
    axis: str

    def at(self, signal_db: FloatArray) -> FloatArray:
        """Return the error rate at each signal: the logarithm of the rate is linear in dB between two points.

        Below the first point and above the last one the rate is that of the point. A rate of 0 has no
        logarithm: from the point before, the rate holds until the point of rate 0.
        """
        least = np.min(self.error_rate[self.error_rate > 0], initial=1.0)
        logarithm = np.log(np.maximum(self.error_rate, least))
        rate = np.exp(np.interp(signal_db, self.signal_db, logarithm))
        zero = self.error_rate == 0
        if zero.any():
            before = np.clip(np.searchsorted(self.signal_db, signal_db, side="right") - 1, 0, None)
            following = np.minimum(before + 1, len(zero) - 1)
            rate = np.where(zero[following], self.error_rate[before], rate)
            rate = np.where(zero[before], 0.0, rate)
        return np.minimum(rate, 1.0)


def read_error_rates(path: str) -> ErrorRates:
    """Read a table, which may be compressed (.gz).

    Raises
    ------
    InputError
        With the line, where a value is no number or out of its range, or the signal does not rise; and where
        no header names the two columns.
    """
    columns: tuple[int, int] | None = None
    axis = ""
    points: list[tuple[float, float]] = []
    for number, text in text_lines(path, comments=False):
        fields = _fields(text.lstrip("#"))
        found = _header(fields)
        if found is not None:
            columns, axis = found
        elif not text.startswith("#") and columns is not None and is_number(fields[0]):
            points.append(_point(path, number, fields, columns))
            if len(points) > 1 and points[-1][0] <= points[-2][0]:
                reason = f"{axis} is {points[-1][0]:g} dB after {points[-2][0]:g} dB; it must increase"
                raise InputError(path, reason, number)
        elif columns is None and is_number(fields[0]):
            reason = "no header before this line names the columns Es/N0 or Eb/N0, and FER or BLER"
            raise InputError(path, reason, number)
    if columns is None:
        raise InputError(path, "no header names the columns Es/N0 or Eb/N0, and FER or BLER")
    if not points:
        raise InputError(path, refusal("no_rows"))
    signal, rate = np.array(points, np.float64).T
    return ErrorRates(signal, rate, axis)


def _fields(text: str) -> list[str]:
    separator = r"\|+" if "|" in text else r"[,;\t]" if re.search(r"[,;\t]", text) else r"\s+"
    return [field.strip() for field in re.split(separator, text.strip().strip("|"))]


def _header(fields: list[str]) -> tuple[tuple[int, int], str] | None:
    """Return the numbers of the signal's and of the rate's column, and the name of the signal."""
    names = [re.sub(r"\[.*?\]|\(.*?\)|_?db$|[^a-z0-9]", "", field.lower()) for field in fields]
    axes = {_AXIS_NAMES[name]: number for number, name in enumerate(names) if name in _AXIS_NAMES}
    rates = [number for number, name in enumerate(names) if name in _RATE_NAMES]
    for axis in _AXES:
        if axis in axes and rates:
            return (axes[axis], rates[0]), axis
    return None


def _point(path: str, line: int, fields: list[str], columns: tuple[int, int]) -> tuple[float, float]:
    if len(fields) <= max(columns):
        raise InputError(path, refusal("fields", found=len(fields), needed=max(columns) + 1), line)
    signal, rate = (fields[column] for column in columns)
    for text in (signal, rate):
        if not is_number(text):
            raise InputError(path, f"{shown(text)} is no finite number", line)
    if not 0.0 <= float(rate) <= 1.0:
        raise InputError(path, f"the error rate is {shown(rate)}; allowed are 0 to 1", line)
    return float(signal), float(rate)
