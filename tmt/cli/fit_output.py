"""Tables that `tmt fit` prints for people; `--json` prints `FitReport.to_json`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.box import SIMPLE_HEAD
from rich.table import Table

from tmt.theory.fit import MODELS

if TYPE_CHECKING:
    from tmt.theory.fit import FitReport
    from tmt.theory.fit.goodness import GoodnessOfFit


def as_tables(path: str, report: FitReport) -> tuple[Table, Table]:
    """Return the table of the models and their tests, and that of their parameters."""
    share = report.erased / report.slots
    bursts = sum(report.burst_lengths.values())
    title = f"{path}: {report.slots:,} slots, {report.erased:,} erased ({share:.4g}), {bursts:,} bursts"
    tests = _table("model", "AIC - least", "chi2", "df", "p", "", title=title)
    values = _table("model", "parameter", "estimate", "95 % from", "to")
    least = min(model.aic for model in report.models.values())
    for name, model in report.models.items():
        tests.add_row(MODELS[name], f"{model.aic - least:,.1f}", *_test(model.test))
        for parameter, estimate in model.parameters.items():
            numbers = (f"{value:.5g}" for value in (estimate.value, estimate.low, estimate.high))
            values.add_row(MODELS[name], parameter, *numbers)
    return tests, values


def _table(*headings: str, title: str | None = None) -> Table:
    table = Table(title=title, title_justify="left", box=SIMPLE_HEAD, pad_edge=False)
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
