"""The seam between an experiment and its backend: a setup in, records and counters out."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Protocol

from tmt.core.errors import SimulatorError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from tmt.core.measure.transport import Records
    from tmt.run.setup import Setup
    from tmt.spec.settings import Settings


@dataclass(frozen=True, slots=True)
class RowUse:
    """Use of a link's trace: bytes of the rows that passed, those taken by packets, repetitions of the trace.

    Padding is taken; the rest of a row that packets share is not.
    """

    offered: int
    used: int
    repeats: int


@dataclass(frozen=True, slots=True)
class SplitCounts:
    """Counters of the proxy and of the windows that it advertises, over all flows.

    Attributes
    ----------
    most_fill
        Largest number of segments that the buffer of one connection held.
    held_ns
        How long senders had sent all that their windows allowed while more was waiting, summed.
    updates, probes
        Packets sent for the windows' sake: by the proxy, by the senders.
    segments, retransmissions, timeouts
        Of the proxy's own senders.
    """

    most_fill: int
    held_ns: int
    updates: int
    probes: int
    segments: int
    retransmissions: int
    timeouts: int


@dataclass(frozen=True, slots=True)
class CodeCounts:
    """Source symbols that FECTCP's receivers have decoded, and the symbols that decoding took beyond them."""

    decoded_symbols: int
    overhead_symbols: int


@dataclass(frozen=True, slots=True)
class WiredLosses:
    """Packets that the wired hop lost at random, and that its queues had no room for."""

    lost: int
    dropped: int


@dataclass(frozen=True, slots=True)
class Recording:
    """Everything that one simulation has recorded.

    Attributes
    ----------
    packets : [n_packets], columns of `PACKET_RECORDS`
    windows : [n_changes], columns of `WINDOW_RECORDS`
    end_ns
        Simulated time at which the run ended.
    header_bytes
        TCP and IP headers of a data packet.
    timeouts
        Expiries of retransmission timers, of all flows; None where the backend does not count them.
    forward, back
        How each link's trace was used; None for a plain link.
    split, wired, code
        Counters of proxy, wired hop and FECTCP's receivers; None without them.
    late_share
        Share of the forward packets that were 1 ms late or later; None in simulated time.
    """

    packets: Records
    windows: Records
    end_ns: int
    header_bytes: int
    timeouts: int | None
    forward: RowUse | None
    back: RowUse | None
    split: SplitCounts | None = None
    wired: WiredLosses | None = None
    code: CodeCounts | None = None
    late_share: float | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """One run that has ended well: its command line, its wall time, and its recording.

    `without` names columns of settings that the backend does not have.
    """

    argv: list[str]
    wall_time_s: float
    recording: Recording
    without: tuple[str, ...] = ()


class Backend(Protocol):
    """A program that carries experiments out."""

    name: str
    """The name that users type."""

    stacks: tuple[str, ...]
    """The TCP stacks that it has."""

    def check(self, settings: Settings) -> None:
        """Refuse settings that the program does not have (UsageError)."""

    def program(self) -> Path:
        """Return the program's file; errors as those of `stamp`."""

    def stamp(self) -> str:
        """Return the identity of the program's build.

        Raises
        ------
        SimulatorError
            When the program is missing; the message says how to build it.
        """

    def run(self, setup: Setup, directory: Path, timeout_s: float | None) -> Outcome:
        """Carry out one experiment in `directory`, which is empty and keeps the program's output.

        Raises
        ------
        RunError
            When the program fails, hangs or leaves damaged records.
        """


def only_in_ns2(settings: Settings) -> dict[str, bool]:
    """Return the settings that only ns-2 has, and whether each is given."""
    links = (settings.forward_link, settings.return_link)
    return {
        "wired": settings.wired is not None,
        "proxy": settings.proxy is not None,
        "an online scheme": any(getattr(link, "scheme", None) is not None for link in links),
    }


def refuse_absent(backend: str, given: Mapping[str, bool], having: str = "ns2") -> None:
    """Refuse the first setting that is given and that only the backend `having` has (UsageError)."""
    for name, is_given in given.items():
        if is_given:
            raise UsageError(f"{name} is given, which backend {backend} does not have; {having} has it")


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
