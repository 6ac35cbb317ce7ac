"""Figures of TCP with and without a proxy and ARQ: latency and throughput over loss or delay."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tmt.show.charts.style import BLUE, VERMILLION, MemberStyle, new_figure, save

if TYPE_CHECKING:
    from collections.abc import Sequence
    from os import PathLike

AXES = {
    "wired_delay_s": "one-way delay of the wired link (s)",
    "wireless_loss": "packet loss of the wireless link without ARQ",
    "error_after_success": "q (probability of a frame error after a success)",
}
"""Columns for the horizontal axis, and their labels."""


STYLES = {
    (False, False): MemberStyle("end to end", VERMILLION, "o", "--"),
    (False, True): MemberStyle("end to end, ARQ", VERMILLION, "D", "-"),
    (True, False): MemberStyle("split", BLUE, "s", "--"),
    (True, True): MemberStyle("split, ARQ", BLUE, "^", "-"),
}
"""The systems, by whether there is a proxy and whether there is ARQ."""


def draw_sweep(path: str | PathLike[str], title: str, swept: str, rows: Sequence[dict[str, Any]]) -> None:
    """Draw latency and throughput of the four systems over the swept parameter, one of `AXES`.

    Rows are those of `tmt.theory.split.sweep`, with `throughput_bps` beside them.
    """
    with new_figure(7.2, 3.8) as figure:
        latency, throughput = figure.subplots(1, 2)
        for (split, arq), style in STYLES.items():
            line = [row for row in rows if (row["split"], row["arq"]) == (split, arq)]
            x = [row[swept] for row in line]
            shape: dict[str, Any] = {"color": style.colour, "linestyle": style.dash, "marker": "."}
            latency.plot(x, [row["latency_s"] for row in line], label=style.label, **shape)
            throughput.plot(x, [row["throughput_bps"] / 1e3 for row in line], **shape)
        latency.set_ylabel("latency (s)")
        latency.set_ylim(bottom=0.0)
        throughput.set_ylabel("throughput (kbit/s, IP packets)")
        throughput.set_ylim(bottom=0.0)
        for panel in (latency, throughput):
            panel.set_xlabel(AXES[swept])
        figure.suptitle(title, x=0.01, ha="left", fontsize=10)
        figure.legend(loc="outside lower center", ncols=4)
        save(figure, path)
