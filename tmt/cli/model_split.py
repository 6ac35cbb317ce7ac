"""`tmt model split`: TCP through a proxy and over go-back-N ARQ, by the formulas of Jin and Yang."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Annotated, Any

import click

from tmt.cli import options
from tmt.cli.lazy import imported_when_used
from tmt.cli.progress import say, working
from tmt.cli.tables import print_parts, text_table
from tmt.cli.values import by_options
from tmt.core.declaration import Param
from tmt.core.errors import UsageError

if TYPE_CHECKING:
    from tmt.theory.split import SplitScenario

with imported_when_used():
    from tmt.show.charts import files as figures, models as charts

_RATE, _COUNT, _SECONDS, _LOSS = options.RATE, options.COUNT, options.SECONDS, options.PROBABILITY
_ONE_OR_MORE = options.Value("number", Annotated[float, Param(least=1, most=1e6)])


SYSTEMS = ("e2e", "e2e+ARQ", "split", "split+ARQ")

HEADER = (
    *("wired\ndelay, s", "wireless\nloss", "frame\nerror"),
    *(f"{figure}\n{name}" for figure in ("latency", "kbit/s") for name in SYSTEMS),
)


@click.command(name="split")
@options.table(
    ("--segments", _COUNT, 1000, "M, segments of the transfer."),
    ("--packet-bytes", _COUNT, 1500, "Size of an IP packet."),
    ("--ack-bytes", _COUNT, 40, "Size of an acknowledgement."),
    ("--wired-rate", _RATE, "10e6", "Rate of the wired link in bit/s."),
    (
        *("--wired-delay", options.TIMES, ("0.045",)),
        "tau_1, one-way delay of the wired link in seconds; FIRST:LAST:COUNT or repetition sweeps.",
    ),
    ("--wired-loss", _LOSS, 0.01, "p_1, share of packets that the wired link loses."),
    ("--wireless-rate", _RATE, "2e6", "Rate of the wireless link in bit/s."),
    ("--wireless-delay", _SECONDS, "0.00001", "tau_2, one-way delay of the wireless link in seconds."),
    (
        *("--wireless-loss", options.PROBABILITIES, None),
        "p_2, share of packets that the wireless link loses without ARQ; sweeps likewise.",
    ),
    (
        *("--burst-frames", _ONE_OR_MORE, None),
        "With --wireless-loss: mean length of an error burst in frames; else errors are independent.",
    ),
    (
        *("--error-after-success", options.PROBABILITIES, None),
        "Instead of --wireless-loss: q, probability of a frame error after a success (c = 1 - q).",
    ),
    (
        *("--error-after-error", _LOSS, None),
        "With --error-after-success: s, probability of an error after an error (r = 1 - s); else s = q.",
    ),
    ("--frames", _COUNT, 10, "n, ARQ frames of a packet."),
    ("--window", _COUNT, 10, "N, frames from a lost frame to its retransmission."),
    (
        "--frame-processing",
        _SECONDS,
        "0.000001",
        "D_ARQ, seconds that a frame takes beyond its transmission.",
    ),
    ("--residual-loss", _LOSS, 0.0, "p_2', share of packets that the wireless link loses in spite of ARQ."),
    (
        *("--processing", _SECONDS, "0"),
        "t_p, seconds from a packet's arrival at the proxy until it may be sent on.",
    ),
    ("--initial-window", _ONE_OR_MORE, 2, "omega_0, initial window of every sender in packets."),
    ("--threshold", _ONE_OR_MORE, 44, "omega_ss-thresh, window that ends slow start."),
    ("--largest-window", _ONE_OR_MORE, 44, "omega_max, upper bound of the window."),
    ("--packets-per-ack", _COUNT, 2, "b, packets that one ACK acknowledges."),
    (
        *("--timeout", options.POSITIVE_SECONDS, None),
        "T0, the retransmission timeout in seconds; else 0.2, or the round trip if longer.",
    ),
    (
        *("--formula", click.Choice(["segments", "windows", "printed"]), "segments"),
        "Model until the first loss: every segment, the paper's windows, or the paper's printed formulas "
        "(docs/proxy-model.md).",
    ),
)
@options.plot_option("Draw a sweep")
@options.JSON
def command(
    packet_bytes: int,
    wired_delay: list[float],
    wireless_loss: list[float],
    error_after_success: list[float],
    formula: Any,
    plot: str | None,
    as_json: bool,
    **given: Any,
) -> None:
    """A TCP transfer over a wired and a wireless link, with and without proxy and ARQ (Jin and Yang 2006).

    Latency is the time from the first segment's start until the receiver has all segments. Throughput is
    segments / latency, counted as whole IP packets. A proxy between the links ends one connection and begins
    another. ARQ is go-back-N with n frames a packet on a channel with two states. Defaults are the paper's,
    if it gives values.

    \b
    Figure 4: over the loss of the wireless link:
      tmt model split --wireless-loss 0:0.1:11 --plot latency.png
    Figure 5: over the delay of the wired link:
      tmt model split --wireless-loss 0.01 --wired-delay 0:0.25:11
    Frame errors that last four frames on average, c = 0.99, q = 0.01, r = 0.25, s = 0.75:
      tmt model split --error-after-success 0.01 --error-after-error 0.75
    """
    from tmt.theory.split import sweep  # noqa: PLC0415  (scipy takes long to import)

    with working("computes"):
        rows = sweep(
            _scenarios(packet_bytes, wired_delay, wireless_loss, error_after_success, given), formula
        )
    for row in rows:
        row["throughput_bps"] = 8 * packet_bytes * row["packets_per_s"]
        row["long_run_throughput_bps"] = 8 * packet_bytes * row["long_run_packets_per_s"]
    if plot:
        sweeps = {
            "wired_delay_s": wired_delay,
            "wireless_loss": wireless_loss,
            "error_after_success": error_after_success,
        }
        name = options.swept(sweeps, "0:0.1:11", "--wired-delay, --wireless-loss and --error-after-success")
        figures.save_chart(
            charts.split_chart(f"{given['segments']} segments, formula {formula}", name, rows), plot
        )
    if as_json:
        say(options.json_text({"formula": formula, "points": rows}))
    else:
        say(f"{given['segments']} segments, formula {formula}; latency in s, throughput in kbit/s")
        systems = (rows[index : index + len(SYSTEMS)] for index in range(0, len(rows), len(SYSTEMS)))
        print_parts(text_table("", HEADER, map(_cells, systems), ()))


@by_options()
def _scenarios(
    packet_bytes: int, delays_s: list[float], losses: list[float], errors: list[float], given: dict[str, Any]
) -> list[SplitScenario]:
    """Return each delay with each wireless channel, made from packet loss rates or from q and s."""
    from tmt.theory.split import GoBackNLink, SplitScenario, TcpSender, TwoLinks  # noqa: PLC0415

    if bool(losses) == bool(errors):
        raise UsageError("give either --wireless-loss or --error-after-success")
    burst_frames, after_error = given["burst_frames"], given["error_after_error"]
    if burst_frames is not None and not losses:
        raise UsageError("--burst-frames goes with --wireless-loss")
    if after_error is not None and not errors:
        raise UsageError("--error-after-error goes with --error-after-success")
    protocol = (given["frames"], given["window"], given["frame_processing"])
    links = [GoBackNLink.losing(loss, burst_frames, *protocol) for loss in losses]
    links += [GoBackNLink(one, one if after_error is None else after_error, *protocol) for one in errors]
    paths = [
        TwoLinks.of_rates(
            wired_bps=given["wired_rate"],
            wireless_bps=given["wireless_rate"],
            wired_delay_s=delay_s,
            wireless_delay_s=given["wireless_delay"],
            packet_bytes=packet_bytes,
            ack_bytes=given["ack_bytes"],
            processing_s=given["processing"],
            wired_loss=given["wired_loss"],
        )
        for delay_s in delays_s
    ]
    sender = TcpSender(
        given["initial_window"],
        given["threshold"],
        given["largest_window"],
        given["packets_per_ack"],
        given["timeout"],
    )
    return [
        SplitScenario(path, link, sender, sender, given["segments"], given["residual_loss"])
        for path, link in product(paths, links)
    ]


def _cells(systems: list[dict[str, Any]]) -> list[str]:
    """Return the line of one path and wireless link."""
    first = systems[0]
    shown = [f"{first['wired_delay_s']:.4g}", f"{first['wireless_loss']:.4g}", f"{first['frame_error']:.3g}"]
    shown += [f"{system['latency_s']:.3f}" for system in systems]
    return shown + [f"{system['throughput_bps'] / 1e3:.1f}" for system in systems]


COMMANDS = {"split": command}
