"""The options that say how a link-layer scheme is set, the same for every command that takes one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from collections.abc import Callable

_OPTIONS = (
    click.option("--data", type=click.IntRange(1), help="fec, harq: data LLDUs of a block, N_D."),
    click.option("--repair", type=click.IntRange(0), help="fec, harq: repair LLDUs of a block, N_R."),
    click.option(
        "--depth", type=click.IntRange(1), help="fec: blocks that are interleaved, I.  [default: 1]"
    ),
    click.option(
        "--extra",
        type=click.IntRange(0),
        help="harq: repair LLDUs sent beyond those missing, N_S.  [default: 1]",
    ),
    click.option("--rounds", type=click.IntRange(0), help="harq: most requests for repair, R.  [default: 2]"),
    click.option(
        "--max-transmissions",
        type=click.IntRange(1),
        help="arq: erasures after which an LLDU is given up.  [default: never]",
    ),
)


def scheme_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the parameters of all schemes, each None where it is not typed."""
    for option in reversed(_OPTIONS):
        function = option(function)
    return function
