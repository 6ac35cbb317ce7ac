"""Figures of TCP over hybrid FEC/ARQ-SR: throughput over redundancy, persistency or loss."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tmt.show.charts.style import LINE_STYLES, new_figure, save

if TYPE_CHECKING:
    from collections.abc import Sequence
    from os import PathLike

AXES = {
    "code_length": "N (units of a frame with its redundancy)",
    "persistency": "delta (most retransmissions of a frame)",
    "unit_loss": "p (probability that a unit is lost)",
}
"""Columns for the horizontal axis, which shows the first that varies, and their labels."""

SYMBOLS = {"code_length": "N", "persistency": "delta", "unit_loss": "p", "delay_s": "D"}


def draw_throughput(path: str | PathLike[str], title: str, rows: Sequence[dict[str, Any]]) -> None:
    """Draw the throughput of a sweep over the first varying axis, a line for each point of the rest."""
    varying = [name for name in SYMBOLS if len({row[name] for row in rows}) > 1]
    swept = next((name for name in AXES if name in varying), "code_length")
    others = [name for name in varying if name != swept]
    lines: dict[str, list[tuple[Any, float]]] = {}
    for row in rows:
        label = ", ".join(f"{SYMBOLS[name]} = {_value(row[name])}" for name in others)
        lines.setdefault(label, []).append((row[swept], 100.0 * row["throughput"]))
    with new_figure(6.0, 4.0) as figure:
        panel = figure.subplots()
        for (label, points), style in zip(lines.items(), LINE_STYLES * len(lines), strict=False):
            finite = [(x, y) for x, y in points if x is not None]
            panel.plot(*zip(*finite, strict=True), label=label, **style)
        panel.set_xlabel(AXES[swept])
        panel.set_ylabel("throughput (% of the link)")
        panel.set_ylim(0, 100)
        panel.set_title(title)
        if others:
            panel.legend()
        save(figure, path)


def _value(value: Any) -> str:
    return "unlimited" if value is None else f"{value:g}"
