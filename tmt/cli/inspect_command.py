"""`tmt inspect`: summarise a trace."""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING

import click

from tmt.cli.lazy import imported_when_used
from tmt.cli.options import COUNT, FILE, POSITIVE_SECONDS, ROUND_TRIP, json_text, plot_option
from tmt.cli.progress import print_notes, progress_bar, say
from tmt.cli.tables import print_parts, text_table
from tmt.core.declaration import ns
from tmt.core.measure.distribution import of_values
from tmt.core.measure.link import summarise
from tmt.core.measure.summaries import LinkSummary, PhySummary
from tmt.core.units import ns_to_seconds
from tmt.core.words.values import decode_time_notes, no_loss_notes, span_notes, unsettled_notes
from tmt.io import open_trace, read_trace

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tmt.core.measure.distribution import Distribution
    from tmt.core.measure.mode_use import ModeSummary
    from tmt.theory.fit import handovers as fitting

with imported_when_used():
    from rich import box, table as tables

    from tmt.show.charts import files as figures, traces as charts

LEAST_PAUSE_NS = 1_000_000
"""Shortest pause in the table of pauses."""

Fact = tuple[str, str, str]
"""Name, value and explanation of a figure."""


@click.command()
@click.argument("trace", type=FILE)
@click.option(
    "--json", "as_json", is_flag=True, help="Print one JSON object, with every burst and gap length."
)
@plot_option("Draw the trace")
@click.option(
    "--lldu-bytes",
    type=COUNT,
    help="Useful bytes of one LLDU, for bit rates.  [default: the trace's]",
)
@click.option(
    "--rtt",
    type=ROUND_TRIP,
    help="Round-trip propagation time in seconds, for the recovery delay.  [default: the trace's]",
)
@click.option(
    "--handover-period",
    type=POSITIVE_SECONDS,
    help="List handovers of this period in seconds; 15: Starlink's reconfigurations.",
)
def command(
    trace: str,
    as_json: bool,
    plot: str | None,
    lldu_bytes: int | None,
    rtt: float | None,
    handover_period: float | None,
) -> None:
    """Summarise TRACE: rates, losses, bursts, gaps, delays, and the cost of a link trace's scheme.

    A burst is a run of erased rows (PHY trace) or lost rows (link trace); a gap is a run of other rows.

    \b
    A table for people, an object for programs, a figure:
      tmt inspect phy.parquet
      tmt inspect --json phy.parquet
      tmt inspect --plot phy.svg phy.parquet

    \b
    Starlink's reconfigurations (handovers every 15 s), and what each one costs:
      tmt inspect --handover-period 15 starlink.parquet
    """
    with open_trace(trace) as reader, progress_bar("inspect", reader.rows, "rows") as progress:
        rtt_ns = None if rtt is None else ns(rtt)
        summary = summarise(reader, reader.metadata, lldu_bytes=lldu_bytes, rtt_ns=rtt_ns, progress=progress)
    if plot is not None:
        figures.save_chart(charts.summary_chart(summary, PurePath(trace).name), plot)
    found = None
    if handover_period is not None:
        from tmt.theory.fit import handovers as fitting  # noqa: PLC0415  (scipy takes long)

        found = fitting.find_handovers(read_trace(trace), ns(handover_period))
    print_notes(_notes(trace, summary))
    if as_json:
        say(json_text(summary.to_json() | ({} if found is None else {"handovers": found.to_json()})))
    else:
        print_parts(*_tables(trace, summary), *([] if found is None else [_handovers(found)]))


def _handovers(found: fitting.Handovers) -> tables.Table:
    """Return a table of handovers; its caption says whether chance explains them."""
    rows = (
        (
            f"{_moment(one.begin_s)} s",
            f"{1000 * one.outage_s:.4g} ms" if one.outage_s else "-",
            *(_number(None if delay_s is None else 1000 * delay_s) for delay_s in one.delays_s),
            *map(_number, one.rates_per_s),
        )
        for one in found.handovers
    )
    header = ("handover", "interruption", "delay before, ms", "behind", "good rows/s before", "behind")
    table = text_table("", header, rows, ())
    told = "handovers" if found.are_found else "perhaps no handovers"
    table.caption = (
        f"period {found.period_s:g} s: {told}; by chance so many interruptions have one phase with "
        f"probability {found.chance:.2g}"
    )
    table.caption_justify = "left"
    return table


