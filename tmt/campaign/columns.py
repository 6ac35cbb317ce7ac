"""Columns that a campaign adds to the row of a run: its place in the grid, and its outcome."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from tmt.run_columns import RUN_RESULTS, ResultColumn

DONE, FAILED, TIMED_OUT, KILLED = "done", "failed", "timed out", "killed"
"""How a run ends; every run that is not done has a `message`."""

GOODPUT_COUNTS = "in-order TCP payload bytes handed to the receiving application"
"""What every goodput that is shown counts."""

PUBLISHED_COLUMNS = ("column", "tcp", "scheme", "value", "error", "source")
"""Columns that a file of published values must have."""

CAMPAIGN_COLUMNS = (
    ResultColumn("key", "text", "provenance", "", "hash of everything that decides the run's outcome"),
    ResultColumn("experiment", "text", "provenance", "", "hash of the same without the seed"),
    ResultColumn("status", "text", "provenance", "", f"{DONE}, {FAILED}, {TIMED_OUT} or {KILLED}"),
    ResultColumn("trace", "text", "scenario", "", "where the PHY slots come from"),
    ResultColumn(
        "trace_parameters",
        "text",
        "scenario",
        "",
        "parameters of the trace's channel, its file and the file's SHA-256, as JSON",
    ),
    ResultColumn("scheme", "text", "scenario", "", "link-layer scheme, in the papers' notation"),
    ResultColumn("scheme_name", "text", "scenario", "", "the scheme's name, as scenarios have it"),
    ResultColumn("scheme_parameters", "text", "scenario", "", "the scheme's parameters, as JSON"),
    ResultColumn(
        "return_link",
        "text",
        "scenario",
        "",
        "plain: loses nothing; unprotected, protected: a trace as forward, without or with its scheme; then "
        "the file of its own trace",
    ),
    ResultColumn(
        "capacity_bps",
        "number",
        "link",
        "bit/s",
        "rate of full packets sent back to back, on average over the whole trace",
        "TCP payload bytes of packets of which no LLDU is lost",
        null="when the run is not done, or the scheme works online",
    ),
    ResultColumn(
        "lldu_loss_ratio",
        "number",
        "link",
        "",
        "share of LLDUs that the scheme gave up, over the whole trace; with scheme none that of erased slots",
        "data LLDUs, the rows of the forward link trace",
        null="when the run is not done, or the scheme works online",
    ),
    ResultColumn(
        "script",
        "text",
        "scenario",
        "",
        "a paper's own ns-2 script that did the run",
        null="when it is a replay",
    ),
    ResultColumn(
        "script_settings",
        "text",
        "scenario",
        "",
        "the script's settings, as JSON",
        null="when it is a replay",
    ),
    ResultColumn(
        "script_figures",
        "text",
        "provenance",
        "",
        "the numbers that the script printed and those of its packet records, as JSON",
        null="when it is a replay, or the run is not done",
    ),
    ResultColumn("attempt", "integer", "provenance", "", "how many times the run was started so far"),
    ResultColumn("finished_at", "text", "provenance", "", "when it ended, UTC"),
    ResultColumn("sources", "text", "provenance", "", "hash of the sources of tmt that decide the outcome"),
    ResultColumn("schema_version", "integer", "provenance", "", "version of the columns' declaration"),
    ResultColumn(
        "exit_status",
        "integer",
        "provenance",
        "",
        "exit status of the simulator",
        null="when the run is done, or the simulator was ended by a signal",
    ),
    ResultColumn(
        "message",
        "text",
        "provenance",
        "",
        "what went wrong, with the simulator's last words",
        null="when the run is done",
    ),
    ResultColumn(
        "records", "text", "provenance", "", "folder of the packet records", null="when none were kept"
    ),
)

COLUMNS = (*CAMPAIGN_COLUMNS, *RUN_RESULTS)
"""Every column of a campaign's results, in file order."""


def arrow_schema() -> pa.Schema:
    """Return the columns as a Parquet file holds them; each may be null, for runs that failed."""
    types = {"text": pa.string(), "integer": pa.int64(), "number": pa.float64(), "flag": pa.bool_()}
    return pa.schema([pa.field(column.name, types[column.kind]) for column in COLUMNS])


def blank_row() -> dict[str, Any]:
    """Return a row that has no value in any column."""
    return dict.fromkeys(column.name for column in COLUMNS)
