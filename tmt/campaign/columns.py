"""Columns that a campaign adds to the row of a run: its point in the grid, and its outcome."""

from __future__ import annotations

import pyarrow as pa

from tmt.spec.columns import RUN_RESULTS, ColumnFamily
from tmt.spec.settings import Value

Row = dict[str, Value]
"""Values of a run by the names of result columns."""

DONE, FAILED, TIMED_OUT, KILLED = "done", "failed", "timed out", "killed"
"""Ends of a run; every run that is not done has a `message`."""

RECORDS = "records"
"""Folder of packet records in a campaign's folder, and the column that names a folder there."""

GOODPUT_COUNTS = "in-order TCP payload bytes handed to the receiving application"
"""Bytes counted by every displayed goodput."""

PUBLISHED_COLUMNS = ("column", "tcp", "scheme", "value", "error", "source")
"""Columns that a file of published values must have."""

_SCENARIO = ColumnFamily("scenario")
_PROVENANCE = ColumnFamily("provenance")
_REPLAY = "when it is a replay"
_LINK = ColumnFamily("link", null="when the run is not done, or the scheme works online")

CAMPAIGN_COLUMNS = (
    _PROVENANCE.text("key", "hash of everything that decides the run's outcome"),
    _PROVENANCE.text("experiment", "hash of the same without the seed"),
    _PROVENANCE.text("status", f"{DONE}, {FAILED}, {TIMED_OUT} or {KILLED}"),
    _SCENARIO.text("trace", "where the PHY slots come from"),
    _SCENARIO.text(
        "trace_parameters", "parameters of the trace's channel, its file and the file's SHA-256, as JSON"
    ),
    _SCENARIO.text("scheme", "link-layer scheme, in the papers' notation"),
    _SCENARIO.text("scheme_name", "the scheme's name, as scenarios have it"),
    _SCENARIO.text("scheme_parameters", "the scheme's parameters, as JSON"),
    _SCENARIO.text(
        "return_link",
        "plain: loses nothing; unprotected, protected: a trace as forward, without or with its scheme; then "
        "the file of its own trace",
    ),
    _LINK.number(
        "capacity_bps",
        "rate of full packets sent back to back, on average over the whole trace",
        counts="TCP payload bytes of packets of which no LLDU is lost",
    ),
    _LINK.number(
        "lldu_loss_ratio",
        "share of LLDUs that the scheme gave up, over the whole trace; with scheme none that of erased slots",
        counts="data LLDUs, the rows of the forward link trace",
    ),
    _SCENARIO.text("script", "a paper's own ns-2 script that did the run", null=_REPLAY),
    _SCENARIO.text("script_settings", "the script's settings, as JSON", null=_REPLAY),
    _PROVENANCE.text(
        "script_figures",
        "the numbers that the script printed and those of its packet records, as JSON",
        null=f"{_REPLAY}, or the run is not done",
    ),
    _PROVENANCE.integer("attempt", "how many times the run was started so far"),
    _PROVENANCE.text("finished_at", "when it ended, UTC"),
    _PROVENANCE.text("sources", "hash of the sources of tmt that decide the outcome"),
    _PROVENANCE.integer("schema_version", "version of the columns' declaration"),
    _PROVENANCE.integer(
        "exit_status",
        "exit status of the simulator",
        null="when the run is done, or the simulator was ended by a signal",
    ),
    _PROVENANCE.text(
        "message", "what went wrong, with the simulator's last words", null="when the run is done"
    ),
    _PROVENANCE.text(RECORDS, "folder of the packet records", null="when none were kept"),
)

COLUMNS = (*CAMPAIGN_COLUMNS, *RUN_RESULTS)
"""Every column of a campaign's results, in file order."""


def arrow_schema() -> pa.Schema:
    """Return the columns as in a Parquet file; each may be null, for failed runs."""
    types = {"text": pa.string(), "integer": pa.int64(), "number": pa.float64(), "flag": pa.bool_()}
    return pa.schema([pa.field(column.name, types[column.kind]) for column in COLUMNS])


def blank_row() -> Row:
    """Return a row that has no value in any column."""
    return dict.fromkeys(column.name for column in COLUMNS)
