"""Tables of the conversions: short ones in Markdown, whole ones as frames of text."""

from __future__ import annotations

from itertools import product

import pandas as pd

from analysis.ntn.contenders import (
    ALL,
    DECODE_TIME_NS,
    HARQ,
    HARQ_COMBINED,
    HARQ_MOST,
    HARQ_RLC,
    OFF,
    OFF_COMBINED_RLC,
    OFF_RLC,
    ORBITS,
    RLC,
    SLOT_NS,
    WINDOW,
    WINDOW_RLC,
)
from analysis.ntn.conversions import (
    CHANNELS,
    ES_N0_DB,
    LOW_ES_N0_DB,
    OTHER_ES_N0_DB,
    SATELLITE,
    by_hand,
    combinings,
    crossing_ms,
    law_and_conversions,
    law_of_use,
    memory,
    of_channel,
)
from analysis.selections import chosen, interval
from tools.page_tables import markdown_table, plus_minus, two_columns

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
