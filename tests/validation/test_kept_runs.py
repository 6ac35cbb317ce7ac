"""Runs whose results are kept: each is run once, whatever ended the recipe before."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from analysis.kept_runs import KeptRuns

if TYPE_CHECKING:
    from pathlib import Path

    from analysis.kept_runs import Result, Settings

POINTS: list[Settings] = [{"x": x} for x in range(50)]


class Runs:
    """Squares; fails at one number, if any."""

    def __init__(self, fails_at: int | None = None) -> None:
        self.fails_at = fails_at
        self.done: list[int] = []

    def __call__(self, settings: Settings) -> Result:
        x = int(settings["x"])
        self.done.append(x)
        if x == self.fails_at:
            raise RuntimeError("no simulator")
        return {"square": float(x * x)}


def test_kept_runs__returns_results_in_the_order_asked_and_runs_nothing_twice(tmp_path: Path) -> None:
    first, second = Runs(), Runs()
    expected = [{"square": float(x * x)} for x in range(50)]
    assert KeptRuns(first, "1", tmp_path / "runs")(POINTS, "squares") == expected
    assert KeptRuns(second, "1", tmp_path / "runs")(POINTS[::-1], "squares") == expected[::-1]
    assert (sorted(first.done), second.done) == (list(range(50)), [])


@dataclass(frozen=True)
class Tenth:
    """A point whose run with seed s is told 10 x + s."""

    x: int

    def settings(self, seed: int) -> Settings:
        return {"x": 10 * self.x + seed}


def test_kept_runs__over_seeds_are_kept_by_point(tmp_path: Path) -> None:
    runs = Runs()
    found = KeptRuns(runs, "1", tmp_path / "runs").over_seeds([Tenth(2), Tenth(1), Tenth(2)], 3, "squares")
    by_hand = {Tenth(2): [21, 22, 23], Tenth(1): [11, 12, 13]}
    assert found == {point: [{"square": float(x * x)} for x in numbers] for point, numbers in by_hand.items()}
    assert sorted(runs.done) == [11, 12, 13, 21, 22, 23]


def test_kept_runs__of_another_version_are_not_used(tmp_path: Path) -> None:
    KeptRuns(Runs(), "1", tmp_path / "runs")(POINTS[:2], "squares")
    again = Runs()
    KeptRuns(again, "2", tmp_path / "runs")(POINTS[:2], "squares")
    assert sorted(again.done) == [0, 1]


def test_kept_runs__after_a_failure_runs_only_what_is_missing(tmp_path: Path) -> None:
    failing, rest = Runs(fails_at=0), Runs()
    with pytest.raises(RuntimeError, match="no simulator"):
        KeptRuns(failing, "1", tmp_path / "runs")(POINTS, "squares")
    kept = (tmp_path / "runs").read_text().splitlines()
    KeptRuns(rest, "1", tmp_path / "runs")(POINTS, "squares")
    assert len(kept) + len(rest.done) == 50


def test_kept_runs__drops_a_line_that_was_cut_short(tmp_path: Path) -> None:
    file = tmp_path / "runs"
    KeptRuns(Runs(), "1", file)(POINTS[:3], "squares")
    file.write_text(file.read_text()[:-4])
    again = Runs()
    KeptRuns(again, "1", file)(POINTS[:3], "squares")
    assert len(again.done) == 1
    kept = [json.loads(line)["result"]["square"] for line in file.read_text().splitlines()]
    assert sorted(kept) == [0.0, 1.0, 4.0]
