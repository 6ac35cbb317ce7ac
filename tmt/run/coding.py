"""FECTCP's code: the size of its blocks, and how many symbols more than source symbols a block takes.

The overheads of `RATELESS_CODES` are those of real decoders, measured by `analysis/botos/code_overhead.py`.
"""

from __future__ import annotations

import csv
import math
from collections import Counter
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from tmt.spec.traffic import ENDLESS_BLOCK_SEGMENTS, HEADER_BYTES, MAX_BLOCK_SEGMENTS, RATELESS_CODES

if TYPE_CHECKING:
    from tmt.spec.traffic import Traffic

_MEASURED = Path(__file__).with_name("code_overhead.csv")


def largest_block(traffic: Traffic) -> int:
    """Return the source symbols of a flow's largest block."""
    if traffic.transfer_bytes is None:
        return traffic.block_segments or ENDLESS_BLOCK_SEGMENTS
    segments = -(-traffic.transfer_bytes // (traffic.packet_bytes - HEADER_BYTES))
    blocks = -(-segments // (traffic.block_segments or MAX_BLOCK_SEGMENTS))
    return -(-segments // blocks)


def overhead(code: str, source_symbols: int) -> str:
    """Return the overhead of blocks of a number of source symbols, in the form of the simulator's agents.

    That is a share, or weights of numbers of symbols, ``"0:19880,1:120"``: the counts of the measured
    size that is nearest by ratio, with each number in the same proportion to the source symbols.
    """
    if code not in RATELESS_CODES:
        return code
    measured = _measured(code)
    size = min(measured, key=lambda symbols: (abs(math.log(symbols / source_symbols)), symbols))
    counts: Counter[int] = Counter()
    for overhead, blocks in measured[size].items():
        scaled = round(overhead * source_symbols / size)
        counts[max(scaled, min(overhead, 1))] += blocks
    return ",".join(f"{overhead}:{counts[overhead]}" for overhead in sorted(counts))


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
