"""The part of `tmt fit` that makes more traces: their names, their files, and tables about their model."""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING

import numpy as np

from tmt.cli.progress import print_notes, progress_bar
from tmt.cli.tables import text_table
from tmt.core.declaration import ns
from tmt.core.units import ns_to_seconds
from tmt.io import ending_of, format_of, write_trace
from tmt.io.atomic import check_not_source

if TYPE_CHECKING:
    from pathlib import Path

    from rich.table import Table

    from tmt.theory.fit.resemblance import Resemblance
    from tmt.theory.fit.trace_model import TraceModel


def names_of(trace: str, output: Path | None, number: int) -> list[str]:
    """Return the names of the new traces; none may be TRACE itself."""
    name = str(output or PurePath(trace).name)
    format_of(name)
    ending = ending_of(name)
    names = [f"{name.removesuffix(ending)}-{i}{ending}" for i in range(1, number + 1)]
    for one in names:
        check_not_source(one, trace)
    return names


def write_traces(fitted: TraceModel, names: list[str], duration: float | None, seed: int) -> None:
    """Write traces of a model; a note says if they are longer than the measured trace."""
    if not names:
        return
    measured_ns = fitted.windows.length_ns
    duration_ns = None if duration is None else ns(duration)
    if duration_ns is not None and duration_ns > measured_ns:
        measured = f"the measured {ns_to_seconds(measured_ns):g} s"
        reason = "changes slower than those are not in them"
        print_notes([f"traces of {duration:g} s are longer than {measured}: {reason}"])
    with progress_bar("generate", len(names), "traces") as progress:
        for name, made in zip(names, fitted.drawn(len(names), duration_ns, seed), strict=True):
            write_trace(name, made)
            progress(1)


def model_tables(path: str, fitted: TraceModel, check: Resemblance) -> list[Table]:
    """Return the states of a model, and the comparison of its traces with the measured halves."""
    shown = []
    if states := fitted.states():
        scale, unit = (1e-3, "kbit/s") if fitted.windows.has_sizes else (1.0, "rows/s")
        rows = []
        for number, one in enumerate(states, 1):
            values = one["share"], one["dwell_s"], scale * one["rate_per_s"], 100 * one["lost"]
            figures = (*values, 1e3 * one["delay_s"])
            texts = (f"{value:.4g}" if np.isfinite(value) else "-" for value in figures)
            rows.append((str(number), *texts))
        header = ("state", "share", "lasts, s", unit, "lost, %", "delay, ms")
        shown.append(text_table(f"{path}: states of its windows", header, rows, ()))
    heads = ("figure", "first half", "second half", "model, mean", "95 % from", "to", "")
    compared = []
    for row in check.comparisons:
        figures = (row.first, row.second, row.model, row.low, row.high)
        compared.append((row.name, *(f"{value:.4g}" for value in figures), row.outcome))
    shown.append(text_table("Measured halves, and traces of a model of each half", heads, compared, (0, 6)))
    return shown
