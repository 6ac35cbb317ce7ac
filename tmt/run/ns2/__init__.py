"""ns-2 as a backend: one process for each run, in its own directory.

The arguments of its script `clift-ns2/tcl/replay.tcl` are alternating keys and values.
"""

from __future__ import annotations

import csv
import hashlib
import math
import os
import re
import shlex
from collections import Counter
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from tmt.core.declaration import declared, ns
from tmt.core.errors import SimulatorError
from tmt.core.schemes.scheme import Scheme
from tmt.core.units import seconds_text
from tmt.run import RunError
from tmt.run.link_files import ReadyLink, link_settings
from tmt.run.motion import motion_settings
from tmt.run.ns2.fork_server import ForkedProcess, fork_run
from tmt.run.program import (
    FROM_THE_WHEEL,
    build_stamp,
    built_program,
    last_words,
    program_hash,
    remedy,
    run_program,
)
from tmt.run.records import read_records
from tmt.spec.path import MAX_PACKETS
from tmt.spec.settings import GROUP_SETTINGS, SETTINGS
from tmt.spec.traffic import RATELESS_CODES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tmt.core.sharing import Scheduler
    from tmt.run import Recording
    from tmt.run.setup import Setup
    from tmt.spec.experiment import Experiment, PlainLink
    from tmt.spec.settings import Setting
    from tmt.spec.traffic import Flow

_HOME = Path(__file__).resolve().parents[3] / "clift-ns2"
_OVERHEADS = Path(__file__).with_name("code_overhead.csv")


OF_GROUPS = ("tcp", "flows", "return_flows", "start_s", "transfer_bytes", "pause_s", "slow_start")
"""Settings of a run that its groups of flows have instead."""


@dataclass(frozen=True, slots=True)
class Simulator:
    """The built ns-2, the script that it runs, and a hash of the build and of all scripts."""

    program: Path
    script: Path
    stamp: str
    is_built: bool
    """Whether a build script has built it, so that it is no stand-in such as a shell script."""

    @classmethod
    def find(cls) -> Simulator:
        """Return the simulator that the environment variable CLIFT_NS names, else the checkout's own.

        SimulatorError, which says how to build it, when it is missing or does not match its stamp.
        """
        missing = f"the simulator is missing; {remedy('setup', FROM_THE_WHEEL)}"
        program = built_program("CLIFT_NS", _HOME / "build" / "ns", missing)
        script = _HOME / "tcl" / "replay.tcl"
        build = build_stamp(program, remedy("setup", FROM_THE_WHEEL))
        digest = hashlib.sha256(build.encode())
        for part in sorted(script.parent.glob("*.tcl")):
            digest.update(f"\0{part.name}\0".encode())
            digest.update(part.read_bytes())
        return cls(program, script, digest.hexdigest(), build != program_hash(program))

    def run(
        self,
        arguments: Sequence[str],
        directory: Path,
        timeout_s: float | None = None,
        script: Path | None = None,
    ) -> tuple[list[str], float]:
        """Run a script, by default that of a replay; return its argv and its wall time.

        Errors are those of `tmt.run.program.run_program`.
        """
        argv = [str(self.program), str(script or self.script), *arguments]
        # In another locale Tcl reads other characters from the bytes of a path.
        environment = os.environ | {"CLIFT_PARENT": str(os.getpid()), "LC_ALL": "C.UTF-8"}

        def fork() -> ForkedProcess | None:
            if not self.is_built:
                return None
            server = [argv[0], str(self.script.with_name("fork-server.tcl"))]
            return fork_run(server, self.stamp, directory, argv[1:], environment)

        return argv, run_program("ns-2", argv, directory, timeout_s, environment, fork)


class Ns2:
    """The built simulator with the script `replay.tcl`; see `tmt.run.Backend`."""

    name = "ns2"

    def program(self) -> Path:
        """Return the simulator's file."""
        return Simulator.find().program

    def stamp(self) -> str:
        """Return the stamp of the simulator's build."""
        return Simulator.find().stamp

    def check(self, experiment: Experiment) -> None:
        """Allow all: the values are already checked against the stacks."""

    def run(self, setup: Setup, directory: Path, timeout_s: float | None) -> Recording:
        """Simulate one experiment."""
        argv, wall_time_s = Simulator.find().run(arguments(setup, directory), directory, timeout_s)
        flows, return_flows = setup.flows
        command = shlex.join(argv)
        try:
            return read_records(directory, flows, return_flows, command=command, wall_time_s=wall_time_s)
        except SimulatorError as error:
            reason = f"left bad records: {error}"
            raise RunError(argv, reason, last_words(directory), program="ns-2") from error


def arguments(setup: Setup, directory: Path) -> list[str]:
    """Return the script's arguments for one run: its settings have the names of result columns.

    The round-trip times of a moving path are written into the run's directory.
    """
    given: dict[str, object] = {
        one.name: _text(one, value)
        for one in SETTINGS
        if (value := one.of(setup.experiment)) is not None
        and one.name not in {"code", "rtt_series"}
        and "orbit" not in one.place
    }
    given |= _motion_arguments(setup, directory)
    if setup.has_groups:
        given["groups"] = " ".join(f"{{{_group_words(group)}}}" for group in setup.groups)
        resumption = (one.name for one in GROUP_SETTINGS if one.place[0] == "resume")
        for name in (*OF_GROUPS, *resumption):
            given.pop(name, None)
    given |= _link_arguments("forward", setup.forward) | _link_arguments("return", setup.back)
    given["queue"] = setup.path.queue.words()
    if setup.path.queue_packets is None:
        given["queue_packets"] = MAX_PACKETS
    traffic = setup.traffic
    if setup.path.proxy is not None:
        given["proxy"] = 1
    if traffic.code is not None and traffic.block_segments is not None:
        given["code_overhead"] = overhead(traffic.code, traffic.block_segments)
    return [str(word) for item in given.items() for word in item]


