"""The options of a regular line of slots, shared by `tmt generate` and `tmt model`."""

from __future__ import annotations

import click

from tmt.cli.options import DECODE_TIME, POSITIVE_SECONDS
from tmt.core.generate import DEFAULT_DECODE_TIME_NS
from tmt.core.units import ns_to_seconds

SLOT_INTERVAL_OPTION = click.option(
    "--slot-interval",
    type=POSITIVE_SECONDS,
    default="0.001",
    help="Time from one slot to the next, in seconds.",
)

DECODE_TIME_OPTION = click.option(
    "--decode-time",
    type=DECODE_TIME,
    default=f"{ns_to_seconds(DEFAULT_DECODE_TIME_NS):g}",
    help="Time in seconds until the PHY has decoded a slot, such as the depth of its interleaver.",
)
