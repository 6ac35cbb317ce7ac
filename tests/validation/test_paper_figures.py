"""The comparison behind figures 5 and 6 of Kuhn 2014, in small, and whether it can tell a wrong theory."""

from dataclasses import replace
from pathlib import Path

import numba
import pandas as pd
import pytest

from analysis.kuhn2014.theory_figures import FIGURE_5, FIGURE_6, TheoryFigure, compare, report, worst, write
from tmt.theory import Performance, RegularLink, TwoStateChannel

needs_jit = pytest.mark.skipif(
    bool(numba.config.DISABLE_JIT), reason="34 million slots: the kernels need the JIT for them"
)


@needs_jit
@pytest.mark.parametrize("figure", [FIGURE_5, FIGURE_6], ids=["figure 5", "figure 6"])
def test_figure__theory_and_tmt_agree(figure: TheoryFigure) -> None:
    # 60 replicates of 71 s instead of 100 of 500 s; the seeds are fixed. The 95 % interval of the longest
    # mean delay is then +-0.8 %, and what the end of a trace leaves open, late LLDUs all of them, takes up to
    # 1 % from it: hence a tolerance of 2.5 % here, where `make reproduce` has 1 %.
    small = replace(
        figure, betas=figure.betas[::4] + figure.betas[-1:], slots=figure.slots // 7, replicates=60
    )
    table = compare(small)
    assert table["inside_simultaneous"].all(), table
    assert table["delay_s_deviation"].abs().max() < 0.025


@needs_jit
def test_comparison__does_not_depend_on_the_number_of_processes() -> None:
    tiny = replace(FIGURE_5, betas=(0.5, 0.9), slots=13_200, replicates=3)
    pd.testing.assert_frame_equal(compare(tiny, processes=1), compare(tiny, processes=2))


@needs_jit
def test_comparison__rejects_a_theory_of_another_block(monkeypatch: pytest.MonkeyPatch) -> None:
    # A model of N_R = 6 where TMT uses 7: the smallest mistake that one can make in a block.
    from analysis.kuhn2014 import theory_figures as comparison
    from tmt.theory import Parameters, evaluate

    def of_another_block(
        scheme: str, channel: TwoStateChannel, link: RegularLink, parameters: Parameters
    ) -> Performance:
        return evaluate(scheme, channel, link, parameters | {"repair": 6})

    monkeypatch.setattr(comparison, "evaluate", of_another_block)
    harq_only = replace(
        FIGURE_5, betas=(0.9,), contenders=FIGURE_5.contenders[2:], slots=99_660, replicates=5
    )
    assert not compare(harq_only)["inside_simultaneous"].any()


def _table() -> pd.DataFrame:
    row = {"scheme": "arq", "label": "ARQ", "alpha": 0.99, "beta": 0.5, "erasure_probability": 0.02}
    row |= {"efficiency_theory": 0.98, "efficiency_tmt": 0.97, "efficiency_half_width": 0.001}
    row |= {"efficiency_deviation": -0.01, "inside": False, "inside_simultaneous": True}
    row |= {
        "delay_s_theory": 0.3,
        "delay_s_tmt": 0.306,
        "delay_s_half_width": 0.001,
        "delay_s_deviation": 0.02,
    }
    return pd.DataFrame([row, row | {"beta": 0.9, "efficiency_deviation": 0.002, "inside": True}])


def test_worst__counts_points_outside_and_keeps_the_largest_deviation_of_either_sign() -> None:
    (row,) = worst(_table()).itertuples(index=True)
    assert row[:4] == ("ARQ", 2, 1, 0)
    assert row[4:] == pytest.approx((0.01, 0.02))


def test_report__says_so_where_something_is_off() -> None:
    text = report(FIGURE_5, _table())
    assert "1 of 2 points outside their own 95 % interval" in text
    assert "all within the simultaneous" in text
    assert "NOT all within 1% of theory" in text


def test_write__leaves_figure_and_tables(tmp_path: Path) -> None:
    arq_only = replace(FIGURE_5, contenders=FIGURE_5.contenders[1:2])
    written = write(arq_only, _table(), tmp_path / "new")
    names = ["images/figure5.png", "images/figure5.svg", "figure5.csv", "figure5-worst.csv"]
    assert written == [tmp_path / "new" / name for name in names]
    table = (tmp_path / "new" / "tables" / "validation.md" / "figure5.md").read_text().splitlines()
    assert [line.count("|") for line in table] == [7, 7, 7]
    assert all(path.is_file() for path in written)
    assert pd.read_csv(written[2])["beta"].tolist() == [0.5, 0.9]
