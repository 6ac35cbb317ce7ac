"""LTE uplink HARQ logs, as decoded from MobileInsight's: one line per transmission attempt of a terminal.

Columns that are used: ``log_ms``, the time of the log entry, good to some milliseconds; ``sfn`` (0..1023) and
``subframe`` (0..9), which count milliseconds and wrap every 10.24 s; ``attempt``, from 1. Uplink HARQ is
synchronous: a repeat follows exactly 8 subframes after the attempt before (3GPP TS 36.213, section 8).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from tmt.errors import InputError
from tmt.io.files import open_input
from tmt.io.lines import LineBlocks
from tmt.io.refusals import refusal, shown
from tmt.measured.importer import Importer, Measurement
from tmt.measured.options import DECODE_TIME
from tmt.trace import PhyTrace
from tmt.units import NS_PER_MS

ROUND_TRIP_MS = 8
"""Subframes of 1 ms from an attempt to its repeat."""

_WRAP_MS = 10_240
_COLUMNS = ("log_ms", "sfn", "subframe", "attempt")
_COUNT = re.compile(r"[0-9]{1,4}")
_NUMBER = re.compile(r"[0-9]{1,15}(\.[0-9]{1,9})?")


@dataclass(frozen=True, slots=True)
class Attempt:
    """One transmission: its subframe, counted in milliseconds without wrapping, and which attempt it is."""

    slot_ms: int
    attempt: int


def read_attempts(path: str) -> list[Attempt]:
    """Return the attempts in order of time; the first one's subframe counts from 0.

    Raises
    ------
    InputError
        With the line, when columns are missing, a value is no number in its range, or two attempts do not
        follow one another in time.
    """
    attempts: list[Attempt] = []
    origin_ms: float | None = None
    with open_input(path) as file:
        lines = LineBlocks(file, path)
        positions, width = _header(path, lines.first_line())
        lines.skip_line()
        for first_line, block in lines.blocks():
            for line, text in enumerate(block.decode("utf-8", "replace").splitlines(), first_line):
                fields = text.split(",")
                if len(fields) != width:
                    raise InputError(path, refusal("fields", found=len(fields), needed=width), line)
                log_ms, counted_ms, attempt = _values(path, line, [fields[i].strip() for i in positions])
                if origin_ms is None:
                    origin_ms, first_ms = counted_ms - log_ms, counted_ms
                wraps = round((log_ms + origin_ms - counted_ms) / _WRAP_MS)
                slot_ms = counted_ms + wraps * _WRAP_MS - first_ms
                if attempts and slot_ms <= attempts[-1].slot_ms:
                    reason = f"this attempt is {attempts[-1].slot_ms - slot_ms} ms before the line before"
                    raise InputError(path, f"{reason}; attempts must follow one another", line)
                attempts.append(Attempt(slot_ms, attempt))
    if not attempts:
        raise InputError(path, refusal("no_rows"))
    return attempts


def _header(path: str, text: str) -> tuple[list[int], int]:
    names = [name.strip() for name in text.split(",")]
    if not set(_COLUMNS) <= set(names):
        columns = ",".join(_COLUMNS)
        raise InputError(path, refusal("csv_header", found=shown(text, 120), columns=columns), 1)
    return [names.index(name) for name in _COLUMNS], len(names)


def _values(path: str, line: int, fields: list[str]) -> tuple[float, int, int]:
    """Return log time, subframe count within the wrap, and attempt; refuse what is out of range."""
    if not _NUMBER.fullmatch(fields[0]):
        raise InputError(path, f"log_ms is {shown(fields[0])}; a number of milliseconds is needed", line)
    for name, field, least, most in zip(_COLUMNS[1:], fields[1:], (0, 0, 1), (1023, 9, 255), strict=True):
        if not (_COUNT.fullmatch(field) and least <= int(field) <= most):
            raise InputError(path, f"{name} is {shown(field)}; allowed are {least} to {most}", line)
    log_ms, frame, subframe, attempt = fields
    return float(log_ms), 10 * int(frame) + int(subframe), int(attempt)


def read_lte_harq(path: str, decode_time_ns: int) -> Measurement:
    """Return one slot per logged attempt, erased where the log shows that it was repeated.

    An attempt whose repeat is not in the log counts as decoded: what is unlogged is not lost. Slots without
    an attempt belong to other terminals, and are none of ours. Errors as for `read_attempts`.
    """
    attempts = read_attempts(path)
    following = {(attempt.slot_ms, attempt.attempt) for attempt in attempts}
    repeated = [(a.slot_ms + ROUND_TRIP_MS, a.attempt + 1) in following for a in attempts]
    tx_time_ns = np.array([attempt.slot_ms for attempt in attempts], np.int64) * NS_PER_MS
    return Measurement(PhyTrace(tx_time_ns, np.where(repeated, 0, np.int64(decode_time_ns))), "packed")


def _sniff(head: bytes) -> bool:
    names = head.split(b"\n", 1)[0].decode("utf-8", "replace").split(",")
    return set(_COLUMNS) <= {name.strip() for name in names}


IMPORTER = Importer(
    "lte-harq",
    "uplink HARQ log of an LTE terminal, one attempt a line (CSV)",
    read_lte_harq,
    _sniff,
    (DECODE_TIME,),
)
