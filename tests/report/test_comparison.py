"""The summary compares variants on the same seeds, scheme by scheme, and the figure shows what it says."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pandas as pd
import pytest
from result_rows import run

from tmt.figures import comparison
from tmt.figures.style import new_figure, save
from tmt.report.comparison_rows import comparison_rows
from tmt.results.reading import results_of

if TYPE_CHECKING:
    from pathlib import Path

Row = dict[str, Any]

GOODPUTS = {
    "none": {"cubic": [10.0, 14.0, 12.0], "hybla": [20.0, 24.1, 22.0]},
    "ARQ": {"cubic": [200.0, 204.0, 202.0], "hybla": [201.0, 202.0, 203.5]},
}


@pytest.fixture
def frame() -> pd.DataFrame:
    return pd.DataFrame(
        [
            run(
                status="done",
                tcp=tcp,
                scheme=scheme,
                seed=seed,
                rtt_s=rtt_s,
                goodput_bps=1000 * value,
                capacity_bps=240e3,
            )
            for rtt_s in (0.1, 0.5)
            for scheme, variants in GOODPUTS.items()
            for tcp, values in variants.items()
            for seed, value in enumerate(values, start=1)
        ]
    )


def _rows(frame: pd.DataFrame) -> list[comparison.Row]:
    return comparison_rows(results_of(frame, "t"))


@pytest.mark.parametrize("ending", ["png", "svg", "pdf"])
def test_picture__shows_every_panel_and_variant(frame: pd.DataFrame, tmp_path: Path, ending: str) -> None:
    content = _rows(frame)
    assert [row.label for row in content] == ["RTT 0.1 s", "RTT 0.5 s"]
    with new_figure(*comparison.size(content)) as figure:
        comparison.draw(figure, content, title=r"<b>A & B</b> $\no{mathematics}$", note=comparison.NOTE)
        save(figure, tmp_path / f"figure.{ending}")
    texts = [text.get_text() for axes in figure.axes for text in axes.texts]
    assert [axes.get_title("left").strip() for axes in figure.axes] == ["no scheme", "ARQ"] * 2
    assert texts.count("capacity 240") == 4
    assert texts.count("\N{BLACK STAR} 22") == 2
    assert texts.count("202") == 4, "variants that cannot be told apart have no star"
    assert texts.count("12") == 2
    assert (tmp_path / f"figure.{ending}").stat().st_size > 5000


@pytest.mark.parametrize("schemes", [1, 2])
def test_picture__has_room_for_all_of_its_note(frame: pd.DataFrame, schemes: int) -> None:
    rows = [replace(row, panels=row.panels[:schemes]) for row in _rows(frame)]
    with new_figure(*comparison.size(rows)) as figure:
        comparison.draw(figure, rows, title="t", note=comparison.NOTE)
        figure.draw_without_rendering()
        (note,) = [text for text in figure.texts if "Dashed" in text.get_text()]
        drawn = note.get_window_extent()
        assert drawn.x0 >= 0
        assert drawn.x1 <= figure.bbox.x1
    assert " ".join(note.get_text().split()) == " ".join(comparison.NOTE.split())


def test_picture__without_a_known_capacity_draws_no_line(frame: pd.DataFrame) -> None:
    frame["capacity_bps"] = math.nan
    content = _rows(frame)
    with new_figure(*comparison.size(content)) as figure:
        comparison.draw(figure, content, title="t", note="n")
    texts = [text.get_text() for axes in figure.axes for text in axes.texts]
    assert not [text for text in texts if "capacity" in text]


def test_picture__of_one_seed_draws_no_whisker(frame: pd.DataFrame, tmp_path: Path) -> None:
    content = _rows(frame[frame["seed"] == 1])
    with new_figure(*comparison.size(content)) as figure:
        comparison.draw(figure, content, title="t", note="n")
        save(figure, tmp_path / "one.png")
    assert (tmp_path / "one.png").exists()
