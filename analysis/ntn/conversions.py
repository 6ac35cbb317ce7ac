"""Exact conversions of both channels by every contender, no TCP and no idle link: their rows and tables."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import product
from pathlib import Path
from typing import Final

import numpy as np
import pandas as pd

from analysis.ntn.contenders import (
    ALL,
    BLOCK_BYTES,
    DECODE_TIME_NS,
    DECODE_TIME_S,
    HARQ,
    HARQ_COMBINED,
    HARQ_MOST,
    HARQ_RLC,
    MAX_TRANSMISSIONS,
    OFF,
    OFF_COMBINED_RLC,
    OFF_RLC,
    ORBITS,
    RLC,
    SLOT_NS,
    WINDOW,
    WINDOW_RLC,
    contenders,
    with_combining,
)
from analysis.selections import chosen, interval
from tmt.core.channels.gilbert_elliott import GilbertElliott
from tmt.core.channels.lms import Lms
from tmt.core.declaration import ns
from tmt.core.generate import lay_over
from tmt.core.schemes.harq_processes import HarqProcesses
from tmt.core.schemes.scheme import Scheme
from tmt.core.trace import PhyTrace
from tmt.core.units import NS_PER_MS, NS_PER_S
from tmt.io import read_phy
from tmt.results.statistics import Interval, t_interval
from tmt.theory import Performance, RegularLink, TwoStateChannel
from tmt.theory.arq import harq_processes, utilisation
from tools.page_tables import markdown_table, plus_minus, two_columns

CHANNELS = SATELLITE, MEASURED = "satellite channel", "measured shadowing"
"""The channels, by their labels in the scenarios."""

ISOLATED_BURSTS = "isolated bursts"
"""The channel of `ISOLATED`."""

PROFILE: Final = "internet"
CODE_THRESHOLD_DB = Lms(PROFILE, es_n0_db=0).code_threshold_db
"""Profile of the satellite channel, and the Es/N0 at which half of its code words are erased."""

DRIVE = Path(__file__).resolve().parents[2] / "traces" / "measured" / "gnss-drive.parquet"

ES_N0_DB = 6.0
"""Es/N0 of the satellite channel in the scenarios."""

OTHER_ES_N0_DB = (5.0, 8.0, 12.0)
LOW_ES_N0_DB = (2.0, 3.0, 4.0, 5.0, ES_N0_DB)
RTTS_OF_COMBINING_MS = (25, 31, 34, 45, 65, 90)
RTTS_MS = (4, 7, 8, 12, 15, 16, 20, 25, 31, 32, 34, 45, 65, 90, 120, 170, 240, 360, 540)
REPLICATES = 8
SECONDS = 200
"""Pieces of each channel, and their length; those of the measured one make up the drive."""

ISOLATED = GilbertElliott(0.97, 0.5)
"""The channel on which the law is checked: 5.7 % of the slots are erased, in bursts of 2."""

Task = tuple[str, float, int, tuple[int, ...]]
"""Channel, Es/N0, replicate, round trips in ms."""
Schemes = Callable[[float], "dict[str, Scheme]"]
"""Gives the schemes by name for a round trip in seconds."""


def slots(channel: str, es_n0_db: float, replicate: int, seconds: int = SECONDS) -> PhyTrace:
    """Return the first seconds of one piece of a channel."""
    if channel == MEASURED:
        whole = read_phy(DRIVE)
        first = replicate * len(whole) // REPLICATES
        piece = slice(first, first + seconds * NS_PER_S // SLOT_NS)
        return PhyTrace(whole.tx_time_ns[piece], whole.decode_time_ns[piece])
    tx_time_ns = np.arange(0, seconds * NS_PER_S, SLOT_NS, dtype=np.int64)
    line = PhyTrace(tx_time_ns, np.full(len(tx_time_ns), DECODE_TIME_NS, np.int64))
    seed = replicate + 1
    if channel == ISOLATED_BURSTS:
        return lay_over(line, ISOLATED.realisation(seed))
    fading = Lms(PROFILE, es_n0_db, interleaver_depth=0, processing_time=DECODE_TIME_S)
    return lay_over(line, fading.realisation(seed), with_es_n0=True)


def line_bps(channel: str) -> float:
    """Return the rate of a channel's line: bits of blocks, erased ones too."""
    times_ns = slots(channel, ES_N0_DB, 0, seconds=10).tx_time_ns
    return 8e9 * BLOCK_BYTES * (len(times_ns) - 1) / float(times_ns[-1] - times_ns[0])


