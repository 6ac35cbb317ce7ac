"""Scheme `harq`: hybrid ARQ of type II."""

from __future__ import annotations

from typing import Annotated, ClassVar

from tmt.core.declaration import Number, Param, Rules
from tmt.core.schemes.scheme import MAX_BLOCK, Data, DetectionDelay, Repair, Scheme


class Harq(Scheme):
    """Hybrid ARQ of type II (Kuhn 2014, section 3.5.4): the sender adds repair LLDUs on request.

    The defaults of `extra` and `rounds` fit the paper's results best. The receiver knows `detection_delay`
    after the `tx` of a round's last slot how many LLDUs are missing.
    """

    name: ClassVar[str] = "harq"

    data: Data
    repair: Repair
    extra: Annotated[int, "repair LLDUs sent beyond those missing, N_S", Param("", 0, MAX_BLOCK)] = 1
    rounds: Annotated[Number, "most requests for repair, R"] = 2
    detection_delay: DetectionDelay = 0

    def rules(self) -> Rules:
        """Bound a block."""
        yield from super().rules()
        if self.data + self.repair > MAX_BLOCK:
            yield "repair", f"data + repair of at most {MAX_BLOCK} slots", "makes too long a block"

    @property
    def label(self) -> str:
        """``HARQ(N_D/N)`` as in the papers."""
        return f"HARQ({self.data}/{self.data + self.repair})"
