"""Rateless codes for FECTCP: how many symbols more than source symbols a block takes until it is decoded.

The overheads of `RATELESS_CODES` are those of real decoders, measured by `analysis/botos/code_overhead.py`.
"""

import csv
import math
import re
from collections import Counter
from dataclasses import dataclass, fields
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Final

from tmt.core.errors import UsageError
from tmt.core.parameters import Parameter, check_bounds
from tmt.spec.tcp import HEADER_BYTES

RATELESS_CODES = ("raptorq", "lt")
"""Codes that were measured: RaptorQ (RFC 6330), and LT codes with the robust soliton distribution."""

DEFAULT_CODE: Final = "raptorq"

MAX_BLOCK_SEGMENTS = 10_000
"""Largest block, as large as any that was measured."""

ENDLESS_BLOCK_SEGMENTS = 256
"""Block of a flow without end, where none is given: data are of use when all of their block is decoded."""

_SHARE = re.compile(r"(\d+(?:\.\d+)?)%")
_MEASURED = Path(__file__).with_name("code_overhead.csv")


@dataclass(frozen=True, slots=True, kw_only=True)
class Coding:
    """The code of FECTCP's segments.

    Without a size of blocks, a transfer has blocks of `MAX_BLOCK_SEGMENTS` at most, and an endless flow has
    blocks of `ENDLESS_BLOCK_SEGMENTS`.

    Raises
    ------
    UsageError
        When a value is not allowed; the message names the parameter, the value and the allowed values.
    """

    code: Annotated[
        str, Parameter("rateless code of FECTCP's flows: raptorq, lt, or a fixed overhead such as 5%")
    ] = DEFAULT_CODE
    block_segments: Annotated[
        int | None,
        Parameter(
            "source symbols of the largest block that FECTCP codes",
            "segments",
            1,
            MAX_BLOCK_SEGMENTS,
            flag="--block-segments",
            absent="a whole transfer up to 10,000, 256 of a flow without end",
            counts="FECTCP segments of data",
        ),
    ] = None

    def __post_init__(self) -> None:
        share = _SHARE.fullmatch(self.code)
        if self.code not in RATELESS_CODES and not (share and float(share[1]) <= 100):
            allowed = ", ".join(RATELESS_CODES)
            raise UsageError(
                f"code is {self.code!r}; it must be one of {allowed}, or a share from 0% to 100%"
            )
        check_bounds(self)

    def largest_block(self, transfer_bytes: int | None, packet_bytes: int) -> int:
        """Return the source symbols of a flow's largest block."""
        if transfer_bytes is None:
            return self.block_segments or ENDLESS_BLOCK_SEGMENTS
        segments = -(-transfer_bytes // (packet_bytes - HEADER_BYTES))
        blocks = -(-segments // (self.block_segments or MAX_BLOCK_SEGMENTS))
        return -(-segments // blocks)

    def overhead(self, source_symbols: int) -> str:
        """Return the overhead of blocks of a number of source symbols, in the form of the simulator's agents.

        That is a share, or weights of numbers of symbols, ``"0:19880,1:120"``: the counts of the measured
        size that is nearest by ratio, with each number in the same proportion to the source symbols.
        """
        if self.code not in RATELESS_CODES:
            return self.code
        measured = _measured(self.code)
        size = min(measured, key=lambda symbols: (abs(math.log(symbols / source_symbols)), symbols))
        counts: Counter[int] = Counter()
        for overhead, blocks in measured[size].items():
            scaled = round(overhead * source_symbols / size)
            counts[max(scaled, min(overhead, 1))] += blocks
        return ",".join(f"{overhead}:{counts[overhead]}" for overhead in sorted(counts))


CODING_NAMES = tuple(field.name for field in fields(Coding))
"""Names of the parameters of `Coding`, which are keys of a scenario and result columns, too."""


@lru_cache(maxsize=len(RATELESS_CODES))
def _measured(code: str) -> dict[int, dict[int, int]]:
    """Return the blocks counted of a code: source symbols -> overhead symbols -> blocks."""
    sizes: dict[int, dict[int, int]] = {}
    with _MEASURED.open(newline="") as file:
        for row in csv.DictReader(file):
            if row["code"] == code:
                counts = sizes.setdefault(int(row["source_symbols"]), {})
                counts[int(row["overhead_symbols"])] = int(row["blocks"])
    return sizes
