"""The charts of traces, fits, runs, campaigns and searches, which their method `chart` gives."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tmt.api.traces import inspect_trace
from tmt.core.errors import UsageError
from tmt.core.measure.summaries import LinkSummary, PhySummary
from tmt.core.trace import LinkTrace, PhyTrace
from tmt.core.words.html_table import chart_of
from tmt.results.dataset import Results
from tmt.results.tune.tuning import Tuning
from tmt.run.measure import ExperimentResult
from tmt.theory.fit import FitReport

if TYPE_CHECKING:
    from altair.typing import ChartType

Drawn = PhyTrace | LinkTrace | PhySummary | LinkSummary | FitReport | ExperimentResult | Results | Tuning


def chart(drawn: Drawn) -> ChartType:
    """Return the picture of a value as an Altair chart (UsageError when there is nothing to draw)."""
    import altair as alt  # noqa: PLC0415  (takes a fifth of the time that the other imports take)

    spec = _specification(drawn)
    if spec is None:
        raise UsageError("nothing to draw: no run has a result")
    kinds: dict[str, Any] = {
        "vconcat": alt.VConcatChart,
        "concat": alt.ConcatChart,
        "facet": alt.FacetChart,
        "layer": alt.LayerChart,
    }
    kind = next(kind for key, kind in kinds.items() if key in spec)
    found: ChartType = kind.from_dict(spec, validate=False)
    return found


def _specification(drawn: Drawn) -> dict[str, Any] | None:
    from tmt.show.charts import over_time, traces  # noqa: PLC0415
    from tmt.show.page import print_figures, tune_charts  # noqa: PLC0415

    match drawn:
        case PhyTrace() | LinkTrace():
            return _specification(inspect_trace(drawn))
        case PhySummary() | LinkSummary():
            return traces.summary_chart(drawn, drawn.title)
        case FitReport():
            return traces.fit_chart(drawn)
        case ExperimentResult():
            return over_time.run_chart(drawn)
        case Results():
            return print_figures.comparison_chart(drawn, drawn.cells)
        case Tuning():
            return tune_charts.finalists_chart(drawn)


for kind in Drawn.__args__:
    chart_of.register(kind, chart)
