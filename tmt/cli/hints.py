"""Messages about errors that also name the remedy."""

from __future__ import annotations

import click

from tmt.core.errors import NotATraceError, OtherKindError, TmtError

MEASUREMENT = "a measurement becomes a trace by `tmt import` (tmt import --help)"


def hint(error: TmtError) -> str:
    """Return the command that helps after an error, with a semicolon before it; empty where none is known."""
    if isinstance(error, OtherKindError) and (error.found, error.needed) == ("phy", "link"):
        return (
            f"; make one with `tmt convert {error.path} LINK --scheme none`, or give `tmt replay` a scheme "
            "that runs during the simulation (--online)"
        )
    if isinstance(error, OtherKindError) and (error.found, error.needed) == ("link", "phy"):
        return "; a link trace is the result of a scheme: give the PHY trace that it was made of"
    if not isinstance(error, NotATraceError):
        return ""
    from tmt.importers.importer import import_hint  # noqa: PLC0415

    found = import_hint(error.path)
    return f"; {found or MEASUREMENT}"


def usage_message(error: click.UsageError) -> str:
    """Return one line about wrong arguments: the command, the mistake, and where to read on."""
    command = error.ctx.command_path if error.ctx else "tmt"
    said = " ".join(error.format_message().split())  # click lists choices on lines of their own
    if isinstance(error, click.MissingParameter) and isinstance(error.param, click.Argument) and error.ctx:
        usage = " ".join(error.ctx.get_usage().split())
        said = f"{error.param.make_metavar(error.ctx)} is missing. {usage}"
    return f"{command}: {said} (see {command} --help)"
