"""MobileInsight: its decoder's output for LTE PDSCH and PUSCH, as JSON (one message a line) or XML, or a CSV.

Two messages are read: `LTE_PHY_PDSCH_Stat_Indication` (downlink, with the result of each CRC) and
`LTE_PHY_PUSCH_Tx_Report` (uplink, with the number of the attempt). Other messages are skipped.

The CSV is one of this project, selected from such a log: `log_ms`, the time of the log entry, good to some
milliseconds; `sfn` (0..1023) and `subframe` (0..9), which count milliseconds and wrap every 10.24 s;
`attempt`, from 1; optional `tb_bytes`. Uplink HARQ is synchronous: a repeat follows exactly 8 subframes after
the attempt before (3GPP TS 36.213, section 8).
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, ClassVar
from xml.etree import ElementTree as ET

from tmt.core.errors import InputError
from tmt.core.units import NS_PER_MS
from tmt.core.words.refusals import refusal, shown
from tmt.importers.attempts import (
    MAX_BLOCK_BYTES,
    Attempt,
    count_from_first,
    mark_repeats_of_failures,
    number_blocks,
    select,
    with_data,
)
from tmt.importers.harq_logs import ROUND_TRIP_MS, SUBFRAME_NS, HarqImporter, SlotClock, extent_of_slots
from tmt.importers.importer import DirectionOf
from tmt.importers.log_files import UNITS_NS, Row, TextTable, mcs_index
from tmt.importers.notes import BROADCAST, left_out
from tmt.io.files import MAX_JSON_LINE_BYTES, text_lines

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tmt.importers.attempts import Blocks
    from tmt.importers.importer import Measurement

DOWNLINK = "LTE_PHY_PDSCH_Stat_Indication"
UPLINK = "LTE_PHY_PUSCH_Tx_Report"

_ORDINALS = ("First", "Second", "Third", "Fourth", "Fifth", "Sixth", "Seventh", "Eighth")
_LARGEST_NUMBER = 28
_XML_BEGIN, _XML_END = "<dm_log_packet>", "</dm_log_packet>"


class MobileInsight(HarqImporter):
    """MobileInsight: decoded LTE PDSCH and PUSCH messages (JSON or XML).

    FILE is the output of MobileInsight's decoder. Sizes are in bytes. See docs/import/cellular.md.

        tmt import mobileinsight phone.json phy.parquet --direction up
    """

    name: ClassVar[str] = "mobileinsight"
    signs: ClassVar[tuple[bytes, ...]] = (
        rf"\A\s*\{{|{_XML_BEGIN}".encode(),
        b"type_id",
        b"LTE_(PHY|MAC|RRC|RLC)_|5G_NR_",
    )

    direction: DirectionOf = None

    def read(self, path: str) -> Measurement:
        """Return the trace of one direction; InputError at a damaged message, UsageError without any."""
        attempts: list[Attempt] = []
        clock = SlotClock()
        broadcast = 0
        for line, message in _messages(path):
            kind = message.get("type_id")
            if kind not in (DOWNLINK, UPLINK):
                continue
            log_ns = Row(path, line, {"timestamp": str(message.get("timestamp"))}).date_ns("timestamp")
            for record in _items(message.get("Records")):
                found = _Record.of(path, line, record)
                if kind == UPLINK:
                    attempts.append(_uplink(found, clock, log_ns))
                    continue
                own, others = _downlink(found, clock, log_ns)
                attempts += own
                broadcast += others
        kept, notes = select(path, attempts, self.direction, None)
        notes += left_out(broadcast, "block", BROADCAST)
        count_from_first(attempts)
        if kept[0].direction == "up":
            kept, blocks, said = synchronous(path, kept)
        else:
            mark_repeats_of_failures(kept)
            kept, said = with_data(path, kept)
            blocks = number_blocks(kept)
        extent = extent_of_slots(attempts, SUBFRAME_NS)
        return self.measured(kept, blocks, [*notes, *said], extent)


class _Record(Row):
    @classmethod
    def of(cls, path: str, line: int | str, fields: Any) -> _Record:
        if not isinstance(fields, dict):
            raise InputError(path, "a record of this message is not a set of fields", line)
        # One decoder names a field with a blank at its end.
        return cls(path, line, {str(name).strip(): value for name, value in fields.items()})

    def __getitem__(self, name: str) -> str:
        if name not in self.fields:
            raise self.refused(f"a record of this message has no field {name}")
        return str(self.fields[name]).strip()


def _uplink(record: _Record, clock: SlotClock, log_ns: int) -> Attempt:
    word = record["Re-tx Index"]
    number = (
        _ORDINALS.index(word) + 1 if word in _ORDINALS else record.whole("Re-tx Index", 1, _LARGEST_NUMBER)
    )
    return Attempt(
        line=record.place,
        time_ns=clock.time_ns(record.whole("Current SFN SF", 0, 10_239), log_ns),
        size_bytes=record.whole("PUSCH TB Size", 0, MAX_BLOCK_BYTES),
        stream=str(record.fields.get("UL Carrier Index", record.fields.get("Carrier Index"))),
        version=number,
        direction="up",
    )


def _downlink(record: _Record, clock: SlotClock, log_ns: int) -> tuple[list[Attempt], int]:
    """Return the attempts of a subframe, and the number of its blocks that are for every terminal."""
    slot = 10 * record.whole("Frame Num", 0, 1023) + record.whole("Subframe Num", 0, 9)
    sent_ns = clock.time_ns(slot, log_ns)
    attempts, others = [], 0
    for fields in _items(record.fields.get("Transport Blocks")):
        block = _Record.of(record.path, record.place, fields)
        if "C-RNTI" not in block["RNTI Type"] or "Temporary" in block["RNTI Type"]:
            others += 1
            continue
        outcome = block["CRC Result"]
        if outcome not in ("Pass", "Fail"):
            raise record.refused(f"CRC Result is {shown(outcome)}; allowed are Pass and Fail")
        version = block.whole("RV", 0, 3)
        attempts.append(
            Attempt(
                line=record.place,
                time_ns=sent_ns,
                size_bytes=block.whole("TB Size", 0, MAX_BLOCK_BYTES),
                failed=outcome == "Fail",
                repeat=version > 0 or str(block.fields.get("Did Recombining")) == "Yes",
                process=block.whole("HARQ ID", 0, 15),
                stream=(str(record.fields.get("Serving Cell Index")), str(block.fields.get("TB Index"))),
                version=version,
                new_data=block.whole("NDI", 0, 1),
                mode=mcs_index(str(block.fields.get("MCS", ""))),
            )
        )
    return attempts, others


def _messages(path: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield each message with its line; a damaged last one means a truncated log, and is skipped."""
    damaged = None
    for line, text in _message_texts(path):
        if damaged is not None:
            raise damaged
        try:
            found = json.loads(text) if text.startswith("{") else _of_xml(ET.fromstring(text))
        except (ValueError, RecursionError, ET.ParseError):
            damaged = InputError(path, "this message is neither whole JSON nor whole XML", line)
            continue
        if isinstance(found, dict):
            yield line, found


