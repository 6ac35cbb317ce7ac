"""The page docs/ntn.md, and the whole tables beside it."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from analysis.ntn import conversion_tables, flow_tables
from analysis.ntn.contenders import BLOCK_BYTES, HARQ, MAX_TRANSMISSIONS, PROCESSES, RLC
from analysis.ntn.conversions import ES_N0_DB, SATELLITE, crossing_ms, of_channel
from analysis.ntn.flows import MODERN, STACKS, Flows
from analysis.pages import render, write_csv
from tmt.io.atomic import write_text

PAGE = "ntn.md"
CUBIC = {"channel": SATELLITE, "sender": STACKS[MODERN], "control": "CUBIC"}
"""Rows of the first answer."""


def write(exact: pd.DataFrame, flows: Flows, queues: pd.DataFrame, folder: Path) -> None:
    """Write the page and its whole tables into `folder`."""
    satellite = of_channel(exact, SATELLITE)
    tables = {
        "flows": flow_tables.of_flows(flows),
        "stalls": flow_tables.of_stalls(flows),
        "links": conversion_tables.links(exact),
        "checks": conversion_tables.checks(satellite),
        "es-n0": conversion_tables.by_es_n0(exact),
        "combining": conversion_tables.worth_of_combining(),
        "queues": flow_tables.queues_needed(queues),
    }
    for name, table in tables.items():
        write_csv(folder / f"ntn-{name}.csv", table)
    cubic = ("leo", SATELLITE, MODERN, "cubic", RLC)
    text = page(
        tables,
        crossings=[crossing_ms(satellite, harq, RLC).mean for harq in HARQ.values()],
        crossing_table=conversion_tables.crossings(exact),
        memory=conversion_tables.age_of_reports(),
        repetition=conversion_tables.loss_after_repetition(exact),
        seeds=flows.kbps(*cubic).count,
        transfer_seeds=flows.completion_s(*cubic).count,
        short_of_seeds=flows.short_of_seeds(),
        pieces=satellite["seed"].nunique(),
    )
    write_text(folder / PAGE, text)


def page(tables: dict[str, pd.DataFrame], **values: object) -> str:
    """Return the page as Markdown: conclusions and short tables, from the rows of the whole ones."""
    satellite = _rows(tables["flows"], channel=SATELLITE, sender=STACKS[MODERN])
    cubic, stalls = _rows(satellite, control="CUBIC"), _rows(tables["stalls"], **CUBIC)
    limits = tables["combining"].filter(like="off_from_ms").astype(float)
    return render(
        Path(__file__).with_name("page.md.j2"),
        answer=flow_tables.best_options(satellite),
        costs=flow_tables.costs_of_stalls(_rows(stalls, processes=str(PROCESSES[-1]))),
        goodput=flow_tables.table_of_goodput(cubic),
        checks=_agreement(tables["checks"]),
        es_n0_db=ES_N0_DB,
        best_by_es_n0=_most(tables["es-n0"], "es_n0_db", "delivered_percent"),
        combining_gain_ms=(limits["off_from_ms_combined"] - limits["off_from_ms_plain"]).max(),
        queued={
            (row["link_layer"], int(row["queue_packets"])): row["goodput_kbps"]
            for _, row in tables["queues"].iterrows()
        },
        block_bytes=BLOCK_BYTES,
        most=MAX_TRANSMISSIONS,
        processes=[str(count) for count in PROCESSES],
        **values,
    )


def _rows(table: pd.DataFrame, **place: str) -> pd.DataFrame:
    return table[(table[[*place]] == [*place.values()]).all(axis=1)]


def _most(table: pd.DataFrame, level: str, column: str) -> list[str]:
    """Return the link layers that have most of a column at a level."""
    rows = table.groupby(level)[column].apply(lambda own: own.astype(float).idxmax())
    return [*table.loc[rows, "link_layer"].unique()]


def _agreement(checks: pd.DataFrame) -> dict[str, float]:
    """Return how far the use of slots is from theory, and how often the law lies in the interval."""
    found = checks.drop(columns="orbit").astype(float)
    inside = [
        (found[name] - found[f"{name}_law"]).abs() <= found[f"{name}_95"] + 1e-9
        for name in ("delivered_percent", "delay_mean_ms")
    ]
    apart = (found["used_percent"] - found["used_percent_theory"]).abs().max()
    return {"apart": apart, "inside": sum(map(sum, inside)), "of": sum(map(len, inside))}
