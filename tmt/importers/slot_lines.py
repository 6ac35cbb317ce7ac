"""Lines of a base station's or a terminal's log: channels with their slots, and acknowledgements."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tmt.core.errors import InputError
from tmt.importers.clocks import DAY_NS
from tmt.importers.harq_logs import FRAMES, SlotClock, slots_per_frame
from tmt.importers.log_files import Row
from tmt.importers.notes import CUT_LINE
from tmt.io.files import text_lines

if TYPE_CHECKING:
    from tmt.importers.attempts import Attempt

SUBFRAMES = 10 * FRAMES
"""TTIs of LTE run from 0 to 10239."""

_FIELD = re.compile(r"(?<![a-z0-9_])([a-z0-9_]++)=(\{[^}]*\}|\[[^]]*\)|[^ ,;]+)")


@dataclass(slots=True)
class Event(Row):
    """A line: a transmission, an acknowledgement, or both; `slot` counts without wrapping."""

    slot: int
    channel: str
    is_5g: bool
    text: str
    """What follows the channel."""

    def __getitem__(self, name: str) -> str:
        if name not in self.fields:
            raise self.refused(f"this line of {self.channel} has no field {name}")
        return self.fields[name]

    @property
    def user(self) -> str:
        """The terminal's RNTI, as the log writes it."""
        return self.fields.get("rnti", "")


Due = dict[tuple[str, int], list["Attempt"]]
"""Downlink transmissions by terminal and the slot of their acknowledgement."""


def fields_of(text: str) -> dict[str, str]:
    """Return the values of ``name=value`` in a text; of equal names the last one counts."""
    return dict(_FIELD.findall(text))


def read_events(
    path: str, pattern: re.Pattern[str], spacing_khz: int | None, missing: str
) -> tuple[list[Event], int, list[str]]:
    """Return the lines that match `pattern`, the length of a slot in ns, and a note on a truncated last line.

    The groups of the pattern are: `wall` with `date`, if there is one; `count`, the frame, and `slot`, or
    only the TTI; `channel`; `fields`; and `rnti` and `cell` if they are not among the fields. InputError with
    the reason `missing` if no line matches; UsageError if the slot numbers do not fit the spacing.
    """
    found, cut = [], []
    for line, text, ended in text_lines(path):
        if match := pattern.match(text):
            if ended:
                found.append((line, match))
            else:
                cut.append(CUT_LINE)
    if not found:
        raise InputError(path, missing)
    largest = max(int((match["slot"] or "0")[:20]) for _, match in found)
    if largest >= 80:
        raise InputError(path, f"slot numbers up to {largest} do not fit into a frame; allowed are 0 to 79")
    per_frame = slots_per_frame(largest, spacing_khz)
    clock = SlotClock(per_frame)
    beside = [name for name in ("rnti", "cell") if name in pattern.groupindex]
    events: list[Event] = []
    day_ns = last_ns = 0  # if the clock has no date
    for line, match in found:
        count, is_5g = int(match["count"][:20]), match["slot"] is not None
        most = (FRAMES if is_5g else SUBFRAMES) - 1
        if count > most:
            raise InputError(path, f"the frame or TTI is {count}; allowed are 0 to {most}", line)
        slot = count * per_frame + int(match["slot"]) if is_5g else count
        wall = match["wall"] if match["date"] else f"1970-01-01T{match['wall']}"
        log_ns = Row(path, line, {"the time": wall}).date_ns("the time")
        if not match["date"] and log_ns + day_ns < last_ns - DAY_NS // 2:
            day_ns += DAY_NS
        last_ns = log_ns = log_ns + day_ns
        slot = clock.time_ns(slot, log_ns) // clock.slot_ns
        fields = fields_of(match["fields"]) | {name: match[name] for name in beside}
        events.append(Event(path, line, fields, slot, match["channel"], is_5g, match["fields"]))
    return events, clock.slot_ns, cut


def acknowledge(events: list[Event], due: Due) -> None:
    """Set `failed` of the transmissions that have an acknowledgement.

    The bits of one acknowledgement are in the order of the transmissions; 1 is an ACK, 0 a NACK, 2 no answer
    (DTX): the base station sends again, but the block may have been decoded. Equal bits apply to any number
    of transmissions.
    """
    for event in events:
        bits = event.fields.get("ack", "")
        attempts = sorted(due.get((event.user, event.slot), []), key=lambda attempt: attempt.time_ns)
        if bits.isdigit() and len(set(bits)) == 1:
            bits = bits[0] * len(attempts)
        if bits.isdigit() and len(bits) == len(attempts):
            for attempt, bit in zip(attempts, bits, strict=True):
                attempt.failed, attempt.sure = bit != "1", bit in "01"
