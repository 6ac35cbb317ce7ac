"""`tmt model none`, `fec`, ...: efficiency, delay and loss of a scheme on a Gilbert-Elliott channel."""

from __future__ import annotations

import itertools
from dataclasses import MISSING
from typing import TYPE_CHECKING, Any

import click

from tmt.cli.json_output import json_text
from tmt.cli.model_help import HELP, RESULTS
from tmt.cli.model_output import Laws, Sweep, as_record, as_table, swept
from tmt.cli.notes import print_notes
from tmt.cli.options import (
    DECODE_TIME,
    JSON,
    POSITIVE_SECONDS,
    PROBABILITIES,
    ROUND_TRIP,
    SECONDS,
    FigurePath,
    Number,
    WholeNumber,
    sweep_option,
    with_options,
)
from tmt.cli.values import Values, by_options
from tmt.core.declaration import Problem, Refused, declared, ns
from tmt.core.schemes import SCHEMES
from tmt.spec.options import Part

if TYPE_CHECKING:
    from tmt.core.schemes.scheme import Scheme
    from tmt.theory import Parameters, TwoStateChannel

FORGOTTEN = 0.05
"""Channel correlation over one feedback delay above which HARQ's approximation shows (docs/models.md)."""

MOST = 65_535
"""Most transmissions that the sums of a model run over."""

MODELS: dict[str, dict[str, dict[str, int | None]]] = {
    "none": {"none": {}},
    "fec": {"fec": {"data": None, "repair": None, "depth": None}},
    "arq": {"arq": {"max_transmissions": MOST}},
    "harq": {"harq": {"data": None, "repair": None, "extra": None, "rounds": MOST}},
    "harq-processes": {
        "harq-processes": {
            "processes": None,
            "max_transmissions": 100,
            "retransmission": None,
            "repetitions": None,
            "missed_feedback": None,
            "false_feedback": None,
        }
    },
    "sliding-window": {"sliding-window": {"coding_window": None, "repair_interval": 128}},
    "tetrys": {"tetrys": {"coding_window": 1024, "repair_interval": 1024}},
    "rlc": {"rlc": {"mode": None, "delivery": None, "reassembly": None}},
    "rlc-over-harq-processes": {
        "harq-processes": {"processes": None, "max_transmissions": 100},
        "rlc": {"delivery": None, "max_retransmissions": 1000, "reassembly": None},
    },
}
"""The schemes of each model, their parameters in it, and upper bounds where more would take too long."""

OLD = {"--rlc-mode": "--mode"}
"""Names of version 0.2."""

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
    click.option(
        "--slot-interval",
        type=POSITIVE_SECONDS,
        default="0.001",
        help="Time from one slot to the next, in seconds.",
    ),
    click.option(
        "--decode-time",
        type=DECODE_TIME,
        default="0.036",
        help="Time in seconds until the PHY has decoded a slot, such as the depth of its interleaver.",
    ),
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
    """Return the command of one model, which has the parameters of its schemes only."""

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
        **schemes: Scheme,
    ) -> None:
        from tmt.theory import (  # noqa: PLC0415  (numpy takes long to import)
            RegularLink,
            TwoStateChannel,
            sweep,
        )

        with by_options():
            channels = [
                TwoStateChannel(*one, error_good, error_bad) for one in itertools.product(alpha, beta)
            ]
        link = RegularLink(rtt, slot_interval, decode_time, detection_delay)
        parameters: Parameters = {}
        for name, one in schemes.items():
            parameters |= _parameters(one, MODELS[scheme][name])
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

    values = {name: _part(name, own) for name, own in MODELS[scheme].items()}
    text = HELP[scheme] + RESULTS
    return click.command(name=scheme, cls=Values, values=values, renamed=OLD, help=text)(run)


def _part(scheme: str, parameters: dict[str, int | None]) -> Part:
    """Return the scheme with those parameters only that a model has."""
    hidden = dict.fromkeys(declared(SCHEMES[scheme]).keys() - parameters.keys(), MISSING)
    return Part((scheme,), SCHEMES[scheme], hidden=hidden)


def _parameters(scheme: Scheme, bounds: dict[str, int | None]) -> Parameters:
    """Return the arguments of a model, with times in nanoseconds (UsageError)."""
    found: Parameters = {}
    for key, most in bounds.items():
        value, field = getattr(scheme, key), declared(type(scheme))[key]
        if most is not None and (scheme.name != "arq" if value is None else value > most):
            allowed = f"a whole number from {field.param.least:g} to {most}: more would take too long"
            with by_options():
                raise Refused([Problem((key,), "none" if value is None else value, "range", allowed)])
        is_time = field.param.unit == "s"
        found[f"{key}_ns" if is_time else key] = ns(value) if is_time else value
    return found


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
    from tmt.theory.sliding_window import LONGEST  # noqa: PLC0415

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
