"""The comparison with Kuhn 2014: its arithmetic by hand, its data file, and the page that it has written."""

import tomllib
from pathlib import Path

import pandas as pd
import pytest

from analysis.kuhn2014 import comparison, published
from analysis.kuhn2014.campaigns import INTERLEAVED, PAPER, UP, code_rate, packet_rate_kbps
from analysis.kuhn2014.left_out import rms
from analysis.kuhn2014.measures import Cells, cells, read_cells, write_cells
from analysis.kuhn2014.page import CELLS, PAGE, READINGS, render
from analysis.kuhn2014.readings import read_readings

ROOT = Path(__file__).resolve().parents[2]


def test_page__says_what_the_committed_cells_and_readings_say() -> None:
    page = render(read_cells(ROOT / "docs" / CELLS), read_readings(ROOT / "docs" / READINGS))
    assert (ROOT / "docs" / PAGE).read_text() == page.text
    for name, table in page.tables.items():
        written = table.to_csv(index=False, lineterminator="\n")
        assert (ROOT / "docs" / f"reproduction-{name}.csv").read_text() == written
    assert page.left_out == [], "sentences that no longer hold"


def test_page__leaves_out_a_sentence_that_does_not_hold() -> None:
    cells = read_cells(ROOT / "docs" / CELLS)
    unlimited = (
        (cells.table["scenario"] == "order") & cells.table["in_order"].eq(True) & cells.table["hold_s"].isna()
    )
    cells.table.loc[unlimited & (cells.table["measure"] == "goodput_bps"), "mean"] *= 2
    page = render(cells, read_readings(ROOT / "docs" / READINGS))
    assert page.left_out == ["An unlimited hold time gives no more than 1.2 s."]
    assert page.left_out[0] not in page.text


def test_scenarios__have_the_titles_that_published_values_name() -> None:
    titles = {
        stem: tomllib.loads((ROOT / "scenarios" / f"{stem}.toml").read_text())["title"] for stem in PAPER
    }
    assert titles == PAPER
    assert {value.scenario for value in published.read()} == set(titles.values())


def test_published__are_the_ten_goodputs_and_the_three_tables() -> None:
    values = published.read()
    assert sum(value.measure == "goodput_bps" for value in values) == 10
    by_table = {place: [v for v in values if v.place == place] for place in ("table 1", "table 2", "table 3")}
    assert {place: len(found) for place, found in by_table.items()} == {
        "table 1": 8,
        "table 2": 24,
        "table 3": 60,
    }
    assert all(value.source.startswith("Kuhn 2014, ") for value in values)
    assert all(value.error is not None for value in values if value.is_exact)


def test_rates__follow_from_packets_of_1500_bytes() -> None:
    # 46 LLDUs of 33 bytes: 1500/1518 of 263 and 2340 kbit/s.
    assert packet_rate_kbps(INTERLEAVED) == pytest.approx(259.88, abs=0.01)
    assert packet_rate_kbps(UP) == pytest.approx(2312.25, abs=0.01)
    assert [code_rate(scheme) for scheme in ("ARQ", "HARQ(10/12)", "HARQ(50/52)")] == [1, 10 / 12, 50 / 52]


def _rows() -> pd.DataFrame:
    common = {
        "stack": "2009",
        "es_n0_db": 5.0,
        "tcp": "cubic",
        "in_order": False,
        "hold_s": float("nan"),
        "return_link": "plain",
    }
    common |= dict.fromkeys(("retransmission_ratio", "delay_min_s", "delay_p85_s", "delay_p99_s"), 0.0)
    common |= dict.fromkeys(("cwnd_max_packets", "cwnd_mean_packets", "timeouts"), 0.0)
    long = [
        {"scheme": scheme, "seed": seed, "goodput_bps": goodput, "max_transmissions": 3}
        for scheme, goodputs in {"ARQ": (100e3, 200e3), "HARQ(10/12)": (150e3, 260e3)}.items()
        for seed, goodput in enumerate(goodputs, start=1)
    ]
    bare = [
        {"scheme": "none", "seed": seed, "lldu_loss_ratio": ratio} for seed, ratio in ((1, 0.02), (2, 0.04))
    ]
    short = [
        {"scheme": "ARQ", "seed": seed, "transfer_bytes": 99_912, "completion_s": seed + 4} for seed in (1, 2)
    ]
    columns = ("transfer_bytes", "completion_s", "goodput_bps", "max_transmissions", "lldu_loss_ratio")
    return pd.DataFrame([dict.fromkeys(columns) | common | row for row in [*long, *bare, *short]])


def test_cells__hold_means_over_seeds_in_the_papers_count(tmp_path: Path) -> None:
    write_cells(cells(_rows(), "made"), tmp_path / "cells.csv")
    found = read_cells(tmp_path / "cells.csv")
    arq = found.one("made", "goodput_bps", scheme="ARQ")
    assert (arq["mean"], arq["count"]) == (pytest.approx(150e3 * 1500 / 1448, rel=1e-4), 2)
    assert found.one("made", "max_retransmissions", scheme="ARQ")["mean"] == 2
    assert found.one("made", "completion_s", scheme="ARQ")["mean"] == 5.5
    assert found.one("made", "erasure_ratio", tcp=None)["mean"] == pytest.approx(0.03)
    # Seed by seed: +50 % and +30 %, not the ratio of the means.
    gain = found.one("made", "goodput_gain", scheme="HARQ(10/12)")
    assert gain["mean"] == pytest.approx(0.40)
    with pytest.raises(LookupError, match="0 cells of goodput_bps in other"):
        found.one("other", "goodput_bps")


def test_comparison__finds_deviations_and_their_root_mean_square(monkeypatch: pytest.MonkeyPatch) -> None:
    values = [
        published.Value("table 3", "made", "completion_s", "cubic", "ARQ", es, value, 0.0, "number", "x")
        for es, value in ((5.0, 10.0), (6.0, 5.0))
    ]
    monkeypatch.setattr(published, "read", lambda: values)
    place = {"scenario": "made", "measure": "completion_s", "tcp": "cubic", "scheme": "ARQ"}
    interval = {"low": 0.0, "high": 0.0, "count": 3}
    table = pd.DataFrame(
        [
            place | interval | {"es_n0_db": 5.0, "mean": 11.0},
            place | interval | {"es_n0_db": 6.0, "mean": 4.0},
        ]
    )
    found = comparison.lines(Cells(table))
    assert [line.deviation for line in found] == pytest.approx([0.1, -0.2])
    assert comparison.worst(found).value.es_n0_db == 6.0
    assert rms([line.deviation for line in found]) == pytest.approx(0.1581, abs=1e-4)
