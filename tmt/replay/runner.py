"""One replay, from parameters to figures of merit."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from tmt import __version__
from tmt.errors import SimulatorError
from tmt.io.atomic import own_folder
from tmt.metrics import transport
from tmt.metrics.transport_timeline import Timeline, timeline
from tmt.replay.records import read_records
from tmt.replay.setup import set_up
from tmt.replay.simulator import ReplayError, Simulator, last_words
from tmt.run_columns import RUN_RESULTS
from tmt.units import ns_to_seconds

if TYPE_CHECKING:
    from os import PathLike

    from tmt.metrics.transport import FlowDelivery, Records
    from tmt.replay.parameters import Replay
    from tmt.replay.records import CodeCounts, RowUse, RunRecords, SplitCounts, WiredLosses
    from tmt.replay.setup import Setup, Value


@dataclass(frozen=True, slots=True)
class ReplayResult:
    """What one simulation gave.

    Attributes
    ----------
    row
        One value for each column of `tmt.run_columns.RUN_RESULTS`, in that order.
    packets : [n_packets], columns of `tmt.schema.PACKET_RECORDS`
    windows : [n_changes], columns of `tmt.schema.WINDOW_RECORDS`
    flows
        What reached each flow's receiver.
    end_ns
        Simulated time at which the run ended.
    notes
        What a user may not expect: an assumed LLDU size, a trace that ends before the run does.
    """

    row: dict[str, Value]
    packets: Records
    windows: Records
    flows: list[FlowDelivery]
    end_ns: int
    notes: list[str]

    def timeline(self, bins: int = 150, samples: int = 2000) -> Timeline:
        """Return the run over time: means in `bins` of equal length, windows read `samples` times."""
        return timeline(
            self.packets, self.windows, self.flows, end_ns=self.end_ns, bins=bins, samples=samples
        )


def run(
    replay: Replay,
    directory: str | PathLike[str] | None = None,
    timeout_s: float | None = None,
) -> ReplayResult:
    """Run one simulation and measure it.

    Parameters
    ----------
    replay
        What to simulate.
    directory
        Where the simulation leaves its records and what it printed; made if need be, and not allowed to hold
        anything. None takes a temporary one, which is gone afterwards.
    timeout_s
        Wall time after which the simulation is killed; None waits for ever.

    Raises
    ------
    ReplayError
        When the simulation fails, hangs or leaves damaged records: with its command line and last words.
    SimulatorError
        When the simulator is not built.
    InputError, UsageError
        When a link trace cannot be used, or `directory` is not empty.
    OutputError
        When `directory` cannot be made.
    """
    simulator = Simulator.find()
    setup = set_up(replay)
    if directory is None:
        with TemporaryDirectory(prefix="tmt-replay-") as temporary:
            return _run(setup, simulator, Path(temporary), timeout_s)
    return _run(setup, simulator, own_folder(directory, "a run"), timeout_s)


def _run(
    setup: Setup,
    simulator: Simulator,
    directory: Path,
    timeout_s: float | None,
) -> ReplayResult:
    argv, wall_time_s = simulator.run(setup.arguments(), directory, timeout_s)
    try:
        records = read_records(directory, setup.replay.flows)
    except SimulatorError as error:
        raise ReplayError(argv, f"left bad records: {error}", last_words(directory)) from error
    known = setup.columns() | {
        "tmt_version": __version__,
        "simulator": simulator.stamp,
        "command": shlex.join(argv),
        "wall_time_s": wall_time_s,
        "simulated_s": ns_to_seconds(records.end_ns),
        "timeouts": records.timeouts,
    }
    return _measure(setup, records, known)


def _measure(setup: Setup, records: RunRecords, known: dict[str, Value]) -> ReplayResult:
    packets, windows, replay = records.packets, records.windows, setup.replay
    flows = transport.deliveries(
        packets,
        flows=replay.flows,
        end_ns=records.end_ns,
        header_bytes=records.header_bytes,
        transfer_bytes=replay.transfer_bytes,
        coded=records.code is not None,
    )
    found = (
        known
        | _link_use("forward", records.forward)
        | _link_use("return", records.back)
        | _wired_losses(records.wired)
        | _split_figures(records.split)
        | _code_overhead(records.code)
        | transport.delivery_figures(flows, replay.transfer_bytes)
        | transport.delay_figures(packets)
        | transport.recovery_figures(packets)
        | transport.window_figures(windows, flows)
        | transport.loss_figures(packets)
    )
    row = {column.name: found.pop(column.name) for column in RUN_RESULTS}
    assert not found, f"measured, but not declared in RUN_RESULTS: {', '.join(found)}"
    return ReplayResult(row, packets, windows, flows, records.end_ns, setup.notes())


def _code_overhead(counts: CodeCounts | None) -> dict[str, Value]:
    if counts is None or not counts.decoded_symbols:
        return {"code_overhead": None}
    return {"code_overhead": counts.overhead_symbols / counts.decoded_symbols}


def _wired_losses(losses: WiredLosses | None) -> dict[str, Value]:
    return {
        "wired_lost": None if losses is None else losses.lost,
        "wired_dropped": None if losses is None else losses.dropped,
    }


def _split_figures(counts: SplitCounts | None) -> dict[str, Value]:
    names = ("fill_max_packets", "segments_sent", "retransmissions", "timeouts", "window_updates")
    if counts is None:
        return dict.fromkeys((*(f"proxy_{name}" for name in names), "held_s", "window_probes"))
    values = (counts.most_fill, counts.segments, counts.retransmissions, counts.timeouts, counts.updates)
    return {f"proxy_{name}": value for name, value in zip(names, values, strict=True)} | {
        "held_s": ns_to_seconds(counts.held_ns),
        "window_probes": counts.probes,
    }


def _link_use(direction: str, use: RowUse | None) -> dict[str, Value]:
    return {
        f"{direction}_utilisation": use.used / use.offered if use is not None and use.offered else None,
        f"{direction}_trace_repeats": use.repeats if use is not None else None,
    }
