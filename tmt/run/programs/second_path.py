"""The second path of programs: its link trace, its setup, and the file that describes it to the kernel."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from secrets import token_hex
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import numpy as np

from tmt.core.errors import InputError, UsageError
from tmt.core.schemes.none import NoScheme
from tmt.io.conversion import convert_file
from tmt.io.metadata import trace_version
from tmt.run.link_files import ReadyLink, link_settings
from tmt.run.settings_file import settings_text
from tmt.run.setup import set_up
from tmt.spec.experiment import Experiment, PlainLink, TraceLink
from tmt.spec.path import Path as LinkPath

if TYPE_CHECKING:
    from tmt.run.setup import Setup
    from tmt.spec.programs import Program, SecondPath

SECOND = "second.txt"

OF_RUN = ("duration_ns", "packet_bytes", "send_buffer_bytes", "window_packets", "flow")
"""Settings of a run that the second path does not have."""

STREAM = 0
"""Number of the random stream from which a seed draws the start of a run in the trace.

It equals the forward link's, so a run over this trace alone, with a drawn offset, sees the same piece.
"""


def set_up_second(program: Program, second: SecondPath, seed: int) -> Setup:
    """Return the setup of the second path alone (InputError if its trace cannot be used)."""
    path, rest = LinkPath(second.rtt, queue_packets=second.queue_packets), replace(program, second=None)
    if second.trace is None:
        assert second.rate is not None
        return set_up(Experiment(PlainLink(second.rate), path, rest, seed=seed))
    link = TraceLink(_link_trace(second.trace), second.lldu_bytes)
    try:
        setup = set_up(Experiment(link, path, rest, seed=seed))
    except UsageError as error:
        raise InputError(second.trace, str(error).removeprefix(f"{link.path}: ")) from error
    ready = setup.forward
    assert isinstance(ready, ReadyLink)
    if ready.lldu_bytes_assumed:
        raise InputError(second.trace, "does not say how large its LLDUs are; give lldu_bytes beside it")
    offset_ns = int(np.random.default_rng([seed, STREAM]).random() * ready.file.span_ns)
    return replace(setup, forward=replace(ready, link=replace(link, offset_ns=offset_ns)))


def second_text(setup: Setup, directory: Path) -> str:
    """Return the text of the second path's file: the lines of a settings file that describe a path."""
    lines = settings_text(setup, directory).splitlines(keepends=True)
    return "".join(line for line in lines if not line.startswith(tuple(f"{key} " for key in OF_RUN)))


def second_identity(program: Program) -> list[object]:
    """Return what decides the second path of a run, without the name of its trace; empty without one."""
    second = program.second
    if second is None:
        return []
    link = set_up_second(program, second, seed=1).forward
    settings = link_settings("forward", link)
    if isinstance(link, ReadyLink):
        settings |= {"forward": link.file.sha256, "forward_offset_ns": None}
    return [second.rtt, second.queue_packets, settings]


def _link_trace(name: str) -> str:
    return _converted(name, Path(name).absolute(), trace_version(name))


@lru_cache(maxsize=64)
def _converted(name: str, _place: Path, _version: object) -> str:
    """Return the link trace of a PHY trace, made once for each version of the file."""
    link = Path(_folder().name, f"{token_hex(8)}.npy")
    convert_file(name, link, NoScheme())
    return str(link)


@lru_cache(maxsize=1)
def _folder() -> TemporaryDirectory[str]:
    return TemporaryDirectory(prefix="tmt-second-")
