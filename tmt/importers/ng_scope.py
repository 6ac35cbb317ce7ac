"""NG-Scope: the control information (DCI) of an LTE cell.

Downlink: tti, rnti, cell_prb, ue_prb, mcs, rv and size in bits of two code words, harq, timestamp_us, two
NDIs. The uplink and the downlink of older versions have no NDIs; in the uplink harq is always 0. A subframe
without a grant is a row of zeros with its tti and timestamp. Later versions write a list of JSON objects with
these fields by name.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, ClassVar

from tmt.core.errors import InputError
from tmt.importers.attempts import MAX_BLOCK_BYTES, Attempt
from tmt.importers.grants import GrantImporter
from tmt.importers.harq_logs import ROUND_TRIP_MS, SUBFRAME_NS, TERMINALS, SlotClock
from tmt.importers.log_files import UNITS_NS, Row, TextTable
from tmt.importers.notes import BROADCAST, CUT_LINE, left_out
from tmt.io.files import text_lines

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tmt.importers.importer import Measurement

_DOWN_FIELDS, _UP_FIELDS = 14, 12
_LARGEST_MCS_WITH_SIZE = 28
_LARGEST_RECORD = 1 << 17
_RECORD = re.compile(r"\{[^{}]*\}")
_FIELDS = {
    "tti": "tti",
    "rnti": "rnti",
    "cell_prb": "prb",
    "ue_prb": "prb",
    **{f"{name}{word}": f"TB{word}_{name}" for word in (1, 2) for name in ("mcs", "rv", "tbs")},
    "harq": "harq",
    "timestamp_us": "timestamp_us",
    "ndi1": "TB1_ndi",
    "ndi2": "TB2_ndi",
}
"""Fields of a downlink line, and their names in JSON; the cell's number of PRBs is not used."""


class NgScope(GrantImporter):
    """NG-Scope: the control information (DCI) of an LTE cell, tab-separated without a header, or as JSON.

    Sizes are in bits. The log has no outcomes: a grant counts as erased if a repeat follows. See
    docs/import/cellular.md.

        tmt import ng-scope dci_log_dl.txt phy.parquet --user 61
    """

    name: ClassVar[str] = "ng-scope"

    @classmethod
    def sniff(cls, head: bytes) -> bool:
        """Whether it holds JSON with NG-Scope's fields, or lines with the same number of whole numbers."""
        if head.lstrip().startswith(b"["):
            return b'"TB1_tbs"' in head and b'"timestamp_us"' in head
        lines = [line.rstrip(b"\r\t ") for line in head.split(b"\n")[:-1][:100] if line.strip()]
        rows = [line.split(b"\t") for line in lines]
        return bool(rows) and all(
            len(row) in (_UP_FIELDS, _DOWN_FIELDS)
            and all(field.removeprefix(b"-").isdigit() for field in row)
            and int(row[0]) < 10_240
            and int(row[11]) > 10**15  # microseconds since 1970
            for row in rows
        )

    def read(self, path: str) -> Measurement:
        """Return the trace of one terminal; errors as for `of_grants`."""
        clock = SlotClock()
        grants: list[Attempt] = []
        notes: list[str] = []
        broadcast = 0
        for row, is_downlink in _rows(path, notes):
            log_ns = row.time_ns("timestamp_us", UNITS_NS["us"])
            sent_ns = clock.time_ns(row.whole("tti", 0, 10_239), log_ns)
            rnti = row.whole("rnti", 0, 0xFFFF)
            # Format 1C, for several terminals only, has no redundancy version.
            if rnti in TERMINALS and row["rv1"] != "-1":
                grants += _code_words(row, sent_ns, downlink=is_downlink)
            elif rnti:
                broadcast += 1
        notes += left_out(broadcast, "grant", BROADCAST)
        return self.of_grants(path, grants, SUBFRAME_NS, notes)


def _rows(path: str, notes: list[str]) -> Iterator[tuple[Row, bool]]:
    """Yield each row, and whether it is of the downlink; note a truncated last row."""
    if next((text for _, text, _ in text_lines(path)), "").startswith("["):
        yield from _json_rows(path, notes)
        return
    table = TextTable(path)
    width = len(table.names)
    if width not in (_DOWN_FIELDS, _UP_FIELDS):
        reason = f"a line has {width} fields; needed are {_DOWN_FIELDS} (downlink) or {_UP_FIELDS} (uplink)"
        raise InputError(path, reason)
    is_downlink = width == _DOWN_FIELDS or any(row["harq"] != "0" for row in _text_rows(table))
    for row in _text_rows(table):
        yield row, is_downlink
    notes += table.cut_notes


def _text_rows(table: TextTable) -> Iterator[Row]:
    for row in table.rows(*table.names):
        yield Row(row.path, row.place, dict(zip(_FIELDS, row.fields.values(), strict=False)))


def _json_rows(path: str, notes: list[str]) -> Iterator[tuple[Row, bool]]:
    text = ""
    for line, piece, _ in text_lines(path):
        text += piece
        if len(text) > _LARGEST_RECORD:
            raise InputError(path, f"a record has more than {_LARGEST_RECORD:,} characters", line)
        if "}" not in piece:
            continue
        for match in _RECORD.finditer(text):
            try:
                record = json.loads(match[0])
            except (ValueError, RecursionError):
                raise InputError(path, "this record, which ends here, is not a JSON object", line) from None
            is_downlink = "cell_dl_prb" in record
            # The uplink has no HARQ process: its processes take turns.
            absent = [
                name for name in _FIELDS.values() if name not in record and (is_downlink or name != "harq")
            ]
            if absent:
                raise InputError(path, f"this record, which ends here, has no field {absent[0]}", line)
            fields = {ours: str(record.get(name, "0")) for ours, name in _FIELDS.items()}
            yield Row(path, line, fields), is_downlink
        text = text[text.rindex("}") + 1 :]
    if "{" in text:
        notes.append(CUT_LINE)


def _code_words(row: Row, sent_ns: int, *, downlink: bool) -> list[Attempt]:
    has_ndi = downlink and "ndi1" in row.fields
    found = []
    for word in (1, 2):
        mcs = row.whole(f"mcs{word}", 0, 31)
        bits = row.whole(f"tbs{word}", 0, 8 * MAX_BLOCK_BYTES)
        has_size = mcs <= _LARGEST_MCS_WITH_SIZE
        if word == 2 and has_size and bits == 0:
            continue  # a single code word
        found.append(
            Attempt(
                line=row.place,
                time_ns=sent_ns,
                # Such a repeat has the size of the previous grant; the logged size has no meaning.
                size_bytes=bits // 8 if has_size else 0,
                # Uplink HARQ is synchronous: its processes take turns.
                process=row.whole("harq", 0, 15) if downlink else sent_ns // UNITS_NS["ms"] % ROUND_TRIP_MS,
                stream=word,
                # In the uplink, 4 is a NACK: the terminal repeats without a grant.
                version=row.whole(f"rv{word}", 0, 3 if downlink else 4),
                mode=mcs,
                new_data=row.whole(f"ndi{word}", 0, 1) if has_ndi else None,
                user=row["rnti"],
                direction="down" if downlink else "up",
            )
        )
    return found
