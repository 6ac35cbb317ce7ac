"""The summary compares variants on the same seeds, scheme by scheme, and the figure shows what it says."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pandas as pd
import pytest

from tmt.campaign.columns import DONE, FAILED
from tmt.campaign.picture import rows as picture_rows
from tmt.campaign.summary import groups
from tmt.figures import comparison
from tmt.figures.style import new_figure, save

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

Row = dict[str, Any]

GOODPUTS = {
    "none": {"cubic": [10.0, 14.0, 12.0], "hybla": [20.0, 24.1, 22.0]},
    "ARQ": {"cubic": [200.0, 204.0, 202.0], "hybla": [201.0, 202.0, 203.5]},
}


@pytest.fixture
def frame(make_row: Callable[..., Row]) -> pd.DataFrame:
    rows = [
        make_row(
            seed,
            tcp=tcp,
            scheme=scheme,
            scheme_name=scheme.lower(),
            trace="a",
            rtt_s=rtt_s,
            goodput_bps=1000 * value,
            capacity_bps=240e3,
        )
        for rtt_s in (0.1, 0.5)
        for scheme, variants in GOODPUTS.items()
        for tcp, values in variants.items()
        for seed, value in enumerate(values, start=1)
    ]
    return pd.DataFrame(rows)


def test_groups__give_means_intervals_and_ranks_per_scheme_and_point(frame: pd.DataFrame) -> None:
    found = groups(frame, ["rtt_s"])
    assert [(group.point["rtt_s"], group.scheme) for group in found] == [
        (0.1, "none"),
        (0.1, "ARQ"),
        (0.5, "none"),
        (0.5, "ARQ"),
    ]
    none, arq = found[:2]
    cubic, hybla = none.cells
    assert (cubic.tcp, hybla.tcp) == ("cubic", "hybla")
    assert cubic.goodput_kbps.mean == pytest.approx(12)
    # s = 2, n = 3, t(.975; 2) = 4.3027 (any printed table): half width 4.3027 * 2 / sqrt(3) = 4.9683.
    assert cubic.goodput_kbps.half_width == pytest.approx(4.9683, abs=1e-4)
    assert cubic.values_kbps == (10, 14, 12)
    # Differences 10, 10.1, 10 are steady although the values are not; over ARQ they have both signs.
    assert (cubic.among_best, hybla.among_best) == (False, True)
    assert [cell.among_best for cell in arq.cells] == [True, True]
    assert arq.capacity_kbps == 240


def test_groups__leave_out_failed_runs_and_their_pairs_only(frame: pd.DataFrame) -> None:
    frame.loc[0, "status"] = FAILED
    frame.loc[0, "goodput_bps"] = math.nan
    cubic, hybla = groups(frame, ["rtt_s"])[0].cells
    assert (cubic.goodput_kbps.count, hybla.goodput_kbps.count) == (2, 3)
    assert cubic.goodput_kbps.mean == pytest.approx(13)


def test_groups__of_nothing_done_are_none(frame: pd.DataFrame) -> None:
    frame["status"] = FAILED
    assert groups(frame, ["rtt_s"]) == []


def test_groups__of_one_seed_know_no_interval(frame: pd.DataFrame) -> None:
    first = groups(frame[(frame["seed"] == 1) & (frame["status"] == DONE)], [])[0]
    assert math.isnan(first.cells[0].goodput_kbps.low)
    assert all(cell.among_best for cell in first.cells)


@pytest.mark.parametrize("ending", ["png", "svg", "pdf"])
def test_picture__shows_every_panel_and_variant(frame: pd.DataFrame, tmp_path: Path, ending: str) -> None:
    content = picture_rows(groups(frame, ["rtt_s"]))
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
    rows = [replace(row, panels=row.panels[:schemes]) for row in picture_rows(groups(frame, ["rtt_s"]))]
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
    content = picture_rows(groups(frame, ["rtt_s"]))
    with new_figure(*comparison.size(content)) as figure:
        comparison.draw(figure, content, title="t", note="n")
    texts = [text.get_text() for axes in figure.axes for text in axes.texts]
    assert not [text for text in texts if "capacity" in text]


def test_picture__of_one_seed_draws_no_whisker(frame: pd.DataFrame, tmp_path: Path) -> None:
    content = picture_rows(groups(frame[frame["seed"] == 1], []))
    with new_figure(*comparison.size(content)) as figure:
        comparison.draw(figure, content, title="t", note="n")
        save(figure, tmp_path / "one.png")
    assert (tmp_path / "one.png").exists()
