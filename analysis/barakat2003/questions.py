"""Open questions of Barakat and Al Fawal (2003): bursts of losses, and transfers that end."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.ticker import LogLocator, StrMethodFormatter

from analysis.barakat2003.runs import FRAME_UNITS, SCRIPT
from analysis.figure_style import LINE_STYLES, draw_intervals, new_figure, save
from analysis.runs import over_seeds
from tmt.results.statistics import Interval
from tmt.run.ns2.script import ScriptSettings
from tools.page_tables import markdown_table

SEEDS = 3
UNIT_LOSS = 0.01
BURSTS = (1, 10, 60)
"""Mean lengths of bursts in units; a frame has 10, a packet 60. 1 stands for independent losses."""
LENGTHS = (10, 11, 12, 14, 16, 20)
PERSISTENCIES = (0, 1, 3, 5)
TRANSFERS = (10, 100)
"""Packets of a transfer: 15 kB and 150 kB."""


@dataclass(frozen=True, slots=True)
class BurstCase:
    """Mean burst length, N, delta; packets of a transfer, or 0 for ten connections that never end."""

    burst: int
    code_length: int
    persistency: int
    transfer: int = 0

    def settings(self, seed: int) -> ScriptSettings:
        """Return the arguments of `hybrid.tcl`; the mean loss is always `UNIT_LOSS`."""
        stay = 1.0 - 1.0 / self.burst
        channel: ScriptSettings = {"error_good": UNIT_LOSS}
        if self.burst > 1:
            channel = {
                "error_good": 0,
                "alpha": f"{1.0 - UNIT_LOSS / (1.0 - UNIT_LOSS) / self.burst:.15g}",
                "beta": f"{stay:.15g}",
            }
        traffic: ScriptSettings = {}
        if self.transfer:
            # Far enough apart that one ends before the next begins, but for a few.
            traffic = {"transfer_packets": self.transfer, "interval_s": 60, "duration_s": 6000}
        return {
            **channel,
            **traffic,
            "delay_s": 0.2,
            "repair": self.code_length - FRAME_UNITS,
            "persistency": self.persistency,
            "seed": seed,
        }


def cases() -> list[BurstCase]:
    """Return every case: bursts with connections that never end, and transfers with and without bursts."""
    endless = [BurstCase(b, n, d) for b in BURSTS for n in LENGTHS for d in PERSISTENCIES]
    finite = [
        BurstCase(b, n, d, packets)
        for packets in TRANSFERS
        for b in (1, 60)
        for n in LENGTHS[:4]
        for d in PERSISTENCIES
    ]
    return endless + finite


def measure(folder: Path) -> dict[BurstCase, Interval]:
    """Return throughput (share of the link) or mean latency (s) of each case; `folder` keeps the runs."""
    found = over_seeds(SCRIPT, cases(), SEEDS, folder)
    return {
        case: runs.interval("mean_latency_s" if case.transfer else "throughput")
        for case, runs in found.items()
    }


def draw_bursts(measured: Mapping[BurstCase, Interval], path: Path) -> None:
    """Draw throughput over redundancy, a panel for each burst length, a line for each persistency."""
    with new_figure(7.2, 3.2) as canvas:
        panels = canvas.subplots(1, len(BURSTS), sharey=True)
        for panel, burst in zip(panels, BURSTS, strict=True):
            _draw_lines(panel, measured, LENGTHS, burst)
            panel.set_title("independent" if burst == 1 else f"bursts of {burst} units")
            panel.set_xlabel("N")
        panels[0].set_ylabel("throughput (% of the link)")
        panels[0].set_ylim(0, 100)
        canvas.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=4)
        save(canvas, path)


def draw_transfers(measured: Mapping[BurstCase, Interval], path: Path) -> None:
    """Draw mean latency over redundancy, a panel for each size and channel, a line for each persistency."""
    with new_figure(7.2, 5.0) as canvas:
        panels = canvas.subplots(2, len(TRANSFERS), sharex=True, sharey="col")
        for row, burst in zip(panels, (1, 60), strict=True):
            for panel, packets in zip(row, TRANSFERS, strict=True):
                _draw_lines(panel, measured, LENGTHS[:4], burst, packets)
                channel = "independent losses" if burst == 1 else f"bursts of {burst} units"
                panel.set_title(f"{packets} packets, {channel}")
                panel.set_ylabel("mean latency (s)")
                panel.set_yscale("log", subs=())
                panel.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
                panel.yaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
        for panel in panels[-1]:
            panel.set_xlabel("N")
            panel.set_xticks(LENGTHS[:4])
        canvas.legend(*panels[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=4)
        save(canvas, path)


def _draw_lines(
    panel: Axes, measured: Mapping[BurstCase, Interval], lengths: Sequence[int], burst: int, packets: int = 0
) -> None:
    """Draw the results over N, a line for each persistency: per cent of the link, or seconds of transfers."""
    for delta, style in zip(PERSISTENCIES, LINE_STYLES, strict=False):
        values = [measured[BurstCase(burst, n, delta, packets)] for n in lengths]
        draw_intervals(panel, lengths, values, 1.0 if packets else 100.0, label=f"delta = {delta}", **style)


def answers(measured: Mapping[BurstCase, Interval]) -> str:
    """Return a table of the best code and persistency of each traffic and channel."""
    rows = [_answer(measured, burst, 0) for burst in BURSTS]
    rows += [_answer(measured, burst, packets) for packets in TRANSFERS for burst in (1, 60)]
    return markdown_table(["traffic", "losses", "best", "ARQ-SR alone", "best FEC alone"], rows)


def _answer(measured: Mapping[BurstCase, Interval], burst: int, packets: int) -> list[str]:
    def merit(case: BurstCase) -> float:
        mean = measured[case].mean
        if math.isnan(mean):  # no transfer has ended
            return -math.inf
        return -mean if packets else mean

    def shown(case: BurstCase) -> str:
        return f"{measured[case].mean:.2f} s" if packets else f"{100 * measured[case].mean:.1f} %"

    own = [case for case in measured if (case.burst, case.transfer) == (burst, packets)]
    best = max(own, key=merit)
    fec = max((case for case in own if case.persistency == 0), key=merit)
    arq = BurstCase(burst, FRAME_UNITS, max(PERSISTENCIES), packets)
    losses = "independent" if burst == 1 else f"bursts of {burst} units"
    traffic = f"transfers of {packets} packets" if packets else "ten endless connections"
    code = f"N = {best.code_length}, delta = {best.persistency}: {shown(best)}"
    return [traffic, losses, code, shown(arq), f"N = {fec.code_length}: {shown(fec)}"]
