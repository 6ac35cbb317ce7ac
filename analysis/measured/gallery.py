"""The gallery of measured links in pictures: offered rate, lost rows and delay over time.

``python -m analysis.measured.gallery FOLDER`` writes ``measured-*.png`` into ``FOLDER/images``;
``--docs`` copies them to ``docs/images``.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes

from analysis.figure_style import new_figure, save
from analysis.pages import start
from tmt.core.channels.snr.tables import SignalSeries, read_signal_series
from tmt.core.trace import FloatArray
from tmt.core.units import NS_PER_MS, NS_PER_S
from tmt.importers.exporters import LinkIntervals
from tmt.io import read_trace
from tmt.show.charts.style import BLUE, GREEN, VERMILLION

GALLERY = Path(__file__).resolve().parents[2] / "traces" / "measured"


@dataclass(frozen=True, slots=True)
class MeasuredLink:
    """A link of the gallery: its picture, its trace, and the length of the intervals that are drawn."""

    picture: str
    title: str
    trace: str
    interval_s: float
    signal: str | None = None


LINKS = (
    MeasuredLink("measured-lte-uplink", "LTE uplink of one terminal", "lte-uplink.parquet", 1.0),
    MeasuredLink("measured-nr-phone", "5G phone, downlink", "nr-phone.parquet", 1.0),
    MeasuredLink("measured-starlink", "Starlink", "starlink.parquet", 0.1),
    MeasuredLink(
        "measured-cellular-down", "LTE of a car, downlink", "mahimahi/att-lte-driving.down.parquet", 0.5
    ),
    MeasuredLink("measured-cellular-up", "LTE of a car, uplink", "mahimahi/att-lte-driving.up.parquet", 0.5),
    MeasuredLink(
        "measured-gnss-drive", "BeiDou 28 from a car", "gnss-drive.parquet", 1.0, "gnss-attenuation.csv"
    ),
)


def draw(link: MeasuredLink, images: Path) -> None:
    """Draw one link: a row of axes for each quantity that varies."""
    trace = read_trace(GALLERY / link.trace)
    held = LinkIntervals.of(trace, trace.metadata.get("lldu_bytes"), round(link.interval_s * NS_PER_S))
    lost, delayed = bool(held.loss.any()), float(np.ptp(held.delay_ns)) > 0
    signal = None if link.signal is None else read_signal_series(str(GALLERY / link.signal))
    varies = float(np.ptp(held.rate_bps[:-1])) > 0.01 * float(held.rate_bps.max())
    rows = varies + lost + delayed + (signal is not None)
    begin_s = np.arange(len(held.rate_bps)) * link.interval_s
    with new_figure(7.6, 1.2 + 1.3 * rows) as figure:
        axes = figure.subplots(rows, 1, sharex=True, squeeze=False)[:, 0]
        length_s = begin_s[-1] + link.interval_s
        figure.suptitle(f"{link.title}: {len(trace):,} slots in {length_s:,.0f} s", x=0.01, ha="left")
        panels = iter(axes)
        if signal is not None:
            _draw_signal(next(panels), signal, length_s)
        if varies:
            unit, name = (1e6, "Mbit/s") if held.rate_bps.max() >= 1e6 else (1e3, "kbit/s")
            _step(next(panels), begin_s, held.rate_bps / unit, BLUE, f"offered, {name}")
        if lost:
            _step(next(panels), begin_s, 100 * held.loss, VERMILLION, "erased, %")
        if delayed:
            _step(next(panels), begin_s, held.delay_ns / NS_PER_MS, GREEN, "delay, ms")
        axes[-1].set_xlabel(f"time, s (means over {link.interval_s:g} s)")
        figure.align_ylabels()
    save(figure, images / f"{link.picture}.png")


def _step(axes: Axes, begin_s: FloatArray, values: FloatArray, colour: str, label: str) -> None:
    axes.plot(begin_s, values, drawstyle="steps-post", color=colour, linewidth=0.8)
    axes.set_ylabel(label)
    axes.set_ylim(bottom=0)
    axes.margins(x=0)


def _draw_signal(axes: Axes, signal: SignalSeries, length_s: float) -> None:
    shown = signal.time_ns <= length_s * NS_PER_S
    axes.plot(signal.time_ns[shown] / NS_PER_S, signal.value_db[shown], color=GREEN, linewidth=0.8)
    axes.set_ylabel("attenuation, dB")
    axes.invert_yaxis()
    axes.margins(x=0)


def main(folder: Path) -> str:
    """Draw every link, and return where the pictures are."""
    images = folder / "images"
    for link in LINKS:
        draw(link, images)
    return f"{len(LINKS)} pictures of measured links in {images}"


if __name__ == "__main__":
    start(main, "images/measured-*.png")
