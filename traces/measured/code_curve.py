"""Block error rates of the code that the channel `lms` assumes: ``python code_curve.py OUT.csv``.

A word is erased with probability ``Phi((2.0 - Es/N0) / 0.7)``. Real codes of 264 bits lie near that curve
(``analysis/channel/code_curve.py``).
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from scipy.stats import norm

THRESHOLD_DB, WIDTH_DB = 2.0, 0.7

if __name__ == "__main__":
    signal_db = np.arange(-2.0, 6.01, 0.25)
    rates = norm.cdf((THRESHOLD_DB - signal_db) / WIDTH_DB)
    rows = [f"{signal:g},{rate:.6g}" for signal, rate in zip(signal_db, rates, strict=True)]
    Path(sys.argv[1]).write_text("\n".join(["es_n0_db,bler", *rows]) + "\n", encoding="ascii")
