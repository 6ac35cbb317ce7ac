"""How many seconds of a download to a phone had each pair of SNR and CQI.

``python phone_cqi.py LOG.csv.gz OUT.csv``. Only seconds of a download (state D) with both values count.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pandas as pd

SOURCE = "uccmisl/5Gdataset, commit 306d92e, GPL-3.0"


def seconds_of(log: pd.DataFrame) -> pd.Series:
    """Return the number of seconds by SNR in dB and CQI."""
    found = log.loc[log["State"] == "D", ["SNR", "CQI"]].apply(pd.to_numeric, errors="coerce").dropna()
    pairs = found.astype(int).rename(columns={"SNR": "snr_db", "CQI": "cqi"})
    return pairs.groupby(["snr_db", "cqi"]).size().rename("seconds")


if __name__ == "__main__":
    source, target = sys.argv[1:]
    with Path(target).open("w", encoding="utf-8") as file:
        file.write(f"# Seconds of a download to a 5G phone ({SOURCE}) with each pair of SNR and CQI.\n")
        seconds_of(pd.read_csv(source)).to_csv(file)
