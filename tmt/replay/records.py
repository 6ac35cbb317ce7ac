"""What a simulation leaves in its directory, checked: the only reader of these files.

A run that was killed leaves none of them, or a shorter one; either is refused.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tmt.errors import SimulatorError
from tmt.schema import PACKET_EVENTS, PACKET_RECORDS, WINDOW_RECORDS

if TYPE_CHECKING:
    from pathlib import Path

    from tmt.metrics.transport import Records
    from tmt.schema import Table

PACKETS, WINDOWS, COUNTERS = "packets.npy", "windows.npy", "counters.tsv"


@dataclass(frozen=True, slots=True)
class RunRecords:
    """Everything that one simulation has recorded.

    Attributes
    ----------
    packets : [n_packets], columns of `PACKET_RECORDS`
    windows : [n_changes], columns of `WINDOW_RECORDS`
    counters
        Value of each counter, by its scope (``run``, ``forward``, ``flow 0``) and name.
    """

    packets: Records
    windows: Records
    counters: dict[tuple[str, str], float]


def read_records(directory: Path, flows: int) -> RunRecords:
    """Read and check the records of a run of `flows` flows.

    Raises
    ------
    SimulatorError
        When a file is missing, cut short, or holds what no simulation writes.
    """
    packets = _read_table(directory / PACKETS, PACKET_RECORDS, flows)
    _within(directory / PACKETS, packets, "event", len(PACKET_EVENTS))
    _within(directory / PACKETS, packets, "direction", 2)
    return RunRecords(
        packets,
        _read_table(directory / WINDOWS, WINDOW_RECORDS, flows),
        _read_counters(directory / COUNTERS),
    )


def _read_table(path: Path, table: Table, flows: int) -> Records:
    try:
        records: Records = np.load(path, allow_pickle=False)
    except FileNotFoundError:
        raise SimulatorError(f"{path}: the simulation has not written it") from None
    except (OSError, ValueError, EOFError) as error:
        raise SimulatorError(f"{path}: is damaged or cut short: {str(error).splitlines()[0]}") from error
    if records.dtype != table.dtype or records.ndim != 1:
        raise SimulatorError(f"{path}: holds {records.dtype}, not the {table.kind} of this version")
    time_ns = records["time_ns"]
    backwards = np.flatnonzero(np.diff(time_ns) < 0)
    if len(backwards):
        raise SimulatorError(f"{path}:row {backwards[0] + 2}: time_ns goes back")
    if len(time_ns) and time_ns[0] < 0:
        raise SimulatorError(f"{path}:row 1: time_ns is {time_ns[0]}, must be 0 or more")
    _within(path, records, "flow", flows)
    return records


def _within(path: Path, records: Records, name: str, count: int) -> None:
    high = np.flatnonzero(records[name] >= count)
    if len(high):
        value = records[name][high[0]]
        raise SimulatorError(f"{path}:row {high[0] + 1}: {name} is {value}, must be less than {count}")


def _read_counters(path: Path) -> dict[tuple[str, str], float]:
    raise NotImplementedError
