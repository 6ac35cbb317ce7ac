"""Erasures and decoding of one block of N_D data and N_R repair LLDUs on a bursty channel.

On a channel with memory an LLDU's erasure and the number of erasures in its block are dependent, and the time
of recovery depends on both. The recursion of section 3.4 therefore runs once for each data LLDU, with the
erasure of that LLDU imposed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tmt.core.errors import UsageError
from tmt.theory.erasures import emit, erase, step

if TYPE_CHECKING:
    from tmt.theory.channel import FloatArray, TwoStateChannel


@dataclass(frozen=True, slots=True)
class BlockLaw:
    """Joint laws of one block's transmission; i is the position of a data LLDU, from 0.

    Attributes
    ----------
    counts : [2, N + 1]
        Probability of the state at the last LLDU and of m erasures in the block.
    erased : [N_D, 2, N + 1]
        The same, joint with the erasure of data LLDU i.
    recovered_at : [N_D, N]
        Probability that data LLDU i is erased and the N_D-th arrival of the block is position t.
    """

    counts: FloatArray
    erased: FloatArray
    recovered_at: FloatArray

    @property
    def data(self) -> int:
        """N_D, the number of data LLDUs."""
        return len(self.erased)

    @property
    def recovered(self) -> float:
        """Mean number of data LLDUs in a block that are erased and recovered from it."""
        return float(self.recovered_at.sum())

    @property
    def unrecovered(self) -> float:
        """Mean number of erased data LLDUs in a block that are not recovered: more than N_R are erased."""
        repair = self.recovered_at.shape[1] - self.data
        return float(self.erased[:, :, repair + 1 :].sum())

    @property
    def recovery_positions(self) -> float:
        """Mean over blocks of the sum, over recovered LLDUs, of the positions until the N_D-th arrival."""
        data, positions = self.recovered_at.shape
        distance = np.arange(positions) - np.arange(data)[:, None]
        return float((self.recovered_at * distance).sum())


def block_law(channel: TwoStateChannel, data: int, repair: int) -> BlockLaw:
    """Return the laws of a block whose LLDUs see consecutive steps of `channel`, from a stationary start.

    Raises
    ------
    UsageError
        When there is no data LLDU, or a negative number of repair LLDUs.
    """
    if data < 1:
        raise UsageError(f"data is {data}: a block has at least one data LLDU")
    if repair < 0:
        raise UsageError(f"repair is {repair}: a block has 0 or more repair LLDUs")
    size, errors, transition = data + repair, channel.errors, channel.transition()
    # Row i < data: law of the blocks in which data LLDU i is erased. Last row: law of all blocks.
    law = np.zeros((data + 1, 2, size + 1))
    law[:, :, 0] = channel.stationary
    recovered_at = np.zeros((data, size))
    for position in range(size):
        if position:
            law = step(law, transition)
        if position >= data:
            # `position` is the N_D-th arrival if exactly N_D - 1 of the LLDUs before it arrived.
            recovered_at[:, position] = law[:data, :, position - data + 1] @ (1.0 - errors)
        sent = emit(law, errors)
        if position < data:
            sent[position] = erase(law[position], errors)
        law = sent
    return BlockLaw(law[data], law[:data], recovered_at)
