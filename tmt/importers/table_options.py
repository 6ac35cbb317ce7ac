"""Options of the importer `table`: columns by name."""

from __future__ import annotations

from tmt.importers.importer import Option
from tmt.importers.options import DECODE_TIME, READING

OPTIONS = (
    READING,
    Option(
        "time",
        "--time",
        "text",
        "Column of the time, and its unit: s, ms, us, ns, or iso for dates.  [default unit: s]",
        required=True,
        metavar="NAME:UNIT",
    ),
    Option("bad", "--bad", "text", "Rows that were lost: column and value.", metavar="NAME=VALUE"),
    Option(
        "good",
        "--good",
        "text",
        "Instead of --bad: rows that were not lost. Without either option, no row was lost.",
        metavar="NAME=VALUE",
    ),
    Option(
        "size",
        "--bytes",
        "text",
        "Column of the size; in bits if :bits follows.",
        metavar="NAME[:bits]",
    ),
    Option(
        "delay",
        "--delay",
        "text",
        "Column of the time until a row is decoded or received, and its unit: s, ms, us or ns. "
        "Lost rows may have none.",
        metavar="NAME:UNIT",
    ),
    Option(
        "transmissions",
        "--transmissions",
        "text",
        "With --as link: column of the number of transmissions.  [default: 1 each]",
        metavar="NAME",
    ),
    Option(
        "es_n0",
        "--es-n0",
        "text",
        "With --as phy: column of the Es/N0 (or SNR) in dB, which soft combining needs.",
        metavar="NAME",
    ),
    Option(
        "where",
        "--where",
        "text",
        "Rows to take: columns and values. A name that is given several times may have any of its values.",
        metavar="NAME=VALUE,...",
    ),
    Option(
        "origin",
        "--origin",
        "text",
        "Time 0 of the trace: first (the earliest row of the file, whatever --where leaves out), zero "
        "(the table's own clock), or a time in seconds on that clock.",
        default="first",
        metavar="TIME",
    ),
    Option(
        "packing",
        "--packing",
        "choice",
        "How packets lie in rows: packed (bytes follow each other over rows) or padded (each packet "
        "begins in a new row).",
        default="packed",
        choices=("packed", "padded"),
    ),
    DECODE_TIME,
)
