"""`tmt fit`: fit erasure models to a trace, and test them."""

from __future__ import annotations

import os
from pathlib import PurePath
from typing import TYPE_CHECKING

# OpenBLAS reads this when numpy is imported. Its threads wait by spinning: with matrices of four rows they
# would take a third of the CPU time.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import click
import numpy as np

from tmt.cli.lazy import imported_when_used
from tmt.cli.options import FILE, json_text, plot_option
from tmt.cli.progress import progress_bar
from tmt.cli.tables import print_parts
from tmt.core.errors import InputError, UsageError
from tmt.core.schema import PHY_TRACE
from tmt.core.trace import PhyTrace
from tmt.io import open_trace

if TYPE_CHECKING:
    from tmt.core.trace import BoolArray, Uint32Array
    from tmt.theory.fit import FitReport
    from tmt.theory.fit.goodness import GoodnessOfFit

with imported_when_used():
    from rich import box, table as tables

    from tmt.show.charts import files as figures, traces as charts


@click.command()
@click.argument("trace", type=FILE)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object, with all lengths and lags.")
@plot_option("Draw the fits")
def command(trace: str, as_json: bool, plot: str | None) -> None:
    """Fit erasure models to the PHY trace TRACE, and test whether they explain its bursts.

    Independent erasures (Bernoulli), the simple Gilbert model and the Gilbert-Elliott model are fitted by
    maximum likelihood, with 95 % intervals. A chi-square test on the lengths of bursts and gaps judges each
    model; the verdict is the simplest model that the test does not reject at the 1 % level. Lengths are
    counted in slots; times do not matter. Where slots have sizes of their own, a test says whether erasures
    depend on the size.

    \b
    Find the parameters that made a trace:
      tmt generate --channel gilbert-elliott --alpha 0.99 --beta 0.8 \\
          --duration 300 phy.parquet
      tmt fit phy.parquet
      tmt fit --plot fit.svg phy.parquet
    """
    from tmt.theory import fit  # noqa: PLC0415  (numba and scipy take long to import)

    erased, size_bytes = _slots(trace)
    try:
        with progress_bar("fit", 3, "models", compiles=True) as progress:
            report = fit.fit(erased, progress, size_bytes=size_bytes)
    except UsageError as error:
        raise InputError(trace, str(error)) from None
    if plot is not None:
        figures.save_chart(charts.fit_chart(report, PurePath(trace).name), plot)
    if as_json:
        click.echo(json_text(report.to_json()))
        return
    sentences = [report.verdict] if report.sizes is None else [report.verdict, report.sizes.sentence]
    print_parts(*_tables(trace, report, fit.MODELS), *sentences)


def _slots(trace: str) -> tuple[BoolArray, Uint32Array | None]:
    """Read whether each slot is erased, and the sizes of slots that have them; a fit keeps no times."""
    pieces, sizes = [], []
    with open_trace(trace, PHY_TRACE) as reader, progress_bar("read", reader.rows) as progress:
        for chunk in reader:
            assert isinstance(chunk, PhyTrace)
            pieces.append(chunk.decode_time_ns == 0)
            if chunk.size_bytes is not None:
                sizes.append(chunk.size_bytes)
            progress(len(chunk))
    return np.concatenate(pieces), np.concatenate(sizes) if sizes else None


def _tables(path: str, report: FitReport, labels: dict[str, str]) -> tuple[tables.Table, tables.Table]:
    share = report.erased / report.slots
    bursts = sum(report.burst_lengths.values())
    title = f"{path}: {report.slots:,} slots, {report.erased:,} erased ({share:.4g}), {bursts:,} bursts"
    tests = _table("model", "AIC - least", "chi2", "df", "p", "", title=title)
    values = _table("model", "parameter", "estimate", "95 % from", "to")
    least = min(model.aic for model in report.models.values())
    for name, model in report.models.items():
        tests.add_row(labels[name], f"{model.aic - least:,.1f}", *_test(model.test))
        for parameter, estimate in model.parameters.items():
            numbers = (f"{value:.5g}" for value in (estimate.value, estimate.low, estimate.high))
            values.add_row(labels[name], parameter, *numbers)
    return tests, values


def _table(*headings: str, title: str | None = None) -> tables.Table:
    table = tables.Table(title=title, title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in headings:
        left = heading in {"model", "parameter", ""}
        table.add_column(heading, justify="left" if left else "right", no_wrap=True)
    return table


def _test(test: GoodnessOfFit) -> tuple[str, str, str, str]:
    if test.p_value is None:
        return "-", "0", "-", "too few runs"
    shown = f"{test.p_value:.2g}" if test.p_value >= 1e-6 else "< 1e-6"
    verdict = "rejected" if test.rejected else "not rejected"
    return f"{test.statistic:.1f}", str(test.degrees_of_freedom), shown, verdict
