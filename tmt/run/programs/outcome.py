"""How programs ended, and the numbers that they reported; a run with a failed program is refused with the
program's words.
"""

from __future__ import annotations

import json
import math
import re
import signal
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tmt.core.errors import SimulatorError
from tmt.core.units import ns_to_seconds
from tmt.run import RunError
from tmt.run.program import LAST_BYTES, LAST_LINES
from tmt.spec.programs import STDERR, STDOUT

if TYPE_CHECKING:
    from pathlib import Path

    from tmt.spec.programs import Measure, Program

ENDED, OUT = "ended.txt", "out"

HINTS = {
    126: ": cannot be executed",
    127: ": a command is not there; programs start in /tmp, `files` are in $FILES",
}
"""Meaning of a shell's exit statuses."""

UNREADY = "unready"

BY_ITSELF, STOPPED, DURATION = "exited", "stopped", "duration"
"""Ends that are no failures: by itself, with the last client, with the run's duration."""

FAILURES = {
    "processor": "was ended: the programs had taken {processor_time:g} s of processor time (processor_time); "
    "one that computes without a pause stops simulated time",
    "output": "filled $OUT, which holds {output_bytes} bytes (output_bytes)",
    "memory": "was ended for want of memory ({memory_bytes} bytes, memory_bytes)",
    "absent": "was never started: the root has no /bin/sh",
    UNREADY: "was never started: no server opened {ready} within {duration:g} s of simulated time",
}
"""Reasons of an end that are failures."""


@dataclass(frozen=True, slots=True)
class End:
    """The end of one program; times are those of the records, `status` is -1 without a status."""

    name: str
    start_ns: int
    end_ns: int
    status: int
    signal: int
    reason: str
    stdout_bytes: int
    stderr_bytes: int

    @property
    def is_killed(self) -> bool:
        """Whether a signal other than the run's own ended the program."""
        return self.reason == BY_ITSELF and self.signal > 0

    @property
    def told(self) -> dict[str, object]:
        """The end as an object of a result column."""
        return {
            "program": self.name,
            "start_s": ns_to_seconds(self.start_ns),
            "end_s": ns_to_seconds(self.end_ns),
            "status": self.status if self.status >= 0 else None,
            "end": signal.Signals(self.signal).name if self.is_killed else self.reason,
            "stdout_bytes": self.stdout_bytes,
            "stderr_bytes": self.stderr_bytes,
        }


def _end(
    name: str, start: str, end: str, status: str, killed_by: str, reason: str, stdout: str, stderr: str
) -> End:
    return End(name, int(start), int(end), int(status), int(killed_by), reason, int(stdout), int(stderr))


def read_ends(directory: Path, program: Program) -> dict[str, End]:
    """Return the end of each program by its name (SimulatorError for a file that no run writes)."""
    file = directory / ENDED
    try:
        rows = [line.split("\t") for line in file.read_text().splitlines()]
        found = [_end(*row) for row in rows]
    except FileNotFoundError:
        raise SimulatorError(f"{file}: the simulation has not written it") from None
    except (OSError, ValueError, TypeError) as error:
        raise SimulatorError(f"{file}: is damaged or cut short: {error}") from error
    if [one.name for one in found] != list(program.commands):
        raise SimulatorError(f"{file}: does not tell the ends of {', '.join(program.commands)}")
    return {one.name: one for one in found}


def check_ends(ends: dict[str, End], program: Program, directory: Path) -> None:
    """Refuse a run in which a program failed (RunError with its command and last words).

    A status other than 0 is no failure if the program's status is a measure. For a server it is always a
    failure.
    """
    asked = {one.program for one in program.measure if one.takes_status}
    for end in sorted(ends.values(), key=lambda one: one.end_ns):
        fault = _fault(end, program)
        if fault and not (end.name in asked and end.reason == BY_ITSELF and not end.signal):
            # If a client waited for a server in vain, the server's words say more.
            speaker = "server" if end.reason == UNREADY else end.name
            raise _failed(end.name, fault, program, directory, end.status, speaker)


