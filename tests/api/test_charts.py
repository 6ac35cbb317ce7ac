"""Values of the names of `import tmt` have charts: the pictures of the commands, with the values' numbers."""

import sys
from typing import Any

import altair as alt
import numpy as np
import pandas as pd
import pytest
from jsonschema import Draft7Validator
from processes import execute
from result_rows import frame, run

import tmt
from tmt.core.errors import UsageError
from tmt.core.trace import Trace
from tmt.core.words.html_table import Charted, chart_of
from tmt.results.reading import results_of


def _trace() -> Trace:
    erased = np.random.default_rng(1).random(4000) < 0.2
    columns = {"tx_time": np.arange(4000) / 1000, "decode_time": np.where(erased, 0, 0.036)}
    return tmt.trace_from_frame(pd.DataFrame(columns))


def _drawn(value: Charted) -> dict[str, Any]:
    """Return the specification of a value's chart, which Vega-Lite's schema allows."""
    spec: dict[str, Any] = value.chart().to_dict(validate=False)
    Draft7Validator(alt.load_schema()).validate(spec | {"datasets": {}})
    return spec


def test_chart__of_a_trace_is_that_of_its_summary() -> None:
    trace = _trace()
    spec = _drawn(trace)
    assert spec == _drawn(tmt.inspect_trace(trace))
    assert spec["title"]["text"] == "PHY trace: 4,000 slots in 3.999 s"
    lengths = tmt.inspect_trace(trace).pattern.burst_lengths
    assert [row["value"] for row in spec["datasets"]["bursts"]] == sorted(lengths)


def test_chart__of_a_fit_has_the_trace_and_three_models() -> None:
    rows = _drawn(tmt.fit_trace(_trace()))["datasets"]["bursts"]
    assert {row["of"] for row in rows} == {"trace", "Bernoulli", "simple Gilbert", "Gilbert-Elliott"}


def test_chart__of_results_has_a_row_for_each_cell() -> None:
    runs = [run(tcp=tcp, seed=seed, goodput_bps=1e3 * seed) for tcp in ("cubic", "hybla") for seed in (1, 2)]
    rows = _drawn(results_of(frame([one | {"status": "done"} for one in runs]), "t"))["datasets"]["rows"]
    assert {(row["tcp"], row["mean"]) for row in rows} == {("CUBIC", 1.5), ("Hybla", 1.5)}


def test_chart__of_results_without_a_run_is_refused() -> None:
    with pytest.raises(UsageError, match="nothing to draw: no run has a result"):
        results_of(frame([run(status="failed", goodput_bps=None)]), "t").chart()
    with pytest.raises(TypeError, match="int has no chart"):
        chart_of(1)


@pytest.mark.ns2
@pytest.mark.usefixtures("simulator")
def test_chart__of_a_run_has_its_goodput() -> None:
    spec = _drawn(tmt.replay_trace(1e6, 0.1, tmt.Traffic("cubic", duration=5)))
    assert spec["title"]["text"] == "TCP CUBIC over a plain link, RTT 0.1 s"
    assert max(row["line_0"] for row in spec["datasets"]["goodput"]) > 0.9


def test_import__draws_nothing_before_a_chart_is_asked_for() -> None:
    script = (
        "import sys, tmt; tmt.read_trace; tmt.Scenario; "
        "print([name for name in ('altair', 'tmt.show.charts.traces') if name in sys.modules])"
    )
    result = execute(sys.executable, "-c", script, check=True)
    assert result.stdout == "[]\n"
