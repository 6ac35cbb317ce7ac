"""Draws the worked examples of `docs/schemes.md` as ladders of sender and receiver.

They go to `images` in the folder named, or in `docs`.

Each example is converted first: a picture that contradicts its scheme is not drawn.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes

from analysis.figure_style import new_figure, save
from tmt.core.converter import joined
from tmt.core.schemes.harq_processes import HarqProcesses
from tmt.core.schemes.rlc import Rlc
from tmt.core.schemes.scheme import Scheme
from tmt.core.schemes.sliding_window import SlidingWindow
from tmt.core.schemes.tetrys import Tetrys
from tmt.core.trace import PhyTrace
from tmt.show.charts.style import BLUE, GREEN, INK, MUTED, ORANGE, VERMILLION

DOCS = Path(__file__).parents[1] / "docs"
SENDER, RECEIVER = 0.0, 1.0

NS = 1e-9
"""A unit of the examples' times, in seconds."""


@dataclass(frozen=True)
class Ladder:
    """A worked example.

    Attributes
    ----------
    rtt
        Round-trip time of the link.
    slots
        What each slot carries; an empty text is a stall.
    erased
        Numbers of the erased slots.
    feedback
        Messages of the receiver: what they say, when they leave and when they arrive.
    delivered
        When each LLDU is delivered, in the order of their first transmissions.
    """

    scheme: Scheme
    rtt: int
    interval: int
    slots: tuple[str, ...]
    erased: tuple[int, ...]
    feedback: tuple[tuple[str, int, int], ...]
    delivered: dict[str, int]


LADDERS = {
    "scheme-harq-processes": Ladder(
        HarqProcesses(2, detection_delay=NS),
        2,
        1,
        ("0", "1", "", "2", "1", ""),
        (1,),
        (("ACK", 1, 3), ("NACK", 2, 4), ("ACK", 4, 6), ("ACK", 5, 7)),
        {"0": 1, "1": 5, "2": 4},
    ),
    "scheme-sliding-window": Ladder(
        SlidingWindow(4, 2),
        0,
        1,
        ("s0", "s1", "r0", "s2", "s3", "r1"),
        (1, 2),
        (),
        {"s0": 1, "s1": 6, "s2": 4, "s3": 5},
    ),
    "scheme-tetrys": Ladder(
        Tetrys(2, 2),
        2,
        1,
        ("s0", "s1", "r0", "s2", "r1", "", "", "s3"),
        (1, 2),
        (("s1\nerased", 1, 3), ("r0\nerased", 2, 4), ("s1, s2\nknown", 5, 7)),
        {"s0": 1, "s1": 5, "s2": 4, "s3": 8},
    ),
    "scheme-rlc": Ladder(
        Rlc(reassembly=5 * NS, status_prohibit=30 * NS),
        15,
        10,
        ("0", "1", "2", "3", "4", "1", "5"),
        (1,),
        (("report:\nNACK 1", 26, 41),),
        {"0": 1, "1": 51, "2": 51, "3": 51, "4": 51, "5": 61},
    ),
}
"""The examples, by the names of their pictures."""


def check(ladder: Ladder) -> None:
    """Convert the example, and compare the deliveries.

    Raises
    ------
    AssertionError
        When the scheme delivers at other times.
    """
    tx_ns = np.arange(len(ladder.slots)) * ladder.interval
    decode_ns = np.where(np.isin(np.arange(len(tx_ns)), ladder.erased), 0, 1)
    converter = ladder.scheme.converter(ladder.rtt * NS)
    rows = joined(converter.feed(PhyTrace(tx_ns, decode_ns)), converter.finish())
    found = (rows.tx_time_ns + rows.delay_ns)[rows.delivered].tolist()
    if found != list(ladder.delivered.values()):
        raise AssertionError(f"{ladder.scheme.label} delivers at {found}")


def draw(ladder: Ladder, path: Path) -> None:
    """Draw a ladder: slots below, deliveries above, time to the right."""
    with new_figure(7.2, 2.7) as figure:
        panel = figure.subplots()
        end = ladder.interval * len(ladder.slots)
        for number, label in enumerate(ladder.slots):
            _draw_slot(panel, ladder, number, label)
        for words, leaves, arrives in ladder.feedback:
            _draw_arrow(panel, (leaves, RECEIVER), (arrives, SENDER), VERMILLION, "--")
            beside = leaves + 0.38 * (arrives - leaves) + 0.02 * end
            behind = {"facecolor": "white", "edgecolor": "none", "pad": 1.0}
            panel.text(beside, 0.62, words, color=VERMILLION, fontsize=8, va="center", bbox=behind)
        groups: dict[int, list[str]] = {}
        for label, time in ladder.delivered.items():
            groups.setdefault(time, []).append(label)
        for time, labels in groups.items():
            panel.plot(time, RECEIVER, marker="o", color=GREEN, markersize=5)
            panel.text(time, RECEIVER + 0.1, ", ".join(labels), color=GREEN, ha="center", fontsize=9)
        panel.axhline(SENDER, color=INK, linewidth=1)
        panel.axhline(RECEIVER, color=INK, linewidth=1)
        panel.set_yticks([SENDER, RECEIVER], ["sender", "receiver\ndelivers"])
        panel.set_xticks([ladder.interval * number for number in range(len(ladder.slots) + 2)])
        panel.set_xlim(-0.06 * end, 1.2 * end)
        panel.set_ylim(-0.42, 1.3)
        panel.set_xlabel("time")
        panel.grid(visible=False)
        save(figure, path)


def _draw_slot(panel: Axes, ladder: Ladder, number: int, label: str) -> None:
    sent = ladder.interval * number
    box = {"boxstyle": "round,pad=0.25", "facecolor": "white", "edgecolor": BLUE}
    if not label:
        box |= {"edgecolor": MUTED, "linestyle": ":"}
    elif label.startswith("r") or label in ladder.slots[:number]:
        box |= {"edgecolor": ORANGE}
    words = label or "stall"
    panel.text(sent, SENDER - 0.24, words, ha="center", va="center", fontsize=9, bbox=box, color=INK)
    if not label:
        return
    if number in ladder.erased:
        _draw_arrow(panel, (sent, SENDER), (sent + 0.5, (SENDER + RECEIVER) / 2), MUTED, "-")
        panel.plot(sent + 0.5, (SENDER + RECEIVER) / 2, marker="x", color=INK, markersize=7)
    else:
        _draw_arrow(panel, (sent, SENDER), (sent + 1, RECEIVER), BLUE, "-")


def _draw_arrow(
    panel: Axes, start: tuple[float, float], end: tuple[float, float], colour: str, dash: str
) -> None:
    style = {"arrowstyle": "-|>", "color": colour, "linestyle": dash, "shrinkA": 0, "shrinkB": 2}
    panel.annotate("", end, start, arrowprops=style)


if __name__ == "__main__":
    images = Path(sys.argv[1] if sys.argv[1:] else DOCS) / "images"
    images.mkdir(parents=True, exist_ok=True)
    for name, ladder in LADDERS.items():
        check(ladder)
        draw(ladder, images / f"{name}.png")
