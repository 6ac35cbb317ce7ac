"""The page docs/ntn.md."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from analysis.ntn import conversion_tables, flow_tables
from analysis.ntn.contenders import BLOCK_BYTES, HARQ, HARQ_MOST, MAX_TRANSMISSIONS, ORBITS, PROCESSES, RLC
from analysis.ntn.conversions import CHANNELS, ES_N0_DB, SATELLITE, crossing_ms, of_channel
from analysis.ntn.flows import MODERN, STACKS
from analysis.ntn.table_text import joined_names
from analysis.pages import render

if TYPE_CHECKING:
    import pandas as pd

    from analysis.ntn.flows import Flows


CUBIC = (SATELLITE, MODERN, "cubic")
"""Channel, stack and variant of the first answer."""


def page(exact: pd.DataFrame, flows: Flows, queues: pd.DataFrame) -> str:
    """Return the page as Markdown."""
    satellite = of_channel(exact, SATELLITE)

    def by_channel_and_stack(*, transfer: bool) -> dict[tuple[str, str], str]:
        return {
            (channel, stack): flow_tables.goodput_or_time(flows, channel, stack, transfer=transfer)
            for channel in CHANNELS
            for stack in STACKS
        }

    return render(
        Path(__file__).with_name("page.md.j2"),
        answer=flow_tables.best_options(satellite, flows),
        crossings=[crossing_ms(satellite, harq, RLC).mean for harq in HARQ.values()],
        stalls_of_most={
            shown: f"{100 * flows.change_by_stalls(orbit, *CUBIC, HARQ_MOST).mean:+.0f} %"
            for orbit, (shown, _) in ORBITS.items()
        },
        choices={shown: joined_names(flows.choice(orbit, *CUBIC)) for orbit, (shown, _) in ORBITS.items()},
        crossing_table=conversion_tables.crossings(exact),
        stalls={channel: flow_tables.cost_of_stalls(flows, channel) for channel in CHANNELS},
        link={channel: conversion_tables.link_alone(of_channel(exact, channel)) for channel in CHANNELS},
        endless=by_channel_and_stack(transfer=False),
        transfers=by_channel_and_stack(transfer=True),
        memory=conversion_tables.age_of_reports(),
        repetition=conversion_tables.loss_after_repetition(exact),
        es_n0=conversion_tables.by_es_n0(exact),
        combining=conversion_tables.worth_of_combining(),
        queues=flow_tables.queues_needed(queues),
        use=conversion_tables.use_of_slots(satellite),
        law=conversion_tables.law_of_processes(),
        channels=CHANNELS,
        stacks=STACKS,
        seeds=flows.kbps("leo", *CUBIC, RLC).count,
        transfer_seeds=flows.completion_s("leo", *CUBIC, RLC).count,
        short_of_seeds=flows.short_of_seeds(),
        pieces=satellite["seed"].nunique(),
        es_n0_db=ES_N0_DB,
        block_bytes=BLOCK_BYTES,
        most=MAX_TRANSMISSIONS,
        PROCESSES=PROCESSES,
    )
