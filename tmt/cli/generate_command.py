"""`tmt generate`: make a PHY trace from a channel model."""

from __future__ import annotations

from dataclasses import fields
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import click

from tmt.cli.json_output import json_text
from tmt.cli.line_options import DECODE_TIME_OPTION, SLOT_INTERVAL_OPTION
from tmt.cli.options import FILE, JSON, POSITIVE_SECONDS, Number, WholeNumber, is_typed
from tmt.cli.progress import progress_bar
from tmt.cli.row_counts import rows_of
from tmt.core.channels.registry import CHANNELS
from tmt.core.errors import UsageError
from tmt.core.generate import Line
from tmt.core.units import seconds_to_ns
from tmt.io.generation import generate, overlay

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tmt.core.channels.base import Channel

LINE_OPTIONS = ("slot_interval", "rate_bps", "share", "decode_time", "duration")
"""Options that make a line of slots; with `--over` the slots are those of a trace."""

_PROBABILITY = Number(0.0, 1.0)


@click.command()
@click.argument("phy", type=FILE)
@click.option(
    "--channel",
    "channel_name",
    type=click.Choice(list(CHANNELS)),
    required=True,
    help="Channel model. error-free: no erasures. bernoulli: independent ones. gilbert-elliott: bursts. "
    "neyman-a: clusters of errors. lms: shadowing and multipath of a satellite receiver in a car. shadows: "
    "equal shadows at random distances. snr: a measured signal, and a code's error rates.",
)
@click.option(
    "--probability", type=_PROBABILITY, help="bernoulli, neyman-a: probability that a slot is erased."
)
@click.option(
    "--alpha", type=_PROBABILITY, help="gilbert-elliott: probability that a good slot follows a good one."
)
@click.option(
    "--beta", type=_PROBABILITY, help="gilbert-elliott: probability that a bad slot follows a bad one."
)
@click.option(
    "--error-good", type=_PROBABILITY, help="gilbert-elliott: probability of erasure when good.  [default: 0]"
)
@click.option(
    "--error-bad", type=_PROBABILITY, help="gilbert-elliott: probability of erasure when bad.  [default: 1]"
)
@click.option(
    "--errors-per-cluster", type=Number(0, min_open=True), help="neyman-a: mean errors in a cluster."
)
@click.option(
    "--cluster-slots", type=Number(0), help="neyman-a: length of a cluster in slots; may be a fraction."
)
@click.option(
    "--es-n0-db",
    type=float,
    help="lms: Es/N0 in dB without shadowing and multipath. snr: Es/N0 in dB without the attenuation of "
    "--signal.",
)
@click.option(
    "--signal",
    type=FILE,
    help="snr: file with time in seconds and Es/N0 in dB, or attenuation in dB below --es-n0-db.",
)
@click.option(
    "--error-rates", type=FILE, help="snr: file with block error rates over Es/N0, such as AFF3CT's."
)
@click.option(
    "--profile",
    type=click.Choice(dict.fromkeys(profile for kind in CHANNELS.values() for profile in kind.profiles)),
    help="lms, shadows: named set of the model's parameters and of rate and size of the slots.  [default: "
    "internet for lms, distribution for shadows]",
)
@click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="NAME=VALUE",
    help="lms, shadows: replace one of the profile's parameters (docs/lms.md, docs/channels.md); may be "
    "repeated.",
)
@SLOT_INTERVAL_OPTION
@click.option(
    "--rate-bps",
    type=WholeNumber(1),
    help="Instead of --slot-interval: bits of LLDUs per second; needs --lldu-bytes.",
)
@click.option("--lldu-bytes", type=WholeNumber(1), help="Useful bytes of one LLDU; kept in the trace.")
@click.option(
    "--share",
    type=WholeNumber(1),
    help="With --rate-bps: number of users that share the link; this user has every n-th slot.  [default: 1]",
)
@DECODE_TIME_OPTION
@click.option("--duration", type=POSITIVE_SECONDS, help="Length of the trace in seconds.")
@click.option(
    "--over", type=FILE, help="Add the erasures to the slots of this PHY trace, instead of making new slots."
)
@click.option(
    "--with-es-n0",
    is_flag=True,
    help="lms, snr: also write the Es/N0 of each slot (column es_n0_mdb), which soft combining needs.",
)
@click.option("--seed", type=WholeNumber(0), default=1, help="Equal seeds give equal traces.")
@JSON
def command(
    phy: str,
    channel_name: str,
    over: str | None,
    seed: int,
    with_es_n0: bool,
    as_json: bool,
    **_: object,
) -> None:
    """Make the PHY trace PHY from a channel model; its ending chooses the format.

    Slots follow each other at a fixed interval, or are those of an existing trace (--over), whose erased
    slots stay erased. The same options and seed make the same trace.

    \b
    Ten minutes of a link of 263 kbit/s with 2 % erasures in short bursts:
      tmt generate --channel gilbert-elliott --alpha 0.99 --beta 0.5 \\
          --rate-bps 263000 --lldu-bytes 33 --duration 600 phy.parquet
    The same trace, with another one in a hundred slots erased:
      tmt generate --channel bernoulli --probability 0.01 \\
          --over phy.parquet worse.parquet
    A receiver in a car at 90 km/h, without interleaver:
      tmt generate --channel lms --es-n0-db 8 --set speed_kmh=90 \\
          --set interleaver_depth=0 --duration 600 phy.parquet
    A measured attenuation, and the error rates of a code:
      tmt generate --channel snr --signal attenuation.txt --es-n0-db 12 \\
          --error-rates ldpc.txt --rate-bps 263000 --lldu-bytes 33 \\
          --duration 600 phy.parquet
    """
    ctx = click.get_current_context()
    channel = _channel(ctx, channel_name)
    if over is not None:
        _refuse((*LINE_OPTIONS, "lldu_bytes"), "cannot be given with --over: the trace has its own slots")
        with progress_bar("generate", rows_of(over), compiles=True) as progress:
            slots = overlay(over, phy, channel, seed=seed, with_es_n0=with_es_n0, progress=progress)
    else:
        line, lldu_bytes = _line(ctx, channel)
        duration_ns = ctx.params["duration"]
        if duration_ns is None:
            raise UsageError("--duration is missing: say how many seconds the trace lasts")
        with progress_bar("generate", line.slots_within(duration_ns), compiles=True) as progress:
            slots = generate(
                phy,
                channel,
                line,
                duration_ns=duration_ns,
                seed=seed,
                lldu_bytes=lldu_bytes,
                with_es_n0=with_es_n0,
                progress=progress,
            )
    if as_json:
        click.echo(json_text({"phy": phy, "channel": channel.describe(), "seed": seed, "slots": slots}))


