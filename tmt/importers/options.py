"""Options that several importers share. One meaning has one name in every format."""

from __future__ import annotations

from typing import Literal

from tmt.core.units import NS_PER_MS
from tmt.importers.importer import Option

Reading = Literal["phy", "link"]
Direction = Literal["up", "down"]

READING = Option(
    "reading",
    "--as",
    "choice",
    "phy: each transmission attempt is a slot, for `tmt convert`. link: each block is a row with the delay, "
    "the fate and the number of transmissions that the measured link gave it.",
    default="phy",
    choices=("phy", "link"),
)

DIRECTION = Option(
    "direction",
    "--direction",
    "choice",
    "Direction to import: up (from the terminal) or down.  [default: down, or the only one in the file]",
    choices=("up", "down"),
)

USER = Option(
    "user",
    "--user",
    "text",
    "Terminal to import, as the log numbers it.  [default: the only one in the file]",
    metavar="ID",
)

SUBCARRIER_SPACING = Option(
    "subcarrier_spacing_khz",
    "--subcarrier-spacing",
    "whole number",
    "Subcarrier spacing in kHz: 15, 30, 60 or 120. It gives the length of a slot.  [default: the least that "
    "has all slot numbers of the log]",
    metavar="KHZ",
    minimum=15,
)

LINE = Option(
    "line_bps",
    "--line",
    "whole number",
    "Make a link of this constant rate in bit/s, with the losses and delays of the probes or intervals: "
    "neither the rate of probes nor the usage of a link shows its capacity.",
    metavar="BPS",
    minimum=1,
)

LLDU_BYTES = Option(
    "lldu_bytes",
    "--lldu-bytes",
    "whole number",
    "Bytes of a row: of the link of --line, of an opportunity, or of a block.",
    default=1500,
    metavar="BYTES",
    minimum=1,
)

SEED = Option(
    "seed",
    "--seed",
    "whole number",
    "Seed of the draws that choose the lost rows, where the measurement has only a share of losses.",
    default=1,
    minimum=0,
)

DECODE_TIME = Option(
    "decode_time_ns",
    "--decode-time",
    "positive seconds",
    "Time in seconds until a slot is decoded; the measurement does not tell it.",
    default=NS_PER_MS,
)

FROM = Option(
    "from_ns",
    "--from",
    "seconds",
    "Leave out rows before this time in seconds; the trace then counts from it.",
)

UNTIL = Option(
    "until_ns",
    "--until",
    "positive seconds",
    "Leave out rows at and after this time in seconds of the measurement.",
)

CUT = (FROM, UNTIL)
"""Options of every importer; `tmt.importers.files` carries them out."""
