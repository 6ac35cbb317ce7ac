"""The commands of `tmt`. Each has a file, which parses, makes one call and prints.

A command is imported when it is called, so that `tmt --help` answers at once.
"""

from __future__ import annotations

import gc
import importlib
import io
import signal
import sys
import warnings

import click

from tmt import __version__
from tmt.cli.lazy import LazyGroup, imported_when_used
from tmt.cli.main import end_with, open_closed_stdout
from tmt.cli.progress import say
from tmt.core.errors import InputError, NotATraceError, OtherKindError, TmtError
from tmt.run import load_backend

with imported_when_used():
    from tmt.importers import importer as importers

COMMANDS = {
    "generate": "make a PHY trace from a channel model",
    "share": "let users share a line of slots: a PHY trace for each",
    "orbit": "write the round-trip times over satellites with TLE lines",
    "import": "turn a measurement in another tool's format into a trace",
    "inspect": "summarise a trace: rates, losses, bursts, gaps, delays",
    "fit": "fit erasure models to a trace, and test them",
    "model": "compute the performance of a scheme by formulas",
    "convert": "turn a PHY trace into the link trace of a scheme",
    "export": "write a trace in another format",
    "replay": "run TCP over link traces in ns-2, once",
    "emulate": "run any program over a link trace, in real time",
    "root": "make a root of files for programs in simulated time",
    "examples": "copy the ready-made scenarios and their traces",
    "new": "write a scenario file to start from",
    "schema": "print the JSON Schema of scenario files, for editors",
    "run": "run a scenario: a whole comparison, on all cores",
    "tune": "find the best scheme and parameters for a trace",
    "pack": "write a campaign into one archive to publish",
    "report": "write a campaign's results as one page to read",
    "compare": "compare two campaigns run by run",
    "cite": "print the sources of a campaign as BibTeX",
    "course": "show a recorded run of a campaign over time, on the terminal",
    "doctor": "list what is installed and what is missing",
}
"""Name of each command and its line in `tmt --help`; a file of the same name and _command.py holds it."""

SETTINGS = {"help_option_names": ["-h", "--help"], "show_default": True}

OBJECTS_PER_COLLECTION = 100_000
"""New objects between two garbage collections; the import of numba alone creates 160,000 permanent ones."""


def _command(name: str) -> click.Command:
    command: click.Command = importlib.import_module(f"tmt.cli.{name}_command").command
    return command


def _print_version(context: click.Context, _: click.Parameter, wanted: bool) -> None:
    if not wanted:
        return
    try:
        simulator = f"ns-2.35 with CLIFT, build {load_backend('ns2').stamp()[:16]}"
    except TmtError:
        simulator = "no simulator"
    say(f"tmt {__version__}, {simulator}")
    context.exit()


@click.group(
    cls=LazyGroup,
    lines=COMMANDS,
    find=_command,
    heading="Commands, in the order in which data flows",
    context_settings=SETTINGS,
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_version,
    help="Show the version, with the simulator's, and exit.",
)
def group() -> None:
    """TMT turns PHY traces into link traces, and replays link traces under TCP in ns-2.

    \b
    A first round trip:
      tmt generate --channel gilbert-elliott --alpha 0.99 --beta 0.5 \\
          --duration 60 phy.parquet
      tmt inspect phy.parquet
      tmt convert phy.parquet link.parquet --scheme arq --rtt 0.5
      tmt replay link.parquet --tcp cubic --rtt 0.5 --duration 50
    """


def run() -> int:
    """Run the command line and return its exit status; a `TmtError` ends in one line."""
    gc.set_threshold(OBJECTS_PER_COLLECTION)
    warnings.formatwarning = _one_line
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is not signal.SIG_IGN:  # nohup ignores it
            signal.signal(number, _terminate)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # a program has no exit status if SIGCHLD is ignored
    open_closed_stdout()
    if isinstance(sys.stdout, io.TextIOWrapper):
        # A name that the terminal's encoding lacks is shown as a code, as on stderr.
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        status = int(group(prog_name="tmt", standalone_mode=False) or 0)
        sys.stdout.flush()
    except TmtError as error:
        status = end_with(f"{error}{_hint(error)}", error.exit_status)
    except click.UsageError as error:
        status = end_with(_usage_message(error), error.exit_code)
    except click.ClickException as error:
        status = end_with(f"tmt: {error.format_message()}", error.exit_code)
    except click.Abort:
        raise KeyboardInterrupt from None  # as it was before click changed it
    return status


def _one_line(message: Warning | str, *_: object, **__: object) -> str:
    return f"warning: {message}\n"


def _terminate(number: int, _: object) -> None:
    """Exit through SystemExit, so that half-written files are removed."""
    raise SystemExit(128 + number)


def _hint(error: TmtError) -> str:
    """Return the command that helps after an error, after a semicolon; empty if none is known."""
    error = error.__cause__ if isinstance(error.__cause__, InputError) else error
    if isinstance(error, OtherKindError) and (error.found, error.needed) == ("phy", "link"):
        return (
            f"; make one with `tmt convert {error.path} LINK --scheme none`, or give `tmt replay` a scheme "
            "that runs during the simulation (--online)"
        )
    if isinstance(error, OtherKindError) and (error.found, error.needed) == ("link", "phy"):
        return (
            "; a link trace is the result of a scheme: give the PHY trace that it was made of, or import the "
            "measurement with --as phy"
        )
    if not isinstance(error, NotATraceError):
        return ""
    found = importers.import_hint(error.path)
    how = "tmt import table" if error.path.lower().endswith((".csv", ".csv.gz")) else "tmt import"
    return f"; {found or f'a measurement becomes a trace by `{how}` ({how} --help)'}"


def _usage_message(error: click.UsageError) -> str:
    """Return one line about wrong arguments: the command, the mistake, and where to read more."""
    command = error.ctx.command_path if error.ctx else "tmt"
    said = " ".join(error.format_message().split())  # click lists choices on separate lines
    if isinstance(error, click.MissingParameter) and isinstance(error.param, click.Argument) and error.ctx:
        usage = " ".join(error.ctx.get_usage().split())
        said = f"{error.param.make_metavar(error.ctx)} is missing. {usage}"
    if isinstance(error, click.NoSuchOption) and command == "tmt run" and len(error.possibilities or ()) != 1:
        said = f"{said} The settings of the runs are keys in SCENARIO."
    return f"{command}: {said} (see {command} --help)"
