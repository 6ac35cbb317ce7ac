"""srsRAN: logs of srsRAN Project (gnb.log) and srsRAN 4G (enb.log, ue.log), PHY at debug or info level.

A line has the wall clock (before 2021 without a date), `[PHY]`, a level, the slot as `[frame.slot]` (5G) or
`[tti]` (4G), and fields `name=value`. The uplink has its outcome (`crc`). The downlink's comes with the
terminal's acknowledgement, k1 slots later (4G: 4 subframes). Lines are written when their processing ends, so
slots are a little out of order.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

from tmt.core.errors import InputError
from tmt.core.units import NS_PER_MS, NS_PER_S
from tmt.core.words.refusals import shown
from tmt.importers.attempts import (
    MAX_BLOCK_BYTES,
    Attempt,
    count_from_first,
    mark_repeats_of_failures,
    number_blocks,
    select,
)
from tmt.importers.harq_logs import (
    FRAMES,
    SlotClock,
    SlotImporter,
    extent_of_slots,
    slot_of,
    slots_per_frame,
)
from tmt.importers.log_files import Row, es_n0_mdb, text_lines
from tmt.importers.lte_harq import ROUND_TRIP_MS, TERMINALS

if TYPE_CHECKING:
    from tmt.importers.importer import Measurement

_DATE = r"([0-9]{4}-[0-9]{2}-[0-9]{2}T)?"
_LINE = re.compile(
    rf"(?P<wall>{_DATE}[0-9:.]+) \[PHY[0-9]* *\] \[[A-Z]\] "
    r"\[ *(?P<count>[0-9]+)(\.(?P<slot>[0-9]+))?\] (?P<channel>PDSCH|PUSCH|PUCCH): (?P<fields>.*)"
)
_LAYER = re.compile(
    rf"^{_DATE}[0-9:]+\.[0-9]+ \[(PHY|FAPI|MAC|SCHED|RRC|RLC|GNB|CONFIG|COMMON|STCK)", re.MULTILINE
)
_FIELD = re.compile(r"([a-z0-9_]+)=(\{[^}]*\}|\[[^]]*\)|[^ ,;]+)")
_SUBFRAMES = 10 * FRAMES
DAY_NS = 86_400 * NS_PER_S
_ACK_DELAY_4G = 4


@dataclass(slots=True)
class _Event(Row):
    """A line: a transmission, an acknowledgement, or both; `slot` counts on without wrapping."""

    slot: int
    channel: str
    is_5g: bool

    def __getitem__(self, name: str) -> str:
        if name not in self.fields:
            raise self.refused(f"this line of {self.channel} has no field {name}")
        return self.fields[name]

    @property
    def user(self) -> str:
        return self.fields.get("rnti", "")


_Due = dict[tuple[str, int], list[Attempt]]
"""Downlink transmissions by terminal and the slot of their acknowledgement."""


class Srsran(SlotImporter):
    """srsRAN Project gnb.log, srsRAN 4G enb.log and ue.log.

    The PHY must log at debug level (srsRAN Project) or info level (4G). --user is the RNTI as the log writes
    it. The uplink counts by its CRC. A downlink block counts by its acknowledgement, k1 slots later (4G: 4
    ms): NACK and no answer (DTX) are erasures.

        tmt import srsran gnb.log phy.parquet --user 0x4601 --direction up
    """

    name: ClassVar[str] = "srsran"

    @classmethod
    def sniff(cls, head: bytes) -> bool:
        """Whether it holds a line of the log."""
        return _LAYER.search(head.decode("utf-8", "replace")) is not None

    def read(self, path: str) -> Measurement:
        """Return the trace of one terminal; UsageError when the spacing does not fit the slot numbers."""
        events, slot_ns, cut = _events(path, self.subcarrier_spacing)
        attempts: list[Attempt] = []
        due: _Due = defaultdict(list)
        for event in events:
            if event.channel == "PUSCH" and "crc" in event.fields:
                attempts.append(_uplink(event, slot_ns))
            elif event.channel == "PDSCH" and _is_for_a_terminal(event):
                attempts += _downlink(event, slot_ns, due)
        _acknowledge(events, due)
        kept, notes = select(path, attempts, self.direction, self.user)
        missing = [attempt for attempt in kept if attempt.failed is None]
        for attempt in missing:
            attempt.failed = False
        if missing:
            notes.append(f"{len(missing):,} blocks have no acknowledgement in the log, and count as decoded")
        count_from_first(attempts)
        mark_repeats_of_failures(kept)
        notes.append(f"slots last {slot_ns / NS_PER_MS:g} ms")
        notes += cut
        return self.measured(kept, number_blocks(kept), notes, extent_of_slots(attempts, slot_ns))


def _events(path: str, spacing_khz: int | None) -> tuple[list[_Event], int, list[str]]:
    """Return the lines of the channels, the length of a slot in ns, and a note on a cut last line."""
    found, cut = [], []
    for line, text, ended in text_lines(path):
        if match := _LINE.match(text):
            if ended:
                found.append((line, match))
            else:
                cut.append(f"line {line}, the last one, is cut short and left out")
    if not found:
        reason = "there is no line of PDSCH, PUSCH or PUCCH; is the log level of the PHY debug (4G: info)?"
        raise InputError(path, reason)
    largest = max(int((match["slot"] or "0")[:20]) for _, match in found)
    if largest >= 80:
        raise InputError(path, f"slot numbers up to {largest} do not fit into a frame; allowed are 0 to 79")
    per_frame = slots_per_frame(largest, spacing_khz)
    slot_ns = slot_of(per_frame)
    clock = SlotClock(per_frame)
    events: list[_Event] = []
    day_ns = last_ns = 0  # where the clock has no date
    for line, match in found:
        count, is_5g = int(match["count"][:20]), match["slot"] is not None
        most = (FRAMES if is_5g else _SUBFRAMES) - 1
        if count > most:
            raise InputError(path, f"the frame or TTI is {count}; allowed are 0 to {most}", line)
        slot = count * per_frame + int(match["slot"]) if is_5g else count
        wall = match["wall"] if match[2] else f"1970-01-01T{match['wall']}"
        log_ns = Row(path, line, {"the time": wall}).date_ns("the time")
        if not match[2] and log_ns + day_ns < last_ns - DAY_NS // 2:
            day_ns += DAY_NS
        last_ns = log_ns = log_ns + day_ns
        sent_ns = clock.time_ns(slot, log_ns)
        fields = dict(_FIELD.findall(match["fields"]))
        events.append(_Event(path, line, fields, sent_ns // slot_ns, match["channel"], is_5g))
    return events, slot_ns, cut


def _is_for_a_terminal(event: _Event) -> bool:
    """Whether a downlink block has HARQ: system information, paging and random access do not."""
    if event.is_5g:
        return "h_id" in event.fields
    try:
        return int(event.user, 16) in TERMINALS
    except ValueError:
        return False


def _uplink(event: _Event, slot_ns: int) -> Attempt:
    fields = event.fields
    if fields["crc"] not in ("OK", "KO"):
        raise event.refused(f"crc is {shown(fields['crc'])}; allowed are OK and KO")
    # The uplink HARQ of LTE is synchronous: its processes take turns.
    process = event.whole("h_id", 0, 31) if event.is_5g else event.slot % ROUND_TRIP_MS
    version = event.whole("rv", 0, 3)
    return Attempt(
        line=event.place,
        time_ns=event.slot * slot_ns,
        size_bytes=event.whole("tbs", 1, MAX_BLOCK_BYTES),
        failed=fields["crc"] == "KO",
        repeat=version > 0,
        process=process,
        stream=fields.get("cc"),
        version=version,
        user=event.user,
        direction="up",
        es_n0_mdb=es_n0_mdb(fields.get("sinr", "")),
    )


def _downlink(event: _Event, slot_ns: int, due: _Due) -> list[Attempt]:
    """Return the blocks of a transmission, one per code word, and note when their acknowledgement is due."""
    fields, slot, delay = event.fields, event.slot, _ACK_DELAY_4G
    if event.is_5g:
        delay = event.whole("k1", 0, 127)
    elif "tti_tx_dl" in fields:
        # The line has the TTI of the processing, the transmission follows later.
        slot += (event.whole("tti_tx_dl", 0, _SUBFRAMES - 1) - slot) % _SUBFRAMES
    sizes, versions, outcomes = (fields.get(name, "").strip("{}").split("/") for name in ("tbs", "rv", "crc"))
    found = []
    for word, size in enumerate(sizes):
        own = dict(zip(("tbs", "rv"), (size, *versions[word : word + 1]), strict=False))
        block = replace(event, fields=own)
        version = block.whole("rv", 0, 3)
        attempt = Attempt(
            line=event.place,
            time_ns=slot * slot_ns,
            size_bytes=block.whole("tbs", 1, MAX_BLOCK_BYTES),
            repeat=version > 0,
            process=event.whole("h_id", 0, 31) if event.is_5g else None,
            stream=fields.get("cc"),
            version=version,
            user=event.user,
        )
        if word < len(outcomes) and outcomes[word] in ("OK", "KO"):  # the terminal's own log
            attempt.failed = outcomes[word] == "KO"
        else:
            due[event.user, slot + delay].append(attempt)
        found.append(attempt)
    return found


def _acknowledge(events: list[_Event], due: _Due) -> None:
    """Set `failed` of the transmissions that have an acknowledgement.

    The bits of one acknowledgement stand in the order of the transmissions; 1 is an ACK, 0 a NACK, 2 no
    answer (DTX), for which the base station sends again as well. Equal bits answer any number of them.
    """
    for event in events:
        bits = event.fields.get("ack", "")
        attempts = sorted(due.get((event.user, event.slot), []), key=lambda attempt: attempt.time_ns)
        if bits.isdigit() and len(set(bits)) == 1:
            bits = bits[0] * len(attempts)
        if bits.isdigit() and len(bits) == len(attempts):
            for attempt, bit in zip(attempts, bits, strict=True):
                attempt.failed = bit != "1"
