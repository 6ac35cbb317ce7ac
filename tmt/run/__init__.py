"""Backends: programs that carry out experiments, with their inputs and outputs.

A new backend is a package here and a line in `tmt.spec.traffic.BACKENDS`.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Protocol

from tmt.core.errors import SimulatorError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence
    from pathlib import Path

    from tmt.core.measure.transport import Records
    from tmt.run.setup import Setup
    from tmt.spec.experiment import Experiment
    from tmt.spec.settings import Value


def load_backend(name: str) -> Backend:
    """Return a backend of `tmt.spec.traffic.BACKENDS`; this imports its package."""
    backend: Backend = import_module(f"{__name__}.{name}").BACKEND
    return backend


@dataclass(frozen=True, slots=True)
class Recording:
    """Everything that one run has recorded.

    `packets`, [n_packets], and `windows`, [n_changes], have the columns of `PACKET_RECORDS` and
    `WINDOW_RECORDS`. `end_ns` is the simulated time of the end, `header_bytes` are the TCP and IP headers of
    a data packet; `columns` are result columns that the program counted, or that override settings.
    `timeouts` are those of each flow; empty if the program does not count them.
    """

    packets: Records
    windows: Records
    end_ns: int
    header_bytes: int
    columns: dict[str, Value]
    timeouts: tuple[int, ...] = ()


def use_columns(direction: str, offered: int, used: int, repeats: int) -> dict[str, Value]:
    """Return the use of a link's trace, and the number of its repetitions, as result columns.

    `offered` are the bytes of all rows that passed, `used` those that packets took: padding is used, the
    unfilled rest of a row that packets share is not.
    """
    return {
        f"{direction}_utilisation": used / offered if offered else None,
        f"{direction}_trace_repeats": repeats,
    }


class Backend(Protocol):
    """A program that carries experiments out."""

    name: str
    """The name that users type."""

    def program(self) -> Path:
        """Return the program's file; errors as those of `stamp`."""

    def stamp(self) -> str:
        """Return the identity of the program's build; a SimulatorError says how to build a missing one."""

    def check(self, experiment: Experiment) -> None:
        """Refuse an experiment that this build does not support (UsageError); other errors as `stamp`."""

    def run(self, setup: Setup, directory: Path, timeout_s: float | None) -> Recording:
        """Carry out one experiment in `directory`, which is empty and keeps the program's output.

        RunError when the program fails, hangs or leaves damaged records.
        """


def refuse_absent(names: Iterable[str], kernel: str, controls: Collection[str]) -> None:
    """Refuse the first congestion control that a kernel does not have (UsageError)."""
    for name in names:
        if name not in controls:
            allowed = ", ".join(sorted(controls))
            raise UsageError(f"tcp is {name}, which {kernel} does not have; allowed: {allowed}")


class RunError(SimulatorError):
    """A simulation that ended badly.

    Attributes
    ----------
    outcome
        The end: ``"exit status 1"``, ``"killed by SIGKILL"``, ``"stopped after 10 s"``, or the fault in its
        records.
    status
        Exit status, or the negative number of the signal that killed it; None without either, or if another
        fault ended the run.
    last_words : the last lines that it printed
    program : its name in messages
    """

    def __init__(
        self,
        argv: Sequence[str],
        outcome: str,
        last_words: str,
        *,
        program: str,
        timed_out: bool = False,
        status: int | None = None,
    ) -> None:
        self.argv, self.outcome, self.last_words = list(argv), outcome, last_words
        self.program, self.timed_out, self.status = program, timed_out, status
        said = last_words.replace("\n", "\n    ") or "(nothing)"
        super().__init__(f"{program}: {outcome}\n  command: {shlex.join(argv)}\n  it said last:\n    {said}")

    def __reduce__(self) -> tuple[Callable[..., RunError], tuple[object, ...]]:
        """Rebuild from the arguments, because worker processes return errors by pickle."""
        anew = partial(RunError, program=self.program, timed_out=self.timed_out, status=self.status)
        return anew, (self.argv, self.outcome, self.last_words)
