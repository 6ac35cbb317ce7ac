"""Commands of `tmt` in forks of this process, whose libraries are imported already.

A start of Python and its libraries takes longer than the commands under test. The fork server of a campaign's
workers is a fork, too, in place of a new Python.
"""

import atexit
import gc
import hashlib
import importlib
import os
import pickle
import signal
import sys
import tempfile
import threading
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from functools import partial
from multiprocessing import util
from pathlib import Path
from typing import NoReturn

import tmt.show.page.report_page
from tmt.cli.main import main
from tmt.run.experiment import programs_of
from tmt.show.charts import campaign, files

DRAWERS = ((tmt.show.page.report_page, "render"), (campaign, "compare"), (files, "rendered"))
"""Modules and the names of their functions that draw."""


def prepare() -> None:
    """Let campaigns make their fork server by a fork of this process, and hash the programs' sources once."""
    util.spawnv_passfds = _fork_server
    programs_of("ns2")


@contextmanager
def drawing_once(place: Path) -> Iterator[None]:
    """Let commands that draw the same chart or page share it; `place` keeps them.

    Drawing takes most of the time of `report` and `run`. Charts are drawn without a process of their own.
    """
    drawers = [(owner, name, getattr(owner, name)) for owner, name in DRAWERS]
    renderer = files.renderer
    files.renderer = lambda: nullcontext(files.rendered)
    for owner, name, draw in drawers:
        setattr(owner, name, partial(_once, draw, place / name))
    try:
        yield
    finally:
        files.renderer = renderer
        for owner, name, draw in drawers:
            setattr(owner, name, draw)


def _once(draw: Callable[..., object], place: Path, *values: object, **more: object) -> object:
    kept = place.with_name(place.name + hashlib.sha256(pickle.dumps((values, more))).hexdigest())
    if not kept.exists():
        kept.write_bytes(pickle.dumps(draw(*values, **more)))
    return pickle.loads(kept.read_bytes())


def import_what(folder: Path, said: Path, call: Callable[[], object]) -> None:
    """Make a call in a fork, and import whatever the call has imported."""

    def call_and_list() -> None:
        try:
            call()
        finally:
            (said / "modules").write_text("\n".join(sys.modules))

    child = os.fork()
    if child == 0:
        as_process(folder, said, call_and_list)()
    os.waitpid(child, 0)
    for name in (said / "modules").read_text().splitlines():
        with suppress(ImportError, ValueError):
            importlib.import_module(name)


def command(*words: str) -> Callable[[], None]:
    """Return a function that does what ``tmt WORDS`` does."""

    def call() -> None:
        sys.argv = ["tmt", *words]
        main()

    return call


def as_process(folder: Path, said: Path, call: Callable[[], object]) -> Callable[[], NoReturn]:
    """Return a function that makes a call as a program of its own does, and ends the process."""

    def run() -> NoReturn:
        for number, name in ((1, "out"), (2, "err")):
            os.dup2(os.open(said / name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), number)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
        sys.stderr = open(2, "w", encoding="utf-8", closefd=False, buffering=1)  # noqa: SIM115
        os.chdir(folder)
        os.environ["TMPDIR"] = str(folder / "temporary")
        tempfile.tempdir = None
        gc.unfreeze()
        _end(call)

    return run


def _end(call: Callable[[], object]) -> NoReturn:
    """Make a call and end the process as the interpreter does."""
    status: int = 0
    try:
        call()
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException as error:
        sys.excepthook(type(error), error, error.__traceback__)
        status = 1
    try:
        threading._shutdown()
        atexit._run_exitfuncs()
        if not sys.stdout.closed:
            sys.stdout.flush()
    except BaseException:
        traceback.print_exc()
    os._exit(status)


def _fork_server(_path: str, words: list[str], descriptors: list[int]) -> int:
    """Do what `multiprocessing.util.spawnv_passfds` does for a Python program ``-c COMMAND``, in a fork."""
    child = os.fork()
    if child:
        return child
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)
    kept = {0, 1, 2, *descriptors}
    for entry in list(Path("/proc/self/fd").iterdir()):
        if int(entry.name) not in kept:
            with suppress(OSError):
                os.close(int(entry.name))
    atexit._clear()
    _end(lambda: exec(words[-1], {"__name__": "__main__"}))
