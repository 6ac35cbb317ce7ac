"""Linux's own TCP as a backend: a kernel that runs in simulated time, one process for each run."""

from __future__ import annotations

import shlex
import signal
from typing import TYPE_CHECKING

from tmt.core.errors import SimulatorError
from tmt.run import RunError
from tmt.run.linux.kernel import SETTINGS, Kernel, memory_mib, settings_text
from tmt.run.program import last_words
from tmt.run.records import COUNTERS, Counters, read_records

if TYPE_CHECKING:
    from pathlib import Path

    from tmt.run import Recording
    from tmt.run.setup import Setup

FAILURE_STATUS = 2
"""The kernel's driver ends with it when it cannot carry the run out: the last line on stderr says why."""


US_PER_S = 1_000_000
MOST_LATE_NS = 1000
"""A packet's arrival is at most so long after its due time; the kernel's timer itself is 1 ns late."""

MACHINE_SIGNS = {
    "memory_pressures": "TCP came under memory pressure",
    "receive_queue_drops": "a receiver dropped segments for want of memory",
    "receive_queue_prunes": "a receiver pruned its queue for want of memory",
}
"""Counters of the whole kernel that are 0 in a sound run, and their meaning."""


class Linux:
    """The kernel that `make linux-kernel` builds; see `tmt.run.Backend`."""

    name = "linux"

    def program(self) -> Path:
        """Return the kernel's file."""
        return Kernel.find().program

    def stamp(self) -> str:
        """Return the stamp of the kernel's build."""
        return Kernel.find().stamp

    def run(self, setup: Setup, directory: Path, timeout_s: float | None) -> Recording:
        """Run one experiment in simulated time."""
        (directory / SETTINGS).write_text(settings_text(setup))
        try:
            argv, wall_time_s = Kernel.find().run(setup, directory, timeout_s)
        except RunError as error:
            raise _explained(error, setup) from error
        flows, return_flows = setup.traffic.flows, setup.traffic.return_flows
        may_limit = setup.traffic.receive_buffer_bytes is not None
        command = shlex.join(argv)
        try:
            # The counters come first: a clock that jumps may also cut the records short.
            if doubt := reason_to_doubt(directory, flows + return_flows, may_limit=may_limit):
                raise SimulatorError(f"its result is not valid: {doubt}")
            return read_records(directory, flows, return_flows, command=command, wall_time_s=wall_time_s)
        except SimulatorError as error:
            raise RunError(argv, str(error), last_words(directory), program="the kernel") from error


def _explained(error: RunError, setup: Setup) -> RunError:
    """Return the error with the reason that its exit status stands for, if it is one of the kernel's."""
    if error.status == FAILURE_STATUS and error.last_words:
        reason = error.last_words.splitlines()[-1]
    elif error.status == -signal.SIGABRT:
        reason = f"panicked, with a memory of {memory_mib(setup)} MiB"
    else:
        return error
    return RunError(error.argv, reason, "", program=error.program, status=error.status)


def reason_to_doubt(directory: Path, flows: int, *, may_limit: bool = False) -> str | None:
    """Return the reason why the result of a run is not the link's; None: it is sound.

    Parameters
    ----------
    directory
        The run's folder.
    flows
        Number of flows in both directions.
    may_limit
        Whether the receive buffer may limit a sender: somebody asked for its size.
    """
    counters = Counters(directory / COUNTERS)
    for name, meaning in MACHINE_SIGNS.items():
        if counters(name):
            return f"{meaning} ({counters(name)} times)"
    if counters("most_late_ns") > MOST_LATE_NS:
        return f"the clock jumped: a packet arrived {counters('most_late_ns')} ns after its due time"
    buffers = {"send": "sndbuf"} | ({} if may_limit else {"receive": "rwnd"})
    for flow in range(flows):
        for buffer, name in buffers.items():
            limited_us = counters(f"flow_{flow}_{name}_limited_us")
            if limited_us:
                return f"the {buffer} buffer limited flow {flow} for {limited_us / US_PER_S:g} s"
    return None


BACKEND = Linux()
