"""Figure 1: how far apart packets are that are lost to clusters of errors, and when two are lost in a row."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt

from analysis.figure_style import LINE_STYLES, new_figure, save
from tmt.core.channels.neyman_a import NeymanA
from tmt.show.charts.style import INK, MUTED, PALE
from tmt.theory import ClusteredErrors

PACKET_BITS = 12_000
"""1500 bytes."""

LOSSES = (0.01, 0.05, 0.1, 0.25)
ERRORS_PER_CLUSTER = 10.0
SHORT_BITS = 60
"""Length of the clusters in the figure's first panel and in the simulations of TCP."""

LENGTHS_BITS = tuple(int(bits) for bits in np.round(np.geomspace(12, 120_000, 25)))
CHECKED_BITS = LENGTHS_BITS[::4]
PACKETS = 2_000_000

ROUGHLY = 1.5
"""Two probabilities are roughly equal when neither is more than 1.5 times the other."""


def process(loss: float, cluster_bits: float, errors: float = ERRORS_PER_CLUSTER) -> ClusteredErrors:
    """Return the theory of packets lost to clusters of a length in bits."""
    return ClusteredErrors.with_loss(loss, errors, cluster_bits / PACKET_BITS)


def simulated_distances(loss: float, cluster_bits: float) -> npt.NDArray[np.int64]:
    """Return the distances between the lost packets of one realisation."""
    channel = NeymanA(loss, ERRORS_PER_CLUSTER, cluster_bits / PACKET_BITS)
    return np.diff(np.flatnonzero(channel.erasures(seed=1).next(PACKETS)))


def draw(path: Path) -> None:
    """Draw figure 1, and beside it the probability of a second loss over the length of a cluster."""
    with new_figure(7.2, 3.6) as canvas:
        left, right = canvas.subplots(1, 2)
        for loss, style in zip(LOSSES, LINE_STYLES, strict=False):
            colour, marker = style["color"], style["marker"]
            far = np.arange(1, 121)
            left.plot(far, process(loss, SHORT_BITS).distance_cdf(len(far)), color=colour)
            seen = far[np.unique(np.round(np.geomspace(1, len(far), 12)).astype(int)) - 1]
            distances = np.sort(simulated_distances(loss, SHORT_BITS))
            shares = np.searchsorted(distances, seen, side="right") / len(distances)
            left.plot(seen, shares, linestyle="none", label=f"loss {100 * loss:g} %", **style)
            right.plot(
                LENGTHS_BITS,
                [process(loss, bits).repeat_probability / loss for bits in LENGTHS_BITS],
                color=colour,
            )
            found = [(simulated_distances(loss, bits) == 1).mean() / loss for bits in CHECKED_BITS]
            right.plot(CHECKED_BITS, found, linestyle="none", color=colour, marker=marker)
        left.set_xscale("log")
        left.set_xlabel("distance to the next lost packet")
        left.set_ylabel("probability of at most that distance")
        left.set_ylim(0, 1)
        left.set_title(f"Clusters of {SHORT_BITS} bits (figure 1)")
        left.plot([], [], color=MUTED, label="theory")
        left.legend()
        right.axhspan(1 / ROUGHLY, ROUGHLY, color=PALE, zorder=0)
        right.axvline(PACKET_BITS, color=INK, linewidth=0.8, linestyle=":")
        right.annotate("a packet", (PACKET_BITS, 0.55), (-4, 0), textcoords="offset points", ha="right")
        right.set_xscale("log")
        right.set_yscale("log")
        right.set_xlabel("length of a cluster (bits)")
        right.set_ylabel("probability of loss after a loss / loss rate")
        right.set_title("Two losses in a row")
        save(canvas, path)


def longest_roughly_equal_bits(loss: float, errors: float = ERRORS_PER_CLUSTER) -> float:
    """Return up to which length of clusters a loss follows a loss about as often as any packet is lost.

    Clusters of thousands of packets, whose errors hardly ever hit two neighbours, are left aside.
    """
    from scipy.optimize import brentq  # noqa: PLC0415  (scipy takes long to import)

    def excess(bits: float) -> float:
        return process(loss, bits, errors).repeat_probability / loss - ROUGHLY

    worst = max(LENGTHS_BITS, key=excess)
    return float(brentq(excess, 1e-3, worst)) if excess(worst) > 0 else float("inf")
