"""`tmt model`: efficiency, delay and loss of a scheme by formulas, without a trace."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from tmt.cli.model_output import Laws, as_json, as_table, describe
from tmt.cli.options import POSITIVE_SECONDS, SECONDS
from tmt.cli.scheme_options import scheme_options
from tmt.errors import UsageError
from tmt.units import NS_PER_MS

if TYPE_CHECKING:
    from tmt.models import TwoStateChannel
    from tmt.models.catalogue import Parameters, Row

REQUIRED = {"fec": ("data", "repair"), "harq": ("data", "repair")}
"""Parameters of a scheme that have no default."""

DEFAULTS = {"depth": 1, "extra": 1, "rounds": 2}
"""Those that have one; `max_transmissions` stands for unlimited when it is not given."""

PARAMETERS = ("data", "repair", "depth", "extra", "rounds", "max_transmissions")

FORGOTTEN = 0.05
"""Correlation over one feedback time above which HARQ's approximation shows (docs/models.md)."""


class Probabilities(click.ParamType[tuple[float, ...]]):
    """One probability, or `FIRST:LAST:COUNT` for equally spaced ones."""

    name = "probability"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[float, ...]:
        """Parse and check; the ends of a range are exact."""
        text = str(value)
        parts = text.split(":")
        try:
            ends = [float(part) for part in parts[:2]]
            count = int(parts[2]) if len(parts) == 3 else len(parts)
        except ValueError:
            count = 0
        if len(parts) not in (1, 3) or count < (2 if len(parts) == 3 else 1):
            self.fail(
                f"{text} is neither a number nor FIRST:LAST:COUNT with a COUNT of 2 or more.", param, ctx
            )
        if not all(0.0 <= end <= 1.0 for end in ends):
            self.fail(f"{text} is not allowed; a probability lies within [0, 1].", param, ctx)
        first, last = ends[0], ends[-1]
        if count == 1:
            return (first,)
        return (*(first + (last - first) * i / (count - 1) for i in range(count - 1)), last)


_PROBABILITIES = Probabilities()
_PROBABILITY = click.FloatRange(0.0, 1.0)


