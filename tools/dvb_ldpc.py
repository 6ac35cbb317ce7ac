"""Simulate the 28 modes of DVB-S2, and write the Es/N0 that they need as a table of modes.

``python tools/dvb_ldpc.py`` writes `traces/modes/dvb-s2-ldpc.csv`, and the frames that it counted beside it,
in a few minutes of one processor. ``cargo install ldpc-toolbox`` (0.12) brings the codes.

Compared once: code words, bit interleaver and constellations of all modes are those of GNU Radio 3.10,
and the decoder finds the same bits as the package ldpc, also in lost frames.
"""

from __future__ import annotations

import subprocess
from typing import Any

import numpy as np
from ldpc_curves import simulate, write_table
from scipy.sparse import csr_matrix

CODE_BITS = 64_800
ITERATIONS, MOST_RATIO = 50, 20
HALF, TINY, ALMOST_1 = np.float32(0.5), np.float32(1e-10), np.float32(1 - 1e-7)
BLOCKS, STEP_DB, ERROR_RATE = 8, 0.04, 1e-5

# EN 302 307-1, figures 9 to 12: the angles of labels 0, 1, 2, ..., and their rings from the inner one.
ANGLES = {
    "QPSK": np.array([1, -1, 3, -3]) / 4,
    "8PSK": np.array([1, 0, 4, 5, 2, 7, 3, 6]) / 4,
    "16APSK": np.array([3, -3, 9, -9, 1, -1, 11, -11, 5, -5, 7, -7, 3, -3, 9, -9]) / 12,
    "32APSK": np.r_[
        [6, 10, -6, -10, 18, 14, -18, -14, 3, 9, -6, -12, 18, 12, -21, -15],
        [2, 6, -2, -6, 22, 18, -22, -18, 0, 6, -3, -9, 21, 15, 24, -18],
    ]
    / 24,
}
RINGS = {
    "QPSK": [0] * 4,
    "8PSK": [0] * 8,
    "16APSK": [1] * 12 + [0] * 4,
    "32APSK": [1] * 8 + [2] * 8 + [1, 0] * 4 + [2] * 8,
}
RADII = {
    ("16APSK", "2/3"): [1, 3.15],
    ("16APSK", "3/4"): [1, 2.85],
    ("16APSK", "4/5"): [1, 2.75],
    ("16APSK", "5/6"): [1, 2.70],
    ("16APSK", "8/9"): [1, 2.60],
    ("16APSK", "9/10"): [1, 2.57],
    ("32APSK", "3/4"): [1, 2.84, 5.27],
    ("32APSK", "4/5"): [1, 2.72, 4.87],
    ("32APSK", "5/6"): [1, 2.64, 4.64],
    ("32APSK", "8/9"): [1, 2.54, 4.33],
    ("32APSK", "9/10"): [1, 2.53, 4.30],
}
"""Tables 9 and 10."""
LEAST = 1e-300

HEADER = f"""\
# DVB-S2, FECFRAMEs of {CODE_BITS} bits: ETSI EN 302 307-1, with the Es/N0 of simulated LDPC and BCH codes.
# White noise, ideal synchronisation, belief propagation with {ITERATIONS} iterations: tools/dvb_ldpc.py.
# {BLOCKS} frames at a point, every {STEP_DB} dB; the Es/N0 is extrapolated to an error rate of {ERROR_RATE}.
"""


