"""Commands of `tmt` in this process, which has imported their libraries already."""

import gc
import io
import signal
import sys
import warnings
from contextlib import AbstractContextManager, ExitStack, chdir, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import NamedTuple
from unittest import mock

from tmt.cli.main import main


class Said(NamedTuple):
    """The exit status and both streams of a command."""

    status: object
    out: str
    err: str


def tmt(*words: object, folder: Path) -> Said:
    """Run a command line in `folder`; a warning is an error, as it is in every test."""
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", newline="") for _ in range(2))
    argv = mock.patch.object(sys, "argv", ["tmt", *map(str, words)])
    with _kept_settings(), chdir(folder), argv, redirect_stdout(out), redirect_stderr(err):
        try:
            main()
        except SystemExit as ended:
            status = ended.code or 0
    return Said(status, *(_text(stream) for stream in (out, err)))


def _text(stream: io.TextIOWrapper) -> str:
    stream.flush()
    stream.seek(0)
    return stream.read()


def _kept_settings() -> AbstractContextManager[object]:
    """Keep what `main` sets for the whole process."""
    stack = ExitStack()
    stack.callback(gc.set_threshold, *gc.get_threshold())
    stack.callback(gc.unfreeze)
    stack.callback(setattr, warnings, "formatwarning", warnings.formatwarning)
    for number in (signal.SIGTERM, signal.SIGHUP):
        stack.callback(signal.signal, number, signal.getsignal(number))
    return stack
