"""Figures for print: whatever the names, every figure is a file of its own, and shows names as they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from result_rows import frame, run

from tmt.report import prints
from tmt.report.prints import print_figures
from tmt.results.axes import find_axes
from tmt.results.cells import summarise
from tmt.results.dataset import Results, RunRecords
from tmt.results.values import slug
from tmt.schema import PACKET_RECORDS, WINDOW_RECORDS

if TYPE_CHECKING:
    from pathlib import Path

    from matplotlib.figure import Figure


def test_print_figures__survive_names_that_mean_something_to_files_or_to_mathematics(tmp_path: Path) -> None:
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
    results = Results("made", "", runs, find_axes(runs), records=(nothing,))
    paths = list(print_figures(results, summarise(results), tmp_path))
    assert sorted(paths) == sorted(tmp_path.iterdir())
    assert {path.name for path in paths if path.suffix == ".pdf"} == {
        "goodput-by-scheme.pdf",
        "goodput-over-es-n0.pdf",
        "delay-p95-by-scheme.pdf",
        "delay-p95-over-es-n0.pdf",
        "timeline-1-cubic-hidden-x-1-2.pdf",
    }
    drawing = (tmp_path / "goodput-by-scheme.svg").read_text()
    assert "_hidden $x_1" in drawing
    assert "$\\alpha&lt;/text&gt;" in drawing


def test_print_figures__show_the_values_of_every_panel(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [
        run(scheme=scheme, in_order=in_order, rtt_s=rtt_s, seed=seed, goodput_bps=rate)
        for scheme, in_order, rtt_s, rate in (
            ("none", False, 0.1, 1e6),
            ("none", True, 0.1, 9e6),
            ("none", False, 0.5, 2e6),
            ("ARQ", False, 0.1, 70e6),
        )
        for seed in (1, 2)
    ]
    runs = frame(rows)
    results = Results("made", "", runs, find_axes(runs))
    drawn: dict[str, Figure] = {}
    monkeypatch.setattr(prints, "save", lambda figure, path: drawn.setdefault(path.stem, figure))
    list(print_figures(results, summarise(results), tmp_path))
    assert {"goodput-by-scheme", "goodput-over-rtt"} <= set(drawn)
    for figure in drawn.values():
        values = np.concatenate([line.get_ydata() for axes in figure.axes for line in axes.lines])
        assert values.size
        for axes in figure.axes:
            low, high = axes.get_ylim()
            assert low == 0
            assert high >= values.max()


@pytest.mark.parametrize(
    ("text", "expected"),
    [("../Es/N0 (dB)", "es-n0-db"), ("", "unnamed"), ("é</>", "unnamed"), ("a" * 99, "a" * 60)],
)
def test_slug__is_a_name_for_a_file(text: str, expected: str) -> None:
    assert slug(text) == expected
