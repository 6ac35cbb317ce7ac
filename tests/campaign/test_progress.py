"""Progress of simulations where stderr is no terminal: a line at most every `LINE_EVERY_S`."""

import pytest

from tmt.campaign.engine import Progress
from tmt.cli import progress


def test_progress_lines__name_stage_runs_and_time_left(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    now_s = 100.0
    monkeypatch.setattr(progress, "LINE_EVERY_S", 15.0)
    monkeypatch.setattr(progress.time, "monotonic", lambda: now_s)
    with progress.run_progress("search") as (watch, tell):
        now_s = 110.0
        watch(Progress(total=40, converted=1, conversions=2))  # 10 s: no line is due
        now_s = 116.0
        watch(Progress(total=40, converted=1, conversions=2))
        now_s = 140.0  # 24 s after the last link trace: 10 of 40 runs, three times as long for the others
        watch(Progress(total=40, done=9, failed=1, converted=2, conversions=2))
        tell("race")
        now_s = 500.0
        watch(Progress(total=6, done=3, converted=2, conversions=2))
    assert capsys.readouterr() == (
        "",
        "search: 1 of 2 link traces, 0 of 40 runs\n"
        "search: 2 of 2 link traces, 10 of 40 runs, 1 failed, 1 min left\n"
        "race: 2 of 2 link traces, 3 of 6 runs, 6 min left\n",
    )


def test_progress_lines__are_absent_where_nothing_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    with progress.run_progress("search", shown=False) as (watch, tell):
        tell("race")
        watch(Progress(total=6))
    assert capsys.readouterr() == ("", "")
