"""Packet and window records to what a picture can hold: distributions, and a run's course over time."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from tmt.figures.style import BLUE, GREEN, ORANGE, VERMILLION
from tmt.schema import PACKET_EVENTS
from tmt.units import NS_PER_S

if TYPE_CHECKING:
    import numpy.typing as npt

    from tmt.results.dataset import RunRecords

BINS = 240
"""Parts of a run's time in which rates and delays are summed up."""

STEPS = 600
"""Parts of a run's time of which first, least, greatest and last value of the window are kept."""

LEVELS = np.concatenate([np.linspace(0, 0.9, 37), np.linspace(0.91, 0.99, 9), [0.995, 0.999, 1.0]])
"""Shares at which a distribution is drawn, closer in the tail."""

FORWARD = 0


@dataclass(frozen=True, slots=True)
class Layer:
    """One thing in a panel: rows of (time_s, values ...), or moments; `colour` None is the TCP variant's."""

    kind: Literal["step", "line", "band", "moments"]
    data: list[Any]
    label: str = ""
    colour: str | None = None
    span: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class Panel:
    """Layers on common axes."""

    title: str
    unit: str
    height: int
    layers: list[Layer] = field(default_factory=list)


def delay_quantiles_s(records: RunRecords) -> npt.NDArray[np.float64]:
    """Return the one-way delays of forward packets at `LEVELS`; empty when nothing was received."""
    delays = _received(records.packets)["delay_ns"]
    return np.quantile(delays, LEVELS) / NS_PER_S if len(delays) else np.empty(0)


def panels(
    records: RunRecords, end_s: float, rate_unit: tuple[str, float], delay_unit: tuple[str, float]
) -> list[Panel]:
    """Return the course of a run: window, arrivals, delays, losses.

    Parameters
    ----------
    end_s
        Simulated time at which the run ended.
    rate_unit, delay_unit
        Unit and its scale, from bit/s and from s.
    """
    received = _received(records.packets)
    edges = np.linspace(0, end_s, BINS + 1)
    return [
        _window(records.windows, end_s),
        _arrivals(received, edges, rate_unit),
        _delays(received, edges, delay_unit),
        _losses(records.packets, end_s),
    ]


def _received(packets: npt.NDArray[np.void]) -> npt.NDArray[np.void]:
    """Return the arrivals of TCP data at the receiver."""
    kept: npt.NDArray[np.void] = packets[
        (packets["event"] == PACKET_EVENTS.index("received")) & (packets["direction"] == FORWARD)
    ]
    return kept


def _window(windows: npt.NDArray[np.void], end_s: float) -> Panel:
    """Congestion window of the first flow: of each short time its first, least, greatest and last value.

    These four keep a line's pixels as they are (Jugel et al., "M4: a visualization-oriented time series data
    aggregation", Proc. VLDB 7(10), 2014).
    """
    first = windows[windows["flow"] == 0]
    time_s, cwnd = first["time_ns"] / NS_PER_S, first["cwnd_packets"]
    part = np.minimum((time_s / end_s * STEPS).astype(np.int64), STEPS - 1)
    keep: set[int] = set()
    for members in np.split(np.arange(len(part)), np.flatnonzero(np.diff(part)) + 1):
        if len(members):
            values = cwnd[members]
            keep |= {int(members[0]), int(members[-1])}
            keep |= {int(members[values.argmin()]), int(members[values.argmax()])}
    order = sorted(keep)
    data = [[float(time_s[i]), float(cwnd[i])] for i in order]
    if data:
        data.append([end_s, data[-1][1]])
    flows = len(np.unique(windows["flow"]))
    title = "Congestion window" + (f" of the first of {flows} flows" if flows > 1 else "")
    return Panel(title, "segments", 180, [Layer("step", data)])


def _arrivals(
    received: npt.NDArray[np.void], edges: npt.NDArray[np.float64], unit: tuple[str, float]
) -> Panel:
    """Rate at which IP packets with TCP data arrive."""
    size_bits = received["size_bytes"] * 8.0
    per_bin, _ = np.histogram(received["time_ns"] / NS_PER_S, edges, weights=size_bits)
    rate = per_bin / np.diff(edges) * unit[1]
    data = [[float(t), float(r)] for t, r in zip(edges[:-1], rate, strict=True)]
    return Panel(
        "Arrivals at the receiver", f"{unit[0]}, IP packets", 150, [Layer("step", data, colour=GREEN)]
    )


def _delays(received: npt.NDArray[np.void], edges: npt.NDArray[np.float64], unit: tuple[str, float]) -> Panel:
    """Least, median and greatest one-way delay of the packets that arrive in each part of the time."""
    time_s, delay = received["time_ns"] / NS_PER_S, received["delay_ns"] / NS_PER_S * unit[1]
    cuts = np.searchsorted(time_s, edges[1:-1])
    middle = (edges[:-1] + edges[1:]) / 2
    parts = [(float(t), part) for t, part in zip(middle, np.split(delay, cuts), strict=True) if len(part)]
    band = [[t, float(part.min()), float(part.max())] for t, part in parts]
    median = [[t, float(np.median(part))] for t, part in parts]
    return Panel(
        "One-way delay",
        f"{unit[0]}, median and range",
        150,
        [Layer("band", band, colour=BLUE), Layer("line", median, colour=BLUE)],
    )


def _losses(packets: npt.NDArray[np.void], end_s: float) -> Panel:
    """Moments at which packets were lost or sent again, each kind on its own line."""
    forward = packets[packets["direction"] == FORWARD]
    event, again = forward["event"], forward["transmission"] > 1
    kinds = (
        ("lost on the link", event == PACKET_EVENTS.index("link_lost"), VERMILLION),
        ("dropped by the queue", event == PACKET_EVENTS.index("queue_dropped"), ORANGE),
        ("sent again by TCP", (event == PACKET_EVENTS.index("sent")) & again, BLUE),
    )
    grain_s = end_s / 1500
    layers = []
    for place, (label, chosen, colour) in enumerate(kinds):
        moments = np.unique(np.round(forward["time_ns"][chosen] / NS_PER_S / grain_s)) * grain_s
        bottom = float(len(kinds) - place - 1)
        layers.append(
            Layer(
                "moments",
                moments.tolist(),
                f"{label} ({int(chosen.sum())})",
                colour,
                (bottom + 0.1, bottom + 0.9),
            )
        )
    return Panel("Losses and retransmissions", "", 130, layers)
