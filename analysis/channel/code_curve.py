"""The assumed code curve of channel `lms` against real codes of 264 bits.

The channel takes a code word for erased with probability ``Phi((T - SNR) / sigma)``. Here the packet error
rate of LDPC codes of rates 1/2 and 3/5 is simulated over QPSK and white noise: base graph 2 of 3GPP TS 38.212
(as the package py3gpp holds it) for 264 bits, lifted by 36, filler bits and first 72 bits not sent, 528 or
440 coded bits; sum-product decoding with at most 60 iterations by the package ldpc. The paper's code is a
turbo code whose rate it does not state.

Belief propagation is symmetric: the all-zero word stands for every word. The decoder is given the hard
decisions' syndrome and each bit's probability to be wrong, which is the same as its log-likelihood ratio.

``pip install -e '.[codes]'`` brings both packages; ``python -m analysis.channel.code_curve`` writes
`code_curve.csv` beside this file, which `make reproduce` draws. It takes a few minutes.
"""

from __future__ import annotations

import math
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

RESULTS = Path(__file__).with_name("code_curve.csv")
INFORMATION_BITS, LIFTING = 264, 36
BASE_INFORMATION, UNSENT_COLUMNS = 10, 2
SET_INDEX = 4
"""Lifting size 36 = 9 * 2^2 is of the set of 9 (3GPP TS 38.212, table 5.3.2-1)."""
ES_N0_DB = {
    528: (-0.5, 0.0, 0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 1.75),
    440: (0.75, 1.25, 1.5, 1.75, 2.0, 2.25, 2.5, 2.75, 3.0),
}
"""For each number of coded bits."""
MOST_WORDS, ENOUGH_ERRORS, SEED = 10_000, 300, 264


def parity_checks(coded_bits: int) -> NDArray[np.uint8]:
    """Return the lifted parity-check matrix of the bits that matter: [rows, bits].

    Columns of filler bits, which are known to be zero, are left out; so are checks on parity bits never sent.
    """
    table = files("py3gpp.codes").joinpath("bg2.csv").read_text().splitlines()[2:]
    shifts: dict[tuple[int, int], int] = {}
    row = 0
    for line in table:
        cells = line.split(";")
        row = int(cells[0]) if cells[0] else row
        shifts[row, int(cells[1])] = int(cells[2 + SET_INDEX]) % LIFTING
    fillers = BASE_INFORMATION * LIFTING - INFORMATION_BITS
    sent_information = INFORMATION_BITS - UNSENT_COLUMNS * LIFTING
    parity_columns = math.ceil((coded_bits - sent_information) / LIFTING)
    matrix = np.zeros((parity_columns * LIFTING, (BASE_INFORMATION + parity_columns) * LIFTING), np.uint8)
    for (row, column), shift in shifts.items():
        if row < parity_columns and column < BASE_INFORMATION + parity_columns:
            for one in range(LIFTING):
                matrix[row * LIFTING + one, column * LIFTING + (one + shift) % LIFTING] = 1
    known = np.arange(INFORMATION_BITS, INFORMATION_BITS + fillers)
    return np.delete(matrix, known, axis=1)


def packet_errors(
    decoder: Any, checks: Any, coded_bits: int, es_n0_db: float, random: np.random.Generator
) -> tuple[int, int]:
    """Return the numbers of wrong and of sent words."""
    bits = checks.shape[1]
    sent = np.zeros(bits, np.bool_)
    sent[UNSENT_COLUMNS * LIFTING : UNSENT_COLUMNS * LIFTING + coded_bits] = True
    snr = 10 ** (es_n0_db / 10)
    errors = words = 0
    while words < MOST_WORDS and errors < ENOUGH_ERRORS:
        # Per bit of QPSK the log-likelihood ratio is Gaussian, mean 2 SNR, variance 4 SNR.
        ratio = np.zeros(bits)
        ratio[sent] = 2 * snr + math.sqrt(4 * snr) * random.standard_normal(coded_bits)
        wrong = (ratio < 0).astype(np.uint8)
        decoder.update_channel_probs(np.clip(1 / (1 + np.exp(np.abs(ratio))), 1e-12, 0.5))
        found = decoder.decode((checks @ wrong % 2).astype(np.uint8))
        errors += not np.array_equal(found[:INFORMATION_BITS], wrong[:INFORMATION_BITS])
        words += 1
    return errors, words


def main() -> None:
    """Simulate, and write the table."""
    from ldpc import BpDecoder  # noqa: PLC0415  (an extra)
    from scipy.sparse import csr_matrix  # noqa: PLC0415

    rows = []
    for coded_bits, sweep in ES_N0_DB.items():
        checks = csr_matrix(parity_checks(coded_bits))
        decoder = BpDecoder(checks, error_rate=0.1, max_iter=60, bp_method="product_sum", schedule="parallel")
        for number, es_n0_db in enumerate(sweep):
            random = np.random.default_rng([SEED, coded_bits, number])
            errors, words = packet_errors(decoder, checks, coded_bits, es_n0_db, random)
            rows.append((coded_bits, es_n0_db, words, errors))
            print(f"{coded_bits} bits, {es_n0_db:5.2f} dB: {errors} of {words} words wrong", flush=True)
    table = pd.DataFrame(rows, columns=["coded_bits", "es_n0_db", "words", "errors"])
    table.to_csv(RESULTS, index=False, lineterminator="\n")


if __name__ == "__main__":
    main()
