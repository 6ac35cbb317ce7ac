"""`tmt model none`, `fec`, ...: efficiency, delay and loss of a scheme on a Gilbert-Elliott channel."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import click

from tmt.cli.model_help import HELP, RESULTS
from tmt.cli.model_output import Laws, Sweep, as_json, as_table, swept
from tmt.cli.options import (
    DECODE_TIME,
    FILE,
    POSITIVE_SECONDS,
    PROBABILITIES,
    ROUND_TRIP,
    SECONDS,
    Number,
    WholeNumber,
    with_options,
)
from tmt.cli.scheme_options import scheme_options
from tmt.generate import DEFAULT_DECODE_TIME_NS
from tmt.units import NS_PER_MS

if TYPE_CHECKING:
    from tmt.models import TwoStateChannel
    from tmt.models.catalogue import Row

FORGOTTEN = 0.05
"""Channel correlation over one feedback delay above which HARQ's approximation shows (docs/models.md)."""

MOST = 65_535
"""The largest block of a scheme."""

PARAMETERS: dict[str, dict[str, int]] = {
    "none": {},
    "fec": {"data": MOST, "repair": MOST, "depth": MOST},
    "arq": {"max_transmissions": MOST},
    "harq": {"data": MOST, "repair": MOST, "extra": MOST, "rounds": MOST},
    "harq-processes": {
        "processes": MOST,
        "max_transmissions": 100,
        "retransmission": 0,
        "repetitions": MOST,
        "missed_feedback": 1,
        "false_feedback": 1,
    },
    "sliding-window": {"coding_window": 1024, "repair_interval": 128},
    "tetrys": {"coding_window": 1024, "repair_interval": 1024},
    "rlc": {"rlc_mode": 0, "delivery": 0, "reassembly_ns": 0},
    "rlc-over-harq-processes": {
        "processes": MOST,
        "max_transmissions": 100,
        "delivery": 0,
        "max_retransmissions": 1000,
        "reassembly_ns": 0,
    },
}
"""Parameters of the model of each scheme, with upper bounds of whole numbers: more would take too long."""

SMALL_WINDOW = 12
"""Up to this window the model of a sliding window is exact (`tmt.models.small_window.LONGEST`)."""

RARE = 0.05
"""Bursts per recovery above which the approximation of RLC shows, and the like of a sliding window."""

MOST_LAWS = 10_000
"""Upper bound of `--laws`: the work grows with its square."""

_PROBABILITY = Number(0.0, 1.0)

_CHANNEL_AND_LINK = (
    click.option(
        "--alpha",
        type=PROBABILITIES,
        multiple=True,
        required=True,
        help="Probability that a good slot follows a good one; FIRST:LAST:COUNT or repetition sweeps.",
    ),
    click.option(
        "--beta",
        type=PROBABILITIES,
        multiple=True,
        required=True,
        help="Probability that a bad slot follows a bad one; sweeps likewise.",
    ),
    click.option(
        "--error-good",
        type=_PROBABILITY,
        default=0.0,
        help="Probability of erasure when good.",
    ),
    click.option(
        "--error-bad",
        type=_PROBABILITY,
        default=1.0,
        help="Probability of erasure when bad.",
    ),
    click.option("--rtt", type=ROUND_TRIP, required=True, help="Round-trip propagation time in seconds."),
    click.option(
        "--slot-interval",
        type=POSITIVE_SECONDS,
        default=NS_PER_MS,
        show_default=False,
        help="Time from one slot to the next, in seconds.  [default: 0.001]",
    ),
    click.option(
        "--decode-time",
        type=DECODE_TIME,
        default=DEFAULT_DECODE_TIME_NS,
        show_default=False,
        help="Time in seconds until the PHY has decoded a slot.  [default: 0.036]",
    ),
    click.option(
        "--detection-delay",
        type=SECONDS,
        default=0,
        show_default=False,
        help="Seconds until the receiver sends the NACK for an erased slot.  [default: 0]",
    ),
    click.option(
        "--formula",
        type=click.Choice(["exact", "printed"]),
        default="exact",
        help="Formulas that are exact for TMT's schemes, or those that Kuhn 2014 prints "
        "(docs/kuhn2014-formulas.md).",
    ),
    click.option(
        "--laws",
        type=WholeNumber(1, MOST_LAWS),
        metavar="N",
        help="Show P(m, N), the law of erasures in N LLDUs, and the laws of burst and gap lengths up to N.",
    ),
    click.option(
        "--plot",
        type=FILE,
        help="Draw a sweep of --alpha or --beta into this .png, .svg or .pdf file.",
    ),
    click.option("--json", "json_wanted", is_flag=True, help="Print JSON, for programs."),
)