@click.command()
@click.option(
    "--scheme",
    type=click.Choice(["none", "fec", "arq", "harq"]),
    required=True,
    help="Link-layer scheme, with the options of `tmt convert`.",
)
@scheme_options
@click.option(
    "--alpha",
    type=_PROBABILITIES,
    multiple=True,
    required=True,
    help="Probability that a good slot follows a good one; FIRST:LAST:COUNT sweeps, and so does repetition.",
)
@click.option(
    "--beta",
    type=_PROBABILITIES,
    multiple=True,
    required=True,
    help="Probability that a bad slot follows a bad one; sweeps likewise.",
)
@click.option(
    "--error-good",
    type=_PROBABILITY,
    default=0.0,
    show_default=True,
    help="Probability of erasure when good.",
)
@click.option(
    "--error-bad",
    type=_PROBABILITY,
    default=1.0,
    show_default=True,
    help="Probability of erasure when bad.",
)
@click.option("--rtt", type=SECONDS, required=True, help="Round-trip propagation time in seconds.")
@click.option(
    "--slot-interval",
    type=POSITIVE_SECONDS,
    default=NS_PER_MS,
    show_default="0.001",
    help="Time from one slot to the next, in seconds.",
)
@click.option(
    "--decode-time",
    type=POSITIVE_SECONDS,
    default=36 * NS_PER_MS,
    show_default="0.036",
    help="Time in seconds until the PHY has decoded a slot.",
)
@click.option(
    "--detection-delay",
    type=SECONDS,
    default=0,
    show_default="0",
    help="arq, harq: time in seconds until the receiver reports an erased slot.",
)
@click.option(
    "--formula",
    type=click.Choice(["exact", "printed"]),
    default="exact",
    show_default=True,
    help="The forms that hold for our schemes, or those of Kuhn 2014 to the letter (docs/models.md).",
)
@click.option(
    "--laws",
    type=click.IntRange(1),
    metavar="N",
    help="Show P(m, N), the law of erasures in N LLDUs, and those of burst and gap lengths up to N.",
)
@click.option(
    "--plot",
    type=click.Path(dir_okay=False),
    help="Draw a sweep of --alpha or --beta into this .png, .svg or .pdf file.",
)
@click.option("--json", "json_wanted", is_flag=True, help="Print JSON, for programs.")
@click.pass_context
def command(ctx: click.Context, /, scheme: str, json_wanted: bool, **_: object) -> None:
    """Compute what a link-layer scheme achieves on a Gilbert-Elliott channel.

    Throughput efficiency (delivered data LLDUs / slots used), recovery delay (mean over delivered LLDUs of
    RTT/2 + delay) and residual loss, for a line of equally spaced slots. The numbers are those that
    `tmt generate`, `tmt convert` and `tmt inspect` approach with long traces.

    \b
    Hybrid ARQ with 5 data and 7 repair LLDUs and up to 2 requests:
      tmt model --scheme harq --data 5 --repair 7 --extra 1 --rounds 2 \\
          --alpha 0.99 --beta 0.5 --rtt 0.5 --slot-interval 0.001 --decode-time 0.036
    ARQ while bursts grow from 1 to 50 slots, as a picture:
      tmt model --scheme arq --alpha 0.99 --beta 0.1:0.98:12 --rtt 0.5 --plot arq.png
    The law of erasures in 22 LLDUs:
      tmt model --scheme none --alpha 0.99 --beta 0.9 --rtt 0.5 --laws 22
    """
    from tmt.models import RegularLink, TwoStateChannel  # noqa: PLC0415  (numpy takes long to import)
    from tmt.models.catalogue import sweep  # noqa: PLC0415

    options = ctx.params
    alphas, betas = (list(itertools.chain(*options[name])) for name in ("alpha", "beta"))
    channels = [
        TwoStateChannel(alpha, beta, options["error_good"], options["error_bad"])
        for alpha, beta in itertools.product(alphas, betas)
    ]
    link = RegularLink(
        options["rtt"], options["slot_interval"], options["decode_time"], options["detection_delay"]
    )
    parameters = _parameters(ctx, scheme)
    rows = sweep(scheme, channels, link, parameters, options["formula"])
    laws = [_laws(channel, options["laws"]) for channel in channels] if options["laws"] else []
    if options["plot"]:
        title = describe(scheme, options["formula"], parameters)
        _plot(options["plot"], title, scheme, rows, sweeps={"alpha": alphas, "beta": betas})
    if json_wanted:
        click.echo(as_json(scheme, options["formula"], parameters, link, rows, laws))
    else:
        click.echo(as_table(scheme, options["formula"], parameters, link, rows, laws))
    _warn(scheme, options["formula"], rows)


def _parameters(ctx: click.Context, scheme: str) -> Parameters:
    from tmt.models.catalogue import MODELS  # noqa: PLC0415

    own = MODELS[scheme].parameters
    allowed = f"only {', '.join(map(_option, own))} are" if own else "none is"
    for name in PARAMETERS:
        if name not in own and ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            raise UsageError(f"{_option(name)} is no parameter of {scheme}: {allowed}")
    for name in REQUIRED.get(scheme, ()):
        if ctx.params[name] is None:
            raise UsageError(f"{_option(name)} is missing: {scheme} needs it")
    return {name: DEFAULTS.get(name) if ctx.params[name] is None else ctx.params[name] for name in own}


def _option(name: str) -> str:
    return "--" + name.replace("_", "-")


def _laws(channel: TwoStateChannel, size: int) -> Laws:
    from tmt.models import burst_length_law, erasure_count_law, gap_length_law  # noqa: PLC0415

    return {
        "erasure_count": erasure_count_law(channel, size).tolist(),
        "burst_length": burst_length_law(channel, size).tolist(),
        "gap_length": gap_length_law(channel, size).tolist(),
    }


def _plot(path: str, title: str, scheme: str, rows: list[Row], sweeps: dict[str, list[float]]) -> None:
    from tmt.figures.models import draw_sweep  # noqa: PLC0415

    swept = [name for name, values in sweeps.items() if len(values) > 1]
    if len(swept) != 1:
        raise UsageError(
            "--plot draws a sweep: give a range such as 0.1:0.98:12 to one of --alpha and --beta"
        )
    draw_sweep(path, title, scheme, swept[0], rows)


def _warn(scheme: str, formula: str, rows: list[Row]) -> None:
    memory = max(abs(row["memory_after_feedback"]) for row in rows)
    if scheme == "harq" and formula == "exact" and memory > FORGOTTEN:
        click.echo(
            f"note: the channel's correlation over one feedback time is up to {memory:.2g}; "
            f"above {FORGOTTEN} the HARQ model is a few per cent too pessimistic (docs/models.md)",
            err=True,
        )
