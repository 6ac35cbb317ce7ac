"""Tables of pages: means with their intervals, crossed values, statements and their verdicts."""

import math
from pathlib import Path

import pandas as pd
import pytest

from analysis.statements import Statement, write_judged
from tmt.results.statistics import Interval
from tools.page_tables import cross_table, listed, plus_minus


@pytest.mark.parametrize(
    ("interval", "spec", "text"),
    [
        (Interval(178.4, 158.2, 198.6, 9), ".0f", "178 ± 20"),
        (Interval(-0.25, -0.31, -0.19, 9), "+.2f", "-0.25 ± 0.06"),
        (Interval(0.015, 0.013, 0.017, 9), "+.1%", "+1.5 ± 0.2 %"),
        (Interval(0.5, math.nan, math.nan, 1), ".0%", "50 ± nan %"),
    ],
)
def test_plus_minus__has_one_sign_and_one_unit(interval: Interval, spec: str, text: str) -> None:
    assert plus_minus(interval, spec) == text


def test_cross_table__has_a_row_and_a_column_for_each_value() -> None:
    cells = pd.DataFrame(
        [("a", "x", 1), ("a", "y", 2), ("b", "y", 3)], columns=["link_layer", "orbit", "kbps"]
    )
    assert cross_table(cells, "link_layer", "orbit", lambda cell: f"{cell['kbps']} kbit/s").splitlines() == [
        "| link layer | x | y |",
        "| --- | --- | --- |",
        "| a | 1 kbit/s | 2 kbit/s |",
        "| b |  | 3 kbit/s |",
    ]


@pytest.mark.parametrize(("words", "text"), [("a", "a"), ("ab", "a and b"), ("abc", "a, b and c")])
def test_listed__joins_words_as_in_a_sentence(words: str, text: str) -> None:
    assert listed(words) == text


def test_statements__that_hold_are_a_table_and_the_others_a_list_with_figures(tmp_path: Path) -> None:
    statements = [Statement("figure 1", "A", "yes", "1"), Statement("figure 2", "B", "in part", "2 of 3")]
    template = tmp_path / "page.md.j2"
    template.write_text("{{ held }}/{{ partly }}/{{ total }}, {{ seeds }} seeds\n{{ judged }}\n")
    said = write_judged(tmp_path, "page.md", template, statements, seeds=5)
    assert said == f"1 of 2 statements of the paper hold, 1 in part ({tmp_path / 'page.md'})"
    text = (tmp_path / "page.md").read_text()
    assert text.startswith("1/1/2, 5 seeds\nWhat holds:\n")
    assert "| figure 1 | A |\n" in text
    assert text.endswith("* **in part**, figure 2: *B*. Here: 2 of 3.\n")
    kept = pd.read_csv(tmp_path / "page.csv", dtype=str)
    assert kept["here"].tolist() == ["1", "2 of 3"]
