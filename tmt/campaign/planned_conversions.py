"""Link traces that runs share, before they are made: slots, and the scheme that converts them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    from tmt.core.generate import Line


@dataclass(frozen=True, slots=True)
class Phy:
    """A PHY trace: a file as it is (`channel` None), or a channel's realisation on a line or over a file.

    `identity` is the same exactly for the same slots; `file_slots` is the hash of the file's slots, empty
    without a file.
    """

    identity: str
    file: Path | None
    file_slots: str = ""
    channel: Any = None
    seed: int = 0
    line: Line | None = None
    length_ns: int = 0


@dataclass(frozen=True, slots=True)
class PlannedConversion:
    """A trace that runs share: the result of a scheme over every `every`-th slot of a PHY trace.

    Without a scheme it is those slots themselves, on which a scheme works in the simulator. The scheme that
    converts the slots or works on them may need their Es/N0. `sources` is the hash of the sources
    that make it.
    """

    identity: str
    phy: Phy
    every: int
    scheme: Any
    needs_es_n0: bool
    sources: str

    @property
    def models(self) -> tuple[Any, ...]:
        """The channel and the scheme that make the trace, as far as there are any."""
        return tuple(model for model in (self.phy.channel, self.scheme) if model is not None)

    @property
    def trace_parameters(self) -> dict[str, Any]:
        """The parameters that tell the trace from others, as a row of results holds them."""
        phy = self.phy
        parameters: dict[str, Any] = {"every": self.every}
        if phy.channel is not None:
            parameters |= phy.channel.describe()
        if phy.line is not None:
            parameters["slot_interval_ns"] = float(phy.line.interval_ns)
        if phy.file is not None:
            parameters["file"] = phy.file.name
            if phy.channel is None:
                parameters["sha256"] = phy.identity
        return parameters