def _notes(path: str, summary: PhySummary | LinkSummary) -> list[str]:
    if isinstance(summary, PhySummary):
        decode = summary.decode_time_s
        times_s = (decode.p50, decode.maximum, summary.times.interval_s.mean)
        notes = decode_time_notes(path, *(1e9 * (time_s or 0) for time_s in times_s))
        return notes + no_loss_notes(path, summary.erased)
    found = unsettled_notes(path, summary.unsettled, summary.times.rows)
    found += no_loss_notes(path, summary.lost, summary.persistency)
    if summary.rtt_s is not None:
        span_ns = round(1e9 * summary.times.duration_s)
        found += span_notes(path, span_ns, round(1e9 * summary.rtt_s))
    return found


def _tables(path: str, summary: PhySummary | LinkSummary) -> tuple[tables.Table, ...]:
    facts = tables.Table(box=box.SIMPLE, pad_edge=False, show_header=False, title_justify="left")
    facts.title = f"{path}: {summary.title}"
    facts.add_column(style="bold", no_wrap=True)
    facts.add_column(justify="right", no_wrap=True)
    facts.add_column(style="dim")
    for fact in _facts(summary):
        facts.add_row(*fact)
    header = ("", "number", "mean", "least", "50 %", "90 %", "99 %", "most")
    rows = ((name, *_cells(values)) for name, values in _distributions(summary))
    spread = text_table("", header, rows, (0,))
    spread.caption = "percentiles by nearest rank; those of times may be 0.05 % low"
    spread.caption_justify = "left"
    parts = [facts, spread]
    if isinstance(summary, PhySummary) and summary.modes is not None:
        parts += [_modes(summary.modes), _modes_over_time(summary.modes)]
    return tuple(parts if summary.pauses.are_regular else [*parts, _pauses(summary)])


def _modes(modes: ModeSummary) -> tables.Table:
    """Return a table of the modes in use."""
    slots = sum(one.slots for one in modes.modes)
    rows = []
    for one in modes.modes:
        shares = _share(one.slots / slots), _share(one.error_rate)
        rows.append((str(one.mode), one.name or "-", _number(one.efficiency), f"{one.slots:,}", *shares))
    header = ("mode", "modulation and rate", "bit/symbol", "slots", "of the slots", "erased")
    return text_table("", header, rows, (1,))


def _modes_over_time(modes: ModeSummary) -> tables.Table:
    """Return the mean mode in parts of the trace."""
    mean = "mode, mean" if modes.efficiency is None else "bit/symbol, mean"
    over_time = zip(modes.start_s, modes.mean_mode, strict=True)
    rows = ((f"{_moment(start_s)} s", _number(value)) for start_s, value in over_time)
    return text_table("", ("from", mean), rows, ())


def _distributions(summary: PhySummary | LinkSummary) -> Iterator[tuple[str, Distribution]]:
    phy = isinstance(summary, PhySummary)
    slots = "slots" if phy else "LLDUs"
    yield f"bursts, {slots}", summary.pattern.bursts
    yield f"gaps, {slots}", summary.pattern.gaps
    yield "row to row, ms", summary.times.interval_s.scaled(1e-3)
    rates, unit = summary.rate_over_time()
    if rates is not None:
        named, scale = ("kbit/s", 1e3) if unit == "bit/s" else (unit, 1.0)
        over = f"in {rates.width_s:.3g} s, {named}"
        yield f"offered {over}", of_values(rates.offered_per_s).scaled(scale)
        if (rates.offered_per_s != rates.good_per_s).any():
            good = "decoded" if phy else "delivered"
            yield f"{good} {over}", of_values(rates.good_per_s).scaled(scale)
    if summary.size_bytes is not None:
        yield "size, bytes", summary.size_bytes
    if isinstance(summary, PhySummary):
        yield "decode time, ms", summary.decode_time_s.scaled(1e-3)
        if summary.es_n0_db is not None:
            yield "Es/N0, dB", summary.es_n0_db
    else:
        yield "delay, ms", summary.delay_s.scaled(1e-3)
        yield "given up, ms", summary.loss_delay_s.scaled(1e-3)


def _pauses(summary: PhySummary | LinkSummary) -> tables.Table:
    rows = (
        (f"{step.least_ns / 1e6:g} ms", f"{step.number:,}", f"{100 * step.share_of_time:.3g} %")
        for step in summary.pauses.law()
        if str(step.least_ns)[0] == "1" and step.least_ns >= LEAST_PAUSE_NS
    )
    return text_table("", ("row to row, at least", "number", "share of the time"), rows, ())


