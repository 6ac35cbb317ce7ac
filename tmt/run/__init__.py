"""Backends: programs that carry experiments out, what they take and what they give.

A new one is a package here and a line of `tmt.spec.traffic.BACKENDS`.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Protocol

from tmt.core.errors import SimulatorError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from tmt.core.measure.transport import Records
    from tmt.run.setup import Setup
    from tmt.spec.columns import Value


def load_backend(name: str) -> Backend:
    """Return a backend of `tmt.spec.traffic.BACKENDS`; its package is imported only now."""
    backend: Backend = import_module(f"{__name__}.{name}").BACKEND
    return backend


@dataclass(frozen=True, slots=True)
class Recording:
    """Everything that one run has recorded.

    Attributes
    ----------
    packets : [n_packets], columns of `PACKET_RECORDS`
    windows : [n_changes], columns of `WINDOW_RECORDS`
    end_ns
        Simulated time at which the run ended.
    header_bytes
        TCP and IP headers of a data packet.
    columns
        Result columns that the program counted, or that replace those of the settings.
    """

    packets: Records
    windows: Records
    end_ns: int
    header_bytes: int
    columns: dict[str, Value]


def use_columns(direction: str, offered: int, used: int, repeats: int) -> dict[str, Value]:
    """Return the use of a link's trace as result columns.

    Parameters
    ----------
    offered, used
        Bytes of the rows that passed, and of those that packets took: padding is taken, the rest of a row
        that packets share is not.
    repeats
        How often the trace started again.
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
        """Return the identity of the program's build.

        Raises
        ------
        SimulatorError
            When the program is missing; the message says how to build it.
        """

    def run(self, setup: Setup, directory: Path, timeout_s: float | None) -> Recording:
        """Carry out one experiment in `directory`, which is empty and keeps the program's output.

        Raises
        ------
        RunError
            When the program fails, hangs or leaves damaged records.
        """


class RunError(SimulatorError):
    """A simulation that ended badly.

    Attributes
    ----------
    argv
        The command line that ran.
    outcome
        The end: ``"exit status 1"``, ``"killed by SIGKILL"``, ``"stopped after 10 s"``, or the fault of the
        records that it left.
    timed_out
        Whether its time was up.
    status
        Its exit status, or the number of the signal that killed it, negative; None where it had neither, or
        was not to blame.
    last_words
        The last lines that it printed.
    program
        Its name in messages.
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
        """Rebuild from the arguments: worker processes send errors home by pickle."""
        anew = partial(RunError, program=self.program, timed_out=self.timed_out, status=self.status)
        return anew, (self.argv, self.outcome, self.last_words)
