"""Models of the gallery's links: their size, their verdict, and TCP over measured and modelled stretches.

``python -m analysis.measured.trace_models FOLDER`` writes the table; ``--docs`` puts it into `docs/fit.md`.
"""

from __future__ import annotations

from pathlib import Path

from analysis.measured.gallery import GALLERY, LINKS
from analysis.pages import start, write_tables
from tmt.core.units import ns_to_seconds
from tmt.io import read_trace
from tmt.results.stretches import GoodputComparison, compare_goodput
from tmt.theory.fit.resemblance import Resemblance
from tmt.theory.fit.trace_model import KINDS, TraceModel, fit_model
from tools.page_tables import markdown_table

PAGE, TABLE = "fit.md", "trace-models"
RTT_S = 0.05
HEADS = ("trace", "model", "figures off", "halves differ", "verdict", "CUBIC", "BBR")


def main(folder: Path) -> str:
    """Fit and check both kinds of model of every link, and return the table."""
    rows = []
    for link in LINKS:
        trace = read_trace(GALLERY / link.trace)
        for kind in KINDS:
            model = fit_model(trace, kind)
            rows.append(_row(link.trace, model, model.check(), compare_goodput(model, RTT_S)))
    return write_tables(folder, PAGE, {TABLE: markdown_table(HEADS, rows)})


def _row(
    name: str, model: TraceModel, check: Resemblance, goodput: list[GoodputComparison]
) -> tuple[str, ...]:
    window_s = ns_to_seconds(model.windows.window_ns)
    law = model.law.to_json()
    if "block_windows" in law:
        size = f"blocks of {law['block_windows'] * window_s:g} s"
    else:
        states = f"{law['states']} state{'s' * (law['states'] > 1)}"
        size = f"{states} of windows of {window_s:g} s, {law['parameters']} parameters"
    number = len(check.comparisons)
    off = sum(not one.fits for one in check.comparisons)
    apart = sum(one.fits and not one.is_steady for one in check.comparisons)
    verdict = "adequate" if check.adequate else "not adequate"
    return f"`{name}`", size, f"{off} of {number}", f"{apart}", verdict, *map(_change, goodput)


def _change(found: GoodputComparison) -> str:
    scale = 100 / found.measured_bps
    difference = found.difference.scaled(scale)
    return f"{difference.mean:+.0f} % ({difference.low:+.0f} to {difference.high:+.0f})"


if __name__ == "__main__":
    start(main, f"{PAGE}#{TABLE}")