def measure(scheme: Scheme, phy: PhyTrace, rtt_s: float) -> dict[str, float]:
    """Convert a trace; return shares of its slots and of its LLDUs, and delays from sender to receiver.

    `delivered` is the throughput efficiency; `used` are the slots that carry something.
    """
    converter = scheme.converter(rtt_s)
    pieces = [converter.feed(phy), converter.finish()]
    counts = converter.counts
    delay_ns = np.concatenate([piece.delay_ns[piece.delivered] for piece in pieces]) + ns(rtt_s) / 2
    return {
        "used": 1.0 - counts.stalled_slots / counts.slots,
        "delivered": counts.efficiency,
        "lost": counts.lost / counts.data_rows,
        "delay_mean_s": float(delay_ns.mean()) / 1e9,
        "delay_p95_s": float(np.percentile(delay_ns, 95)) / 1e9,
    }


def _measured(schemes: Schemes, task: Task) -> list[dict[str, object]]:
    channel, es_n0_db, replicate, rtts_ms = task
    phy = slots(channel, es_n0_db, replicate)
    place = {"channel": channel, "es_n0_db": es_n0_db, "seed": replicate}
    return [
        place | {"rtt_ms": rtt_ms, "name": name} | measure(scheme, phy, rtt_ms / 1000)
        for rtt_ms in rtts_ms
        for name, scheme in schemes(rtt_ms / 1000).items()
    ]


def conversions(rtts_ms: tuple[int, ...] = RTTS_MS, replicates: int = REPLICATES) -> pd.DataFrame:
    """Return one row per channel, replicate, round trip and contender; other Es/N0 have the longest one."""
    points = [(SATELLITE, ES_N0_DB, rtts_ms), (MEASURED, np.nan, rtts_ms)]
    points += [(SATELLITE, es_n0_db, rtts_ms[-1:]) for es_n0_db in OTHER_ES_N0_DB]
    tasks: list[Task] = [
        (channel, es_n0_db, replicate, rtts)
        for (channel, es_n0_db, rtts), replicate in product(points, range(replicates))
    ]
    return _rows(contenders, tasks)


def combinings() -> pd.DataFrame:
    """Return one row per low Es/N0, replicate, round trip and scheme of `with_combining`."""
    tasks: list[Task] = [
        (SATELLITE, es_n0_db, replicate, RTTS_OF_COMBINING_MS)
        for es_n0_db, replicate in product(LOW_ES_N0_DB, range(REPLICATES))
    ]
    return _rows(partial(with_combining, threshold_db=CODE_THRESHOLD_DB), tasks)


def _rows(schemes: Schemes, tasks: list[Task]) -> pd.DataFrame:
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        return pd.DataFrame([row for rows in pool.map(partial(_measured, schemes), tasks) for row in rows])


def of_channel(rows: pd.DataFrame, channel: str) -> pd.DataFrame:
    """Return the rows of a channel of the scenarios."""
    return rows[(rows["channel"] == channel) & ~rows["es_n0_db"].isin(OTHER_ES_N0_DB)]


def crossing_ms(rows: pd.DataFrame, own: str, *others: str) -> Interval:
    """Return the round trip from which on `own` delivers less than the best of `others`, by replicates.

    Interpolation is linear in the inverse of the time that feedback takes: stalling schemes are.
    """
    table = rows.pivot_table(index="rtt_ms", columns=["name", "seed"], values="delivered")
    rtts_ms = table.index.to_numpy(dtype=np.float64)
    return t_interval(
        [
            _crossing(rtts_ms, table[own, seed] - table[[(other, seed) for other in others]].max(axis=1))
            for seed in table[own]
        ]
    )


def _crossing(rtts_ms: np.ndarray, ahead: pd.Series[float]) -> float:
    values = ahead.to_numpy()
    behind = np.flatnonzero(values < 0)
    if not len(behind) or behind[0] == 0:
        return float("nan")
    around = slice(behind[0] - 1, behind[0] + 1)
    decode_ms = DECODE_TIME_NS / NS_PER_MS
    rate = np.interp(0.0, -values[around], 1 / (rtts_ms[around] + decode_ms))
    return float(1 / rate - decode_ms)


