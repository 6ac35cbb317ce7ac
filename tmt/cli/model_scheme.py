"""`tmt model none`, `fec`, ...: efficiency, delay and loss of a scheme on a Gilbert-Elliott channel."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import click

from tmt.cli.json_output import json_text
from tmt.cli.line_options import DECODE_TIME_OPTION, SLOT_INTERVAL_OPTION
from tmt.cli.model_help import HELP, RESULTS
from tmt.cli.model_output import Laws, Sweep, as_record, as_table, swept
from tmt.cli.notes import print_notes
from tmt.cli.options import (
    JSON,
    PROBABILITIES,
    ROUND_TRIP,
    SECONDS,
    FigurePath,
    Number,
    WholeNumber,
    sweep_option,
    with_options,
)
from tmt.cli.scheme_options import scheme_options

if TYPE_CHECKING:
    from tmt.theory import TwoStateChannel

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

RARE = 0.05
"""Bursts per recovery above which the approximation of RLC shows, and the like of a sliding window."""

MOST_LAWS = 10_000
"""Upper bound of `--laws`: the work grows with its square."""

_PROBABILITY = Number(0.0, 1.0)

_CHANNEL_AND_LINK = (
    sweep_option(
        "--alpha",
        PROBABILITIES,
        "Probability that a good slot follows a good one; FIRST:LAST:COUNT or repetition sweeps.",
        required=True,
    ),
    sweep_option(
        "--beta",
        PROBABILITIES,
        "Probability that a bad slot follows a bad one; sweeps likewise.",
        required=True,
    ),
    click.option("--error-good", type=_PROBABILITY, default=0.0, help="Probability of erasure when good."),
    click.option("--error-bad", type=_PROBABILITY, default=1.0, help="Probability of erasure when bad."),
    click.option("--rtt", type=ROUND_TRIP, required=True, help="Round-trip propagation time in seconds."),
    SLOT_INTERVAL_OPTION,
    DECODE_TIME_OPTION,
    click.option(
        "--detection-delay",
        type=SECONDS,
        default="0",
        help="Seconds until the receiver sends the NACK for an erased slot.",
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
        type=FigurePath(),
        help="Draw a sweep of --alpha or --beta into this .png, .svg, .pdf, .html or .json file.",
    ),
    JSON,
)


def _command(scheme: str) -> click.Command:
    """Return the command of one scheme, which has that scheme's parameters only."""

    @scheme_options(scheme, PARAMETERS[scheme])
    @with_options(*_CHANNEL_AND_LINK)
    def run(
        alpha: list[float],
        beta: list[float],
        error_good: float,
        error_bad: float,
        rtt: int,
        slot_interval: int,
        decode_time: int,
        detection_delay: int,
        formula: Any,
        laws: int | None,
        plot: str | None,
        as_json: bool,
        **parameters: int | float | str | None,
    ) -> None:
        from tmt.theory import RegularLink, TwoStateChannel  # noqa: PLC0415  (numpy takes long to import)
        from tmt.theory.catalogue import sweep  # noqa: PLC0415

        channels = [TwoStateChannel(*pair, error_good, error_bad) for pair in itertools.product(alpha, beta)]
        link = RegularLink(rtt, slot_interval, decode_time, detection_delay)
        if parameters.get("repetitions") is not None:  # the others have no meaning without feedback
            parameters = {"repetitions": parameters["repetitions"]}
        rows = sweep(scheme, channels, link, parameters, formula)
        shown = [_laws(channel, laws) for channel in channels] if laws else []
        found = Sweep(scheme, formula, parameters, link, rows, shown)
        if plot:
            from tmt.show.charts.files import save_chart  # noqa: PLC0415
            from tmt.show.charts.models import scheme_chart  # noqa: PLC0415  (altair takes long to import)

            name = swept({"alpha": alpha, "beta": beta}, "0.1:0.98:12", "--alpha and --beta")
            save_chart(scheme_chart(found.title, scheme, name, rows), plot)
        click.echo(json_text(as_record(found)) if as_json else as_table(found))
        _warn(found)

    return click.command(name=scheme, help=HELP[scheme] + RESULTS)(run)


def _laws(channel: TwoStateChannel, size: int) -> Laws:
    from tmt.theory import burst_length_law, erasure_count_law, gap_length_law  # noqa: PLC0415

    return {
        "erasure_count": erasure_count_law(channel, size).tolist(),
        "burst_length": burst_length_law(channel, size).tolist(),
        "gap_length": gap_length_law(channel, size).tolist(),
    }


def _warn(sweep: Sweep) -> None:
    """Print a note if an approximation is inaccurate (docs/models.md)."""
    from tmt.theory import rlc_recovery_slots  # noqa: PLC0415  (numpy takes long to import)
    from tmt.theory.small_window import LONGEST  # noqa: PLC0415

    rows, parameters = sweep.rows, sweep.parameters
    note, worst, bound = "", 0.0, RARE
    match sweep.scheme:
        case "harq" if sweep.formula == "exact":
            worst, bound = max(abs(row["memory_after_feedback"]) for row in rows), FORGOTTEN
            note = (
                f"the channel's correlation over one feedback delay is up to {worst:.2g}; "
                f"above {bound} the HARQ model is a few per cent too pessimistic"
            )
        case "rlc":
            slots = rlc_recovery_slots(sweep.link, int(parameters["reassembly_ns"] or 0))
            bursts = [row["erasure_probability"] / row["mean_burst_slots"] for row in rows]
            worst = slots * max((rate for rate in bursts if rate > 0), default=0.0)
            note = f"a recovery meets up to {worst:.2g} other bursts; the RLC model is for less than {bound}"
        case "rlc-over-harq-processes":
            slots = rlc_recovery_slots(sweep.link, int(parameters["reassembly_ns"] or 0))
            most = int(parameters["max_transmissions"] or 1)
            worst = slots * max(row["erasure_probability"] ** most for row in rows)
            note = (
                f"a recovery meets up to {worst:.2g} other segments that HARQ gives up; the model is for "
                f"less than {bound}"
            )
        case "sliding-window" if int(parameters["coding_window"] or 0) > LONGEST:
            worst = max(row["residual_loss"] / (row["erasure_probability"] or 1.0) for row in rows)
            note = (
                f"up to {worst:.0%} of the erased LLDUs need recoveries longer than the window; above "
                f"{bound:.0%} the model's loss is rough"
            )
    if worst > bound:
        print_notes([f"{note} (docs/models.md)"])


COMMANDS = {scheme: _command(scheme) for scheme in HELP}
"""The commands, by name."""
