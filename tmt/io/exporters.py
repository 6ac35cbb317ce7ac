"""A trace from one file into another, in the format that its ending says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tmt.io import create_trace, open_trace
from tmt.io.atomic import check_not_source

if TYPE_CHECKING:
    from collections.abc import Callable


def copy_trace(source: str, target: str, progress: Callable[[int], None] = lambda rows: None) -> int:
    """Write a trace's rows and metadata into the file `target`, and return the number of rows.

    Any length is copied in little memory. `progress` is told the rows of each piece.

    Raises
    ------
    InputError
        When `source` is no good trace; then `target` is not written.
    OutputError
        When `target` cannot be written.
    UsageError
        When an ending stands for no format, or both are one file.
    """
    check_not_source(target, source)
    rows = 0
    with open_trace(source) as reader, create_trace(target, reader.table, reader.metadata) as writer:
        for chunk in reader:
            writer.write(chunk)
            rows += len(chunk)
            progress(len(chunk))
    return rows
