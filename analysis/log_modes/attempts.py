"""Count the attempts of logs by mode and Es/N0: ``python -m analysis.log_modes.attempts DATA``, a folder.

Each importer says what of its log counts as erased. srsRAN's scheduler logs the MCS of its downlink, whose
Es/N0 is that of the CQI which the phone reports; of five of its 20 attempts the fate is unknown.
"""

from __future__ import annotations

import gzip
import re
import sys
from pathlib import Path

import numpy as np
import pandas as pd

from tmt.api.traces import import_trace
from tmt.core.modes.table import read_table
from tmt.core.trace import PhyTrace

FILE = Path(__file__).with_name("attempts.csv")
SOURCES = """\
# Attempts of logs by mode and Es/N0.
# 5G-LENA (GPL-2): RxPacketTrace.txt, terminal 2, Es/N0 to 1 dB
# srsRAN (AGPL-3): ePiscesChen/srsRAN_Project, commit d6097dd, gnb.log
# NR-Scope (AGPL-3): PrincetonUniversity/NR-Scope, commit 698ceeb, demo_script, terminals 25 and 32
# MobileInsight (Apache-2.0): mobile-insight/mobileinsight-core, commit 4330fa9c, examples/*.mi2log
"""
NR_SCOPE = {"1": ("t_mobile1_ueactivity_night_3", 25), "2": ("t_mobile2_ueactivity_afternoon_3", 32)}
BITS = {"QPSK": 2, "16-QAM": 4}


def count(data: Path) -> pd.DataFrame:
    """Return how many attempts of each log had each mode and Es/N0, and how many of them were erased."""
    formats = data / "formats"
    grants = formats / "nrscope_5g_dci"
    lena = _of_trace("5G-LENA, down", formats / "ns3nr_RxPacketTrace.txt", "ns3-nr", "nr-1", 2)
    # Modes of table 2, for repeats alone have an MCS above 27.
    sniffed = [
        _of_trace(f"NR-Scope, cell {cell}", grants / f"{name}.csv.gz", "nr-scope", "nr-2", user)
        for cell, (name, user) in NR_SCOPE.items()
    ]
    rows = pd.concat([lena, _srsran(formats / "srsran_gnb.log.gz"), *sniffed, _uplink(data)])
    grouped = rows.groupby(["log", "mode", "bit_per_symbol", "es_n0_db"], dropna=False)["erased"]
    return grouped.agg(attempts="size", erased=lambda values: values.sum(min_count=1)).reset_index()


def _of_trace(log: str, path: Path, importer: str, table: str, user: int) -> pd.DataFrame:
    trace = import_trace(path, importer, user=str(user))
    assert isinstance(trace, PhyTrace)
    es_n0_db = np.nan if trace.es_n0_mdb is None else (trace.es_n0_mdb / 1000).round()
    erased = (trace.decode_time_ns == 0).astype(float)
    return _rows(log, table, trace.mode, es_n0_db=es_n0_db, erased=erased)


def _srsran(path: Path) -> pd.DataFrame:
    with gzip.open(path, "rt") as file:
        text = file.read()
    mode = [int(mcs) for mcs in re.findall(r"- UE PDSCH: .* mcs=([0-9]+)", text)]
    (cqi,) = {int(bits, 2) for bits in re.findall(r"csi1=([01]{4}) ", text)}
    table = read_table("nr-cqi-1")
    es_n0_db = table.needed_db(table.usual_target)[cqi - 1]
    return _rows("srsRAN, down", "nr-1", mode, es_n0_db=es_n0_db, erased=np.nan)


def _uplink(data: Path) -> pd.DataFrame:
    path = data / "mobileinsight_lte" / "lte_ul_pusch_harq.csv"
    trace, log = import_trace(path, "lte-harq"), pd.read_csv(path).query("tb_bytes > 0")
    assert isinstance(trace, PhyTrace)
    bits = (log["modulation"].map(BITS) * log["coding_rate"]).round(1)
    erased = (trace.decode_time_ns == 0).astype(float)
    return pd.DataFrame({"log": "MobileInsight, up", "bit_per_symbol": bits, "erased": erased})


def _rows(log: str, table: str, mode: object, **columns: object) -> pd.DataFrame:
    found = pd.DataFrame({"log": log, "mode": mode} | columns)
    return found.assign(bit_per_symbol=found["mode"].map(dict(enumerate(read_table(table).efficiency))))


if __name__ == "__main__":
    with FILE.open("w", encoding="utf-8") as file:
        file.write(SOURCES)
        count(Path(sys.argv[1])).astype({"mode": "Int64", "erased": "Int64"}).to_csv(file, index=False)
