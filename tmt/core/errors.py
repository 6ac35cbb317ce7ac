"""The errors that a user can cause, each printed as one line; any other exception is a defect of TMT."""

from __future__ import annotations

import os
from os import PathLike, fspath


class TmtError(Exception):
    """Base class of TMT's errors; `exit_status` is that of the command line."""

    exit_status = 1


class UsageError(TmtError, ValueError):
    """An argument or a key has a wrong value; the message names it, the value and the allowed values."""

    exit_status = 2


class InputError(TmtError, ValueError):
    """A file cannot be used; the message is `FILE:LINE: reason`, or `FILE: reason` without a wrong line.

    `reason` names the wrong value and the allowed ones. `line` counts from 1; for binary formats it is a
    place such as ``"row 17"``, from 1.
    """

    exit_status = 2

    def __init__(self, path: str | PathLike[str], reason: str, line: int | str | None = None) -> None:
        self.path, self.reason, self.line = fspath(path), reason, line
        place = f"{self.path}:{line}" if line is not None else self.path
        super().__init__(f"{place}: {reason}")

    def __reduce__(self) -> tuple[type[InputError], tuple[str, str, int | str | None]]:
        """Rebuild from the arguments, because worker processes return errors by pickle."""
        return type(self), (self.path, self.reason, self.line)


class OtherKindError(InputError):
    """A file holds rows of the kind `found` instead of the kind `needed`."""

    def __init__(self, path: str | PathLike[str], reason: str, found: str, needed: str) -> None:
        self.found, self.needed = found, needed
        super().__init__(path, reason)

    def __reduce__(self) -> tuple[type[OtherKindError], tuple[str, str, str, str]]:  # type: ignore[override]
        """Rebuild from the arguments, as `InputError` does."""
        return type(self), (self.path, self.reason, self.found, self.needed)


class NotATraceError(InputError):
    """A file is not a trace: its ending, columns or content differ."""


class OutputError(TmtError, OSError):
    """A result cannot be written (disk full, no permission); half-written files are removed."""


class SimulatorError(TmtError, RuntimeError):
    """ns-2 is missing, failed or hung; the message holds its command line and its last output."""


class ChangedProgramsError(SimulatorError):
    """The simulator or the sources of TMT have changed since a result was stored."""


class WorkerError(TmtError, RuntimeError):
    """Workers cannot be started, or they or their scheduler are lost; finished runs are kept."""


class StoppedError(TmtError):
    """The user has stopped the command; the message names the finished work and how to continue."""

    exit_status = 130


class EmulatorError(TmtError, RuntimeError):
    """The machine cannot emulate, or an emulation cannot go on; the message names the missing part."""

    exit_status = 2


def first_line(error: BaseException) -> str:
    """Return the first line of an error's text, or its class name without one."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0]


def reason_of(error: Exception) -> str:
    """Return the system's words for an error with a number, else the first line of its text."""
    return os.strerror(error.errno) if isinstance(error, OSError) and error.errno else first_line(error)
