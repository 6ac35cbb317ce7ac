"""`tmt model none`, `fec`, ...: efficiency, delay and loss of a scheme on a Gilbert-Elliott channel."""

from __future__ import annotations

import itertools
import math
from dataclasses import MISSING, dataclass
from typing import TYPE_CHECKING, Any

import click

from tmt.cli import options
from tmt.cli.lazy import imported_when_used
from tmt.cli.model_command import HELP, RESULTS
from tmt.cli.progress import print_notes, say, working
from tmt.cli.tables import print_parts, text_table
from tmt.cli.values import Values, by_options
from tmt.core.declaration import declared, ns
from tmt.core.problems import Problem, Refused
from tmt.core.schemes import SCHEMES
from tmt.core.units import ns_to_seconds
from tmt.spec.options import Part

if TYPE_CHECKING:
    from tmt.core.schemes.scheme import Scheme

with imported_when_used():
    from tmt import theory
    from tmt.show.charts import files as figures, models as charts

FORGOTTEN = 0.05
"""Channel correlation over one feedback delay above which HARQ's approximation is inaccurate
(docs/models.md).
"""

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
"""The schemes of each model, their parameters in it, and upper bounds that limit the computing time."""

OLD = {"--rlc-mode": "--mode"}

RARE = 0.05
"""Bursts per recovery above which the approximation of RLC, or of a sliding window, is inaccurate."""

MOST_LAWS = 10_000
"""Upper bound of `--laws`, because the work grows with its square."""

_SECONDS, _PROBABILITY, _PROBABILITIES = options.SECONDS, options.PROBABILITY, options.PROBABILITIES

_CHANNEL_AND_LINK = options.table(
    (
        *("--alpha", _PROBABILITIES, MISSING),
        "Probability that a good slot follows a good one; FIRST:LAST:COUNT or repetition sweeps.",
    ),
    ("--beta", _PROBABILITIES, MISSING, "Probability that a bad slot follows a bad one; sweeps likewise."),
    ("--error-good", _PROBABILITY, 0.0, "Probability of erasure when good."),
    ("--error-bad", _PROBABILITY, 1.0, "Probability of erasure when bad."),
    ("--rtt", options.ROUND_TRIP, MISSING, "Round-trip propagation time in seconds."),
    ("--slot-interval", options.POSITIVE_SECONDS, "0.001", "Time from one slot to the next, in seconds."),
    (
        *("--decode-time", options.DECODE_TIME, "0.036"),
        "Time in seconds until the PHY has decoded a slot, such as the depth of its interleaver.",
    ),
    ("--detection-delay", _SECONDS, "0", "Seconds until the receiver sends the NACK for an erased slot."),
    (
        *("--formula", click.Choice(["exact", "printed"]), "exact"),
        "Formulas that are exact for TMT's schemes, or those that Kuhn 2014 prints "
        "(docs/kuhn2014-formulas.md).",
    ),
)
_LAWS = click.option(
    "--laws",
    type=options.whole(1, MOST_LAWS),
    metavar="N",
    help="Show P(m, N), the law of erasures in N LLDUs, and the laws of burst and gap lengths up to N.",
)

Laws = dict[str, list[float]]
"""Probabilities by name: `erasure_count` from m = 0, `burst_length` and `gap_length` from 1."""


@dataclass(frozen=True, slots=True)
class Sweep:
    """A scheme, its parameters, and the results of the formulas: `rows`, and `laws` for each on request."""

    scheme: str
    formula: str
    parameters: theory.Parameters
    link: theory.RegularLink
    rows: list[theory.Row]
    laws: list[Laws]

    @property
    def title(self) -> str:
        """The scheme, its parameters and the kind of formulas, in one line."""
        named = (
            f"{name.removesuffix('_s').replace('_', ' ')} {'unlimited' if value is None else value}"
            + " s" * name.endswith("_s")
            for name, value in _in_seconds(self.parameters).items()
            if value or name in ("repair", "depth", "extra", "rounds", "max_transmissions", "reassembly_s")
        )
        return f"{', '.join((self.scheme, *named))} ({self.formula} formulas)"


def _command(scheme: str) -> click.Command:

    @_CHANNEL_AND_LINK
    @_LAWS
    @options.plot_option("Draw a sweep of --alpha or --beta")
    @options.JSON
    def run(
        alpha: list[float],
        beta: list[float],
        error_good: float,
        error_bad: float,
        rtt: float,
        slot_interval: float,
        decode_time: float,
        detection_delay: float,
        formula: Any,
        laws: int | None,
        plot: str | None,
        as_json: bool,
        **schemes: Scheme,
    ) -> None:
        with by_options():
            channels = [
                theory.TwoStateChannel(*one, error_good, error_bad) for one in itertools.product(alpha, beta)
            ]
        link = theory.RegularLink(*map(ns, (rtt, slot_interval, decode_time, detection_delay)))
        parameters = _parameters(schemes, MODELS[scheme])
        with working("computes"):
            rows = theory.sweep(scheme, channels, link, parameters, formula)
        shown = [_laws(channel, laws) for channel in channels] if laws else []
        found = Sweep(scheme, formula, parameters, link, rows, shown)
        if plot:
            name = options.swept({"alpha": alpha, "beta": beta}, "0.1:0.98:12", "--alpha and --beta")
            figures.save_chart(charts.scheme_chart(found.title, scheme, name, rows), plot)
        if as_json:
            say(options.json_text(_as_record(found)))
        else:
            _print(found)
        _warn(found)

    values = {}
    for name, own in MODELS[scheme].items():
        hidden = dict.fromkeys(declared(SCHEMES[name]).keys() - own.keys(), MISSING)
        values[name] = Part((name,), SCHEMES[name], hidden=hidden)
    text = HELP[scheme] + RESULTS
    return click.command(name=scheme, cls=Values, values=values, renamed=OLD, help=text)(run)


