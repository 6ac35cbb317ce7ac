"""Erasures from a measured signal over time and a code's block error rates.

A table gives the error rate at a slot's Es/N0. Slots are drawn independently of each other.
"""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

import numpy as np

from tmt.core import provenance
from tmt.core.channels.base import BoolArray, Channel, FloatArray, Int64Array, Realisation
from tmt.core.channels.snr.tables import ErrorRates, SignalSeries, read_error_rates, read_signal_series
from tmt.core.declaration import Param
from tmt.core.errors import InputError, UsageError
from tmt.core.schema import MAX_ES_N0_MDB
from tmt.core.seeds import uniform_source


class Snr(Channel):
    """Erasures of a signal and a table of error rates; both files are read when a realisation starts."""

    name: ClassVar[str] = "snr"
    has_es_n0: ClassVar[bool] = True

    signal: Annotated[str, "file with a series of Es/N0, or of attenuation", Param(is_path=True)]
    error_rates: Annotated[
        str | None,
        "file with a table of block error rates",
        Param(is_path=True, absent="those of the modes that adaptation chooses"),
    ] = None
    es_n0_db: Annotated[
        float | None,
        "Es/N0 without attenuation",
        Param("dB", -MAX_ES_N0_MDB / 1000, MAX_ES_N0_MDB / 1000, absent="the series holds Es/N0"),
    ] = None

    def check_fates(self) -> None:
        """Refuse a signal without error rates (UsageError)."""
        if self.error_rates is None:
            raise UsageError("--error-rates: is missing; snr needs a table of error rates, or --modes")

    def realisation(self, seed: int) -> Realisation:
        """Start the realisation of `seed`: one uniform number per slot.

        The series starts at the first slot and repeats after its last sample. InputError when a file is not
        such a series or table, or the series' header contradicts `es_n0_db`.
        """
        series = read_signal_series(self.signal)
        if series.attenuation is True and self.es_n0_db is None:
            raise InputError(self.signal, "its header names an attenuation: --es-n0-db is missing")
        if series.attenuation is False and self.es_n0_db is not None:
            raise InputError(self.signal, "its header names no attenuation: --es-n0-db has no meaning")
        rates = None if self.error_rates is None else read_error_rates(self.error_rates)
        return _OverTime(self, series, rates, seed)

    def describe(self) -> dict[str, Any]:
        """Return name and parameters, with the hash of both files' contents."""
        return {
            "channel": self.name,
            "signal": provenance.source(self.signal),
            **({} if self.error_rates is None else _described(self.error_rates)),
            "es_n0_db": self.es_n0_db,
        }


def _described(error_rates: str) -> dict[str, Any]:
    return {"error_rates": provenance.source(error_rates), "axis": read_error_rates(error_rates).axis}


class _OverTime:
    def __init__(self, channel: Snr, series: SignalSeries, rates: ErrorRates | None, seed: int) -> None:
        self._channel, self._series, self._rates = channel, series, rates
        self._uniform = uniform_source(seed)
        self._start_ns: int | None = None

    def erased(self, tx_time_ns: Int64Array) -> BoolArray:
        return self._signals(tx_time_ns)[0]

    def faded(self, tx_time_ns: Int64Array) -> tuple[BoolArray, FloatArray]:
        """Return erasures (none without error rates) and Es/N0; InputError where the rates are over Eb/N0."""
        if self._rates is not None and self._rates.axis != "Es/N0":
            raise InputError(
                self._channel.error_rates or "",
                f"its rates are over {self._rates.axis}, so that no Es/N0 is known; rates over Es/N0 are "
                "needed",
            )
        return self._signals(tx_time_ns)

    def _signals(self, tx_time_ns: Int64Array) -> tuple[BoolArray, FloatArray]:
        if self._start_ns is None and len(tx_time_ns):
            self._start_ns = int(tx_time_ns[0])
        signal = self._series.at(tx_time_ns - (self._start_ns or 0))
        if self._channel.es_n0_db is not None:
            signal = self._channel.es_n0_db - signal
        if self._rates is None:
            return np.zeros(len(tx_time_ns), np.bool_), signal
        return self._uniform.random(len(tx_time_ns)) < self._rates.at(signal), signal
