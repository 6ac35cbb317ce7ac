"""Tables of a report as LaTeX and CSV: text by hand, and the same from the page."""

import csv
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page
from result_rows import frame, run

from tmt.results.dataset import Results, find_axes
from tmt.results.reading import read_results
from tmt.show.page.report_page import write_report
from tmt.show.page.table_files import csv_text, latex

HEADS = ["Scheme", "Goodput (kbit/s)", "Loss (%)", "p", "Runs"]
ROWS = [
    ["HARQ_2 & {co}", "178 ±20", -1.5, 1e-12, 5],
    ["none", "3.6 [0.0, 7.9]", None, 0.25, 12],
]


def test_latex__has_numbers_in_columns_of_siunitx_and_no_character_that_commands() -> None:
    # Rules of booktabs, siunitx's S columns with sign and digits, \\num for numbers with uncertainties.
    assert latex(HEADS, ROWS).splitlines() == [
        r"% \usepackage{booktabs,siunitx} \sisetup{separate-uncertainty}",
        r"\begin{tabular}{lrS[table-format=-1.1]rS[table-format=2]}",
        r"\toprule",
        r"{Scheme} & {Goodput (kbit/s)} & {Loss (\%)} & {p} & {Runs} \\",
        r"\midrule",
        r"HARQ\_2 \& \{co\} & \num{178 +- 20} & -1.5 & \num{1e-12} & 5 \\",
        r"none & \num{3.6} [\num{0.0}, \num{7.9}] & {--} & \num{0.25} & 12 \\",
        r"\bottomrule",
        r"\end{tabular}",
    ]


def test_latex__of_many_rows_may_break_over_pages() -> None:
    lines = latex(["n"], [[number] for number in range(41)]).splitlines()
    assert "longtable" in lines[0]
    assert lines[5] == r"\endhead"
    assert lines[-1] == r"\end{longtable}"


def test_csv__keeps_text_from_being_a_formula() -> None:
    assert csv_text(["a", "b"], [["=1+1", -2.5], [None, "x,y"]]) == 'a,b\r\n\'=1+1,-2.5\r\n,"x,y"\r\n'


def test_report__writes_the_tables_with_every_point_of_the_grid(tmp_path: Path) -> None:
    runs = frame(
        [
            run(tcp=tcp, rtt_s=rtt, seed=seed, goodput_bps=1e5 * seed + gain)
            for tcp, gain in (("newreno", 0), ("cubic", 1e4))
            for rtt in (0.1, 0.5)
            for seed in (1, 2, 3)
        ]
    )
    results = Results("made", "", runs, find_axes(runs))
    paths = [*write_report(results, tmp_path, figures=False, latex=True)][1:]
    names = [f"tables/{name}.{end}" for name in ("means", "differences", "runs") for end in ("tex", "csv")]
    assert [str(path.relative_to(tmp_path)) for path in paths] == names
    means = list(csv.DictReader((tmp_path / "tables/means.csv").read_text().splitlines()))
    cubic = next(row for row in means if (row["tcp"], row["rtt_s"]) == ("cubic", "0.5"))
    # 110, 210, 310 kbit/s: mean 210 +- 4.303 * 100 / sqrt(3) = 248.4, cut at 0.
    assert [float(cubic[name]) for name in ("mean", "low", "high")] == pytest.approx(
        [210, 0, 458.41], abs=0.01
    )
    differences = list(csv.DictReader((tmp_path / "tables/differences.csv").read_text().splitlines()))
    assert [row["RTT (s)"] for row in differences] == ["0.1", "0.5"]
    assert {row["First minus second"] for row in differences} == {"-10.0"}
    # Each seed has the same difference, so its interval is 0.
    assert (tmp_path / "tables/differences.tex").read_text().count(r"& \num{-10 +- 0} &") == 2


@pytest.mark.ns2
def test_page__gives_the_same_latex(
    opened: Callable[..., Page], campaign_folder: Path, tmp_path: Path
) -> None:
    [*_] = write_report(read_results(campaign_folder), tmp_path, figures=False, latex=True)
    page = opened()
    with page.expect_download() as download:
        page.locator("#paper-table").get_by_role("button", name="LaTeX").click()
    saved = tmp_path / "page.tex"
    download.value.save_as(saved)
    assert saved.read_text() == (tmp_path / "tables/published.tex").read_text()
    assert re.search(r"S\[table-format=-?\d", saved.read_text())
