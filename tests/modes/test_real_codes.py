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


def pulls(name: str, least: float) -> pd.Series:
    """Return (lost - expected) / deviation at points where so many blocks are expected on either side.

    A block is lost with the probability Phi((half - Es/N0) / width).
    """
    table, counts = read_table(str(MODES / f"{name}.csv")), pd.read_csv(MODES / f"{name}-counts.csv")
    mode = pd.Index(table.names).get_indexer(counts["name"])
    assert np.array_equal(np.unique(mode), np.arange(len(table.names)))
    rate = norm.cdf((table.half_db[mode] - counts["es_n0_db"]) / table.width_db[mode])
    lost, decoded = counts["blocks"] * rate, counts["blocks"] * (1 - rate)
    found = (counts["errors"] - lost) / np.sqrt(lost * (1 - rate))
    return found.set_axis(counts["name"])[((lost >= least) & (decoded >= least)).to_numpy()]


def test_table_of_nr__is_what_was_counted() -> None:
    """A mode has n = 2 to 8 such points; the chance that chi-square exceeds 10 + 3 n is at most 4e-4."""
    for name, of_mode in pulls("nr-1-ldpc", 2).groupby(level=0):
        assert len(of_mode) >= 2, name
        assert (of_mode**2).sum() < 10 + 3 * len(of_mode), name


def test_table_of_dvb__is_what_was_counted() -> None:
    """All modes at once, 8 frames at a point: four deviations of chi-square."""
    found = pulls("dvb-s2-ldpc", 1)
    assert (found**2).sum() == pytest.approx(len(found), abs=4 * np.sqrt(2 * len(found)))


def test_assumed_es_n0__is_within_a_fifth_of_a_decibel_of_real_codes_of_1000_bits() -> None:
    """40 blocks at a point, every 0.15 dB: the standard error of a mode's Es/N0 is about 0.05 dB."""
    real, assumed = read_table(str(MODES / "nr-1-ldpc.csv")), read_table("nr-1")
    assert real.names == assumed.names
    apart_db = real.needed_db(0.1) - assumed.needed_db(0.1)
    is_long = 1440 * real.efficiency > 1000
    assert np.abs(apart_db[is_long]).max() < 0.2
    # Shorter codes lie further from capacity; the lowest mode's block has 338 bits.
    assert ((apart_db[~is_long] > 0.2) & (apart_db[~is_long] < 0.85)).all()


def test_frames_of_dvb__need_about_what_the_standard_says() -> None:
    """At 1e-5. The standard's are simulations with 50 iterations, too, in fixed-point arithmetic."""
    real, standard = read_table(str(MODES / "dvb-s2-ldpc.csv")), read_table("dvb-s2")
    assert real.names == standard.names
    apart_db = real.needed_db(1e-5) - standard.needed_db(1e-5)
    assert ((apart_db > -0.3) & (apart_db < 0.1)).all()
    assert np.median(apart_db) == pytest.approx(0, abs=0.1)


@pytest.mark.parametrize("name", ["dvb-s2", str(MODES / "dvb-s2-ldpc.csv")])
def test_curves_of_dvb__are_within_an_eighth_of_a_decibel_of_those_of_sns3(name: str) -> None:
    table, points = read_table(name), SNS3.strip().splitlines()
    for line in points:
        mode, _, pairs = line.partition(": ")
        for es_n0_db, rate in (map(float, pair.split()) for pair in pairs.split(", ")):
            needed_db = table.needed_db(rate)[table.names.index(mode)]
            assert needed_db == pytest.approx(es_n0_db, abs=0.125), line
