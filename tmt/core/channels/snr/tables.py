"""Text tables: a signal over time, and block error rate over Es/N0.

The form of a series is that of OpenSAND's attenuation file: seconds and dB in each line, comments behind
``#``, linear between two lines, repeated after the last one. Commas, semicolons and tabs may separate the
columns, and a header may name them. Source: the sources of OpenSAND's plugin for attenuation files.

Tables of error rates are those of AFF3CT, those that Sionna prints, or text of two columns. AFF3CT separates
columns by ``|`` and names them in a comment: ``# Es/N0 | Eb/N0 | FRA | BE | FE | BER | FER``. Sionna prints
``EbNo [dB] | BER | BLER | ...``. A plain table has a header such as ``es_n0_db,bler``.
"""

from __future__ import annotations

import gzip
import math
import re
import stat
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from tmt.core.errors import InputError, reason_of
from tmt.core.provenance import opened
from tmt.core.units import seconds_to_ns, unit_in
from tmt.core.words.refusals import refusal, shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tmt.core.trace import FloatArray, Int64Array

_ATTENUATION = re.compile(r"att|loss|fade|fading", re.IGNORECASE)
SEPARATORS = re.compile(r"[\s,;]+")
_DATE = re.compile(r"\d{1,4}[-/.:]\d{1,2}[-/.:]\d")
_HEADER = re.compile(r"([^\s,;]+(?:\s*[\[(][^\])]*[\])])?)[\s,;]*(.*)")
"""Name of the first column, with a unit in brackets, and those of the others."""
_CARRIER_TO_NOISE = re.compile(r"dB-?Hz|(?<![a-z])c[_/]?n[0o](?![a-z])", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class SignalSeries:
    """Samples of a signal, [n]: `time_ns` since the first one, int64, strictly increasing, and `value_db`.

    `attenuation` says whether a header calls the values an attenuation; None without a header.
    """

    time_ns: Int64Array
    value_db: FloatArray
    attenuation: bool | None

    def at(self, time_ns: Int64Array) -> FloatArray:
        """Return the values at times since the first sample, linear between samples.

        The series repeats from the time of its last sample; a single sample holds for ever.
        """
        length = int(self.time_ns[-1])
        if length == 0:
            return np.full(len(time_ns), self.value_db[0])
        return np.interp(time_ns % length, self.time_ns, self.value_db)


def read_signal_series(path: str) -> SignalSeries:
    """Read a series, which may be compressed (.gz).

    InputError, with the line, where it does not hold two numbers, time does not rise, or the header names
    other units.
    """
    if path.endswith((".parquet", ".npy")):
        raise InputError(path, f"a trace is no series of text: tmt export {path} OUT --for signal makes one")
    times: list[int] = []
    values: list[float] = []
    attenuation: bool | None = None
    for number, text in text_lines(path):
        fields = [field for field in SEPARATORS.split(text) if field]
        if _DATE.match(text):
            raise InputError(path, _NO_DATES, number)
        if not times and attenuation is None and not is_number(fields[0]):
            _check_header(path, number, text)
            attenuation = len(fields) > 1 and _ATTENUATION.search(fields[1]) is not None
            continue
        if len(fields) != 2:
            reason = f"{refusal('fields', found=len(fields), needed=2)}: seconds and dB"
            raise InputError(path, reason, number)
        wrong = next((field for field in fields if not is_number(field)), None)
        if wrong is not None:
            raise InputError(
                path,
                f"{shown(wrong)} is not a finite number"
                f"{'; seconds are needed' if wrong is fields[0] else ' of dB; leave out lines without one'}",
                number,
            )
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


_NO_DATES = (
    "this time is a date; seconds are needed: tmt import table FILE phy.parquet --time NAME:date "
    "--es-n0 NAME, then tmt export phy.parquet OUT --for signal"
)


def _check_header(path: str, number: int, text: str) -> None:
    found = _HEADER.match(text)
    time, value = found.groups() if found else ("", "")
    if unit_in(time):
        raise InputError(path, f"the header says {shown(time)}; seconds are needed", number)
    if _CARRIER_TO_NOISE.search(value):
        needed = "Es/N0 in dB is needed, which is C/N0 less 10 log10 of the symbol rate"
        raise InputError(path, f"the header says {shown(value)}; {needed}", number)


_AXES = ("Es/N0", "Eb/N0")
_AXIS_NAMES = {"esn0": "Es/N0", "esno": "Es/N0", "snr": "Es/N0", "ebn0": "Eb/N0", "ebno": "Eb/N0"}
_RATE_NAMES = {"fer", "bler", "per", "wer"}


@dataclass(frozen=True, slots=True)
class ErrorRates:
    """Block error rates, [n], from 0 to 1, over `signal_db`, [n], strictly increasing.

    `axis` names the signal: Es/N0 or Eb/N0.
    """

    signal_db: FloatArray
    error_rate: FloatArray
    axis: str

    def at(self, signal_db: FloatArray) -> FloatArray:
        """Return the error rate at each signal, interpolated linearly in the rate's logarithm.

        Below the first point and above the last one the rate is that of the nearest point. A rate of 0 has no
        logarithm: the rate of the point before holds until the point of rate 0.
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

    InputError where no header names the two columns, and, with the line, where a value is not a number or out
    of its range, or the signal does not rise.
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
    """Return the indices of the signal's and of the rate's column, and the name of the signal."""
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
            raise InputError(path, f"{shown(text)} is not a finite number", line)
    if not 0.0 <= float(rate) <= 1.0:
        raise InputError(path, f"the error rate is {shown(rate)}; allowed are 0 to 1", line)
    return float(signal), float(rate)


def text_lines(path: str, *, comments: bool = True) -> Iterator[tuple[int, str]]:
    """Yield the number (from 1) and the stripped text of each line that is not blank.

    `path` is a local file or a pyarrow file-system URI; a file that ends in ``.gz`` is decompressed. Lines
    that begin with ``#`` are skipped if the file has `comments`. InputError when the file cannot be read.
    """
    for number, line in enumerate(_content(path).decode("utf-8", "replace").split("\n"), 1):
        text = line.strip().lstrip("\ufeff")
        if text and not (comments and text.startswith("#")):
            yield number, text


def is_number(text: str) -> bool:
    """Whether a field is a finite number."""
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


def _content(path: str) -> bytes:
    zipped = path.lower().endswith(".gz")
    try:
        if "://" not in path and stat.S_ISFIFO(Path(path).stat().st_mode):
            raise InputError(path, "this is a pipe; write its content into a file first")
        with opened(path) as file:
            content = file.read()
        if not content:
            raise InputError(path, refusal("empty_file"))
        if zipped != content.startswith(b"\x1f\x8b"):
            raise InputError(path, refusal("not_gzip" if zipped else "gzip"))
        return gzip.decompress(content) if zipped else content
    except EOFError:
        raise InputError(path, refusal("gzip_cut")) from None
    except (gzip.BadGzipFile, zlib.error):
        raise InputError(path, refusal("gzip_damaged")) from None
    except (OSError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(path, f"cannot be read: {reason_of(error)}") from error
