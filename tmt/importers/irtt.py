"""JSON of irtt (`irtt client -o FILE`), version 0.9: round trips with one-way delays.

Fields: ``round_trips[]`` with ``seqno``, ``lost`` (text "false", "true", "true_up", "true_down"; older
programs wrote booleans), ``timestamps.client.send.monotonic``, ``delay.send`` and ``delay.receive``, all in
ns. Source: irtt's ``doc/irtt-client.md``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tmt.core.errors import InputError
from tmt.core.units import MAX_TIME_NS
from tmt.importers.json_file import member, read_json
from tmt.importers.probes import Probes, note_on_unknown_losses, one_way_delays, probe_importer

if TYPE_CHECKING:
    import numpy.typing as npt

    from tmt.core.trace import Int64Array
    from tmt.importers.options import Direction

_LOST = {"false": "", "true": "unknown", "true_up": "up", "true_down": "down"}
_UDP_IPV4_BYTES, _UDP_IPV6_BYTES = 28, 48


def read_irtt(path: str, direction: Direction) -> Probes:
    """Return the probes of one direction; `up` is from the client to the server.

    Downwards a probe sets out when its way up ends. One that was lost on its way up never sets out. A loss
    whose direction irtt does not know counts in the direction that is read.

    Raises
    ------
    InputError
        With the round trip, where a field is missing or wrong, or the client's clock goes back.
    """
    document = read_json(path)
    trips = member(document, "round_trips")
    if not isinstance(trips, list) or not trips:
        raise InputError(path, "there is no list round_trips; this is not the JSON of irtt")
    sent, up, down, lost = [], [], [], []
    for number, trip in enumerate(trips):
        place = f"round_trips[{number}]"
        fate = _LOST.get(str(_field(path, place, trip, "lost")).lower())
        if fate is None:
            allowed = ", ".join(_LOST)
            raise InputError(path, f"lost is {trip['lost']!r}; allowed are {allowed}", place)
        lost.append(fate)
        sent.append(_whole(path, place, trip, "timestamps", "client", "send", "monotonic"))
        if len(sent) > 1 and sent[-1] < sent[-2]:
            reason = f"the client's clock goes back by {sent[-2] - sent[-1]} ns; round trips must follow"
            raise InputError(path, reason, place)
        if not fate:
            up.append(_whole(path, place, trip, "delay", "send"))
            down.append(_whole(path, place, trip, "delay", "receive"))
    if not up:
        raise InputError(path, f"all {len(trips)} round trips are lost; no delay is known")
    size = _size_bytes(document)
    return one_direction(np.array(sent), np.array(lost), np.array(up), np.array(down), size, direction)


def one_direction(
    sent_ns: Int64Array,
    lost: npt.NDArray[np.str_],
    up_ns: Int64Array,
    down_ns: Int64Array,
    size_bytes: int,
    direction: Direction,
) -> Probes:
    """Return the probes of one direction of round trips.

    Parameters
    ----------
    sent_ns : [n_trips], int64
        When the client sent them.
    lost : [n_trips], str
        "" (not lost), "up", "down" or "unknown".
    up_ns, down_ns : [n_not_lost], int64
        One-way delays as measured.
    """
    whole = lost == ""
    up_ns, down_ns, note = one_way_delays(up_ns, down_ns)
    notes = [note, *note_on_unknown_losses(int((lost == "unknown").sum()), direction)]
    # A lost probe takes the delay between its neighbours' up.
    every_up_ns = np.rint(np.interp(sent_ns, sent_ns[whole], up_ns)).astype(np.int64)
    every_up_ns[whole] = up_ns
    if direction == "up":
        return Probes.of(sent_ns, every_up_ns, whole | (lost == "down"), size_bytes, tuple(notes))
    starts = sent_ns + every_up_ns
    delay = np.zeros(len(sent_ns), np.int64)
    delay[whole] = down_ns
    present = lost != "up"
    never = int((~present).sum())
    if never:
        notes.append(f"{never} probes were lost upwards and never set out downwards")
    return Probes.of(starts[present], delay[present], whole[present], size_bytes, tuple(notes))


def _field(path: str, place: str, holder: object, *names: str) -> Any:
    value = member(holder, *names)
    if value is None:
        raise InputError(path, f"{'.'.join(names)} is missing", place)
    return value


def _whole(path: str, place: str, holder: object, *names: str) -> int:
    value = _field(path, place, holder, *names)
    if not isinstance(value, int) or isinstance(value, bool) or abs(value) > MAX_TIME_NS:
        reason = f"{'.'.join(names)} is {value!r}; a whole number of at most {MAX_TIME_NS} is needed"
        raise InputError(path, reason, place)
    return value


def _size_bytes(document: dict[str, Any]) -> int:
    """Return the size of a probe's IP packet; irtt's own length counts the UDP payload."""
    length = member(document, "config", "params", "length")
    header = _UDP_IPV6_BYTES if member(document, "config", "ip_version") == "IPv6" else _UDP_IPV4_BYTES
    return (length if isinstance(length, int) else 0) + header


IMPORTER = probe_importer(
    "irtt",
    "round trips of irtt (JSON), each direction apart",
    read_irtt,
    lambda head: b'"round_trips"' in head and b'"irtt"' in head,
    """Each probe becomes a row with its one-way delay and fate. Where the least delays show that the clocks
differ, each direction's least delay is set to half of the least round trip.

\b
  tmt import irtt probes.json up.parquet --direction up --line 5000000""",
)
