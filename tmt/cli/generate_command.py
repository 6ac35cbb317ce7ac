"""`tmt generate`: make a PHY trace from a channel model."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from tmt.cli.options import FILE, JSON, OUT, SEED, json_text
from tmt.cli.progress import print_notes, progress_bar, rows_of, say
from tmt.cli.values import CHOSEN, Values, by_options, set_by_name
from tmt.core.channels import CHANNELS
from tmt.core.channels.base import Channel
from tmt.core.channels.snr import Snr
from tmt.core.declaration import ns
from tmt.core.errors import UsageError
from tmt.core.modes import Adaptation
from tmt.core.words.values import time_notes
from tmt.io.generation import generate, overlay
from tmt.io.signals import signal_notes
from tmt.spec.options import Part, flag_of, listed
from tmt.spec.slot_line import SlotLine

if TYPE_CHECKING:
    from tmt.core.trace import PhyTrace

VALUES = {
    "channel": Part(("channel",), Channel, among=CHANNELS, meaning="Channel model."),
    "slots": Part(("slots",), SlotLine, usual=None),
    "adaptation": Part(("adaptation",), Adaptation, usual=None),
}

_LATE = ("--report-delay", "--report-every", "--report-loss", "--report-cqi", "--margin")
_OF_RULES = {"--step": ("olla",), **dict.fromkeys(_LATE, ("margin", "olla"))}
"""Options of an adaptation that only some rules use."""

_FAR, _ENOUGH = 3, 10
"""Ratio of the error rate to the target, or its inverse, above which it is noted, if at least that many slots
are erased or expected to be.
"""

_SMALL_RISE_DB = 3.0
"""Rise of the offset by ACKs, over the whole trace, below which too low an error rate is noted."""


@click.command(
    cls=Values, values=VALUES, renamed={"--rate-bps": "--rate", "--share": "--every"}, renew=set_by_name
)
@click.argument("phy", type=OUT)
@click.option(
    "--over", type=FILE, help="Add the erasures to the slots of this PHY trace, instead of making new slots."
)
@click.option(
    "--with-es-n0",
    is_flag=True,
    help="lms, snr: also write the Es/N0 of each slot (column es_n0_mdb), which soft combining needs.",
)
@click.option("--seed", type=SEED, default=1, help="Equal seeds give equal traces.")
@JSON
def command(
    phy: str,
    channel: Channel,
    slots: SlotLine | None,
    adaptation: Adaptation | None,
    over: str | None,
    seed: int,
    with_es_n0: bool,
    as_json: bool,
) -> None:
    """Make the PHY trace PHY from a channel model; its ending chooses the format.

    Slots follow each other at a fixed interval, or are those of an existing trace (--over), whose erased
    slots stay erased. The same options and seed make the same trace.

    \b
    Ten minutes of a link of 263 kbit/s with 2 % erasures in short bursts:
      tmt generate --channel gilbert-elliott --alpha 0.99 --beta 0.5 \\
          --rate 263000 --lldu-bytes 33 --duration 600 phy.parquet
    The same trace, with another one in a hundred slots erased:
      tmt generate --channel bernoulli --probability 0.01 \\
          --over phy.parquet worse.parquet
    A receiver in a car at 90 km/h, without interleaver:
      tmt generate --channel lms --es-n0-db 8 --speed-kmh 90 \\
          --interleaver-depth 0 --duration 600 phy.parquet
    A measured attenuation, and the error rates of a code:
      tmt generate --channel snr --signal attenuation.txt --es-n0-db 12 \\
          --error-rates ldpc.txt --rate 263000 --lldu-bytes 33 \\
          --duration 600 phy.parquet
    A DVB-S2 carrier of 5 Mbaud that adapts to it, by reports that are 0.3 s old:
      tmt generate --channel snr --signal attenuation.txt --es-n0-db 12 \\
          --modes dvb-s2 --symbol-rate 5000000 --adapt margin --margin 1 \\
          --report-delay 0.3 --report-every 0.1 --duration 600 phy.parquet
    """
    if adaptation is None:
        channel.check_fates()
    else:
        _check_rule(adaptation)
    if isinstance(channel, Snr):
        length_ns = 0 if slots is None or over is not None else ns(slots.duration)
        print_notes(signal_notes(channel.signal, length_ns, needs_es_n0=adaptation is not None))
    if over is not None:
        if slots is not None or adaptation is not None:
            said = [key for part in (slots, adaptation) if part is not None for key in part.said()]
            flags = ", ".join(flag_of(("", key)) for key in said)
            raise UsageError(f"{flags}: cannot be given with --over: the trace has its own slots")
        with progress_bar("generate", rows_of(over), compiles=True) as progress:
            made = overlay(over, phy, channel, seed=seed, with_es_n0=with_es_n0, progress=progress)
    elif slots is None:
        raise UsageError("--duration: is missing; say how many seconds the trace lasts")
    else:
        made = _generate(phy, channel, slots, adaptation, seed, with_es_n0=with_es_n0)
    if as_json:
        say(json_text({"phy": phy, "channel": channel.describe(), "seed": seed, "slots": made}))


def _generate(
    phy: str, channel: Channel, slots: SlotLine, adaptation: Adaptation | None, seed: int, *, with_es_n0: bool
) -> int:
    """Write the trace of a channel over new slots, print notes, and return the number of slots."""
    with by_options():
        line, lldu_bytes = slots.line(channel, adaptation)
    print_notes(time_notes("--decode-time", ns(slots.decode_time or 0)))
    duration_ns = ns(slots.duration)
    if adaptation is not None:
        print_notes(time_notes("--report-delay", ns(adaptation.report_delay)))
    erased, late = 0, 0

    def watch(chunk: PhyTrace) -> None:
        nonlocal erased, late
        is_erased = chunk.decode_time_ns == 0
        erased += int(is_erased.sum())
        late += int(is_erased[chunk.tx_time_ns >= duration_ns // 2].sum())

    with progress_bar("generate", line.slots_within(duration_ns), compiles=True) as progress:
        made = generate(
            phy,
            channel,
            line,
            duration_ns=duration_ns,
            seed=seed,
            lldu_bytes=lldu_bytes,
            with_es_n0=with_es_n0,
            adaptation=adaptation,
            progress=progress,
            watch=watch,
        )
    if adaptation is not None and adaptation.adapt == "olla":
        print_notes(_target_notes(adaptation, made, erased, late))
    return made


def _check_rule(adaptation: Adaptation) -> None:
    """Refuse options that the rule does not use (UsageError)."""
    for flag in click.get_current_context().meta[CHOSEN]:
        if adaptation.adapt not in (rules := _OF_RULES.get(flag, (adaptation.adapt,))):
            raise UsageError(f"{flag}: is an option of --adapt {listed(rules)}, not of {adaptation.adapt}")


def _target_notes(adaptation: Adaptation, slots: int, erased: int, late: int) -> list[str]:
    """Note an error rate that `olla` leaves far from its target; `late` is the number of erased slots in the
    second half.
    """
    expected = adaptation.target_error_rate * slots
    rise_db = adaptation.step * expected / (1 - adaptation.target_error_rate)
    if erased < _ENOUGH or erased <= _FAR * expected:
        if expected < _ENOUGH or _FAR * erased >= expected or rise_db >= _SMALL_RISE_DB:
            return []
        why = f"ACKs raise the offset by {rise_db:.2g} dB in {slots} slots; a larger --step does it sooner"
    elif late > _FAR * expected / 2:
        why = "the channel changes faster than reports arrive; a larger --margin or a shorter --report-delay "
        why += "lowers it"
    else:
        why = f"until NACKs of {adaptation.step:g} dB have lowered the offset; a larger --step does it sooner"
    return [f"the error rate is {erased / slots:.2g}, the target {adaptation.target_error_rate:g}: {why}"]