@by_options()
def _parameters(schemes: dict[str, Scheme], model: dict[str, dict[str, int | None]]) -> theory.Parameters:
    """Return the arguments of a model, with times in nanoseconds (UsageError)."""
    found: theory.Parameters = {}
    for name, scheme in schemes.items():
        for key, most in model[name].items():
            value, field = getattr(scheme, key), declared(type(scheme))[key]
            if most is not None and (name != "arq" if value is None else value > most):
                allowed = f"a whole number from {field.param.least:g} to {most}: more would take too long"
                raise Refused([Problem((key,), "none" if value is None else value, "range", allowed)])
            is_time = field.param.unit == "s"
            found[f"{key}_ns" if is_time else key] = ns(value) if is_time else value
    repetitions = found.get("repetitions")  # the others have no meaning without feedback
    return found if repetitions is None else {"repetitions": repetitions}


def _laws(channel: theory.TwoStateChannel, size: int) -> Laws:
    return {
        "erasure_count": theory.erasure_count_law(channel, size).tolist(),
        "burst_length": theory.burst_length_law(channel, size).tolist(),
        "gap_length": theory.gap_length_law(channel, size).tolist(),
    }


def _warn(sweep: Sweep) -> None:
    from tmt.theory.sliding_window import LONGEST  # noqa: PLC0415  (scipy takes long to import)

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
            slots = theory.rlc_recovery_slots(sweep.link, int(parameters["reassembly_ns"] or 0))
            bursts = [row["erasure_probability"] / row["mean_burst_slots"] for row in rows]
            worst = slots * max((rate for rate in bursts if rate > 0), default=0.0)
            note = f"a recovery meets up to {worst:.2g} other bursts; the RLC model is for less than {bound}"
        case "rlc-over-harq-processes":
            slots = theory.rlc_recovery_slots(sweep.link, int(parameters["reassembly_ns"] or 0))
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


def _in_seconds(parameters: theory.Parameters) -> theory.Parameters:
    found: theory.Parameters = {}
    for name, value in parameters.items():
        if name.endswith("_ns"):
            found[f"{name[:-3]}_s"] = ns_to_seconds(int(value or 0))
        else:
            found[name] = value
    return found


def _as_record(sweep: Sweep) -> dict[str, object]:
    link = sweep.link
    points: list[dict[str, object]] = [dict(row) for row in sweep.rows]
    for point, laws in zip(points, sweep.laws, strict=False):
        point["laws"] = laws
    return {
        "scheme": sweep.scheme,
        "formula": sweep.formula,
        "parameters": _in_seconds(sweep.parameters),
        "rtt_s": ns_to_seconds(link.rtt_ns),
        "slot_interval_s": ns_to_seconds(link.slot_interval_ns),
        "decode_time_s": ns_to_seconds(link.decode_time_ns),
        "detection_delay_s": ns_to_seconds(link.detection_delay_ns),
        "feedback_slots": link.feedback_slots,
        "points": points,
    }


def _print(sweep: Sweep) -> None:
    link, header = sweep.link, ("alpha", "beta", "erased", "mean burst\nslots", "efficiency", "delay\ns")
    say(
        f"{sweep.title}\nRTT {ns_to_seconds(link.rtt_ns):g} s, "
        f"slot interval {ns_to_seconds(link.slot_interval_ns):g} s, "
        f"decode time {ns_to_seconds(link.decode_time_ns):g} s, "
        f"detection delay {ns_to_seconds(link.detection_delay_ns):g} s"
    )
    rows = (
        (
            f"{row['alpha']:.4f}",
            f"{row['beta']:.4f}",
            f"{row['erasure_probability']:.5f}",
            _known(row["mean_burst_slots"], ".3f"),
            f"{row['efficiency']:.5f}",
            _known(row["recovery_delay_s"], ".5f"),
            _known(row["residual_loss"], ".4g", "not printed"),
        )
        for row in sweep.rows
    )
    print_parts(text_table("", (*header, "residual loss"), rows, ()))
    for row, law in zip(sweep.rows, sweep.laws, strict=False):
        columns = law["erasure_count"], [None, *law["burst_length"]], [None, *law["gap_length"]]
        lines = (
            (str(m), *("" if value is None else f"{value:.4g}" for value in values))
            for m, values in enumerate(zip(*columns, strict=True))
        )
        heads = ("m", f"P(m, {len(law['burst_length'])})", "burst of m", "gap of m")
        print_parts(text_table(f"alpha {row['alpha']:g}, beta {row['beta']:g}", heads, lines, ()))


def _known(value: float, form: str, unknown: str = "-") -> str:
    return unknown if math.isnan(value) else format(value, form)


COMMANDS = {scheme: _command(scheme) for scheme in HELP}