def _motion_arguments(setup: Setup, directory: Path) -> dict[str, object]:
    found = motion_settings(setup.path, setup.moved, directory)
    if found:
        found["rtt_offset_s"] = seconds_text(cast("int", found.pop("rtt_offset_ns")))
    return found


def _group_words(group: Flow) -> str:
    values = ((one, one.of(group)) for one in GROUP_SETTINGS)
    words = [f"{one.name} {_text(one, value)}" for one, value in values if value is not None]
    return " ".join(words if group.user is None else [*words, f"user {group.user}"])


def _text(setting: Setting, value: Any) -> str:
    if setting.field.param.unit == "s":
        return seconds_text(ns(value))
    if isinstance(value, float):
        return f"{value:.15g}"
    return str(int(value) if isinstance(value, bool) else value)


def _link_arguments(direction: str, link: ReadyLink | PlainLink) -> dict[str, object]:
    found = link_settings(direction, link)
    if isinstance(link, ReadyLink):
        for name in ("begin", "length", "offset"):
            time_ns = cast("int", found.pop(f"{direction}_{name}_ns"))
            found[f"{direction}_{name}_s"] = seconds_text(time_ns)
        if link.link.scheme is not None:
            found[f"{direction}_scheme"] = scheme_words(link.link.scheme)
        if link.link.scheduler is not None:
            found["forward_scheduler"] = scheduler_words(link.link.scheduler)
            found["forward_users"] = " ".join(_in_list(str(one.npy)) for one in link.others)
    return found


def scheduler_words(scheduler: Scheduler) -> str:
    """Translate a scheduler to the words of the simulator: its name and its numbers."""
    name, *values = scheduler.describe().values()
    numbers = (number for value in values for number in (value if isinstance(value, list) else [value]))
    return " ".join(map(str, [name, *numbers]))


def _in_list(word: str) -> str:
    """Return a word of a Tcl list."""
    return re.sub(r'([\s\\{}\[\]$";])', r"\\\1", word)


_QUEUE_NAMES = {
    "window_frames": "window",
    "repeat_after": "timeout",
    "retransmission": "synchronous",
    "mode": "acknowledged",
    "window_pdus": "rlc_window",
    "delivery": "segments_in_order",
}
"""Parameters of schemes that have other names as variables of the queue."""

_NUMBERS = {
    "asynchronous": 0,
    "synchronous": 1,
    "unacknowledged": 0,
    "acknowledged": 1,
    "any-order": 0,
    "in-order": 1,
    "none": 0,
    "chase": 1,
    "incremental": 2,
}
"""Words that are numbers in the queue's variables."""


def scheme_words(scheme: Scheme) -> str:
    """Translate a scheme and its parameters to the queue's variables; ns-2 knows the RTT from the link.

    A parameter that is None has the default of the queue's variable.
    """
    return " ".join([scheme.full_name, *_words(scheme)])


def _words(scheme: Scheme) -> Iterator[str]:
    for name, field in declared(type(scheme)).items():
        value = getattr(scheme, name)
        if isinstance(value, Scheme):
            yield from _words(value)
        elif value is not None and name != "online" and name not in scheme.offline_parameters:
            yield _QUEUE_NAMES.get(name, name)
            if isinstance(value, str):
                yield str(_NUMBERS[value])
            else:
                yield seconds_text(ns(value)) if field.param.unit == "s" else str(value)


def overhead(code: str, source_symbols: int) -> str:
    """Return the overhead of blocks of a number of source symbols, in the form of the simulator's agents.

    That is a share, or weights of numbers of symbols, ``"0:19880,1:120"``: the counts of the measured size
    that is nearest by ratio, with each number scaled to the source symbols.
    """
    if code not in RATELESS_CODES:
        return code
    measured = _measured(code)
    size = min(measured, key=lambda symbols: (abs(math.log(symbols / source_symbols)), symbols))
    counts: Counter[int] = Counter()
    for overhead, blocks in measured[size].items():
        scaled = round(overhead * source_symbols / size)
        counts[max(scaled, min(overhead, 1))] += blocks
    return ",".join(f"{overhead}:{counts[overhead]}" for overhead in sorted(counts))


@cache
def _measured(code: str) -> dict[int, dict[int, int]]:
    """Return the counted blocks of a code: source symbols -> overhead symbols -> blocks."""
    sizes: dict[int, dict[int, int]] = {}
    with _OVERHEADS.open(newline="") as file:
        for row in csv.DictReader(file):
            if row["code"] == code:
                counts = sizes.setdefault(int(row["source_symbols"]), {})
                counts[int(row["overhead_symbols"])] = int(row["blocks"])
    return sizes


BACKEND = Ns2()
