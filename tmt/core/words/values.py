"""Values in words: shares, counts and units, and notes on allowed values that are probably mistakes."""

from __future__ import annotations

from tmt.core.units import NS_PER_S, ns_to_seconds

USUAL_NS = 10 * NS_PER_S
"""Longer round trips and decode times are noted: a geostationary satellite is half a second away."""

_RATES_NS = NS_PER_S // 10, 60 * NS_PER_S
"""Usual times between rows of a rate series; slots of a PHY are rarely so far apart."""


def rate_unit(greatest_bps: float) -> tuple[str, float]:
    """Return the unit in which rates are shown, and its factor from bit/s."""
    return ("Mbit/s", 1e-6) if greatest_bps >= 2e6 else ("kbit/s", 1e-3)


def time_unit(greatest_s: float) -> tuple[str, float]:
    """Return the unit in which times are shown, and its factor from seconds."""
    return ("ms", 1e3) if greatest_s < 2 else ("s", 1.0)


def percent(share: float) -> str:
    """Return a share in percent with two digits."""
    return f"{100 * share:.2g} %" if share < 0.995 else f"{100 * share:.3g} %"


def counted(number: int, what: str) -> str:
    """Return a number with its noun, as in ``1 run`` and ``2 runs``."""
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"


def time_notes(name: str, time_ns: float) -> list[str]:
    """Note a round trip or a decode time that is unusually long."""
    if time_ns <= USUAL_NS:
        return []
    seconds = time_ns / NS_PER_S
    return [f"{name} is {seconds:g} s; times are in seconds: {seconds:g} ms is {seconds / 1000:g}"]


def padding_notes(name: str, lldu_bytes: int, packet_bytes: int) -> list[str]:
    """Note LLDUs larger than packets that waste a tenth or more, because each packet begins in a new LLDU."""
    share = 1.0 - packet_bytes / lldu_bytes
    if share < 0.1:
        return []
    return [
        f"{name}: {percent(share)} of each LLDU of {lldu_bytes:,} bytes is padding beside a packet of "
        f"{packet_bytes:,} bytes; with --packing packed, packets share LLDUs"
    ]


def decode_time_notes(path: str, median_ns: float, longest_ns: float, interval_ns: float) -> list[str]:
    """Note a PHY trace whose slots are decoded unusually late; for text, note that it may be a rate series.

    `interval_ns` is the mean time from slot to slot, 0 without one.
    """
    notes = time_notes(f"{path}: the median decode time", median_ns)
    is_text = path.lower().endswith((".txt", ".txt.gz"))
    if is_text and _RATES_NS[0] <= interval_ns <= min(_RATES_NS[1], longest_ns):
        apart, decoded = interval_ns / NS_PER_S, longest_ns / NS_PER_S
        times = f"slots are {apart:g} s apart and decoded after up to {decoded:g} s"
        command = f"tmt import table {path} OUT.parquet --time 1 --rate 2:Mbit/s"
        notes.append(f"{path}: {times}: is this a rate series? {command} reads one")
    return notes


def span_notes(name: str, span_ns: int, rtt_ns: int) -> list[str]:
    """Note a trace that is shorter than one round trip."""
    if span_ns >= rtt_ns:
        return []
    return [
        f"{name} lasts {ns_to_seconds(span_ns):g} s, less than one round trip of {ns_to_seconds(rtt_ns):g} s"
    ]


def unsettled_notes(name: str, unsettled: int, rows: int) -> list[str]:
    """Note a link trace most of whose rows are unsettled."""
    if 2 * unsettled <= rows:
        return []
    return [f"{name}: {unsettled:,} of {rows:,} rows are unsettled: open when the trace ends"]


def no_loss_notes(name: str, lost: float, repeated: int = 0) -> list[str]:
    """Note a trace that holds no losses: no row was erased or lost, and none was sent more than once."""
    if lost or repeated:
        return []
    return [
        f"{name} holds no losses: only full queues drop packets, so TCP variants may look more alike than "
        "over the real link"
    ]


FULL_LOAD = 0.9
"""Load of the return link at which acknowledgements fill it: most of them then wait in its queue."""


def ack_notes(name: str, load: float | None, dropped: int) -> list[str]:
    """Note acknowledgements that take `FULL_LOAD` of the return link, or bursts that its queue dropped."""
    if load is not None and load >= FULL_LOAD:
        lost = f", and its queue dropped {dropped:,} of them" if dropped else ""
        return [f"acknowledgements fill {name}: they take {100 * load:.0f} % of it{lost}"]
    if not dropped:
        return []
    taken = (
        ""
        if load is None
        else f", which take {percent(load)} of it in the mean, and at times more than it carries"
    )
    return [f"{name}: its queue dropped {counted(dropped, 'acknowledgement')}{taken}"]


def full_window_notes(name: str, stalled: int, slots: int, window: int, round_trip_slots: int) -> list[str]:
    """Note a conversion to `tetrys` that left more than 1 % of the slots idle: the coding window was full."""
    if 100 * stalled <= slots:
        return []
    idle = f"{name}: {stalled:,} of {slots:,} slots stayed idle: the window was full"
    if window < round_trip_slots:
        return [f"{idle}; coding_window is {window}, and a round trip has {round_trip_slots:,} slots"]
    return [
        f"{idle} during long recoveries; a larger coding_window or a smaller repair_interval shortens them"
    ]
