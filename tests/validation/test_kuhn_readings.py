"""Other readings of Kuhn 2014: scenarios, rows, numbers left out of the fit, bounds between numbers."""

import json
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from analysis.kuhn2014 import readings
from analysis.kuhn2014.campaigns import INTERLEAVED, UP
from analysis.kuhn2014.comparison import Compared
from analysis.kuhn2014.contradictions import most_erasures
from analysis.kuhn2014.left_out import FREE, left_out
from analysis.kuhn2014.page import READINGS
from analysis.kuhn2014.published import Value
from analysis.pages import DOCS
from analysis.scenario_runs import SCENARIOS
from tmt import Lms, Scenario, Shadows

OF_PAGE = {"net-transfers": "internet-transfers"}

PARTS: dict[str, Callable[[Scenario], set[object]]] = {
    "links": lambda scenario: {replace(path, wired=None) for path in scenario.path},
    "senders": lambda scenario: {replace(one, tcp="cubic") for one in scenario.traffic},
    "wired": lambda scenario: {path.wired for path in scenario.path},
}
"""What scenarios differ in, by the words of their names."""


@pytest.mark.parametrize("stem", readings.STEMS)
def test_scenarios__differ_from_the_page_in_what_they_are_named_for(stem: str) -> None:
    reading = Scenario.read(readings.SCENARIOS / f"{stem}.toml")
    named = "distribution-up" if stem.startswith("up") else OF_PAGE.get(stem, "internet-interleaved")
    page = Scenario.read(SCENARIOS / f"{named}.toml")
    assert len(reading.each_seed) == readings.COURSES[page.title]
    assert {one.tcp for one in reading.traffic} <= {one.tcp for one in page.traffic}
    changed = {name for name, parts in PARTS.items() if parts(reading) != parts(page)}
    _, _, named_for = stem.partition("-")
    assert changed == {named_for} & set(PARTS)


def test_free_parameters__are_those_of_the_channels() -> None:
    for channel, free in (("Distribution", Shadows()), ("Internet", Lms(es_n0_db=7))):
        assert set(FREE[channel]) <= set(free.describe())


PAGE_CHANNEL = {"channel": "shadows", "spacing_ns": 10, "crown_ns": 2}


def _run(seed: int, **values: object) -> dict[str, object]:
    common = {
        "seed": seed,
        "es_n0_db": 14.0,
        "tcp": "cubic",
        "trace": readings.AS_HERE,
        "trace_parameters": json.dumps(PAGE_CHANNEL),
        "scheme": "ARQ",
        "scheme_parameters": "{}",
        "transfer_bytes": float("nan"),
        "wired_delay_s": float("nan"),
        "max_transmissions": 3,
        "goodput_bps": 1448.0,
    }
    common |= {
        column: here for column, (here, _) in readings.CHANGES.items() if column not in ("extra", "rounds")
    }
    common |= dict.fromkeys(set(readings.MEASURES) - {"goodput_bps", "max_retransmissions"}, 0.5)
    return common | values


def test_rows__name_the_reading_its_scheme_and_its_step() -> None:
    harq = json.dumps({"data": 10, "repair": 2, "extra": 0, "rounds": 2})
    runs = [_run(seed, window_packets=750, goodput_bps=1448.0 * seed) for seed in (1, 3)]
    runs += [_run(1, scheme="HARQ(10/12, extra 0)", scheme_parameters=harq)]
    runs += [_run(1, packet_bytes=1650, goodput_bps=1598.0)]
    runs += [_run(1, trace="wider", trace_parameters=json.dumps(PAGE_CHANNEL | {"spacing_ns": 13}))]
    runs += [
        _run(1, trace="two", trace_parameters=json.dumps(PAGE_CHANNEL | {"spacing_ns": 13, "crown_ns": 3}))
    ]
    page = pd.DataFrame([_run(seed, scenario=UP) for seed in (1, 2, 99)])
    found = readings.rows_of(pd.DataFrame(runs), page).set_index("reading")
    assert [*found.index] == ["window 750", "N_S = 0", "packets of 1650 bytes", "wider", "two"]
    assert set(found["scenario"]) == {UP}
    assert found.loc["window 750", ["goodput_bps", "count", "max_retransmissions"]].tolist() == [3000, 2, 2]
    assert found.loc["N_S = 0", "scheme"] == "HARQ(10/12)"
    # A packet that is padded to whole blocks counts as one of 1500 bytes.
    assert found.loc["packets of 1650 bytes", "goodput_bps"] == pytest.approx(1500)
    assert found.loc["wider", ["parameter", "step"]].tolist() == ["spacing_ns", 3.0]
    assert found.loc["two", ["parameter", "step"]].tolist() == ["", 0.0]
    mine = readings.rows_of_page(page).iloc[0]
    assert (mine["reading"], mine["count"], mine["goodput_bps"]) == (readings.AS_HERE, 2, 1500)


