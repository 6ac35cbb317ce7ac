"""Scheme `fec`: forward error correction, with interleaving."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, ClassVar

from tmt.core.schemes.scheme import MAX_BLOCK, Data, DetectionDelay, Repair, Scheme, Small

if TYPE_CHECKING:
    from tmt.core.declaration import Rules


class Fec(Scheme):
    """FEC (Kuhn 2014, sections 3.5.1 and 3.5.2): any `data` LLDUs of a block recover it.

    The receiver gives up a block that it cannot recover `detection_delay` after the `tx` of the last slot of
    its run.
    """

    name: ClassVar[str] = "fec"
    uses_rtt: ClassVar[bool] = False

    data: Data
    repair: Repair
    depth: Annotated[Small, "blocks that are interleaved, I"] = 1
    detection_delay: DetectionDelay = 0

    def rules(self) -> Rules:
        """Refuse a run of interleaved blocks that is too long."""
        yield from super().rules()
        if self.depth * (self.data + self.repair) > MAX_BLOCK:
            yield "depth", f"depth x (data + repair) of at most {MAX_BLOCK} slots", "makes too long a run"

    @property
    def label(self) -> str:
        """``FEC(N_D/N)`` as in the papers, with the interleaving depth if above 1."""
        depth = f" x {self.depth}" if self.depth > 1 else ""
        return f"FEC({self.data}/{self.data + self.repair}){depth}"
