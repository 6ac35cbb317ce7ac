"""The records that a simulation leaves in its directory, checked; nothing else reads these files.

A killed run leaves none of them, or a shorter one; either is refused.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tmt.core.errors import InputError, SimulatorError
from tmt.core.schema import CONGESTION_STATES, PACKET_EVENTS, PACKET_RECORDS, WINDOW_RECORDS
from tmt.core.units import ns_to_seconds
from tmt.io.npy import read_array
from tmt.run import Recording, use_columns

if TYPE_CHECKING:
    from pathlib import Path

    from tmt.core.measure.transport import Records
    from tmt.core.schema import Table
    from tmt.spec.settings import Value

PACKETS, WINDOWS, COUNTERS = "packets.npy", "windows.npy", "counters.tsv"


def read_records(directory: Path, flows: int, return_flows: int = 0, **more: Value) -> Recording:
    """Read and check the records of a run of `flows` flows, and of others in the return direction.

    `more` are result columns besides the counters. SimulatorError when a file is missing, truncated, or has
    contents that no simulation writes.
    """
    packets = _read_table(directory / PACKETS, PACKET_RECORDS, flows + return_flows)
    _within(directory / PACKETS, packets, "event", len(PACKET_EVENTS))
    _within(directory / PACKETS, packets, "direction", 2)
    windows = _read_table(directory / WINDOWS, WINDOW_RECORDS, flows + return_flows)
    _within(directory / WINDOWS, windows, "state", len(CONGESTION_STATES))
    counters = Counters(directory / COUNTERS)
    of_flows = [f"flow_{flow}_timeouts" for flow in range(flows + return_flows)]
    return Recording(
        packets,
        windows,
        counters("end_ns"),
        counters("header_bytes"),
        _counted_columns(counters, flows) | more,
        tuple(counters(name) for name in of_flows if name in counters),
    )


def _counted_columns(counters: Counters, flows: int) -> dict[str, Value]:
    """Return the counters as result columns; a part of the path that the run did not have adds none."""

    def of_flows(name: str) -> list[int]:
        return [counters(f"flow_{flow}_{name}") for flow in range(flows)]

    found: dict[str, Value] = {}
    if "flow_0_timeouts" in counters:  # QUIC's probes are none
        found["timeouts"] = sum(of_flows("timeouts"))
    for direction in ("forward", "return"):
        if f"{direction}_bytes_offered" in counters:
            names = ("bytes_offered", "bytes_used", "trace_repeats")
            found |= use_columns(direction, *(counters(f"{direction}_{name}") for name in names))
    if "wired_lost" in counters:
        found |= {name: counters(name) for name in ("wired_lost", "wired_dropped")}
    if "flow_0_proxy_segments" in counters:
        found |= {
            "proxy_fill_max_packets": max(of_flows("proxy_most_fill")),
            "proxy_segments_sent": sum(of_flows("proxy_segments")),
            "proxy_retransmissions": sum(of_flows("proxy_retransmissions")),
            "proxy_timeouts": sum(of_flows("proxy_timeouts")),
            "held_s": ns_to_seconds(sum(of_flows("held_ns"))),
            "proxy_window_updates": sum(of_flows("window_updates")),
            "window_probes": sum(of_flows("window_probes")),
        }
    if "flow_0_decoded_symbols" in counters and (decoded := sum(of_flows("decoded_symbols"))):
        found["code_overhead"] = sum(of_flows("overhead_symbols")) / decoded
    return found


def _read_table(path: Path, table: Table, flows: int) -> Records:
    records = read_array_of(path, table)
    time_ns = records["time_ns"]
    backwards = np.flatnonzero(np.diff(time_ns) < 0)
    if len(backwards):
        raise SimulatorError(f"{path}:row {backwards[0] + 2}: time_ns goes back")
    if len(time_ns) and time_ns[0] < 0:
        raise SimulatorError(f"{path}:row 1: time_ns is {time_ns[0]}; it must be 0 or more")
    _within(path, records, "flow", flows)
    return records


def read_array_of(path: Path, table: Table) -> Records:
    """Return the array of a table's rows that a simulation has written (SimulatorError)."""
    if not path.exists():
        raise SimulatorError(f"{path}: the simulation has not written it")
    try:
        records: Records = read_array(str(path))
    except InputError as error:
        raise SimulatorError(f"{path}: is damaged or cut short: {error.reason}") from error
    if records.dtype != table.dtype:
        raise SimulatorError(f"{path}: holds {records.dtype}, not the {table.kind} of this version")
    return records


def _within(path: Path, records: Records, name: str, count: int) -> None:
    high = np.flatnonzero(records[name] >= count)
    if len(high):
        value = records[name][high[0]]
        raise SimulatorError(f"{path}:row {high[0] + 1}: {name} is {value}; it must be less than {count}")


class Counters:
    """The counters file: one line ``NAME<tab>INTEGER`` for each."""

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            lines = path.read_text().splitlines()
            self._values = {name: int(value) for name, value in (line.split("\t") for line in lines)}
            if any(abs(value) >> 63 for value in self._values.values()):
                raise ValueError("a number of more than 64 bits")
        except FileNotFoundError:
            raise SimulatorError(f"{path}: the simulation has not written it") from None
        except (OSError, ValueError) as error:
            raise SimulatorError(f"{path}: is damaged or cut short: {error}") from error

    def __contains__(self, name: str) -> bool:
        return name in self._values

    def __call__(self, name: str) -> int:
        """Return the counter `name` (SimulatorError when there is none)."""
        if name not in self._values:
            raise SimulatorError(f"{self._path}: is cut short: there is no {name}")
        return self._values[name]
