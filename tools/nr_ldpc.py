"""Simulate the LDPC codes of NR's MCS table 1, and write the Es/N0 that they need as a table of modes.

``python tools/nr_ldpc.py`` writes `traces/modes/nr-1-ldpc.csv`, and the blocks that it counted beside it, in
ten minutes of one processor. ``pip install -e '.[codes]'`` brings what it needs: Sionna encodes, maps and
demaps (3GPP TS 38.212 and 38.211), ldpc decodes.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import torch
from ldpc import BpDecoder
from ldpc_curves import simulate, write_table
from scipy.sparse import csr_matrix
from sionna.phy.fec.ldpc import LDPC5GEncoder
from sionna.phy.mapping import Constellation, Demapper, Mapper

SYMBOLS = 1440
"""Of a slot: 10 resource blocks of 144 resource elements. The block of each mode is one code word."""
LEAST_RATE = 1 / 5
"""Of base graph 2; lower rates repeat its bits."""
ITERATIONS, MOST_RATIO = 20, 20.0
BLOCKS, STEP_DB, ERROR_RATE = 40, 0.15, 0.1

HEADER = f"""\
# NR, MCS table 1 (64QAM): 3GPP TS 38.214, table 5.1.3.1-1, with the Es/N0 and widths of simulated LDPC codes.
# {SYMBOLS} symbols, white noise, belief propagation with {ITERATIONS} iterations: tools/nr_ldpc.py.
"""


class Link:
    """One mode over white noise: code, constellation, decoder."""

    def __init__(self, bits_per_symbol: int, efficiency: float) -> None:
        self.bits, received = round(SYMBOLS * efficiency), SYMBOLS * bits_per_symbol
        sent = min(received, int(self.bits / LEAST_RATE / bits_per_symbol) * bits_per_symbol)
        self._encoder = LDPC5GEncoder(self.bits, sent, num_bits_per_symbol=bits_per_symbol, device="cpu")
        self._repeated = torch.arange(received) % sent
        points = Constellation("qam", bits_per_symbol, device="cpu")
        self._map = Mapper(constellation=points, device="cpu")
        self._demap = Demapper("app", constellation=points, device="cpu")
        z, self._known = self._encoder.z, self._encoder.k_ldpc - self.bits
        # Checks on parity bits that are never sent say nothing.
        parity = math.ceil((sent - self.bits + 2 * z) / z) * z
        self._columns = self._encoder.k_ldpc + parity
        checks = csr_matrix(self._encoder.pcm)[:parity, : self._columns].astype(np.uint8)
        self._decoder = BpDecoder(
            checks,
            error_rate=0.1,
            max_iter=ITERATIONS,
            bp_method="product_sum",
            schedule="parallel",
            input_vector_type="received_vector",
        )

    def errors(self, es_n0_db: float, blocks: int) -> int:
        """Return how many of some random blocks are decoded wrongly."""
        sent = torch.randint(0, 2, (blocks, self.bits)).float()
        noise = torch.tensor(10 ** (-es_n0_db / 10))
        symbols = self._map(self._encoder(sent)[:, self._repeated])
        symbols += torch.sqrt(noise) * torch.randn_like(symbols)
        ratios = torch.zeros(blocks, self._encoder.n)
        ratios.index_add_(1, self._repeated, self._demap(symbols, noise))
        of_code = self._of_code(ratios[:, self._encoder.out_int_inv].numpy())
        return sum(self._is_wrong(*one) for one in zip(of_code, sent.numpy(), strict=True))

    def _of_code(self, ratios: Any) -> Any:
        """Return the ratios of all bits of the code, 0 of those that are not sent: [blocks, columns]."""
        blocks, unsent = len(ratios), 2 * self._encoder.z
        found = np.zeros((blocks, self._columns))
        found[:, unsent : self.bits] = ratios[:, : self.bits - unsent]
        found[:, self.bits : self.bits + self._known] = -MOST_RATIO
        parity = ratios[:, self.bits - unsent :]
        first = self.bits + self._known
        found[:, first : first + parity.shape[1]] = parity
        return np.clip(found, -MOST_RATIO, MOST_RATIO)

    def _is_wrong(self, ratios: Any, sent: Any) -> bool:
        self._decoder.update_channel_probs(1 / (1 + np.exp(np.abs(ratios))))
        found = self._decoder.decode((ratios > 0).astype(np.uint8))
        return not np.array_equal(found[: self.bits], sent)


def link(number: int, mode: Any) -> Link:
    """Return the link of a row of the table."""
    torch.manual_seed(number)
    return Link(mode.bits_per_symbol, mode.efficiency)


if __name__ == "__main__":
    torch.set_num_threads(1)
    simulate("nr-1", link, STEP_DB, BLOCKS)
    write_table("nr-1", HEADER, ERROR_RATE)
