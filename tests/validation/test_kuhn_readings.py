"""Pages on Kuhn 2014: other readings of the paper, and TCP of today, from made-up runs."""

import json
from collections.abc import Callable
from dataclasses import replace
from itertools import product

import numpy as np
import pandas as pd
import pytest

from analysis.kuhn2014 import readings
from analysis.kuhn2014.campaigns import INTERLEAVED, UP
from analysis.kuhn2014.left_out import FREE, left_out
from analysis.kuhn2014.page import READINGS
from analysis.kuhn2014.published import Compared, Value, most_erasures
from analysis.kuhn2014_today.__main__ import of_choices, page
from analysis.kuhn2014_today.cells import (
    CLEAR,
    MODERN,
    NOISY,
    OLD,
    PLACES,
    SCHEMES,
    STACK_LABELS,
    TCPS,
    StackCells,
    tcps_of,
)
from analysis.kuhn2014_today.conclusions import conclusions
from analysis.pages import DOCS
from analysis.runs import SCENARIOS
from tmt import Lms, Scenario, Shadows
from tmt.spec.stacks import LINUX

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


SPREAD = (-1.0, 0.0, 1.0)
"""Deviations of the three seeds in kbit/s, which grow a little with each further scheme."""


def made_up(kbps: Callable[[str, str, str], float]) -> StackCells:
    """Return runs of all places whose goodput depends on stack, variant and scheme."""
    rows = [
        {
            "scenario": place.scenario,
            "es_n0_db": place.es_n0_db,
            "stack": stack,
            "tcp": tcp,
            "scheme": scheme,
            "seed": seed,
            "transfer_bytes": transfer,
            "goodput_bps": 1e3 * (kbps(stack, tcp, scheme) + SPREAD[seed] * (1 + SCHEMES.index(scheme))),
            "completion_s": 800 / kbps(stack, tcp, scheme),
            "capacity_bps": 250e3,
            "retransmission_ratio": 0.01,
            "delay_p85_s": 3.0 if tcp == "hybla" else 1.0,
        }
        for place, stack, scheme, seed, transfer in product(
            PLACES, (OLD, MODERN, LINUX), SCHEMES, range(len(SPREAD)), (None, 99_912)
        )
        for tcp in tcps_of(stack)
    ]
    return StackCells(pd.DataFrame(rows).astype({"transfer_bytes": "Int64"}))


def as_published(stack: str, tcp: str, scheme: str) -> float:
    """TCP of 2009 loses most of ARQ's goodput but for Hybla; today's does not."""
    of_scheme = {"ARQ": 240.0, "HARQ(10/12)": 200.0, "HARQ(10/15)": 160.0, "HARQ(50/52)": 230.0}[scheme]
    if stack == OLD and tcp != "hybla":
        return 70.0 + TCPS.index(tcp) if scheme == "ARQ" else of_scheme / 2
    return of_scheme


def test_conclusions__are_judged_for_each_stack() -> None:
    judged = conclusions(made_up(as_published))
    found = {
        alike[0].text: dict(zip(STACK_LABELS, alike, strict=True))
        for alike in zip(*judged.values(), strict=True)
    }
    harq = found["At a high error rate HARQ is best for every variant"]
    assert [harq[stack].holds for stack in (OLD, MODERN, LINUX)] == ["in part", "no", "no"]
    # 42, 45 and 48 of 70 more; 4.303 * 3 / sqrt(3) is 7.5.
    assert "New Reno +64 ± 11 % (HARQ(50/52))" in harq[OLD].found
    assert "Compound" not in harq[LINUX].found
    hybla = found["At a high error rate Hybla gets far more than the other variants over ARQ"]
    assert [hybla[stack].holds for stack in (OLD, MODERN, LINUX)] == ["yes", "no", "no"]
    fills = found["Westwood+, Hybla and CUBIC fill the link over ARQ; New Reno and Compound do not"]
    assert "Hybla 96" in fills[OLD].found  # 240 of 250
    late = found["Hybla delays packets much more than CUBIC"]
    assert late[LINUX].holds == "yes"


def test_choice__names_schemes_that_cannot_be_told_from_the_best() -> None:
    cells = made_up(as_published)
    assert cells.choice(NOISY, MODERN, "cubic") == ["ARQ"]
    assert cells.choice(CLEAR, OLD, "cubic") == ["HARQ(50/52)"]
    one = cells.runs["scheme"].isin(["HARQ(50/52)"]) & (cells.runs["seed"] == 2)
    cells.runs.loc[one, "goodput_bps"] += 60e3
    cells = StackCells(cells.runs)
    # One seed of three: 28, 30 and 92 more than HARQ(10/12), 50 ± 91; but 90 ± 88 more than HARQ(10/15).
    assert cells.choice(NOISY, MODERN, "cubic") == ["HARQ(50/52)", "ARQ", "HARQ(10/12)"]


def test_page__gives_the_ranges_and_counts_of_the_runs() -> None:
    cells = made_up(as_published)
    text = page(cells, conclusions(cells), of_choices(cells))
    assert "get 70 to 74 kbit/s, those of today 240 in ns-2\nand 240 in Linux" in text
    assert "nan" not in text
    assert "in 7 of 35 cases with TCP of 2009" in text
    assert "42 of 42 with today's in ns-2, and in 35 of 35 with today's in" in text


@pytest.mark.parametrize("stack", [OLD, MODERN, LINUX])
def test_variants__of_a_stack_are_those_that_it_has(stack: str) -> None:
    missing = set(TCPS) - set(tcps_of(stack))
    assert missing == {OLD: {"bbr"}, MODERN: set(), LINUX: {"compound"}}[stack]