def _command(scheme: str) -> click.Command:
    """Return the command of one scheme, which has that scheme's parameters only."""

    @scheme_options(scheme, PARAMETERS[scheme])
    @with_options(*_CHANNEL_AND_LINK)
    def run(
        alpha: tuple[tuple[float, ...], ...],
        beta: tuple[tuple[float, ...], ...],
        error_good: float,
        error_bad: float,
        rtt: int,
        slot_interval: int,
        decode_time: int,
        detection_delay: int,
        formula: Any,
        laws: int | None,
        plot: str | None,
        json_wanted: bool,
        **parameters: int | float | str | None,
    ) -> None:
        from tmt.models import RegularLink, TwoStateChannel  # noqa: PLC0415  (numpy takes long to import)
        from tmt.models.catalogue import sweep  # noqa: PLC0415

        alphas, betas = (list(itertools.chain(*values)) for values in (alpha, beta))
        channels = [
            TwoStateChannel(alpha, beta, error_good, error_bad)
            for alpha, beta in itertools.product(alphas, betas)
        ]
        link = RegularLink(rtt, slot_interval, decode_time, detection_delay)
        if parameters.get("repetitions") is not None:  # the others have no meaning without feedback
            parameters = {"repetitions": parameters["repetitions"]}
        rows = sweep(scheme, channels, link, parameters, formula)
        shown = [_laws(channel, laws) for channel in channels] if laws else []
        found = Sweep(scheme, formula, parameters, link, rows, shown)
        if plot:
            _plot(plot, found.title, scheme, rows, sweeps={"alpha": alphas, "beta": betas})
        click.echo(as_json(found) if json_wanted else as_table(found))
        _warn(found)

    return click.command(name=scheme, help=HELP[scheme] + RESULTS)(run)


def _laws(channel: TwoStateChannel, size: int) -> Laws:
    from tmt.models import burst_length_law, erasure_count_law, gap_length_law  # noqa: PLC0415

    return {
        "erasure_count": erasure_count_law(channel, size).tolist(),
        "burst_length": burst_length_law(channel, size).tolist(),
        "gap_length": gap_length_law(channel, size).tolist(),
    }


def _plot(path: str, title: str, scheme: str, rows: list[Row], sweeps: dict[str, list[float]]) -> None:
    from tmt.figures.models import draw_sweep  # noqa: PLC0415

    draw_sweep(path, title, scheme, swept(sweeps, "0.1:0.98:12", "--alpha and --beta"), rows)


def _warn(sweep: Sweep) -> None:
    """Print a note if an approximation is inaccurate (docs/models.md)."""
    rows, note = sweep.rows, None
    memory = max(abs(row["memory_after_feedback"]) for row in rows)
    if sweep.scheme == "harq" and sweep.formula == "exact" and memory > FORGOTTEN:
        note = (
            f"the channel's correlation over one feedback delay is up to {memory:.2g}; "
            f"above {FORGOTTEN} the HARQ model is a few per cent too pessimistic"
        )
    if sweep.scheme == "rlc":
        from tmt.models import rlc_recovery_slots  # noqa: PLC0415  (numpy takes long to import)

        slots = rlc_recovery_slots(sweep.link, int(sweep.parameters["reassembly_ns"] or 0))
        bursts = [row["erasure_probability"] / row["mean_burst_slots"] for row in rows]
        meeting = slots * max((rate for rate in bursts if rate > 0), default=0.0)
        if meeting > RARE:
            note = f"a recovery meets up to {meeting:.2g} other bursts; the RLC model is for less than {RARE}"
    if sweep.scheme == "rlc-over-harq-processes":
        from tmt.models import rlc_recovery_slots  # noqa: PLC0415

        slots = rlc_recovery_slots(sweep.link, int(sweep.parameters["reassembly_ns"] or 0))
        most = int(sweep.parameters["max_transmissions"] or 1)
        meeting = slots * max(row["erasure_probability"] ** most for row in rows)
        if meeting > RARE:
            note = (
                f"a recovery meets up to {meeting:.2g} other segments that HARQ gives up; the model is for "
                f"less than {RARE}"
            )
    if sweep.scheme == "sliding-window" and int(sweep.parameters["coding_window"] or 0) > SMALL_WINDOW:
        given_up = max(row["residual_loss"] / (row["erasure_probability"] or 1.0) for row in rows)
        if given_up > RARE:
            note = (
                f"up to {given_up:.0%} of the erased LLDUs need recoveries longer than the window; above "
                f"{RARE:.0%} the model's loss is rough"
            )
    if note:
        click.echo(f"note: {note} (docs/models.md)", err=True)


COMMANDS = {scheme: _command(scheme) for scheme in HELP}
"""The commands, by name."""