def _message_texts(path: str) -> Iterator[tuple[int, str]]:
    """Yield each message, a line of JSON or an XML element, and its first line; skip other lines."""
    first, length, pieces = 0, 0, list[str]()
    for line, text, _ in text_lines(path, max_line_bytes=MAX_JSON_LINE_BYTES):
        if text.startswith("{"):
            yield line, text
            continue
        if text.startswith(_XML_BEGIN):
            if pieces:
                yield first, "\n".join(pieces)
            first, length, pieces = line, 0, []
        elif not pieces:
            continue
        pieces.append(text)
        length += len(text)
        if length > MAX_JSON_LINE_BYTES:
            raise InputError(path, f"this message has more than {MAX_JSON_LINE_BYTES:,} characters", first)
        if text.endswith(_XML_END):
            yield first, "\n".join(pieces)
            pieces = []
    if pieces:
        yield first, "\n".join(pieces)


def _items(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _of_xml(element: ET.Element) -> Any:
    if len(element) == 1 and element[0].tag in ("dict", "list"):
        return _of_xml(element[0])
    if element.tag == "list":
        return [_of_xml(item) for item in element]
    if len(element):
        return {pair.get("key", ""): _of_xml(pair) for pair in element}
    return [] if element.get("type") == "list" else element.text or ""


class LteHarq(HarqImporter):
    """Uplink HARQ log of an LTE terminal, one attempt a line (CSV).

    The columns are log_ms, sfn, subframe, attempt and tb_bytes. See docs/import/cellular.md.

        tmt import lte-harq lte_ul_pusch_harq.csv phy.parquet
    """

    name: ClassVar[str] = "lte-harq"
    columns: ClassVar[tuple[str, ...]] = ("log_ms", "sfn", "subframe", "attempt")

    def read(self, path: str) -> Measurement:
        """Return the trace of the logged attempts, erased where the log shows that they were repeated.

        An attempt without a logged repeat counts as decoded. Slots without an attempt are other terminals'.
        """
        attempts = read_attempts(path)
        extent = extent_of_slots(attempts, SUBFRAME_NS)
        return self.measured(*synchronous(path, attempts), extent)


def read_attempts(path: str) -> list[Attempt]:
    """Return the attempts in order of time, the first one at 0; `version` is the number of the attempt."""
    table = TextTable(path)
    sizes = ["tb_bytes"] if table.has("tb_bytes") else []
    clock = SlotClock()
    attempts: list[Attempt] = []
    for row in table.rows(*LteHarq.columns, *sizes):
        log_ns = row.time_ns("log_ms", UNITS_NS["ms"])
        slot = 10 * row.whole("sfn", 0, 1023) + row.whole("subframe", 0, 9)
        attempt = Attempt(
            line=row.place,
            time_ns=clock.time_ns(slot, log_ns),
            size_bytes=row.whole("tb_bytes", 0, MAX_BLOCK_BYTES) if sizes else None,
            version=row.whole("attempt", 1, 255),
            direction="up",
        )
        if attempts and attempt.time_ns <= attempts[-1].time_ns:
            back_ms = (attempts[-1].time_ns - attempt.time_ns) // NS_PER_MS
            reason = f"this attempt is {back_ms} ms before the line before; attempts must follow one another"
            raise row.refused(reason)
        attempts.append(attempt)
    if not attempts:
        raise InputError(path, refusal("no_rows"))
    count_from_first(attempts)
    return attempts


def synchronous(path: str, attempts: Sequence[Attempt]) -> tuple[list[Attempt], Blocks, list[str]]:
    """Return the blocks of numbered attempts in order of time, and notes: repeats come 8 ms after an attempt.

    After an attempt that must not be sent, as in a measurement gap, they come 16 ms after the sent one.
    """
    round_trip_ns = ROUND_TRIP_MS * NS_PER_MS
    last: dict[tuple[object, int], Attempt] = {}
    for attempt in attempts:
        attempt.process = attempt.time_ns // NS_PER_MS % ROUND_TRIP_MS
        before = last.get((attempt.stream, attempt.process))
        if before is not None and attempt.version > before.version:
            later_ns = (attempt.version - before.version) * round_trip_ns
            attempt.repeat = attempt.time_ns - before.time_ns == later_ns
        last[attempt.stream, attempt.process] = attempt
    kept, said = with_data(path, attempts)
    blocks = number_blocks(kept)
    blocks.orphans = sum(attempt.version > 1 and not attempt.repeat for attempt in kept)
    return kept, blocks, said
