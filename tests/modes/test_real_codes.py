"""Es/N0 that NR's tables assume against simulated LDPC codes: `traces/modes/`, made by `tools/nr_ldpc.py`."""

from pathlib import Path

import numpy as np
import pandas as pd
from scipy.stats import norm

from tmt.core.modes.table import read_table

MODES = Path(__file__).resolve().parents[2] / "traces" / "modes"


def test_table_of_ldpc_codes__is_what_was_counted() -> None:
    """Blocks lost at each Es/N0 against Phi((half - Es/N0) / width): chi-square over all points of a mode.

    Of points with at least 2 blocks expected on either side. Their number n is 2 to 8, and chi-square with n
    degrees of freedom exceeds 10 + 3 n with a probability of at most 4e-4.
    """
    table, counts = read_table(str(MODES / "nr-1-ldpc.csv")), pd.read_csv(MODES / "nr-1-ldpc-counts.csv")
    for mode, name in enumerate(table.names):
        of_mode = counts[counts["name"] == name]
        blocks, errors = of_mode["blocks"].to_numpy(), of_mode["errors"].to_numpy()
        rate = norm.cdf((table.half_db[mode] - of_mode["es_n0_db"]) / table.width_db[mode])
        usable = (blocks * rate >= 2) & (blocks * (1 - rate) >= 2)
        pull = (errors - blocks * rate)[usable] / np.sqrt(blocks * rate * (1 - rate))[usable]
        assert usable.sum() >= 2, name
        assert (pull**2).sum() < 10 + 3 * usable.sum(), name


def test_assumed_es_n0__is_within_a_fifth_of_a_decibel_of_real_codes_of_1000_bits() -> None:
    """40 blocks at a point, every 0.15 dB: the standard error of a mode's Es/N0 is about 0.05 dB."""
    real, assumed = read_table(str(MODES / "nr-1-ldpc.csv")), read_table("nr-1")
    assert real.names == assumed.names
    apart_db = real.needed_db(0.1) - assumed.needed_db(0.1)
    is_long = 1440 * real.efficiency > 1000
    assert np.abs(apart_db[is_long]).max() < 0.2
    # Shorter codes lie further from capacity; the lowest mode's block has 338 bits.
    assert ((apart_db[~is_long] > 0.2) & (apart_db[~is_long] < 0.85)).all()
