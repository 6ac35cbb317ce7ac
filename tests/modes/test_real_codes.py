"""Es/N0 that tables assume against simulated codes: `traces/modes/`, made by `tools/*_ldpc.py`."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm

from tmt.core.modes.table import read_table

MODES = Path(__file__).resolve().parents[2] / "traces" / "modes"

SNS3 = """
QPSK 3/4: 3.9156 2.763e-3, 3.9617 4.217e-5, 4.0079 2.996e-6
QPSK 4/5: 4.5897 6.612e-4, 4.6174 2.813e-5, 4.6544 1.999e-6
QPSK 5/6: 5.0515 6.378e-3, 5.1069 1.860e-4, 5.1530 1.197e-6
QPSK 9/10: 6.2704 1.433e-2, 6.3166 5.777e-4, 6.3720 9.306e-6
8PSK 2/3: 6.4993 2.299e-3, 6.5368 9.601e-5, 6.5930 1.509e-6
8PSK 3/4: 7.7456 3.764e-2, 7.8019 1.615e-3, 7.8487 1.737e-5
8PSK 5/6: 9.2544 9.910e-4, 9.2918 2.681e-5, 9.3293 6.870e-7
8PSK 8/9: 10.5007 5.356e-2, 10.5475 5.479e-3, 10.6225 2.908e-5
16APSK 5/6: 11.4993 1.894e-3, 11.5553 6.671e-5, 11.5792 2.839e-6
16APSK 8/9: 12.7057 6.153e-2, 12.7537 6.208e-3, 12.8495 9.822e-6
32APSK 4/5: 13.5026 3.190e-2, 13.5497 1.543e-3, 13.6021 2.319e-5
32APSK 8/9: 15.5026 3.843e-2, 15.5497 4.125e-3, 15.6492 1.018e-5
"""
"""DVB-S2's Es/N0 in dB and error rates: `additional-input/linkresults/s2_*.txt` of sns3-data, b8e73b4b."""


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


def test_assumed_curves_of_dvb_s2__are_within_a_tenth_of_a_decibel_of_those_of_sns3() -> None:
    table, points = read_table("dvb-s2"), SNS3.strip().splitlines()
    assert len(points) == 12
    for line in points:
        name, _, pairs = line.partition(": ")
        for es_n0_db, rate in (map(float, pair.split()) for pair in pairs.split(", ")):
            needed_db = table.needed_db(rate)[table.names.index(name)]
            assert needed_db == pytest.approx(es_n0_db, abs=0.1), line
