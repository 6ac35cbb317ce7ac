"""Results as arrays of xarray: each run at its place, with unit and meaning."""

import sys

import numpy as np
import pytest
from result_rows import frame, run

from tmt.core.errors import UsageError
from tmt.results.dataset import Results, find_axes


def _results(*, doubled: bool = False) -> Results:
    """Return runs of two variants, two seeds, and two rates of loss, one of them under one variant only."""
    rows = [
        run(
            tcp=tcp,
            seed=seed,
            trace_parameters=f'{{"loss": {loss}}}',
            goodput_bps=100.0 * loss + 10 * (tcp == "cubic") + seed,
            timeouts=seed,
        )
        for loss, tcp in ((1, "newreno"), (1, "cubic"), (2, "cubic"))
        for seed in (4, 7)
    ]
    runs = frame(rows + rows[:1] * doubled)
    return Results("made", "", runs, find_axes(runs))


def test_arrays__have_each_run_at_its_place() -> None:
    found = _results().to_xarray()
    assert dict(found.sizes) == {"tcp": 2, "scheme": 1, "trace.loss": 2, "seed": 2}
    assert float(found["goodput_bps"].sel({"tcp": "cubic", "trace.loss": 2, "seed": 7}).item()) == 217
    assert float(found["goodput_bps"].sel({"tcp": "newreno", "trace.loss": 1, "seed": 4}).item()) == 104
    assert np.isnan(found["goodput_bps"].sel({"tcp": "newreno", "trace.loss": 2})).all()
    # 111 + 4 and 111 + 7 less 1: the mean of 114 and 117.
    assert found["goodput_bps"].sel({"tcp": "cubic", "trace.loss": 1}).mean().item() == 115.5
    assert found["timeouts"].sel({"tcp": "cubic"}).values.ravel().tolist() == [4, 7, 4, 7]


def test_arrays__say_unit_and_meaning_and_leave_out_what_was_not_measured() -> None:
    found = _results().to_xarray()
    assert found["goodput_bps"].attrs["units"] == "bit/s"
    assert "TCP payload" in found["goodput_bps"].attrs["counts"]
    assert found.attrs == {"title": "made"}
    assert found["trace.loss"].attrs == {"long_name": "loss"}
    assert "delay_p95_s" not in found
    assert "rtt_s" not in found


def test_arrays__refuse_two_runs_of_one_place() -> None:
    with pytest.raises(UsageError, match="two runs of one seed differ in a setting that is no axis"):
        _results(doubled=True).to_xarray()


def test_arrays__need_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "xarray", None)
    with pytest.raises(UsageError, match=r'pip install "tmt-clift\[xarray\]"'):
        _results().to_xarray()