def _fault(end: End, program: Program) -> str:
    if end.reason in FAILURES:
        settings = {key: getattr(program, key) for key in ("processor_time", "output_bytes", "memory_bytes")}
        ready = " and ".join(program.ready)
        return FAILURES[end.reason].format(**settings, ready=ready, duration=program.duration)
    if end.reason != BY_ITSELF or not (end.status or end.signal):
        return ""
    if end.signal:
        return f"killed by {signal.Signals(end.signal).name}"
    return f"exit status {end.status}{HINTS.get(end.status, '')}"


def _failed(
    name: str,
    outcome: str,
    program: Program,
    directory: Path,
    status: int | None = None,
    speaker: str = "",
) -> RunError:
    command = ["/bin/sh", "-c", program.commands[speaker or name]]
    words = _last_words(directory, speaker or name)
    return RunError(command, outcome, words, program=name, status=status if status and status > 0 else None)


def _last_words(directory: Path, name: str) -> str:
    """Return the last lines on a program's stderr, or on its stdout if stderr is empty."""
    for output in (STDERR, STDOUT):
        text = _text(directory / OUT / f"{name}.{output}", most=LAST_BYTES).strip()
        if text:
            return "\n".join(text.splitlines()[-LAST_LINES:])
    return ""


def _text(file: Path, most: int | None = None) -> str:
    try:
        content = file.read_bytes()
    except OSError:
        return ""
    return (content if most is None else content[-most:]).decode(errors="replace")


def read_measures(ends: dict[str, End], program: Program, directory: Path) -> dict[str, float | None]:
    """Return the numbers that programs reported, by column; None if the run ended before a program.

    RunError when a program that ended by itself has not reported one.
    """
    found: dict[str, float | None] = {}
    for measure in program.measure:
        end = ends[measure.program]
        try:
            found[measure.column] = measure.scale * _number(measure, end, directory)
        except ValueError as error:
            if end.reason in (STOPPED, DURATION):
                found[measure.column] = None
                continue
            is_cut = max(end.stdout_bytes, end.stderr_bytes) > program.output_bytes
            cut = f" (output was cut after {program.output_bytes} bytes, output_bytes)" if is_cut else ""
            said = f"measure {measure.column}: {error}{cut}"
            raise _failed(end.name, said, program, directory) from error
    return found


def _number(measure: Measure, end: End, directory: Path) -> float:
    """Return the number of a measure (ValueError, which says what is missing)."""
    if measure.takes_status:
        if end.status < 0:
            raise ValueError("there is no exit status")
        return float(end.status)
    is_stream = measure.output in (STDOUT, STDERR)
    file = directory / OUT / (f"{end.name}.{measure.output}" if is_stream else f"files/{measure.output}")
    if not file.is_file():
        raise ValueError(f"{measure.output} was not written")
    if measure.pattern is not None:
        return _matched(measure.pattern, _text(file), measure.output)
    assert measure.json is not None
    return _of_json(measure.json, _text(file), measure.output)


def _matched(pattern: str, text: str, output: str) -> float:
    matches = [*re.finditer(pattern, text, re.MULTILINE)]
    if not matches:
        raise ValueError(f"{pattern!r} matches nothing in {output}")
    last = matches[-1]
    return _finite(last[1] if last.re.groups else last[0], f"the match of {pattern!r}")


def _of_json(way: str, text: str, output: str) -> float:
    value = _document(text, output)
    for part in way.split("."):
        try:
            value = value[int(part)] if isinstance(value, list) else value[part]
        except (LookupError, ValueError, TypeError):
            raise ValueError(f"there is no {way} in the JSON of {output}") from None
    return _finite(value, way)


def _document(text: str, output: str) -> Any:
    """Return the JSON document of an output, or of its last line that is one."""
    for part in (text, *reversed(text.splitlines())):
        try:
            found = json.loads(part)
        except (ValueError, RecursionError):
            continue
        if isinstance(found, dict | list):
            return found
    raise ValueError(f"there is no JSON in {output}")


def _finite(value: object, what: str) -> float:
    try:
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number):
        raise ValueError(f"{what} is {value!r}, which is no number")
    return number
