"""NG-Scope: the control information (DCI) of an LTE cell, tab-separated without a header, or as JSON.

Downlink: tti, rnti, cell_prb, ue_prb, mcs, rv and size in bits of two code words, harq, timestamp_us, two
NDIs. The uplink and the downlink of older versions have no NDIs; in the uplink harq is always 0. A subframe
without a grant is a row of zeros with its tti and timestamp. Later versions write a list of JSON objects with
these fields by name.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from tmt.errors import InputError
from tmt.measured.attempts import LARGEST_BLOCK_BYTES, Attempt
from tmt.measured.columns import UNITS_NS, TextTable, time_ns, whole
from tmt.measured.frames import SlotClock
from tmt.measured.grants import grants_measurement
from tmt.measured.importer import Importer, Measurement
from tmt.measured.lte_harq import ROUND_TRIP_MS, TERMINALS
from tmt.measured.options import DECODE_TIME, DIRECTION, USER, reading
from tmt.measured.text_lines import text_lines

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tmt.measured.options import Direction, Reading

_DOWN_FIELDS, _UP_FIELDS = 14, 12
_LARGEST_MCS_WITH_SIZE = 28
_LARGEST_RECORD = 1 << 17
_RECORD = re.compile(r"\{[^{}]*\}")
_NAMES = (
    "tti",
    "rnti",
    "prb",
    "prb",
    *(f"TB{word}_{name}" for word in (1, 2) for name in ("mcs", "rv", "tbs")),
    "harq",
    "timestamp_us",
    "TB1_ndi",
    "TB2_ndi",
)
"""Names in JSON of the fields of a downlink line; the number of the cell's PRBs is not used."""


def read_ng_scope(
    path: str, reading: Reading, direction: Direction | None, user: str | None, decode_time_ns: int
) -> Measurement:
    """Return the trace of one terminal; errors as for `tmt.measured.grants.grants_measurement`."""
    clock = SlotClock()
    grants: list[Attempt] = []
    notes: list[str] = []
    broadcast = 0
    for line, fields, is_downlink in _rows(path, notes):
        log_ns = time_ns(path, line, "timestamp_us", fields[11], UNITS_NS["us"])
        tti = whole(path, line, "tti", fields[0], 0, 10_239)
        sent_ns = clock.time_ns(tti, log_ns)
        rnti = whole(path, line, "rnti", fields[1], 0, 0xFFFF)
        # Format 1C, for several terminals only, has no redundancy version.
        if rnti in TERMINALS and fields[5] != "-1":
            grants += _code_words(path, line, fields, sent_ns, downlink=is_downlink)
        elif rnti:
            broadcast += 1
    if broadcast:
        notes.append(f"{broadcast:,} grants of system information, paging and random access are left out")
    return grants_measurement(path, grants, reading, direction, user, decode_time_ns, notes)


def _rows(path: str, notes: list[str]) -> Iterator[tuple[int, list[str], bool]]:
    """Yield each row's line, its fields, and whether it is of the downlink; note a last row that is cut."""
    if next((text for _, text, _ in text_lines(path)), "").startswith("["):
        yield from _json_rows(path, notes)
        return
    table = TextTable(path)
    width = len(table.names)
    if width not in (_DOWN_FIELDS, _UP_FIELDS):
        reason = f"a line has {width} fields; needed are {_DOWN_FIELDS} (downlink) or {_UP_FIELDS} (uplink)"
        raise InputError(path, reason)
    is_downlink = width == _DOWN_FIELDS or any(fields[10] != "0" for _, fields in table.rows(*table.names))
    for line, fields in table.rows(*table.names):
        yield line, fields, is_downlink
    notes += table.cut_notes


def _json_rows(path: str, notes: list[str]) -> Iterator[tuple[int, list[str], bool]]:
    text, line = "", 0
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
                raise InputError(path, "this record, which ends here, is no JSON object", line) from None
            is_downlink = "cell_dl_prb" in record
            # The uplink has no HARQ process: its processes take turns.
            absent = [name for name in _NAMES if name not in record and (is_downlink or name != "harq")]
            if absent:
                raise InputError(path, f"this record, which ends here, has no field {absent[0]}", line)
            yield line, [str(record.get(name, "0")) for name in _NAMES], is_downlink
        text = text[text.rindex("}") + 1 :]
    if "{" in text:
        notes.append(f"the last record, up to line {line}, is cut short and left out")


def _code_words(path: str, line: int, fields: list[str], sent_ns: int, *, downlink: bool) -> list[Attempt]:
    """Return a grant's one or two transport blocks."""
    has_ndi = downlink and len(fields) == _DOWN_FIELDS
    found = []
    for word, (at, indicator) in enumerate(((4, 12), (7, 13))):
        mcs = whole(path, line, f"mcs{word + 1}", fields[at], 0, 31)
        bits = whole(path, line, f"tbs{word + 1}", fields[at + 2], 0, 8 * LARGEST_BLOCK_BYTES)
        has_size = mcs <= _LARGEST_MCS_WITH_SIZE
        if word == 1 and has_size and bits == 0:
            continue  # a single code word
        found.append(
            Attempt(
                line=line,
                time_ns=sent_ns,
                # Such a repeat has the size of the grant before; the logged one has no meaning.
                size_bytes=bits // 8 if has_size else 0,
                failed=None,
                repeat=False,
                # Uplink HARQ is synchronous: its processes take turns.
                process=whole(path, line, "harq", fields[10], 0, 15)
                if downlink
                else sent_ns // UNITS_NS["ms"] % ROUND_TRIP_MS,
                stream=word,
                # In the uplink, 4 is a NACK: the terminal repeats without a grant.
                version=whole(path, line, f"rv{word + 1}", fields[at + 1], 0, 3 if downlink else 4),
                new_data=whole(path, line, f"ndi{word + 1}", fields[indicator], 0, 1) if has_ndi else None,
                user=fields[1],
                direction="down" if downlink else "up",
            )
        )
    return found


def _sniff(head: bytes) -> bool:
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


IMPORTER = Importer(
    "ng-scope",
    "NG-Scope: control information of an LTE cell (tab-separated or JSON)",
    read_ng_scope,
    _sniff,
    (reading(), DIRECTION, USER, DECODE_TIME),
    """\
Sizes are in bits. The direction follows from the fields: an uplink log has no NDI and no HARQ process. The
log has no outcomes: a grant counts as erased if the same HARQ process was granted again within 50 ms with the
same NDI (in the uplink: 8 ms later), and a redundancy version above 0 or the same size. Without NDI only the
redundancy version tells. Notes say how sure that is, and how many grants were not heard.

\b
  tmt import ng-scope dci_log_dl.txt phy.parquet --user 61""",
)
