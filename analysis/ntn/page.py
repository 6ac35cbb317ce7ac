"""Tables and sentences of docs/ntn.md."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from analysis.ntn.contenders import (
    BLOCK_BYTES,
    DECODE_TIME_NS,
    HARQ,
    HARQ_COMBINED,
    HARQ_MOST,
    HARQ_NO_STALLS,
    HARQ_RLC,
    MAX_TRANSMISSIONS,
    OFF,
    OFF_COMBINED_RLC,
    OFF_RLC,
    ORBITS,
    PROCESSES,
    RLC,
    SLOT_NS,
    WINDOW,
    WINDOW_RLC,
    names_by_label,
)
from analysis.ntn.conversions import (
    ES_N0_DB,
    LOW_ES_N0_DB,
    MEASURED,
    OTHER_ES_N0_DB,
    SATELLITE,
    by_hand,
    combinings,
    crossing_ms,
    law_of_use,
    laws,
    memory,
    of_channel,
)
from analysis.ntn.flows import MODERN, STACKS, TCPS
from analysis.pages import render
from tmt.results.selections import chosen, interval
from tmt.settings.tcp import VARIANTS

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pandas as pd

    from analysis.ntn.flows import Flows
    from tmt.metrics.statistics import Interval

CHANNELS = (SATELLITE, MEASURED)
REPLACEMENTS = (RLC, WINDOW_RLC, OFF_RLC)
"""Link layers without feedback of HARQ that lose next to nothing."""

ALL = (*HARQ.values(), HARQ_NO_STALLS, HARQ_RLC, *OFF.values(), RLC, OFF_RLC, WINDOW, WINDOW_RLC)


def page(exact: pd.DataFrame, flows: Flows, queues: pd.DataFrame) -> str:
    """Return the page as Markdown."""
    satellite = of_channel(exact, SATELLITE)
    return render(
        Path(__file__).with_name("page.md.j2"),
        answer=_answer(satellite, flows),
        crossings=[crossing_ms(satellite, harq, RLC).mean for harq in HARQ.values()],
        crossing_table=_crossings(exact),
        stalls={channel: _stalls(flows, channel) for channel in CHANNELS},
        link={channel: _link(of_channel(exact, channel)) for channel in CHANNELS},
        endless={
            (channel, stack): _cells(flows, channel, stack, transfer=False)
            for channel in CHANNELS
            for stack in STACKS
        },
        transfers={
            (channel, stack): _cells(flows, channel, stack, transfer=True)
            for channel in CHANNELS
            for stack in STACKS
        },
        memory=_memory(),
        repetition=_repetition(exact),
        es_n0=_es_n0(exact),
        combining=_combining(),
        queues=_queues(queues),
        use=_use(satellite),
        law=_law(),
        channels=CHANNELS,
        stacks=STACKS,
        seeds=flows.kbps("leo", SATELLITE, MODERN, "cubic", RLC).count,
        transfer_seeds=flows.completion_s("leo", SATELLITE, MODERN, "cubic", RLC).count,
        pieces=satellite["seed"].nunique(),
        es_n0_db=ES_N0_DB,
        block_bytes=BLOCK_BYTES,
        most=MAX_TRANSMISSIONS,
        PROCESSES=PROCESSES,
    )


def _table(heads: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    heads = list(heads)
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _orbits() -> list[str]:
    return [f"{orbit}, {rtt_ms} ms" for orbit, rtt_ms in ORBITS.values()]


def _percent(found: Interval, digits: int = 1) -> str:
    return f"{100 * found.mean:.{digits}f} ± {100 * found.half_width:.{digits}f} %"


def _names(names: list[str]) -> str:
    return " or ".join(names) if len(names) <= 3 else f"{names[0]} or one of {len(names) - 1} others"


def _answer(satellite: pd.DataFrame, flows: Flows) -> str:
    """Return use of the slots and the best options on each orbit, over the satellite channel."""

    def used(rtt_ms: int) -> str:
        cells = [chosen(satellite, rtt_ms=rtt_ms, name=name) for name in HARQ.values()]
        return " / ".join(f"{100 * interval(cell, 'used').mean:.3g}" for cell in cells) + " %"

    counts = " / ".join(map(str, PROCESSES))
    rows = [[f"slots that {counts} processes use", *(used(rtt_ms) for _, rtt_ms in ORBITS.values())]]
    for what, transfer in (("most goodput", False), ("fastest transfer of 100 kB", True)):
        for tcp in TCPS:
            for stack, shown in STACKS.items():
                choices = [flows.choice(orbit, SATELLITE, stack, tcp, transfer=transfer) for orbit in ORBITS]
                head = f"{what}, {VARIANTS[tcp].label}, {shown}"
                rows.append([head, *(_names(names) for names in choices)])
    return _table(["satellite channel", *_orbits()], rows)


def _crossings(exact: pd.DataFrame) -> str:
    heads = ["channel", "processes", "N slots - decode time"]
    rows = []
    for channel in CHANNELS:
        for count, harq in HARQ.items():
            found = [crossing_ms(of_channel(exact, channel), harq, other) for other in REPLACEMENTS]
            by_rule = (count * SLOT_NS - DECODE_TIME_NS) / 1e6
            shown = [f"{one.mean:.2f} ± {one.half_width:.2f} ms" for one in found]
            rows.append([channel, str(count), f"{by_rule:.0f} ms", *shown])
    return _table([*heads, *REPLACEMENTS], rows)


def _stalls(flows: Flows, channel: str) -> str:
    heads = ["orbit", "processes", "slots that stall", "upper bound"]
    pairs = [(stack, tcp) for tcp in TCPS for stack in STACKS]
    heads += [f"goodput of {VARIANTS[tcp].label}, {STACKS[stack]}" for stack, tcp in pairs]
    heads += [f"100 kB with CUBIC, {STACKS[stack]}" for stack in STACKS]
    rows = []
    for orbit, (shown, rtt_ms) in ORBITS.items():
        for count, name in HARQ.items():
            used = by_hand(count, rtt_ms)
            bound_kbps = used * 8e6 * BLOCK_BYTES / SLOT_NS
            row = [shown, str(count), f"{100 * (1 - used):.1f} %", f"{bound_kbps:.0f} kbit/s"]
            for stack, tcp in pairs:
                lost = flows.change_by_stalls(orbit, channel, stack, tcp, name)
                row.append(f"{100 * lost.mean:+.0f} ± {100 * lost.half_width:.0f} %")
            for stack in STACKS:
                later = flows.delay_of_stalls_s(orbit, channel, stack, "cubic", name)
                row.append(f"{later.mean:+.2f} ± {later.half_width:.2f} s")
            rows.append(row)
    return _table(heads, rows)


def _link(rows: pd.DataFrame) -> str:
    def cell(rtt_ms: int, name: str) -> str:
        found = chosen(rows, rtt_ms=rtt_ms, name=name)
        lost, delay = interval(found, "lost"), interval(found, "delay_p95_s")
        return f"{_percent(interval(found, 'delivered'))}, {100 * lost.mean:.2f} %, {1e3 * delay.mean:.0f} ms"

    lines = [[name, *(cell(rtt_ms, name) for _, rtt_ms in ORBITS.values())] for name in ALL]
    return _table(["link layer", *_orbits()], lines)


def _cells(flows: Flows, channel: str, stack: str, *, transfer: bool) -> str:
    """Return goodput and delay of endless flows, or the time of transfers; the best options are bold."""
    columns = [(orbit, tcp) for orbit in ORBITS for tcp in TCPS]
    best = {
        (orbit, tcp): flows.choice(orbit, channel, stack, tcp, transfer=transfer) for orbit, tcp in columns
    }

    def cell(orbit: str, tcp: str, name: str) -> str:
        place = (orbit, channel, stack, tcp, name)
        if transfer:
            found = flows.completion_s(*place)
            value, rest = f"{found.mean:.2f} ± {found.half_width:.2f}", ""
        else:
            found = flows.kbps(*place)
            value = f"{found.mean:.0f} ± {found.half_width:.0f}"
            rest = f", {flows.delay_p95_s(*place):.2f} s"
        return (f"**{value}**" if name in best[orbit, tcp] else value) + rest

    heads = [f"{VARIANTS[tcp].label}, {ORBITS[orbit][0]}" for orbit, tcp in columns]
    rows = [[name, *(cell(orbit, tcp, name) for orbit, tcp in columns)] for name in ALL]
    return _table(["link layer", *heads], rows)


def _memory() -> str:
    heads = ["channel", "all slots", "next slot", *(f"{rtt_ms} ms later" for _, rtt_ms in ORBITS.values())]
    rows = []
    for channel in CHANNELS:
        found = memory(channel, ES_N0_DB)
        rows.append([channel, *(_percent(found[key]) for key in ("all", "slot", *ORBITS))])
    return _table(heads, rows)


def _repetition(exact: pd.DataFrame) -> str:
    """Return the loss after k repetitions, and that of independent erasures as often."""
    heads = ["channel", *(f"k = {count}" for count in OFF)]
    heads += [f"independent, k = {count}" for count in OFF if count > 1]
    rows = []
    for channel in CHANNELS:
        cells = chosen(of_channel(exact, channel), rtt_ms=ORBITS["geo"][1])
        lost = {count: interval(chosen(cells, name=name), "lost") for count, name in OFF.items()}
        alone = [f"{100 * lost[1].mean ** count:.3g} %" for count in OFF if count > 1]
        rows.append([channel, *(_percent(one, 2) for one in lost.values()), *alone])
    return _table(heads, rows)


def _es_n0(exact: pd.DataFrame) -> str:
    """Return what arrives and what is lost over GEO at several Es/N0."""
    shown = (HARQ_RLC, RLC, WINDOW_RLC, OFF_RLC, WINDOW)
    rows = []
    for es_n0_db in sorted((ES_N0_DB, *OTHER_ES_N0_DB)):
        cells = chosen(exact, channel=SATELLITE, es_n0_db=es_n0_db, rtt_ms=ORBITS["geo"][1])
        erased = interval(chosen(cells, name=OFF[1]), "lost")
        row = [f"{es_n0_db:g} dB", _percent(erased)]
        for name in shown:
            cell = chosen(cells, name=name)
            p95_ms = 1e3 * interval(cell, "delay_p95_s").mean
            row.append(f"{_percent(interval(cell, 'delivered'))}, {p95_ms:.0f} ms")
        rows.append(row)
    return _table(["Es/N0", "erased", *shown], rows)


def _combining() -> str:
    """Return the gain of combining at low Es/N0, and from which round trip on feedback should be off."""
    rows, found = combinings(), []
    for es_n0_db in LOW_ES_N0_DB:
        level = rows[rows["es_n0_db"] == es_n0_db]
        cells = {name: chosen(level, rtt_ms=ORBITS["leo"][1], name=name) for name in level["name"].unique()}
        row = [f"{es_n0_db:g} dB"]
        for name in (HARQ_MOST, HARQ_COMBINED, RLC, OFF_COMBINED_RLC):
            lost = 100 * interval(cells[name], "lost").mean
            row.append(f"{_percent(interval(cells[name], 'delivered'))}, {lost:.2f} %")
        off = (RLC, OFF_COMBINED_RLC)
        crossings = [crossing_ms(level, name, *off) for name in (HARQ_MOST, HARQ_COMBINED)]
        found.append([*row, *(f"{one.mean:.1f} ± {one.half_width:.1f} ms" for one in crossings)])
    heads = ["Es/N0", HARQ_MOST, HARQ_COMBINED, RLC, OFF_COMBINED_RLC]
    return _table([*heads, "off from, without combining", "off from, with combining"], found)


def _queues(runs: pd.DataFrame) -> str:
    """Return goodput and delay of CUBIC over GEO, by the queue."""
    names = names_by_label()
    queues = sorted(runs["queue_packets"].unique())
    rows = []
    for label in runs["scheme"].unique():
        cells = [chosen(runs, scheme=label, queue_packets=queue) for queue in queues]
        shown = [
            f"{found.mean:.0f} ± {found.half_width:.0f}, {interval(cell, 'delay_p95_s').mean:.2f} s"
            for cell in cells
            for found in [interval(cell, "goodput_bps", 1e-3)]
        ]
        rows.append([names[label], *shown])
    rows.sort(key=lambda row: ALL.index(row[0]))
    return _table(["link layer", *(f"{queue} packets" for queue in queues)], rows)


def _use(satellite: pd.DataFrame) -> str:
    heads = ["orbit", "processes", "by hand", "tmt.models", "conversion"]
    rows = []
    for orbit, rtt_ms in ORBITS.values():
        for count, name in HARQ.items():
            used = interval(chosen(satellite, rtt_ms=rtt_ms, name=name), "used").mean
            values = (by_hand(count, rtt_ms), law_of_use(count, rtt_ms), used)
            rows.append([orbit, str(count), *(f"{100 * value:.3f} %" for value in values)])
    return _table(heads, rows)


def _law() -> str:
    heads = ["orbit", "processes", "delivered: law", "conversion", "mean delay: law", "conversion"]
    rows = []
    for (count, orbit), found in laws().items():
        delivered, delay = found["delivered"], found["delay_mean_s"]
        rows.append(
            [
                ORBITS[orbit][0],
                str(count),
                f"{100 * delivered[0]:.2f} %",
                _percent(delivered[1], 2),
                f"{1e3 * delay[0]:.1f} ms",
                f"{1e3 * delay[1].mean:.1f} ± {1e3 * delay[1].half_width:.1f} ms",
            ]
        )
    return _table(heads, rows)
