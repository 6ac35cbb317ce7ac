"""Scheme `arq`: selective repeat."""

from __future__ import annotations

from typing import Annotated, ClassVar

from tmt.core.declaration import Count, Param
from tmt.core.schemes.scheme import DetectionDelay, Scheme


class Arq(Scheme):
    """Selective repeat (Kuhn 2014, section 3.5.3): NACKed LLDUs are retransmitted before new ones."""

    name: ClassVar[str] = "arq"

    max_transmissions: Annotated[
        Count | None, "erasures after which an LLDU is given up", Param(absent="never")
    ] = None
    detection_delay: DetectionDelay = 0

    @property
    def label(self) -> str:
        """``ARQ``, with the greatest number of transmissions if it is limited."""
        return "ARQ" if self.max_transmissions is None else f"ARQ(max {self.max_transmissions})"
