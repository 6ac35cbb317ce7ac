"""srsRAN: logs of srsRAN Project (gnb.log) and srsRAN 4G (enb.log, ue.log), PHY at debug or info level.

A line has the wall clock (before 2021 without a date), `[PHY]`, a level, the slot as `[frame.slot]` (5G) or
`[tti]` (4G), and fields `name=value`. The uplink has its outcome (`crc`). The outcome of the downlink comes
with the terminal's acknowledgement, k1 slots later (4G: 4 subframes). Lines are written when their processing
ends, so slots are slightly out of order.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from tmt.core.units import NS_PER_MS
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
    ROUND_TRIP_MS,
    TERMINALS,
    PairingOf,
    SlotImporter,
    extent_of_slots,
)
from tmt.importers.log_files import es_n0_mdb
from tmt.importers.notes import agreed
from tmt.importers.slot_lines import SUBFRAMES, Due, acknowledge, read_events

if TYPE_CHECKING:
    from tmt.importers.importer import Measurement
    from tmt.importers.slot_lines import Event

_DATE = r"(?P<date>[0-9]{4}-[0-9]{2}-[0-9]{2}T)?"
_LINE = re.compile(
    rf"(?P<wall>{_DATE}[0-9:.]+) \[PHY[0-9]* *\] \[[A-Z]\] "
    r"\[ *(?P<count>[0-9]+)(\.(?P<slot>[0-9]+))?\] (?P<channel>PDSCH|PUSCH|PUCCH): (?P<fields>.*)"
)
_LAYER = rf"^{_DATE}[0-9:]+\.[0-9]+ \[(PHY|FAPI|MAC|SCHED|RRC|RLC|GNB|CONFIG|COMMON|STCK)"
_ACK_DELAY_4G = 4
_MISSING = "there is no line of PDSCH, PUSCH or PUCCH; is the log level of the PHY debug (4G: info)?"


class Srsran(SlotImporter):
    """srsRAN Project gnb.log, srsRAN 4G enb.log and ue.log.

    The PHY must log at debug level (srsRAN Project) or info level (4G). --user is the RNTI as in the log. See
    docs/import/cellular.md.

        tmt import srsran gnb.log phy.parquet --user 0x4601 --direction up
    """

    name: ClassVar[str] = "srsran"
    signs: ClassVar[tuple[bytes, ...]] = (_LAYER.encode(),)

    pairing: PairingOf = "size"

    def read(self, path: str) -> Measurement:
        """Return the trace of one terminal; UsageError when the spacing does not fit the slot numbers."""
        events, slot_ns, cut = read_events(path, _LINE, self.subcarrier_spacing, _MISSING)
        attempts: list[Attempt] = []
        due: Due = defaultdict(list)
        for event in events:
            if event.channel == "PUSCH" and "crc" in event.fields:
                attempts.append(_uplink(event, slot_ns))
            elif event.channel == "PDSCH" and _is_for_a_terminal(event):
                attempts += _downlink(event, slot_ns, due)
        acknowledge(events, due)
        kept, notes = select(path, attempts, self.direction, self.user)
        missing = [attempt for attempt in kept if attempt.failed is None]
        for attempt in missing:
            attempt.failed = attempt.sure = False
        if missing:
            what = agreed(len(missing), "block", "count", "without an acknowledgement in the log")
            notes.append(f"{what} as decoded")
        if unanswered := sum(bool(attempt.failed) and not attempt.sure for attempt in kept):
            notes.append(f"{agreed(unanswered, 'block', 'count', 'without an answer (DTX)')} as erased")
        count_from_first(attempts)
        mark_repeats_of_failures(kept)
        notes.append(f"slots last {slot_ns / NS_PER_MS:g} ms")
        notes += cut
        blocks = number_blocks(kept, pairing=self.pairing)
        return self.measured(kept, blocks, notes, extent_of_slots(attempts, slot_ns))


def _is_for_a_terminal(event: Event) -> bool:
    """Whether a downlink block has HARQ: system information, paging and random access do not."""
    if event.is_5g:
        return "h_id" in event.fields
    try:
        return int(event.user, 16) in TERMINALS
    except ValueError:
        return False


def _uplink(event: Event, slot_ns: int) -> Attempt:
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


def _downlink(event: Event, slot_ns: int, due: Due) -> list[Attempt]:
    """Return the blocks of a transmission, one per code word, and note when their acknowledgement is due."""
    fields, slot, delay = event.fields, event.slot, _ACK_DELAY_4G
    if event.is_5g:
        delay = event.whole("k1", 0, 127)
    elif "tti_tx_dl" in fields:
        # The line has the TTI of the processing; the transmission follows later.
        slot += (event.whole("tti_tx_dl", 0, SUBFRAMES - 1) - slot) % SUBFRAMES
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
