"""Channel `lms` at a glance: packet error rates, Clarke's autocorrelation, Rice's crossings, real codes.

Packet error rates: 12 realisations of 100 s for each point, the same ways and numbers at every Es/N0.
Autocorrelation and crossings: 60 blocks of the way in line of sight. Code curves: `code_curve.csv`.
"""

from __future__ import annotations

import math
import os
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from scipy.special import i0e, j0, ndtr

from analysis.channel.code_curve import INFORMATION_BITS, RESULTS
from analysis.figure_style import new_figure, save
from analysis.pages import start
from tmt.core.channels.lms import Lms
from tmt.core.channels.lms.path import POINTS_PER_DOPPLER_PERIOD
from tmt.core.generate import Line
from tmt.results.statistics import t_interval
from tmt.show.charts.style import BLUE, GREEN, INK, VERMILLION

SEEDS, SLOTS = 12, 99_622
ES_N0_DB = (5.0, 6.0, 7.0, 8.0, 10.0, 12.0, 14.0)
STUDY = {
    "interleaved": {5.0: 0.039, 6.0: 0.015, 7.0: 0.013, 8.0: 0.012, 14.0: 0.0063},
    "not interleaved": {5.0: 0.118, 6.0: 0.051, 8.0: 0.015, 10.0: 0.0097, 12.0: 0.0074},
}
"""Packet error rates of the numerical study that fitted the profile first."""
COLOURS = {"interleaved": BLUE, "not interleaved": VERMILLION}


def packet_error_rate(values: dict[str, Any], profile: str, seed: int) -> list[float]:
    """Return the share of erased slots at each Es/N0."""
    tx_time_ns = Line.at_rate(2_630_000, 33, 1, share=10).tx_times_ns(0, SLOTS)
    return [
        float(Lms(profile, es_n0_db=level, **values).realisation(seed).erased(tx_time_ns).mean())
        for level in ES_N0_DB
    ]


def main(folder: Path) -> str:
    """Compute everything, draw `images/lms.png`, and return the packet error rates as a table."""
    kinds = {"interleaved": {}, "not interleaved": {"interleaver_depth": 0}}
    rates, lines = {}, []
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        for profile in ("internet", "perez-fontan-suburban-40"):
            for kind, values in kinds.items():
                job = partial(packet_error_rate, values, profile)
                rates[profile, kind] = np.array(list(pool.map(job, range(1, SEEDS + 1))))
    lines.append("profile                    interleaver      Es/N0      PER   95 % interval      study")
    for (profile, kind), found in rates.items():
        for column, level in enumerate(ES_N0_DB):
            interval = t_interval(found[:, column])
            study = STUDY[kind].get(level) if profile == "internet" else None
            rate = f"{interval.mean:.4f}   {interval.low:.4f} {interval.high:.4f}"
            lines.append(
                f"{profile:26s} {kind:15s} {level:5.0f} dB  {rate}   {'' if study is None else study}"
            )
    with new_figure(7.2, 5.8) as figure:
        panels = figure.subplots(2, 2)
        _packet_error_rates(panels[0, 0], rates)
        _autocorrelation(panels[0, 1])
        _crossings(panels[1, 0])
        _codes(panels[1, 1])
        save(figure, folder / "images" / "lms.png")
    return "\n".join(lines)


def _packet_error_rates(panel: Axes, rates: dict[tuple[str, str], Any]) -> None:
    for (profile, kind), found in rates.items():
        dash = "-" if profile == "internet" else ":"
        label = f"{kind}, {profile.split('-')[0]}"
        panel.semilogy(ES_N0_DB, found.mean(axis=0), dash, color=COLOURS[kind], label=label)
    for kind, points in STUDY.items():
        panel.semilogy(points.keys(), points.values(), "o", color=COLOURS[kind], markerfacecolor="white")
    panel.plot([], [], "o", color=INK, markerfacecolor="white", label="study")
    panel.set(xlabel="Es/N0 (dB)", ylabel="packet error rate", title="Packet error rate", ylim=(1e-4, 1))
    panel.legend(loc="lower left")


def _field(azimuth_deg: float, **values: float) -> tuple[Lms, Any, float]:
    still = {"los_to_deep": 0.0, "deep_to_los": 1.0, "los_psi_db": 0.0, "slow_psi_db": 0.0}
    channel = Lms(es_n0_db=0.0, azimuth_deg=azimuth_deg, **(still | values))
    path = channel.path(1)
    return channel, np.concatenate([path.next_block() for _ in range(60)]), path.step_ns / 1e9


def _autocorrelation(panel: Axes) -> None:
    channel, field, step_s = _field(90.0, los_alpha_db=-100.0, los_mp_db=0.0)
    lags = np.arange(0, 4 * POINTS_PER_DOPPLER_PERIOD, 4)
    power = np.mean(np.abs(field) ** 2)
    found = [np.mean((field[lag:] * field[: len(field) - lag].conj()).real) / power for lag in lags]
    fine = np.linspace(0, lags[-1] * step_s, 400)
    panel.plot(1e3 * fine, j0(2 * np.pi * channel.doppler_hz * fine), color=GREEN, label="Bessel J0")
    panel.plot(1e3 * lags * step_s, found, "o", color=INK, markerfacecolor="white", label="generated")
    panel.set(xlabel="lag (ms)", ylabel="correlation", title="Multipath")
    panel.legend()


def _crossings(panel: Axes) -> None:
    channel, field, step_s = _field(90.0, los_alpha_db=0.0, los_mp_db=-10.0)
    envelope = np.abs(field)
    levels_db = np.arange(-12.0, 4.1, 1.0)
    found = []
    for level in 10 ** (levels_db / 20):
        crossed = np.count_nonzero((envelope[1:] < level) & (envelope[:-1] >= level))
        found.append(crossed / (len(envelope) * step_s))
    fine = np.linspace(-12.0, 4.0, 200)
    k = 10.0
    rho = 10 ** (fine / 20) / math.sqrt(1.1)
    bessel = 2 * rho * math.sqrt(k * (k + 1))
    rate = math.sqrt(2 * np.pi * (k + 1)) * channel.doppler_hz * rho
    rate = rate * np.exp(-k - (k + 1) * rho**2 + bessel) * i0e(bessel)
    panel.semilogy(fine, rate, color=GREEN, label="Rice, K = 10 dB")
    panel.semilogy(
        levels_db, np.maximum(found, 1e-9), "o", color=INK, markerfacecolor="white", label="generated"
    )
    panel.set(xlabel="level (dB)", ylabel="crossings per second", title="Level crossings", ylim=(0.05, 300))
    panel.legend()


def _codes(panel: Axes) -> None:
    codes = pd.read_csv(RESULTS).groupby("coded_bits", sort=False)
    for (coded_bits, rows), colour in zip(codes, (GREEN, BLUE), strict=True):
        style = {"color": colour, "markerfacecolor": "white", "linewidth": 0.8}
        label = f"LDPC, rate {INFORMATION_BITS / coded_bits:.1f}"
        panel.semilogy(rows["es_n0_db"], rows["errors"] / rows["words"], "o-", label=label, **style)
    channel = Lms(es_n0_db=0.0)
    fine = np.linspace(-0.5, 4.5, 200)
    assumed = ndtr((channel.code_threshold_db - fine) / channel.code_width_db)
    panel.semilogy(fine, assumed, color=VERMILLION, label="assumed by internet")
    panel.set(
        xlabel="Es/N0 (dB), no fading", ylabel="packet error rate", title="Code of 264 bits", ylim=(5e-4, 1.3)
    )
    panel.legend()


if __name__ == "__main__":
    start(main, "images/lms.png")
