"""Measured overhead of real rateless codes: symbols that decoding needs beyond the source symbols.

FECTCP sends symbols of such a code until the receiver can decode (Botos, Polgar and Bota, section II B; their
simulations take an average overhead of 5 %). Two codes are run here, each by a decoder that others keep:

* RaptorQ (RFC 6330), package raptorq: repair symbols only, in random order, as if no source symbol had come.
* LT codes (M. Luby, LT Codes, FOCS 2002) with the robust soliton distribution, c = 0.1, delta = 0.5, decoded
  by peeling, package qrstream. The seeds of symbols follow each other, as numbers of segments do.

Decoding does not depend on the contents of symbols: they are zeros of the least size.

``pip install -e '.[codes]'`` brings the first package, and the second comes with
``pip install --no-deps qrstream-headless==0.10.5``. Its dependencies are for video, except a copy of raptorq
that would replace the first package.
``python -m analysis.botos.code_overhead`` writes `tmt/run/ns2/code_overhead.csv`, from which `tmt` draws.
It takes some five minutes.
"""

from __future__ import annotations

from collections import Counter
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pandas as pd

RESULTS = Path(__file__).resolve().parents[2] / "tmt" / "run" / "ns2" / "code_overhead.csv"
SEED = 6330
RAPTORQ_BLOCKS = {10: 20_000, 30: 20_000, 100: 20_000, 300: 20_000, 1000: 5000, 3000: 1000, 10_000: 300}
LT_BLOCKS = {10: 20_000, 30: 10_000, 100: 5000, 300: 2000, 1000: 600, 3000: 150, 10_000: 30}
"""Blocks decoded for each number of source symbols."""
SYMBOL_BYTES = 8
MOST_OVERHEAD = 20
"""RaptorQ symbols beyond the source symbols' number that are at hand for a block."""


def raptorq_overhead(source_symbols: int, blocks: int, random: np.random.Generator) -> Counter[int]:
    """Count RaptorQ's decodings by the number of symbols that they needed beyond `source_symbols`."""
    import raptorq  # noqa: PLC0415  (an extra)

    data = bytes(source_symbols * SYMBOL_BYTES)
    encoder = raptorq.Encoder.with_defaults(data, SYMBOL_BYTES)
    stock = max(4 * source_symbols, 2000)
    repair = encoder.get_encoded_packets(stock)[source_symbols:]
    found: Counter[int] = Counter()
    for _ in range(blocks):
        decoder = raptorq.Decoder.with_defaults(len(data), SYMBOL_BYTES)
        arriving = random.choice(stock, source_symbols + MOST_OVERHEAD, replace=False)
        for count, number in enumerate(arriving, 1):
            if decoder.decode(repair[number]) is not None:
                found[count - source_symbols] += 1
                break
        else:
            raise RuntimeError(f"{source_symbols} symbols were not decoded with {MOST_OVERHEAD} more")
    return found


def lt_overhead(source_symbols: int, blocks: int, random: np.random.Generator) -> Counter[int]:
    """Count an LT code's decodings by the number of symbols that they needed beyond `source_symbols`."""
    from qrstream.lt_codec import PRNG, BlockGraph  # noqa: PLC0415  (an extra)

    choices = PRNG(source_symbols)
    content = np.zeros(1, np.uint8)
    found: Counter[int] = Counter()
    for _ in range(blocks):
        graph = BlockGraph(source_symbols)
        first = int(random.integers(1, 2**31))
        count = 1
        while not graph.add_block(choices.get_src_blocks(first + count)[2], content):
            count += 1
        found[count - source_symbols] += 1
    return found


def main() -> None:
    """Decode, and write the table."""
    rows = []
    for code, package, blocks_of, measure in (
        ("raptorq", "raptorq", RAPTORQ_BLOCKS, raptorq_overhead),
        ("lt", "qrstream-headless", LT_BLOCKS, lt_overhead),
    ):
        made_by = f"{package} {version(package)}"
        for source_symbols, blocks in blocks_of.items():
            random = np.random.default_rng([SEED, source_symbols])
            found = measure(source_symbols, blocks, random)
            mean = sum(symbols * count for symbols, count in found.items()) / blocks
            print(f"{code}, {source_symbols} source symbols: {mean:.4g} more on average", flush=True)
            rows += [
                (code, made_by, SEED, source_symbols, symbols, found[symbols]) for symbols in sorted(found)
            ]
    columns = ["code", "made_by", "seed", "source_symbols", "overhead_symbols", "blocks"]
    pd.DataFrame(rows, columns=columns).to_csv(RESULTS, index=False, lineterminator="\n")


if __name__ == "__main__":
    main()
