"""The page on TCP of today says what the runs say: verdicts, choices and sentences from made-up runs."""

from collections.abc import Callable
from itertools import product

import pandas as pd
import pytest

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
from tmt.spec.traffic import LINUX

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
    assert "get 70 to 74 kbit/s. Those of today get 240 in ns-2\nand 240 in Linux" in text
    assert "nan" not in text
    assert "in 7 of 35 cases with TCP of 2009" in text
    assert "42 of 42 with today's in ns-2, and in 35 of 35 with today's in Linux" in text


@pytest.mark.parametrize("stack", [OLD, MODERN, LINUX])
def test_variants__of_a_stack_are_those_that_it_has(stack: str) -> None:
    missing = set(TCPS) - set(tcps_of(stack))
    assert missing == {OLD: {"bbr"}, MODERN: set(), LINUX: {"compound"}}[stack]
