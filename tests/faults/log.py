"""The injections of a run of `tests.faults`: kept in a file, so that a second start goes on, and counted."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Self


@dataclass(frozen=True)
class Injection:
    """A call that failed, and how the command ended.

    Attributes
    ----------
    calls
        Calls of this kind that the undisturbed command makes.
    fired
        The call that failed; empty where the command did not reach it.
    status
        Exit status, negative for a signal; None for a command that did not end.
    """

    case: str
    call: str
    how: str
    number: int
    calls: int
    fired: str
    status: int | None
    is_limit: bool
    wrong: list[str]


class Log:
    """Injections by command, kind, fault and number; of a repeated one, the last."""

    def __init__(self, path: Path | None) -> None:
        lines = path.read_text().splitlines() if path is not None and path.exists() else []
        self._done = {self._key(one): one for one in (Injection(**json.loads(line)) for line in lines)}
        self._file = path.open("a") if path is not None else None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._file is not None:
            self._file.close()

    @staticmethod
    def _key(one: Injection) -> tuple[str, str, str, int]:
        return one.case, one.call, one.how, one.number

    def add(self, one: Injection) -> None:
        """Keep an injection."""
        self._done[self._key(one)] = one
        if self._file is not None:
            self._file.write(json.dumps(asdict(one)) + "\n")
            self._file.flush()

    def is_done(self, case: str, call: str, how: str, number: int) -> bool:
        """Whether an injection is there and has no defect."""
        one = self._done.get((case, call, how, number))
        return one is not None and not one.wrong

    def has_defects(self) -> bool:
        """Whether an injection has a defect."""
        return any(one.wrong for one in self._done.values())

    def line(self, case: str, call: str, how: str, calls: int) -> str:
        """Return the counts of a kind."""
        own = [one for one in self._done.values() if (one.case, one.call, one.how) == (case, call, how)]
        fired = sum(bool(one.fired) for one in own)
        tolerated = sum(one.status == 0 for one in own)
        killed = sum(one.status == -9 for one in own)
        limits = sum(one.is_limit for one in own)
        counts = (
            f"{calls:5}  {fired:6}  {tolerated:9}  {len(own) - tolerated - killed:7}  {killed:6}  {limits:6}"
        )
        first = min((one.number for one in own if one.wrong), default=None)
        return f"{case:12} {call:7} {how:7} {counts}  {first or 'none'}"

    def total(self) -> str:
        """Return the number of the injections, and of those with a defect."""
        defects = sum(bool(one.wrong) for one in self._done.values())
        return f"{len(self._done)} calls failed, {defects} with a defect"