def _linear(
    published: dict[str, float], slopes: dict[str, list[float]]
) -> tuple[list[Compared], pd.DataFrame]:
    """Return lines with ours at 1, and readings that change it by the slopes for a step of 2."""
    lines, rows = [], []
    for scheme, paper in published.items():
        value = Value("table 1", UP, "retransmission_ratio", "cubic", scheme, 14.0, paper, 0.0, "number", "")
        lines.append(Compared(value, 1.0, 1.0, 1.0, 1))
        place = {"scenario": UP, "es_n0_db": 14.0, "tcp": "cubic", "scheme": scheme}
        rows.append(
            place | {"reading": readings.AS_HERE, "parameter": "", "step": 0.0, "retransmission_ratio": 1.0}
        )
        for parameter, slope in zip(FREE["Distribution"], slopes[scheme], strict=True):
            rows += [
                place
                | {
                    "reading": parameter,
                    "parameter": parameter,
                    "step": step,
                    "retransmission_ratio": 1 + part,
                }
                for step, part in ((2.0, slope), (-2.0, -slope))
            ]
    return lines, pd.DataFrame(rows)


def test_left_out__predicts_a_linear_number_from_the_others_and_no_outlier() -> None:
    names = [f"number {i}" for i in range(7)]
    slopes = dict(zip(names, np.random.default_rng(1).normal(size=(7, 5)).tolist(), strict=True))
    steps = np.array([0.3, -0.2, 0.1, 0.0, 0.4])
    published = {name: 1 + float(steps @ slopes[name]) for name in names}
    for one in left_out(*_linear(published, slopes), "Distribution"):
        assert (one.refitted, one.left_out) == pytest.approx((0.0, 0.0), abs=1e-6)
        assert one.line.deviation == pytest.approx(1 / published[one.line.value.scheme] - 1)
    # The first number is half of what the others say: left out, we are at twice the paper's.
    lines = left_out(*_linear(published | {names[0]: published[names[0]] / 2}, slopes), "Distribution")
    assert lines[0].left_out == pytest.approx(1.0, abs=1e-6)
    assert abs(lines[0].refitted) < 1.0


def test_most_erasures__by_hand() -> None:
    # (46/12 + 1) blocks with two erasures each, (46/15 + 1) with five, over 46 LLDUs: .21014 and .44203.
    assert most_erasures(0.03, 0.01, 0.002) == pytest.approx(
        0.02 * 0.21014 + 0.008 * 0.44203 + 0.002, rel=1e-4
    )


@pytest.mark.parametrize("error", [0.05, 0.15, 0.3])
def test_most_erasures__bounds_random_channels(error: float) -> None:
    random = np.random.default_rng(3)
    slots = 46 * 12 * 15 * 40
    shadow = np.repeat(random.random(slots // 690) < 0.03, 690)
    erased = shadow & (random.random(slots) < error)

    def packets_delayed(block: int, most: int) -> float:
        """Return the share of packets that touch a block with more erasures than it can repair."""
        failed = erased.reshape(-1, block).sum(axis=1) > most
        return float(np.repeat(failed, block).reshape(-1, 46).any(axis=1).mean())

    bound = most_erasures(packets_delayed(1, 0), packets_delayed(12, 2), packets_delayed(15, 5))
    assert 0 < erased.mean() < bound


def test_committed_readings__have_every_reading_of_the_scenarios() -> None:
    found = readings.read_readings(DOCS / READINGS)
    assert readings.AS_HERE in set(found["reading"])
    for free in FREE.values():
        assert set(free) <= set(found["parameter"])
    assert {UP, INTERLEAVED} <= set(found["scenario"])
