"""The options of a path's two links, shared by `tmt replay` and `tmt emulate`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from tmt.cli.options import SECONDS, Number, WholeNumber
from tmt.core.errors import UsageError
from tmt.core.schema import PACKINGS
from tmt.spec.links import MOST_RATE_BPS, PlainLink, TraceLink

if TYPE_CHECKING:
    from collections.abc import Callable

    from tmt.spec.links import Link


def _link_options(direction: str, rate_help: str) -> tuple[Callable[..., Any], ...]:
    return (
        click.option(f"--{direction}-rate", type=Number(1, MOST_RATE_BPS), metavar="BIT/S", help=rate_help),
        click.option(
            f"--{direction}-lldu-bytes",
            type=WholeNumber(1),
            help="Useful bytes of an LLDU; else the trace's, or 1500.",
        ),
        click.option(
            f"--{direction}-offset",
            type=SECONDS,
            default="0",
            help=f"Seconds into the {direction} trace at which the run starts.",
        ),
    )


PACKING_OPTION = click.option(
    "--packing",
    type=click.Choice(PACKINGS),
    help="How packets lie in rows of traces: padded (each begins in a new row) or packed (bytes follow each "
    "other over rows); else as the trace says, or padded.",
)

FORWARD_OPTIONS = (
    *_link_options("forward", "Use a link of this constant rate instead of a trace."),
    PACKING_OPTION,
)
"""Options that `chosen_link` reads, without the one that names the trace."""

RETURN_OPTIONS = (
    click.option("--return", metavar="TRACE", help="Link trace from the receivers to the senders."),
    *_link_options(
        "return", "Use a link of this constant rate instead of a trace; else of the forward link's rate."
    ),
)


def chosen_link(trace: str | None, named: str, direction: str, given: dict[str, Any]) -> Link | None:
    """Remove the options of one direction from `given` and return its link; None without options.

    Parameters
    ----------
    trace
        The trace, if the user gave one.
    named
        The command's name for the trace, for messages.
    direction
        ``forward`` or ``return``.

    Raises
    ------
    UsageError
        When options do not go together.
    """
    rate_bps = given.pop(f"{direction}_rate")
    lldu_bytes, offset_ns = given.pop(f"{direction}_lldu_bytes"), given.pop(f"{direction}_offset")
    if trace is not None and rate_bps is not None:
        raise UsageError(f"{named} and --{direction}-rate exclude each other: a trace has its own rate")
    if trace is None and (lldu_bytes is not None or offset_ns):
        raise UsageError(f"--{direction}-lldu-bytes and --{direction}-offset need a trace, {named}")
    if trace is not None:
        return TraceLink(trace, lldu_bytes, offset_ns, packing=given["packing"])
    return None if rate_bps is None else PlainLink(rate_bps)