class Code:
    """An LDPC code of DVB-S2: each parity bit follows from its check and from the parity bit before it."""

    def __init__(self, rate: str) -> None:
        done = subprocess.run(
            ["ldpc-toolbox", "dvbs2", "--rate", rate], check=True, capture_output=True, text=True
        )
        lines = done.stdout.splitlines()  # alist: sizes, three lines of weights, bits, checks
        bits, checks = map(int, lines[0].split())
        columns = np.array([line.split() for line in lines[4 + bits : 4 + bits + checks]], int)
        # [degree, checks]. The first check has one bit less: the alist has a 0 there, this a known bit.
        self._columns = np.where(columns == 0, bits, columns - 1).T.copy()
        edges = self._columns.ravel()
        ones = np.ones(edges.size, np.float32)
        self._sums = csr_matrix((ones, (edges, np.arange(edges.size))), (bits + 1, edges.size))[:bits]
        self.information = bits - checks

    def encode(self, sent: Any) -> Any:
        """Return the code word of information bits."""
        word = np.append(sent, np.zeros(self._columns.shape[1] + 1, sent.dtype))
        word[self.information : -1] = np.bitwise_xor.reduce(word[self._columns]).cumsum() % 2
        assert not np.bitwise_xor.reduce(word[self._columns]).any()
        return word[:-1]

    def decode(self, ratios: Any) -> Any:
        """Return the information bits by belief propagation, from ln P(0) / P(1) of all bits."""
        known = np.append(np.clip(ratios, -MOST_RATIO, MOST_RATIO), np.inf).astype(np.float32)
        total, messages = known.copy(), np.zeros(self._columns.shape, np.float32)
        for _ in range(ITERATIONS):
            halves = total[self._columns]
            if not np.bitwise_xor.reduce(halves < 0).any():
                break
            halves -= messages
            halves *= HALF
            np.tanh(halves, out=halves)
            halves += TINY  # instead of 0
            np.divide(halves.prod(axis=0), halves, out=messages)
            np.clip(messages, -ALMOST_1, ALMOST_1, out=messages)
            np.arctanh(messages, out=messages)
            messages *= 2
            total[:-1] = known[:-1] + self._sums @ messages.ravel()
        return total[: self.information] < 0


class Link:
    """One mode over white noise."""

    def __init__(self, name: str, code: Code, corrected: int, seed: int) -> None:
        modulation, rate = name.split()
        self._points = constellation(modulation, rate)
        self._places = places(modulation, rate)
        self._code, self._corrected = code, corrected
        self._random = np.random.default_rng(seed)

    def errors(self, es_n0_db: float, blocks: int) -> int:
        """Return how many of some random frames have more wrong bits than the BCH code corrects."""
        return sum(self._is_lost(10 ** (-es_n0_db / 10)) for _ in range(blocks))

    def _is_lost(self, noise: float) -> bool:
        sent = self._random.integers(0, 2, self._code.information)
        found = self._code.decode(self._receive(self._code.encode(sent), noise))
        return int((found != sent).sum()) > self._corrected

    def _receive(self, word: Any, noise: float) -> Any:
        """Return ln P(0) / P(1) of each bit of a code word."""
        bits = self._places.shape[1]
        labels = word[self._places] @ (1 << np.arange(bits)[::-1])
        symbols = self._points[labels] + self._random.normal(size=(len(labels), 2)) @ [1, 1j] * np.sqrt(
            noise / 2
        )
        near = np.exp(-(np.abs(symbols[:, np.newaxis] - self._points) ** 2) / noise)
        ratios, values = np.empty(CODE_BITS), np.arange(len(self._points))
        for bit in range(bits):
            is_one = values >> (bits - 1 - bit) & 1
            ratios[self._places[:, bit]] = np.log((near @ (1 - is_one) + LEAST) / (near @ is_one + LEAST))
        return ratios


def constellation(modulation: str, rate: str) -> Any:
    """Return the points of all labels, of mean energy 1."""
    radii = np.array(RADII.get((modulation, rate), [1]))[RINGS[modulation]]
    points = radii * np.exp(1j * np.pi * ANGLES[modulation])
    return points / np.sqrt((radii**2).mean())


def places(modulation: str, rate: str) -> Any:
    """Return the code bits of each symbol, [symbols, bits], of the bit interleaver (clause 5.3.3)."""
    bits = len(ANGLES[modulation]).bit_length() - 1
    if modulation == "QPSK":
        return np.arange(CODE_BITS).reshape(-1, bits)
    columns = np.arange(CODE_BITS).reshape(bits, -1).T
    return columns[:, ::-1] if (modulation, rate) == ("8PSK", "3/5") else columns


def main() -> None:
    """Simulate all modes, and write counts and table."""
    codes = dict[str, Code]()

    def link(number: int, mode: Any) -> Link:
        rate = mode.name.split()[1]
        if rate not in codes:
            codes[rate] = Code(rate)
        # 16 parity bits for each bit error that the BCH code corrects (table 5a).
        return Link(mode.name, codes[rate], (codes[rate].information - mode.information_bits) // 16, number)

    simulate("dvb-s2", link, STEP_DB, BLOCKS)
    write_table("dvb-s2", HEADER, ERROR_RATE, one_width=True)


if __name__ == "__main__":
    main()
