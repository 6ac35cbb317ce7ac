"""Named sets of parameters, each value with its origin."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

Kind = Literal["published", "assumed", "fitted"]


@dataclass(frozen=True, slots=True)
class Origin:
    """Origin of a value: a publication, an assumption of ours, or a fit to published results."""

    kind: Kind
    source: str


@dataclass(frozen=True, slots=True)
class Sourced:
    """A value and its origin."""

    value: float
    origin: Origin


@dataclass(frozen=True, slots=True)
class LineDefaults:
    """The line of slots that a profile belongs to.

    Attributes
    ----------
    rate_bps
        Bits of LLDUs per second on the whole line.
    lldu_bytes
        Useful bytes of one LLDU.
    share
        This user gets every `share`-th slot.
    """

    rate_bps: Sourced
    lldu_bytes: Sourced
    share: Sourced


@dataclass(frozen=True, slots=True)
class Profile:
    """Values for a channel's parameters, and the line that it goes with.

    Attributes
    ----------
    summary
        Description of the link, in one sentence.
    values
        Values by the names of the channel's fields; fields that are missing must be given by the user.
    """

    summary: str
    values: Mapping[str, Sourced]
    line: LineDefaults
