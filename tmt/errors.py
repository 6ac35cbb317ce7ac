"""The errors that a user can cause or meet; the command line prints each as one line.

Everything that is not a `TmtError` is a defect of ours and keeps its traceback.
"""

from __future__ import annotations

from os import PathLike, fspath


class TmtError(Exception):
    """Root of what the tool raises on purpose; `exit_status` is what the command line ends with."""

    exit_status = 1


class UsageError(TmtError, ValueError):
    """An argument or a key has a value that is not allowed; the message names it, the value and what is."""

    exit_status = 2


class InputError(TmtError, ValueError):
    """A file cannot be used: reads `FILE:LINE: reason`, or `FILE: reason` where no line is to blame.

    Parameters
    ----------
    path
        The file, as the user named it.
    reason
        What is wrong, with the offending value, and what is allowed.
    line
        Number of the offending line, from 1; for binary formats a place such as ``"row 17"``, from 1.
    """

    exit_status = 2

    def __init__(self, path: str | PathLike[str], reason: str, line: int | str | None = None) -> None:
        self.path, self.reason, self.line = fspath(path), reason, line
        place = f"{self.path}:{line}" if line is not None else self.path
        super().__init__(f"{place}: {reason}")

    def __reduce__(self) -> tuple[type[InputError], tuple[str, str, int | str | None]]:
        """Rebuild from the arguments: worker processes send errors home by pickle."""
        return type(self), (self.path, self.reason, self.line)


class NotATraceError(InputError):
    """A file has no form of a trace: another ending, other columns, other content."""


class OutputError(TmtError, OSError):
    """A result cannot be written (disk full, no permission); nothing half-written stays behind."""


class SimulatorError(TmtError, RuntimeError):
    """ns-2 is missing, failed or hung; the message holds its command line and its last words."""


class EmulatorError(TmtError, RuntimeError):
    """The machine cannot emulate, or an emulation cannot go on; the message says what is missing."""

    exit_status = 2