def _facts(summary: PhySummary | LinkSummary) -> Iterator[Fact]:
    times, rates, outage = summary.times, summary.bit_rates, summary.pattern.outage
    phy = isinstance(summary, PhySummary)
    rows, good = ("slots", "decoded slots") if phy else ("data LLDUs", "delivered data LLDUs")
    yield rows, f"{times.rows:,}", "rows of the trace"
    between = "first row to last" if summary.timeline.extent is None else "beginning to end"
    yield "duration", f"{times.duration_s:,.6g} s", f"{between}, from {_moment(times.start_s)} s on"
    yield f"{rows} per second", _number(times.per_s), "" if phy else "first transmissions only"
    if rates is not None:
        size = "bytes of rows" if rates.lldu_bytes is None else f"LLDU payload of {rates.lldu_bytes} bytes"
        yield "bit rate", _bits(rates.all_bps), f"{size}, all {rows}"
        yield "useful bit rate", _bits(rates.good_bps), f"{size}, {good}"
    if isinstance(summary, PhySummary):
        yield "erased", f"{summary.erased:,}", f"{_share(summary.erasure_rate)} of the slots"
        yield from () if summary.modes is None else _mode_facts(summary.modes)
    else:
        yield from _link_facts(summary)
    pause = summary.pauses.longest
    if pause is not None and not summary.pauses.are_regular:
        all_slots = isinstance(summary, PhySummary) or summary.slots_used == times.rows
        meaning = "outage: no opportunity" if all_slots else "no first transmission"
        start_s, duration_s = ns_to_seconds(pause.start_ns), ns_to_seconds(pause.duration_ns)
        yield "longest pause", f"{duration_s:.6g} s", f"{meaning} from {_moment(start_s)} s on"
    if outage is not None:
        start_s, duration_s = ns_to_seconds(outage.start_ns), ns_to_seconds(outage.duration_ns)
        where = f"{outage.slots} rows from {_moment(start_s)} s on, until the next good one"
        yield "longest outage", f"{duration_s:.6g} s", where


def _mode_facts(modes: ModeSummary) -> Iterator[Fact]:
    if modes.efficiency is not None:
        good = _number(modes.goodput_efficiency)
        yield "efficiency", _number(modes.efficiency), f"mean bits per symbol; {good} in decoded slots"
    if modes.wasted is not None:
        yield "wasted", _share(modes.wasted), "of the bytes that modes chosen by each slot's Es/N0 carry"


def _link_facts(summary: LinkSummary) -> Iterator[Fact]:
    yield "delivered", f"{summary.delivered:,}", "data LLDUs"
    yield "lost", f"{summary.lost:,}", f"given up; {_share(summary.loss_rate)} of those settled"
    yield "unsettled", f"{summary.unsettled:,}", "open when the trace ends"
    mean = f"{summary.mean_transmissions:.5g}"
    yield "transmissions", mean, "mean per data LLDU; for harq, 1 + its block's requests"
    yield "persistency", str(summary.persistency), "most retransmissions of one LLDU"
    yield "throughput efficiency", _number(summary.efficiency), _efficiency_meaning(summary)
    if summary.rtt_s is None:
        delay_s = summary.delay_s.mean
        shown = "-" if delay_s is None else f"{delay_s:.6g} s"
        yield "recovery delay", shown, "without propagation: give --rtt to add RTT/2"
    else:
        shown = f"{_number(summary.recovery_delay_s)} s"
        yield "recovery delay", shown, f"mean RTT/2 + delay, RTT {summary.rtt_s:g} s"


def _efficiency_meaning(summary: LinkSummary) -> str:
    if summary.size_bytes is not None:
        known = summary.efficiency is not None
        return "delivered bytes per byte sent" if known else "the trace does not say how many bytes it sent"
    if summary.slots_used is None:
        return "the trace does not say how many slots it used"
    return f"delivered data LLDUs per slot, of {summary.slots_used:,}"


def _cells(values: Distribution) -> list[str]:
    parts = (values.mean, values.minimum, values.p50, values.p90, values.p99, values.maximum)
    return [str(values.count), *map(_number, parts)]


def _number(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:.0f}" if value == int(value) and abs(value) < 1e9 else f"{value:.5g}"


def _share(value: float | None) -> str:
    return "-" if value is None else f"{_number(100 * value)} %"


def _moment(time_s: float) -> str:
    """Return a time on the trace's clock; a time of day has more digits than other figures."""
    return f"{time_s:.6g}" if time_s < 1000 else f"{time_s:.3f}".rstrip("0").rstrip(".")


def _bits(rate_bps: float) -> str:
    return f"{rate_bps / 1e3:,.6g} kbit/s"
