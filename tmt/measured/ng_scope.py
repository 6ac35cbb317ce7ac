"""NG-Scope: the control information (DCI) of an LTE cell, tab-separated without a header.

Downlink: tti, rnti, cell_prb, ue_prb, mcs, rv and size in bits of two code words, harq, timestamp_us, two
NDIs. The uplink and the downlink of older versions have no NDIs; in the uplink harq is always 0. A subframe
without a grant is a row of zeros with its tti and timestamp.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tmt.errors import InputError
from tmt.measured.attempts import Attempt
from tmt.measured.columns import UNITS_NS, TextTable, time_ns, whole
from tmt.measured.frames import SlotClock
from tmt.measured.grants import grants_measurement
from tmt.measured.importer import Importer, Measurement
from tmt.measured.lte_harq import ROUND_TRIP_MS
from tmt.measured.options import DECODE_TIME, DIRECTION, USER, reading

if TYPE_CHECKING:
    from tmt.measured.options import Direction, Reading

_DOWN_FIELDS, _UP_FIELDS = 14, 12
_LARGEST_BLOCK_BITS = 1 << 27


def read_ng_scope(
    path: str, reading: Reading, direction: Direction | None, user: str | None, decode_time_ns: int
) -> Measurement:
    """Return the trace of one terminal; errors as for `tmt.measured.grants.grants_measurement`."""
    table = TextTable(path)
    width = len(table.names)
    if width not in (_DOWN_FIELDS, _UP_FIELDS):
        reason = f"a line has {width} fields; needed are {_DOWN_FIELDS} (downlink) or {_UP_FIELDS} (uplink)"
        raise InputError(path, reason)
    clock = SlotClock()
    grants: list[Attempt] = []
    is_downlink = width == _DOWN_FIELDS or any(fields[10] != "0" for _, fields in table.rows(*table.names))
    for line, fields in table.rows(*table.names):
        log_ns = time_ns(path, line, "timestamp_us", fields[11], UNITS_NS["us"])
        tti = whole(path, line, "tti", fields[0], 0, 10_239)
        sent_ns = clock.time_ns(tti, log_ns)
        if fields[1] != "0":
            grants += _code_words(path, line, fields, sent_ns, downlink=is_downlink)
    notes = []
    if table.cut_line is not None:
        notes.append(f"line {table.cut_line}, the last one, is cut short and left out")
    return grants_measurement(path, grants, reading, direction, user, decode_time_ns, notes)


def _code_words(path: str, line: int, fields: list[str], sent_ns: int, *, downlink: bool) -> list[Attempt]:
    """Return a grant's one or two transport blocks."""
    has_ndi = len(fields) == _DOWN_FIELDS
    found = []
    for word, (at, indicator) in enumerate(((4, 12), (7, 13))):
        bits = whole(path, line, f"tbs{word + 1}", fields[at + 2], 0, _LARGEST_BLOCK_BITS)
        if word == 1 and bits == 0:
            continue  # a single code word
        found.append(
            Attempt(
                line=line,
                time_ns=sent_ns,
                size_bytes=bits // 8,
                failed=None,
                repeat=False,
                # Uplink HARQ is synchronous: its processes take turns.
                process=whole(path, line, "harq", fields[10], 0, 15)
                if downlink
                else sent_ns // UNITS_NS["ms"] % ROUND_TRIP_MS,
                stream=word,
                version=whole(path, line, f"rv{word + 1}", fields[at + 1], 0, 3),
                new_data=whole(path, line, f"ndi{word + 1}", fields[indicator], 0, 1) if has_ndi else None,
                user=fields[1],
                direction="down" if downlink else "up",
            )
        )
    return found


def _sniff(head: bytes) -> bool:
    lines = [line.rstrip(b"\r\t ") for line in head.split(b"\n")[:-1][:100] if line.strip()]
    rows = [line.split(b"\t") for line in lines]
    return bool(rows) and all(
        len(row) in (_UP_FIELDS, _DOWN_FIELDS)
        and all(field.isdigit() for field in row)
        and int(row[0]) < 10_240
        and int(row[11]) > 10**15  # microseconds since 1970
        for row in rows
    )


IMPORTER = Importer(
    "ng-scope",
    "NG-Scope: control information of an LTE cell (tab-separated)",
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
