"""ns-2 as a backend: one process for each run, in a directory of its own.

The arguments of its script `clift-ns2/tcl/replay.tcl` are alternating keys and values.
"""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

from tmt.core.declaration import declared, ns
from tmt.core.errors import SimulatorError
from tmt.core.schemes.scheme import Scheme
from tmt.core.units import seconds_text
from tmt.run import RunError
from tmt.run.coding import overhead
from tmt.run.link_files import ReadyLink, link_settings
from tmt.run.ns2.simulator import Simulator
from tmt.run.program import last_words
from tmt.run.records import read_records
from tmt.spec.columns import SETTINGS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tmt.run import Recording
    from tmt.run.setup import Setup
    from tmt.spec.columns import Setting
    from tmt.spec.experiment import PlainLink


class Ns2:
    """The built simulator with the script `replay.tcl`; see `tmt.run.Backend`."""

    name = "ns2"

    def program(self) -> Path:
        """Return the simulator's file."""
        return Simulator.find().program

    def stamp(self) -> str:
        """Return the stamp of the simulator's build."""
        return Simulator.find().stamp

    def run(self, setup: Setup, directory: Path, timeout_s: float | None) -> Recording:
        """Simulate one experiment."""
        argv, wall_time_s = Simulator.find().run(arguments(setup), directory, timeout_s)
        flows, return_flows = setup.traffic.flows, setup.traffic.return_flows
        command = shlex.join(argv)
        try:
            return read_records(directory, flows, return_flows, command=command, wall_time_s=wall_time_s)
        except SimulatorError as error:
            reason = f"left bad records: {error}"
            raise RunError(argv, reason, last_words(directory), program="ns-2") from error


def arguments(setup: Setup) -> list[str]:
    """Return the script's arguments for one run: its settings have the names of result columns."""
    given: dict[str, object] = {
        one.name: _text(one, value)
        for one in SETTINGS
        if (value := one.of(setup.experiment)) is not None and one.name != "code"
    }
    given |= _link_arguments("forward", setup.forward) | _link_arguments("return", setup.back)
    traffic = setup.traffic
    if setup.path.proxy is not None:
        given["proxy"] = 1
    if traffic.code is not None and traffic.block_segments is not None:
        given["code_overhead"] = overhead(traffic.code, traffic.block_segments)
    return [str(word) for item in given.items() for word in item]


def _text(setting: Setting, value: Any) -> str:
    if setting.field.param.unit == "s":
        return seconds_text(ns(value))
    if isinstance(value, float):
        return f"{value:.15g}"
    return str(int(value) if isinstance(value, bool) else value)


def _link_arguments(direction: str, link: ReadyLink | PlainLink) -> dict[str, object]:
    found = link_settings(direction, link)
    if isinstance(link, ReadyLink):
        del found[f"{direction}_offset_ns"]
        found[f"{direction}_offset_s"] = seconds_text(link.file.first_ns + link.link.offset_ns)
        if link.link.scheme is not None:
            found[f"{direction}_scheme"] = scheme_words(link.link.scheme)
    return found


_QUEUE_NAMES = {
    "window_frames": "window",
    "repeat_after": "timeout",
    "retransmission": "synchronous",
    "mode": "acknowledged",
    "window_pdus": "rlc_window",
    "delivery": "segments_in_order",
}
"""Parameters of schemes that the queue's variables call otherwise."""

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
    """Name a scheme and its parameters as the queue does; ns-2 knows the RTT from the link.

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


BACKEND = Ns2()
