"""`tmt model hybrid`: TCP over a link with hybrid FEC/ARQ-SR, by the formulas of Barakat and Al Fawal."""

from __future__ import annotations

from dataclasses import MISSING
from itertools import product
from typing import Any

import click

from tmt.cli import options
from tmt.cli.lazy import imported_when_used
from tmt.cli.progress import say, working
from tmt.cli.tables import print_parts, text_table
from tmt.cli.values import by_options

with imported_when_used():
    from tmt.show.charts import files as figures, models as charts


HEADER = (
    *("unit loss\np", "persistency\ndelta", "\nN", "throughput\nU/B", "busy\npi", "useful\nalpha"),
    *("packet loss\nP", "RTT\nA, s"),
)


@click.command(name="hybrid")
@options.table(
    (
        *("--unit-loss", options.PROBABILITIES, MISSING),
        "p, probability that a unit is lost; FIRST:LAST:COUNT or repetition sweeps.",
    ),
    (
        *("--code-length", options.COUNTS, MISSING),
        "N, units of a frame, redundant ones included; FIRST:LAST or repetition sweeps.",
    ),
    (
        *("--persistency", options.CountList("retransmissions", may_be_unlimited=True), ("unlimited",)),
        "delta, most retransmissions of a frame; sweeps likewise.",
    ),
    ("--frame-units", options.COUNT, 10, "K, data units of a frame."),
    ("--packet-frames", options.COUNT, 6, "X, frames of a TCP packet."),
    ("--unit-bytes", options.COUNT, 25, "Bytes of a unit."),
    ("--rate", options.RATE, "2e6", "B, the link's rate in bit/s."),
    ("--delay", options.SECONDS, "0.2", "D, the link's one-way delay in seconds."),
    ("--access-rtt", options.SECONDS, "0.08", "T, the two-way delay of the rest of the path in seconds."),
    ("--connections", options.COUNT, 10, "C, long-lived TCP connections."),
    ("--delayed-acks", options.COUNT, 2, "b, packets that one ACK acknowledges."),
)
@options.plot_option("Draw throughput over the swept parameter")
@options.JSON
def command(
    unit_loss: list[float],
    code_length: list[int],
    persistency: list[int | None],
    frame_units: int,
    packet_frames: int,
    unit_bytes: int,
    rate: float,
    delay: float,
    access_rtt: float,
    connections: int,
    delayed_acks: int,
    plot: str | None,
    as_json: bool,
) -> None:
    """Long-lived TCP connections over a link with hybrid FEC/ARQ-SR (Barakat and Al Fawal 2003).

    A TCP packet crosses the link as X frames of K data units and N - K redundant units. A frame that cannot
    be decoded is retransmitted up to delta times. Packets leave in order. Throughput counts delivered packets
    and is a share of the link's rate. Defaults are the paper's.

    \b
    Figure 11: ten connections, redundancy from none to twice the data, persistency 0 to 5:
      tmt model hybrid --unit-loss 0.01 --code-length 10:20 --persistency 0:5 --plot hybrid.png
    The best redundancy when a quarter of the units is lost:
      tmt model hybrid --unit-loss 0.25 --code-length 10:20
    """
    from tmt.theory import hybrid  # noqa: PLC0415  (scipy takes long to import)

    with by_options():
        links = [
            hybrid.HybridLink(
                unit_loss=loss,
                code_length=length,
                frame_units=frame_units,
                packet_frames=packet_frames,
                persistency=limit,
                rate_units_per_s=rate / (8 * unit_bytes),
                delay_s=delay,
                access_rtt_s=access_rtt,
            )
            for limit, loss, length in product(persistency, unit_loss, code_length)
        ]
    with working("computes"):
        rows = hybrid.sweep(links, connections, delayed_acks)
    best = {loss: hybrid.optimal_code_lengths(loss, frame_units) for loss in unit_loss}
    if plot:
        figures.save_chart(
            charts.hybrid_chart(f"{connections} TCP connections over hybrid FEC/ARQ-SR", rows), plot
        )
    if as_json:
        optimum = [{"unit_loss": loss, "code_lengths": lengths} for loss, lengths in best.items()]
        say(options.json_text({"points": rows, "optimal_with_unlimited_persistency": optimum}))
        return
    print_parts(text_table("", HEADER, map(_cells, rows), ()))
    for loss, lengths in best.items():
        say(
            f"p = {loss:g}: with unlimited persistency N = {' and '.join(map(str, lengths))} "
            f"{'is' if len(lengths) == 1 else 'are equally'} best, "
            f"{hybrid.largest_throughput(loss, lengths[0], frame_units):.2%} of the link"
        )


def _cells(row: dict[str, Any]) -> list[str]:
    """Return the line of one link."""
    limit = row["persistency"]
    shown = [f"{row['unit_loss']:.4g}", "unlimited" if limit is None else str(limit), str(row["code_length"])]
    shown += [f"{row['throughput']:.2%}", f"{row['utilisation']:.1%}", f"{row['efficiency']:.1%}"]
    return [*shown, f"{row['packet_loss']:.4g}", f"{row['rtt_s']:.4f}"]


COMMANDS = {"hybrid": command}