def _channel(ctx: click.Context, name: str) -> Channel:
    kind = CHANNELS[name]
    own = [field.name for field in fields(kind)]
    owned = {field.name for each in CHANNELS.values() for field in fields(each)}
    others = [name for name in ctx.params if name in owned and name not in own]
    allowed = ", ".join(map(_option, own)) or "none"
    _refuse(others, f"is no parameter of {name}, whose parameters are: {allowed}")
    given = {field: ctx.params[field] for field in own if ctx.params.get(field) is not None}
    if not kind.profiles:
        _refuse(("profile", "settings"), f"means nothing for {name}, which has no profiles")
    else:
        given = _with_profile(kind, ctx.params["profile"], given, ctx.params["settings"])
    for field in fields(kind):
        if field.name not in given and field.default is field.default_factory:
            raise UsageError(f"{_option(field.name)} is missing: {name} needs it")
    return kind(**given)


def _with_profile(
    kind: type[Channel], profile: str | None, given: dict[str, Any], settings: tuple[str, ...]
) -> dict[str, Any]:
    """Return a profile's values, changed by options and by ``NAME=VALUE`` with times in seconds."""
    names = {field.name.removesuffix("_ns"): field for field in fields(kind)}
    for setting in settings:
        name, _, text = setting.partition("=")
        if name not in names:
            raise UsageError(
                f"--set {setting}: {kind.name} has no parameter {name!r}, only {', '.join(names)}"
            )
        field = names[name]
        try:
            value = seconds_to_ns(text) if field.name.endswith("_ns") else _NUMBERS[str(field.type)](text)
        except (ValueError, ArithmeticError):
            raise UsageError(
                f"--set {setting}: {text!r} is not allowed; it must be a number ({field.type})"
            ) from None
        given[field.name] = value
    chosen = profile or next(iter(kind.profiles))
    if chosen not in kind.profiles:
        raise UsageError(f"--profile is {chosen}, {kind.name} has only {', '.join(kind.profiles)}")
    return kind.profiles[chosen].parameters() | given


_NUMBERS: dict[str, type[Any]] = {"int": int, "float": float}


def _line(ctx: click.Context, channel: Channel) -> tuple[Line, int | None]:
    """Return the line of slots and the LLDU size; the profile of a channel may give both."""
    rate_bps, lldu_bytes = ctx.params["rate_bps"], ctx.params["lldu_bytes"]
    share, decode_ns = ctx.params["share"], ctx.params["decode_time"]
    if channel.decode_time_ns is not None:
        _refuse(("decode_time",), f"cannot be given: {channel.name} sets it by its own parameters")
        decode_ns = channel.decode_time_ns
    if channel.profiles and not is_typed("slot_interval"):
        line = channel.profiles[ctx.params["profile"] or next(iter(channel.profiles))].line
        lldu_bytes = lldu_bytes or int(line.lldu_bytes.value)
        if rate_bps is None:
            rate_bps, share = int(line.rate_bps.value), share or int(line.share.value)
    if rate_bps is None:
        _refuse(("share",), "needs --rate-bps, the rate of the line that is shared")
        return Line(Fraction(ctx.params["slot_interval"]), decode_ns), lldu_bytes
    _refuse(("slot_interval",), "cannot be given with --rate-bps: that makes the interval")
    if lldu_bytes is None:
        raise UsageError(f"--rate-bps {rate_bps} needs --lldu-bytes, the bytes that one slot carries")
    return Line.at_rate(rate_bps, lldu_bytes, decode_ns, share=share or 1), lldu_bytes


def _refuse(names: Iterable[str], why: str) -> None:
    for name in names:
        if is_typed(name):
            raise UsageError(f"{_option(name)} {why}")


def _option(field: str) -> str:
    return "--set" if field == "settings" else "--" + field.replace("_", "-")
