"""Sentences to the user that several importers share, with numbers and nouns that agree."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tmt.core.units import NS_PER_MS, NS_PER_S
from tmt.core.words.values import counted

if TYPE_CHECKING:
    from tmt.importers.importer import Direction

CUT_LINE = "the last line is cut short and left out"
BROADCAST = "of system information, paging and random access"
HALF_TRIP = "the delay of each direction is taken as half of the round trip"
ENDS_UNKNOWN = "losses before the first and after the last received packet are unknown"
NO_OUTCOMES = "the log has no outcomes: an attempt counts as erased if it was repeated"

_OF_ONE = {"are": "is", "have": "has", "do": "does", "were": "was"}


def agreed(number: int, noun: str, verb: str, which: str = "") -> str:
    """Return a number with noun and verb, as in ``1 row is`` and ``2 rows are``; `which` is put between."""
    said = _OF_ONE.get(verb, f"{verb}s") if number == 1 else verb
    return " ".join(filter(None, (counted(number, noun), which, said)))


def left_out(number: int, noun: str, which: str = "") -> list[str]:
    """Return a note on what is left out; none for 0."""
    return [f"{agreed(number, noun, 'are', which)} left out"] if number else []


def rate_note(bits: int, span_ns: int) -> str:
    """Return a note on the rate of probes of this many bits."""
    rate_bps = bits * NS_PER_S / max(span_ns, 1)
    return f"the rate of the probes, {rate_bps / 1000:.1f} kbit/s, is not a capacity: --line sets one"


def unknown_losses(number: int, direction: Direction) -> list[str]:
    """Return a note on losses of unknown direction, which count in the direction that is read; none for 0."""
    noun, verb = ("loss", "counts") if number == 1 else ("losses", "count")
    text = f"{number:,} {noun} of unknown direction {verb} as lost {direction}; do not import both directions"
    return [text] if number else []


def milliseconds(time_ns: int) -> str:
    """Return a time in a readable unit."""
    return f"{time_ns / NS_PER_MS:.3f} ms"
