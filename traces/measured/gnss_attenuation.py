"""Attenuation of one navigation satellite's signal over a drive.

``python gnss_attenuation.py CN0.csv.gz OUT.csv``. The attenuation is the satellite's C/N0 in the open less
the C/N0 of each second. C/N0 in the open is the 90th percentile while the car moves faster than 2 m/s. In a
second in which only other satellites are received, the attenuation is the greatest that was measured, a lower
bound. A second without any satellite has no row.
"""

from __future__ import annotations

import sys

import pandas as pd

CONSTELLATION, SATELLITE = "GB", 28
"""BeiDou 28: 34 to 45 degrees above the horizon during the drive."""

OPEN_QUANTILE, MOVING_M_S = 0.9, 2.0


def attenuation_db(measured: pd.DataFrame) -> pd.Series:
    """Return the attenuation by second of the log."""
    own = measured[(measured["constellation"] == CONSTELLATION) & (measured["satellite"] == SATELLITE)]
    best = own.groupby("t_s").agg(cn0=("cn0_dbhz", "max"), speed=("speed_mps", "first"))
    in_the_open = best.loc[best["speed"] > MOVING_M_S, "cn0"].quantile(OPEN_QUANTILE)
    logged = pd.Index(sorted(measured["t_s"].unique()), name="time_s")
    loss = in_the_open - best["cn0"].reindex(logged)
    return loss.fillna(loss.max()).rename("attenuation_db")


if __name__ == "__main__":
    source, target = sys.argv[1:]
    attenuation_db(pd.read_csv(source)).to_csv(target, float_format="%g")
