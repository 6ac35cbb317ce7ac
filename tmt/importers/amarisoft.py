"""Amarisoft: logs of its base station (enb.log, gnb.log) and its terminals (ue.log), with the PHY's lines.

A line of the PHY has the wall clock, `[PHY]`, DL or UL, the numbers of terminal and cell, the RNTI,
``frame.slot`` (LTE: ``frame.subframe``), the channel and fields ``name=value``; those of a code word follow
``CW0:`` or ``CW1:``: ``tb_len`` (bytes), ``rv_idx``, ``retx`` (how often the block was sent before), and in
the receiver's log ``crc`` and ``snr``. ``harq`` is a number, or ``si`` for system information. The base
station logs the outcome of the uplink. For the downlink it logs the terminal's acknowledgement (``ack``),
``k1`` slots later. Lines of details begin with blanks. Source: "Log file format" at the top of such a file.
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
from tmt.importers.harq_logs import SlotImporter, extent_of_slots
from tmt.importers.log_files import es_n0_mdb
from tmt.importers.notes import agreed
from tmt.importers.slot_lines import Due, acknowledge, fields_of, read_events

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tmt.importers.importer import Measurement
    from tmt.importers.slot_lines import Event

_WALL = r"(?P<wall>(?P<date>[0-9]{4}-[0-9]{2}-[0-9]{2}[T ])?[0-9:]+\.[0-9]+)"
_LINE = re.compile(
    rf"{_WALL} \[PHY\] +(?:DL|UL) +[0-9a-f-]+ +(?P<cell>[0-9a-f]+) +(?P<rnti>[0-9a-f]+) +"
    r"(?P<count>[0-9]+)\.(?P<slot>[0-9]+) +(?P<channel>PDSCH|PUSCH|PUCCH): (?P<fields>.*)"
)
_WORD = re.compile(r"\bCW[01]: ")
_MISSING = (
    "this log of Amarisoft has no line of PDSCH, PUSCH or PUCCH; log the PHY: phy.level=debug in log_options"
)


class Amarisoft(SlotImporter):
    """Amarisoft enb.log, gnb.log and ue.log, with the lines of the PHY.

    The PHY must log at debug level (phy.level=debug in log_options). --user is the RNTI as in the log. See
    docs/import/cellular.md.

        tmt import amarisoft gnb0.log phy.parquet --user 4601 --direction up
    """

    name: ClassVar[str] = "amarisoft"
    signs: ClassVar[tuple[bytes, ...]] = (rf"^{_WALL} \[[A-Z0-9]+\] +(DL|UL|FROM|TO|-) ".encode(),)

    def read(self, path: str) -> Measurement:
        """Return the trace of one terminal; UsageError when the spacing does not fit the slot numbers."""
        events, slot_ns, cut = read_events(path, _LINE, self.subcarrier_spacing, _MISSING)
        due: Due = defaultdict(list)
        attempts: list[Attempt] = []
        for event in events:
            if event.channel != "PUCCH" and event.fields.get("harq", "").isdecimal():
                attempts += _attempts(event, slot_ns, due)
        acknowledge(events, due)
        kept, notes = select(path, attempts, self.direction, self.user)
        count_from_first(attempts)
        if not any("retx" in event.fields for event in events):
            mark_repeats_of_failures(kept)
        blocks = number_blocks(kept)
        if unknown := sum(attempt.failed is None for attempt in kept):
            what = agreed(unknown, "block", "have")
            notes.append(f"{what} no outcome in the log: decoded, unless a repeat follows")
        notes += [f"slots last {slot_ns / NS_PER_MS:g} ms", *cut]
        return self.measured(kept, blocks, notes, extent_of_slots(attempts, slot_ns))


def _attempts(event: Event, slot_ns: int, due: Due) -> Iterator[Attempt]:
    """Yield the blocks of a line, one per code word, and note when their acknowledgement is due."""
    _, *words = _WORD.split(event.text)
    for number, word in enumerate(words):
        own = fields_of(word)
        block = replace(event, fields=own)
        if own.get("crc") not in (None, "OK", "KO"):
            raise event.refused(f"crc is {shown(own['crc'])}; allowed are OK and KO")
        version = block.whole("rv_idx", 0, 3)
        attempt = Attempt(
            line=event.place,
            time_ns=event.slot * slot_ns,
            size_bytes=block.whole("tb_len", 1, MAX_BLOCK_BYTES),
            failed=own["crc"] == "KO" if "crc" in own else None,
            repeat=(block.whole("retx", 0, 255) if "retx" in own else version) > 0,
            process=event.whole("harq", 0, 31),
            stream=(event.fields["cell"], number),
            version=version,
            user=event.user,
            direction="down" if event.channel == "PDSCH" else "up",
            es_n0_mdb=es_n0_mdb(own.get("snr", "")),
        )
        if attempt.failed is None and "k1" in event.fields:
            due[event.user, event.slot + event.whole("k1", 0, 127)].append(attempt)
        yield attempt