def memory(channel: str, es_n0_db: float) -> dict[str, Interval]:
    """Return the share of erased slots: of all, and of those one slot or round trip after an erased one."""
    pieces = [slots(channel, es_n0_db, replicate).decode_time_ns == 0 for replicate in range(REPLICATES)]
    found = {"all": t_interval([piece.mean() for piece in pieces])}
    lags = {"slot": 1} | {orbit: rtt_ms * NS_PER_MS // SLOT_NS for orbit, (_, rtt_ms) in ORBITS.items()}
    for name, lag in lags.items():
        later = [piece[lag:][piece[:-lag]] for piece in pieces]
        found[name] = t_interval([piece.mean() for piece in later if len(piece)])
    return found


def by_hand(processes: int, rtt_ms: int) -> float:
    """Return min(1, N x slot / (round trip + decode time)): the share of slots that N processes use."""
    return min(1.0, processes * SLOT_NS / (rtt_ms * NS_PER_MS + DECODE_TIME_NS))


def law_of_use(processes: int, rtt_ms: int) -> float:
    """Return the same from `tmt.theory`."""
    return utilisation(_link(rtt_ms), processes)


def law_and_conversions(processes: int, rtt_ms: int) -> tuple[Performance, pd.DataFrame]:
    """Return the exact law on `ISOLATED`, and conversions of as many pieces of it, a row each."""
    channel = TwoStateChannel(ISOLATED.alpha, ISOLATED.beta)
    law = harq_processes(channel, _link(rtt_ms), processes, MAX_TRANSMISSIONS)
    scheme = HarqProcesses(processes, detection_delay=DECODE_TIME_S)
    pieces = (slots(ISOLATED_BURSTS, 0.0, replicate) for replicate in range(REPLICATES))
    return law, pd.DataFrame([measure(scheme, piece, rtt_ms / 1000) for piece in pieces])


def _link(rtt_ms: int) -> RegularLink:
    return RegularLink(rtt_ms * NS_PER_MS, SLOT_NS, DECODE_TIME_NS, DECODE_TIME_NS)


REPLACEMENTS = (RLC, WINDOW_RLC, OFF_RLC)
"""Link layers without feedback of HARQ that lose next to nothing."""


def crossings(exact: pd.DataFrame) -> str:
    """Return the round trips from which on feedback should be off, by channel and processes."""
    heads = ["channel", "processes", "N slots - decode time"]
    rows = []
    for channel in CHANNELS:
        for count, harq in HARQ.items():
            found = [crossing_ms(of_channel(exact, channel), harq, other) for other in REPLACEMENTS]
            by_rule = (count * SLOT_NS - DECODE_TIME_NS) / 1e6
            rows.append([channel, str(count), f"{by_rule:.0f}", *(plus_minus(one, ".2f") for one in found)])
    return markdown_table([*heads, *REPLACEMENTS], rows)


def links(exact: pd.DataFrame) -> pd.DataFrame:
    """Return delivered and lost shares and the delay of every contender, by channel and orbit."""

    def row(channel: str, orbit: str, rtt_ms: int, name: str) -> dict[str, str]:
        found = chosen(of_channel(exact, channel), rtt_ms=rtt_ms, name=name)
        place = {"channel": channel, "orbit": orbit, "link_layer": name}
        return place | {
            **two_columns("delivered_percent", interval(found, "delivered"), ".1%"),
            "lost_percent": f"{100 * interval(found, 'lost').mean:.2f}",
            "delay_p95_ms": f"{1e3 * interval(found, 'delay_p95_s').mean:.0f}",
        }

    places = product(CHANNELS, ORBITS.values(), ALL)
    return pd.DataFrame(row(channel, *orbit, name) for channel, orbit, name in places)


def age_of_reports() -> str:
    """Return the share of erased slots, of all and after an erased one."""
    heads = ["channel", "all slots", "next slot", *(f"{rtt_ms} ms later" for _, rtt_ms in ORBITS.values())]
    rows = []
    for channel in CHANNELS:
        found = memory(channel, ES_N0_DB)
        rows.append([channel, *(plus_minus(found[key], ".1%") for key in ("all", "slot", *ORBITS))])
    return markdown_table(heads, rows)


def loss_after_repetition(exact: pd.DataFrame) -> str:
    """Return the loss after k repetitions, and that of independent erasures as often."""
    heads = ["channel", *(f"k = {count}" for count in OFF)]
    heads += [f"independent, k = {count}" for count in OFF if count > 1]
    rows = []
    for channel in CHANNELS:
        cells = chosen(of_channel(exact, channel), rtt_ms=ORBITS["geo"][1])
        lost = {count: interval(chosen(cells, name=name), "lost") for count, name in OFF.items()}
        alone = [f"{100 * lost[1].mean ** count:.3g} %" for count in OFF if count > 1]
        rows.append([channel, *(plus_minus(one, ".2%") for one in lost.values()), *alone])
    return markdown_table(heads, rows)


def by_es_n0(exact: pd.DataFrame) -> pd.DataFrame:
    """Return delivered share and delay over GEO at several Es/N0, beside the erased share."""
    rows = []
    for es_n0_db in sorted((ES_N0_DB, *OTHER_ES_N0_DB)):
        cells = chosen(exact, channel=SATELLITE, es_n0_db=es_n0_db, rtt_ms=ORBITS["geo"][1])
        erased = two_columns("erased_percent", interval(chosen(cells, name=OFF[1]), "lost"), ".1%")
        for name in (HARQ_RLC, RLC, WINDOW_RLC, OFF_RLC, WINDOW):
            cell = chosen(cells, name=name)
            row = {"es_n0_db": f"{es_n0_db:g}", **erased, "link_layer": name}
            row |= two_columns("delivered_percent", interval(cell, "delivered"), ".1%")
            rows.append(row | {"delay_p95_ms": f"{1e3 * interval(cell, 'delay_p95_s').mean:.0f}"})
    return pd.DataFrame(rows)


def worth_of_combining() -> pd.DataFrame:
    """Return what combining delivers over LEO at low Es/N0, and the round trip from which on it is off."""
    rows, found = combinings(), []
    for es_n0_db in LOW_ES_N0_DB:
        level = rows[rows["es_n0_db"] == es_n0_db]
        limits = {
            **two_columns("off_from_ms_plain", crossing_ms(level, HARQ_MOST, RLC), ".1f"),
            **two_columns(
                "off_from_ms_combined", crossing_ms(level, HARQ_COMBINED, RLC, OFF_COMBINED_RLC), ".1f"
            ),
        }
        for name in (HARQ_MOST, HARQ_COMBINED, RLC, OFF_COMBINED_RLC):
            cell = chosen(level, rtt_ms=ORBITS["leo"][1], name=name)
            row = {"es_n0_db": f"{es_n0_db:g}", "link_layer": name}
            row |= two_columns("delivered_percent", interval(cell, "delivered"), ".1%")
            found.append(row | {"lost_percent": f"{100 * interval(cell, 'lost').mean:.2f}"} | limits)
    return pd.DataFrame(found)


def checks(satellite: pd.DataFrame) -> pd.DataFrame:
    """Return the use of slots by hand, `tmt.theory` and conversion, and the exact law beside conversions."""
    rows = []
    for (orbit, rtt_ms), (count, name) in product(ORBITS.values(), HARQ.items()):
        used = interval(chosen(satellite, rtt_ms=rtt_ms, name=name), "used").mean
        law, found = law_and_conversions(count, rtt_ms)
        row = {
            "orbit": orbit,
            "processes": str(count),
            "used_percent_by_hand": f"{100 * by_hand(count, rtt_ms):.3f}",
            "used_percent_theory": f"{100 * law_of_use(count, rtt_ms):.3f}",
            "used_percent": f"{100 * used:.3f}",
            "delivered_percent_law": f"{100 * law.efficiency:.2f}",
            **two_columns("delivered_percent", interval(found, "delivered"), ".2%"),
            "delay_mean_ms_law": f"{1e3 * law.recovery_delay_s:.1f}",
            **two_columns("delay_mean_ms", interval(found, "delay_mean_s", 1e3), ".1f"),
        }
        rows.append(row)
    return pd.DataFrame(rows)
