"""Modes of logs beside those that the rules choose at the same Es/N0, a carrier that adapts, and a cut trace.

``python -m analysis.log_modes FOLDER`` writes the tables; ``--docs`` puts them into `docs/adaptation.md`
and `docs/motion.md`.

The attempts of ns-3 mmWave come from arielluane/ns3_6G_NTN, commit 6dd5d0a (GPL-2), `RxPacketTrace.txt`, by
``tmt import ns3-nr RxPacketTrace.txt ns3-mmwave.down.parquet --direction down``
and the same with ``up``; `attempts.py` counted those of other logs.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd

from analysis.log_modes.attempts import FILE
from analysis.measured.gallery import GALLERY
from analysis.pages import start, write_tables
from tmt.api.traces import generate_trace, read_trace
from tmt.core.channels.snr import Snr
from tmt.core.measure.mode_use import ModeUse
from tmt.core.modes import Adaptation
from tmt.core.modes.adapter import Adapter
from tmt.core.modes.table import read_table
from tmt.core.trace import PhyTrace
from tmt.core.units import NS_PER_S
from tmt.theory.fit.handovers import find_handovers
from tools.page_tables import markdown_table

PAGE, TABLES = "adaptation.md", ("measured-modes", "gnss-carrier")
MOTION_PAGE, MOTION_TABLE = "motion.md", "starlink-pieces"

NS3 = "ns3-mmwave.{}.parquet"
SEEDS = range(1, 11)
REPORT_DELAY_S = 0.002
RULES = {
    "`ideal`": Adaptation("nr-1", "ideal", resource_blocks=25),
    "`margin`, 1 dB": Adaptation(
        "nr-1", "margin", margin=1.0, report_delay=REPORT_DELAY_S, resource_blocks=25
    ),
    "`olla`, target 0.1": Adaptation(
        "nr-1", "olla", target=0.1, report_delay=REPORT_DELAY_S, resource_blocks=25
    ),
}

LOGS = {
    "5G-LENA, down": "`nr-1` at its SINR",
    "srsRAN, down": "`nr-1` at its CQI",
    "NR-Scope, cell 1": None,
    "NR-Scope, cell 2": None,
    "MobileInsight, up": None,
}
"""Logs of `attempts.csv`, with the rule that has a row beside each; None without Es/N0."""

HEADS = ("log", "attempts", "chosen by", "bit/symbol", "erased, %", "modes above the log's", "dB above need")

CARRIER = {
    "`ideal`": {"adapt": "ideal"},
    "the lowest mode alone": {"adapt": "margin", "margin": 60.0},
    "`margin`, 1 dB": {"adapt": "margin", "margin": 1.0},
    "`margin`, 3 dB": {"adapt": "margin", "margin": 3.0},
    "`olla`, target 0.001": {"adapt": "olla", "target": 0.001, "step": 0.02},
}
CARRIER_HEADS = ("rule", "erased, %", "bit/symbol decoded", "wasted, %")
PIECE_HEADS = ("from, s", "Mbit/s", "delay, ms", "interrupted, ms")


def main(folder: Path) -> str:
    """Compare the modes, and write the tables."""
    rows = [row for direction in ("down", "up") for row in attempts(direction)]
    rows += [row for name in LOGS for row in log_rows(name)]
    rows += phone_rows()
    tables = {
        TABLES[0]: markdown_table(HEADS, rows),
        TABLES[1]: markdown_table(CARRIER_HEADS, carrier_rows()),
    }
    motion = {MOTION_TABLE: markdown_table(PIECE_HEADS, pieces())}
    return "\n\n".join((write_tables(folder, PAGE, tables), write_tables(folder, MOTION_PAGE, motion)))


def ns3_attempts(direction: str) -> PhyTrace:
    """Return the attempts of ns-3 in one direction, with Es/N0 and mode."""
    found = read_trace(Path(__file__).with_name(NS3.format(direction)))
    assert isinstance(found, PhyTrace)
    return found


def attempts(direction: str) -> list[tuple[str, ...]]:
    """Return the row of the log of one direction, and one of each rule."""
    trace = ns3_attempts(direction)
    assert trace.mode is not None
    assert trace.es_n0_mdb is not None
    name, table = f"ns-3 mmWave, {direction}", read_table("nr-1")
    needed_db = table.needed_db(table.usual_target)

    def row(chosen: str, mode: np.ndarray, erased: np.ndarray) -> tuple[str, ...]:
        above = mode.astype(int) - trace.mode
        spare_db = trace.es_n0_mdb / 1000 - needed_db[mode]
        return (
            name,
            f"{len(trace):,}",
            chosen,
            f"{table.efficiency[mode].mean():.2f}",
            f"{100 * erased.mean():.1f}",
            f"{above.mean():+.1f}" if chosen != "the log" else "",
            f"{np.median(spare_db):.1f}",
        )

    rows = [row("the log", trace.mode, trace.decode_time_ns == 0)]
    interval_ns = Fraction(int(np.diff(trace.tx_time_ns).min()))
    for chosen, rule in RULES.items():
        made = [Adapter(rule, interval_ns, 1, seed).feed(trace.tx_time_ns, trace.es_n0_mdb) for seed in SEEDS]
        modes = np.stack([one.mode for one in made])
        rows.append(row(chosen, modes, np.stack([one.decode_time_ns == 0 for one in made])))
    return rows


def log_rows(name: str) -> list[tuple[str, ...]]:
    """Return the row of a log whose attempts are counted and, if it has Es/N0, that of the best modes."""
    counts, table, rule = read_attempts(), read_table("nr-1"), LOGS[name]
    log = counts[counts["log"] == name]
    attempts = log["attempts"]
    own = log.dropna(subset="bit_per_symbol")
    efficiency = np.average(own["bit_per_symbol"], weights=own["attempts"])
    erased = "" if log["erased"].isna().any() else f"{100 * log['erased'].sum() / attempts.sum():.1f}"
    first = (name, f"{attempts.sum():,}")
    if rule is None:
        return [(*first, "the log, without Es/N0", f"{efficiency:.2f}", erased, "", "")]
    needed_db = table.needed_db(table.usual_target)
    best = np.searchsorted(needed_db, log["es_n0_db"], side="right") - 1

    def spare_db(mode: np.ndarray) -> str:
        return f"{np.median(np.repeat(log['es_n0_db'] - needed_db[mode], attempts)):.1f}"

    more = np.average(best - log["mode"], weights=attempts)
    chosen = np.average(table.efficiency[best], weights=attempts)
    return [
        (*first, "the log", f"{efficiency:.2f}", erased, "", spare_db(log["mode"].to_numpy(int))),
        (*first, rule, f"{chosen:.2f}", "", f"{more:+.1f}", spare_db(best)),
    ]


def read_attempts() -> pd.DataFrame:
    """Return how many attempts of logs had each mode and Es/N0, and how many of them were erased."""
    return pd.read_csv(FILE, comment="#")


def phone_rows() -> list[tuple[str, ...]]:
    """Return the CQI that a phone reported, and the one that its SNR has by the table."""
    log, table = read_phone(), read_table("nr-cqi-1")
    needed_db, seconds = table.needed_db(table.usual_target), log["seconds"]
    own = log["cqi"] - 1
    by_rule = np.maximum(np.searchsorted(needed_db, log["snr_db"], side="right") - 1, 0)
    rows = []
    for chosen, cqi in (("the log", own), ("`nr-cqi-1` at its SNR", by_rule)):
        spare_db = np.repeat(log["snr_db"] - needed_db[cqi], seconds)
        rows.append(
            (
                "5G phone, CQI",
                f"{seconds.sum():,} s",
                chosen,
                f"{np.average(table.efficiency[cqi], weights=seconds):.2f}",
                "",
                f"{np.average(cqi - own, weights=seconds):+.1f}" if chosen != "the log" else "",
                f"{np.median(spare_db):.1f}",
            )
        )
    return rows


def read_phone() -> pd.DataFrame:
    """Return how many seconds a phone had each pair of SNR and CQI."""
    return pd.read_csv(GALLERY / "nr-phone-cqi.csv", comment="#")


def carrier_rows() -> list[tuple[str, ...]]:
    """Return what is left of a DVB-S2X carrier of 1 Mbaud behind a navigation satellite's attenuation."""
    rows = []
    for name, how in CARRIER.items():
        rule = Adaptation("dvb-s2x", symbol_rate=1_000_000, report_delay=0.3, report_every=0.1, **how)
        channel = Snr(str(GALLERY / "gnss-attenuation.csv"), es_n0_db=12)
        trace = generate_trace(channel, 1650, adaptation=rule)
        use = ModeUse(trace.metadata)
        use.add(trace)
        found = use.summary()
        assert found is not None
        assert found.goodput_efficiency is not None
        assert found.wasted is not None
        erased = float((trace.decode_time_ns == 0).mean())
        rows.append(
            (
                name,
                f"{100 * erased:.2f}",
                f"{found.goodput_efficiency:.2f}",
                f"{100 * max(found.wasted, 0):.1f}",
            )
        )
    return rows


def pieces() -> list[tuple[str, ...]]:
    """Return rate and delay of the Starlink trace from one reconfiguration to the next."""
    trace = read_trace(GALLERY / "starlink.parquet")
    found = find_handovers(trace, 15 * NS_PER_S).handovers
    lldu_bytes = trace.metadata["lldu_bytes"]
    rows = []
    for one, after in pairwise(found):
        begin_ns, end_ns = (round(each.begin_s * NS_PER_S) for each in (one, after))
        own = slice(*np.searchsorted(trace.tx_time_ns, [begin_ns, end_ns]))
        rate = 8 * lldu_bytes * (own.stop - own.start) / (end_ns - begin_ns) * 1e3
        delay_ms = np.median(trace.decode_time_ns[own]) / 1e6
        rows.append((f"{one.begin_s:.2f}", f"{rate:.1f}", f"{delay_ms:.1f}", f"{1000 * one.outage_s:.0f}"))
    return rows


if __name__ == "__main__":
    start(main, *(f"{PAGE}#{name}" for name in TABLES), f"{MOTION_PAGE}#{MOTION_TABLE}")
