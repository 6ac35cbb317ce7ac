"""Round trips of irtt with one-way delays: its JSON, and the CSV of the LENS data set.

JSON (`irtt client -o FILE`), version 0.9: ``round_trips[]`` with ``seqno``, ``lost`` (text "false", "true",
"true_up", "true_down"; older programs wrote booleans), ``timestamps.client.send.monotonic``, ``delay.send``
and ``delay.receive``, all in ns; without both wall clocks (``--tstamp``, ``--clock``) only ``delay.rtt``.
Source: irtt's ``doc/irtt-client.md``.

LENS (Starlink and OneWeb), irtt: ``timestamp,rtt,uplink,downlink``, the stamp in ns since the epoch, delays
in ms. -1 marks a loss: in ``uplink``, in ``downlink``, or in ``rtt`` if the direction is unknown; the other
two are then 0. ping: ``timestamp,rtt``, the stamp of the reply in s since the epoch; lost probes have no
line. Source: README of clarkzjw/LENS.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from tmt.core.errors import InputError
from tmt.core.units import MAX_TIME_NS, NS_PER_MS, NS_PER_S
from tmt.core.words.refusals import shown
from tmt.core.words.values import counted
from tmt.importers.log_files import Record, TextTable, first_names, member, read_json
from tmt.importers.notes import HALF_TRIP, agreed, milliseconds, unknown_losses
from tmt.importers.probes import Probes, RoundTripImporter, all_lost

if TYPE_CHECKING:
    import numpy.typing as npt

    from tmt.core.trace import Int64Array
    from tmt.importers.importer import Direction

_LOST = {"false": "", "true": "unknown", "true_up": "up", "true_down": "down"}
_UDP_IPV4_BYTES, _UDP_IPV6_BYTES = 28, 48
_FORMS = _IRTT_NAMES, _PING_NAMES = ("timestamp", "rtt", "uplink", "downlink"), ("timestamp", "rtt")

_LENS_BYTES = 88
"""IP packet of irtt in this data set: 60 bytes of UDP payload."""
_PING_BYTES = 84


class Irtt(RoundTripImporter):
    """Round trips of irtt (JSON), one direction; up is from the client to the server.

    Each probe becomes a row with its one-way delay and fate. See docs/import/probes.md.

        tmt import irtt probes.json up.parquet --direction up --line 5e6
    """

    name: ClassVar[str] = "irtt"
    signs: ClassVar[tuple[bytes, ...]] = (b'"round_trips"', b'"irtt"')

    def probes(self, path: str) -> Probes:
        """Return the probes of one direction.

        On the way down, a probe is sent when its way up ends. A probe that was lost on its way up is not sent
        down. A loss of unknown direction counts in the direction that is read.
        """
        document = read_json(path)
        trips = member(document, "round_trips")
        if not isinstance(trips, list) or not trips:
            raise InputError(path, "there is no list round_trips; this is not the JSON of irtt")
        sent, up, down, lost = [], [], [], []
        one_way = any(member(trip, "delay", "send") is not None for trip in trips)
        limits_ns = -MAX_TIME_NS, MAX_TIME_NS
        for number, held in enumerate(trips):
            trip = Record.of(path, f"round_trips[{number}]", held)
            fate = _LOST.get(str(trip["lost"]).lower())
            if fate is None:
                told, allowed = shown(repr(trip["lost"])), ", ".join(_LOST)
                raise trip.refused(f"lost is {told}; allowed are {allowed}")
            lost.append(fate)
            sent.append(trip.whole("timestamps.client.send.monotonic", *limits_ns))
            if len(sent) > 1 and sent[-1] < sent[-2]:
                back_ns = sent[-2] - sent[-1]
                raise trip.refused(f"the client's clock goes back by {back_ns} ns; round trips must follow")
            if not fate and one_way:
                up.append(trip.whole("delay.send", *limits_ns))
                down.append(trip.whole("delay.receive", *limits_ns))
            elif not fate:
                half_ns = (trip.whole("delay.rtt", *limits_ns) + 1) // 2
                up.append(half_ns)
                down.append(half_ns)
        if not up:
            raise all_lost(path, len(trips), "round trip")
        length = member(document, "config", "params", "length")  # of the UDP payload
        header = _UDP_IPV6_BYTES if member(document, "config", "ip_version") == "IPv6" else _UDP_IPV4_BYTES
        size = (length if isinstance(length, int) else 0) + header
        columns = np.array(sent), np.array(lost), np.array(up), np.array(down)
        probes = one_direction(path, *columns, size, self.way)
        return probes if one_way else replace(probes, notes=(HALF_TRIP, *probes.notes[1:]))


class Lens(RoundTripImporter):
    """Round trips of the LENS data set (CSV of irtt or ping).

    Each probe becomes a row. Delays are in ms; -1 tells the direction of a loss. See docs/import/probes.md.

        tmt import lens irtt-10ms-2024-01-20.csv up.parquet --direction up
    """

    name: ClassVar[str] = "lens"

    @classmethod
    def sniff(cls, head: bytes) -> bool:
        """Whether the first line is one of the two headers."""
        return tuple(first_names(head)) in _FORMS

    def probes(self, path: str) -> Probes:
        """Return the probes of one direction; InputError, with the line, at a wrong field or time."""
        table = TextTable(path)
        names = next((names for names in _FORMS if table.has(*names)), None)
        if names is None:
            known = " or ".join(map(",".join, _FORMS))
            raise InputError(path, f"the columns are {shown(','.join(table.names), 120)}; needed are {known}")
        units_ns = (1 if names == _IRTT_NAMES else NS_PER_S, *[NS_PER_MS] * (len(names) - 1))
        rows: list[list[int]] = []
        for row in table.rows(*names):
            times_ns = [row.time_ns(name, unit_ns) for name, unit_ns in zip(names, units_ns, strict=True)]
            if rows and times_ns[0] < rows[-1][0]:
                raise row.refused(f"time goes back by {milliseconds(rows[-1][0] - times_ns[0])}")
            if names == _PING_NAMES and times_ns[1] < 0:
                raise row.refused(f"the round trip is {row['rtt']} ms; it must be 0 or more")
            rows.append(times_ns)
        columns = np.array(rows, np.int64).T
        if names == _IRTT_NAMES:
            probes = _lens_trips(path, self.way, *columns)
            return replace(probes, notes=(*probes.notes, *table.cut_notes))
        stamps, trips = columns
        longest = milliseconds(int(np.diff(stamps).max(initial=0)))
        unknown = "the file holds no sequence numbers: losses are unknown; longest time between replies"
        notes = (HALF_TRIP, f"{unknown} {longest}", *table.cut_notes)
        return Probes.of(stamps - trips, trips // 2, np.ones(len(stamps), np.bool_), _PING_BYTES, notes)


def one_direction(
    path: str,
    sent_ns: Int64Array,
    lost: npt.NDArray[np.str_],
    up_ns: Int64Array,
    down_ns: Int64Array,
    size_bytes: int,
    direction: Direction,
) -> Probes:
    """Return the probes of one direction of round trips whose one-way delays are known.

    `lost`, [n_trips], is "", "up", "down" or "unknown"; the delays, [n_not_lost], are as measured. A probe
    whose round trip is not positive is ignored. InputError if there is no other.
    """
    wrong_ns = (up_ns + down_ns)[up_ns + down_ns <= 0]
    if len(wrong_ns) == len(up_ns):
        raise InputError(path, f"all {len(up_ns)} round trips are of 0 or less; no delay is known")
    measured = np.ones(len(lost), np.bool_)
    measured[lost == ""] = up_ns + down_ns > 0
    sent_ns, lost = sent_ns[measured], lost[measured]
    whole, trips_ns = lost == "", up_ns + down_ns
    up_ns, down_ns, note = _one_way_delays(up_ns[trips_ns > 0], down_ns[trips_ns > 0])
    notes = [note, *unknown_losses(int((lost == "unknown").sum()), direction)]
    if len(wrong_ns):
        notes.append(
            f"{counted(len(wrong_ns), 'probe')} with a round trip of 0 or less (at least "
            f"{milliseconds(int(wrong_ns.min()))}) left out: no measurements"
        )
    # A lost probe has the delay interpolated between its neighbours' delays up.
    every_up_ns = np.rint(np.interp(sent_ns, sent_ns[whole], up_ns)).astype(np.int64)
    every_up_ns[whole] = up_ns
    if direction == "up":
        arrived = whole | (lost == "down")
        return Probes.of(sent_ns, every_up_ns[arrived], arrived, size_bytes, tuple(notes))
    starts = sent_ns + every_up_ns
    present = lost != "up"
    never = int((~present).sum())
    if never:
        notes.append(f"{agreed(never, 'probe', 'were')} lost upwards and never set out downwards")
    return Probes.of(starts[present], down_ns, whole[present], size_bytes, tuple(notes))


def _one_way_delays(up_ns: Int64Array, down_ns: Int64Array) -> tuple[Int64Array, Int64Array, str]:
    """Return the delays of both directions without the difference of the clocks, and a note about it.

    The measured delays contain the difference with opposite signs, so their sum is right. A least delay that
    is not positive proves a difference; it is then assumed to be the one that makes both least delays equal.
    If this does not make all delays positive, the clocks drift, and each delay is half of the round trip.
    """
    least_up, least_down = int(up_ns.min()), int(down_ns.min())
    least = f"least delay {milliseconds(least_up)} up, {milliseconds(least_down)} down"
    if least_up > 0 and least_down > 0:
        return up_ns, down_ns, f"the clocks are taken to agree: {least}"
    ahead = (least_up - least_down) // 2
    if least_up + least_down > 1:
        note = (
            f"the clocks differ ({least}): a difference of {milliseconds(ahead)} is taken out, which makes "
            f"both least delays {milliseconds(least_up - ahead)}"
        )
        return up_ns - ahead, down_ns + ahead, note
    half = (up_ns + down_ns + 1) // 2
    return half, half, f"the clocks drift ({least}): each delay is taken as half of the round trip"


def _lens_trips(
    path: str, direction: Direction, sent: Int64Array, trips: Int64Array, up: Int64Array, down: Int64Array
) -> Probes:
    lost = np.select(
        [trips == -NS_PER_MS, up == -NS_PER_MS, down == -NS_PER_MS], ["unknown", "up", "down"], ""
    )
    # A -1 is a loss only if the other two delays are 0: clocks that differ give negative delays, too.
    zeros = (trips == 0).astype(int) + (up == 0) + (down == 0)
    lost = np.where(zeros == 2, lost, "")
    whole = lost == ""
    if not whole.any():
        raise all_lost(path, len(sent), "probe")
    return one_direction(path, sent, lost, up[whole], down[whole], _LENS_BYTES, direction)
