"""Figures for print: one file each for any names, with names and values unchanged."""

from pathlib import Path

import altair as alt
import numpy as np
import pytest
from jsonschema import Draft7Validator
from result_rows import frame, run

from tmt.core.schema import PACKET_RECORDS, WINDOW_RECORDS
from tmt.results.dataset import Results, find_axes
from tmt.results.over_time import RunRecords
from tmt.results.reading import results_of
from tmt.results.values import slug
from tmt.show.charts.files import save_chart
from tmt.show.charts.parts import filled
from tmt.show.charts.style import configuration, tcp_styles
from tmt.show.page.print_figures import comparison_chart, print_figures
from tmt.show.page.views import members, views


def _results() -> Results:
    rows = [
        run(
            tcp=tcp,
            scheme="_hidden $x_1",
            seed=seed,
            trace=f"../{level}",
            trace_parameters=f'{{"es_n0_db": {level}}}',
            delay_p95_s=0.1 * seed,
        )
        for tcp in ("cubic", "$\\alpha</text>")
        for level in (5, 6)
        for seed in (1, 2)
    ]
    runs = frame(rows)
    nothing = RunRecords(1, np.zeros(0, PACKET_RECORDS.dtype), np.zeros(0, WINDOW_RECORDS.dtype))
    return Results("made", "", runs, find_axes(runs), records=(nothing,))


def test_print_figures__survive_names_that_mean_something_to_files_or_to_markup(tmp_path: Path) -> None:
    results = _results()
    paths = list(print_figures(results, results.cells, tmp_path))
    assert sorted(paths) == sorted(tmp_path.iterdir())
    assert {path.name for path in paths if path.suffix == ".pdf"} == {
        "goodput-by-scheme-es-n0-5-db.pdf",
        "goodput-by-scheme-es-n0-6-db.pdf",
        "goodput-over-es-n0.pdf",
        "delay-p95-by-scheme-es-n0-5-db.pdf",
        "delay-p95-by-scheme-es-n0-6-db.pdf",
        "delay-p95-over-es-n0.pdf",
        "timeline-cubic-over-hidden-x-1-es-n0-5-db-seed-2.pdf",
    }
    drawing = (tmp_path / "goodput-by-scheme-es-n0-5-db.svg").read_text()
    assert "_hidden $x_1" in drawing
    assert "$\\alpha&lt;/text&gt;" in drawing


def test_print_figures__of_runs_with_long_names_have_a_file_each(tmp_path: Path) -> None:
    runs = frame([run(scheme="a long scheme " * 5, seed=seed) for seed in (1, 2)])
    none = (np.zeros(0, PACKET_RECORDS.dtype), np.zeros(0, WINDOW_RECORDS.dtype))
    results = Results("made", "", runs, records=tuple(RunRecords(row, *none) for row in (0, 1)))
    paths = list(print_figures(results, results.cells, tmp_path))
    assert len(set(paths)) == len(paths)
    assert sum(path.name.startswith("timeline-") for path in tmp_path.glob("*.pdf")) == 2


def test_views__are_valid_specifications() -> None:
    schema = Draft7Validator(alt.load_schema())  # Altair's own validation takes six times as long
    results = _results()
    summary = results.cells
    found = views(results, summary)
    assert [view.name for view in found] == ["compare", "sweep", "trade", "timeline"]
    for view in found:
        for spec in view.specs.values():
            schema.validate(filled(spec, view.rows, configuration(tcp_styles(["cubic"]))))
    assert members(summary)[1].labels == ["_hidden $x_1"]


@pytest.mark.parametrize("ending", ["png", "svg", "pdf"])
def test_comparison_chart__shows_every_panel_variant_and_value(tmp_path: Path, ending: str) -> None:
    # Differences 10, 10.1 and 10 are steady although the values are not.
    goodputs = {"cubic": [10.0, 14.0, 12.0], "hybla": [20.0, 24.1, 22.0]}
    rows = frame(
        [
            run(status="done", tcp=tcp, scheme=scheme, rtt_s=rtt_s, seed=seed, goodput_bps=1000 * value)
            for scheme in ("none", "ARQ")
            for rtt_s in (0.1, 0.5)
            for tcp, values in goodputs.items()
            for seed, value in enumerate(values, start=1)
        ]
    )
    results = results_of(rows, "<b>A & B</b>")
    chart = comparison_chart(results, results.cells)
    (path,) = save_chart(chart, tmp_path / f"figure.{ending}")
    assert path.stat().st_size > 3000
    if ending == "svg":
        drawing = path.read_text()
        names = ("&lt;b&gt;A &amp; B&lt;/b&gt;", "none", "ARQ", "RTT 0.1 s", "RTT 0.5 s", "CUBIC", "Hybla")
        for text in names:
            assert f">{text}" in drawing, text
        assert drawing.count(">12<") == drawing.count(">22<") == 4
        assert drawing.count(">a<") == drawing.count(">b<") == 4


def test_comparison_chart__is_none_without_a_finished_run() -> None:
    results = results_of(frame([run(status="failed", goodput_bps=None)]), "t")
    assert comparison_chart(results, results.cells) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [("../Es/N0 (dB)", "es-n0-db"), ("", "unnamed"), ("é</>", "unnamed"), ("a" * 99, "a" * 60)],
)
def test_slug__is_a_name_for_a_file(text: str, expected: str) -> None:
    assert slug(text) == expected
