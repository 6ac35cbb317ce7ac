"""Courses share no slot; the default space is the documented one, and each candidate has its own name."""

import re
from itertools import combinations
from pathlib import Path as File
from typing import Any

import numpy as np
import pytest

from tmt import Path, Rlc, Scenario, Trace, Traffic, Tune
from tmt.core.schemes import SCHEMES
from tmt.io import read_phy
from tmt.results.tune.objectives import parse_goal
from tmt.results.tune.task import Task, task_of
from tmt.results.tune.trace_task import SPACE, space
from tmt.results.tune.tuning import Simulation, plan_tuning

ROOT = File(__file__).resolve().parents[2]


def _task(
    trace: File, schemes: tuple[str, ...] = (), objective: str = "goodput", duration_s: int = 2
) -> Task:
    found, paths = space(schemes, {}, Path(rtt=0.1), "modern")
    traffic, tune = Traffic("cubic", duration=duration_s), Tune(objective=(objective,), held_out=6)
    return task_of(Scenario(Trace(str(trace)), found, paths, traffic, seeds=12, tune=tune))


def test_courses__of_a_trace_share_no_slot(trace: File) -> None:
    courses = plan_tuning(_task(trace)).courses
    assert (courses.n_search, courses.n_held_out) == (12, 6)
    slots = [courses.slots(course) for course in range(18)]
    assert all(one is not None and len(one) == pytest.approx(2 * 1e6 / 6000, abs=2) for one in slots)
    for one, other in combinations(slots, 2):
        assert not np.intersect1d(one.tx_time_ns, other.tx_time_ns).size
    whole = read_phy(trace)
    for one in slots:
        first = np.searchsorted(whole.tx_time_ns, one.tx_time_ns[0])
        np.testing.assert_array_equal(whole.decode_time_ns[first : first + len(one)], one.decode_time_ns)


def test_courses__lie_inside_the_trace(trace: File) -> None:
    """Of drawn places for 5 s in a minute, one run in twelve would begin anew at the end of the trace."""
    courses = plan_tuning(_task(trace, duration_s=5)).courses
    last_ns = read_phy(trace).tx_time_ns[-1]
    for course in range(courses.n_search + courses.n_held_out):
        slots = courses.slots(course)
        assert slots.tx_time_ns[-1] <= last_ns


def test_efficiency__is_that_of_the_course_s_own_slots(trace: File) -> None:
    """Without a scheme it is the share of decoded slots. Nothing is simulated, so that no store is needed."""
    task = _task(trace, ("none",), "efficiency")
    courses = plan_tuning(task).courses
    simulation: Any = Simulation
    found = simulation(task, courses, store=None, new_pool=None, watch=None, jobs=1)([(0, 0), (0, 1)])
    expected = []
    for course in range(2):
        slots = courses.slots(course)
        expected.append(np.mean(slots.decode_time_ns > 0))
    assert [found[0, course]["efficiency"] for course in range(2)] == expected
    assert expected[0] != expected[1]


def test_default_space__has_names_of_their_own_for_all_candidates(trace: File) -> None:
    names = [one.name for one in _task(trace).candidates]
    assert len(set(names)) == len(names)
    schemes = {
        "none": 1,
        "arq": 4,
        "fec": 24,
        "harq": 24,
        "harq-processes": 12,
        "sliding-window": 8,
        "tetrys": 4,
    }
    over = {"fec": 2, "arq": 2, "harq": 2, "harq-processes": 2, "sliding-window": 3, "tetrys": 1}
    assert len(names) == 2 * (sum(schemes.values()) + 1 + sum(over.values())) == 180
    assert {name for name in SPACE if not name.startswith("rlc-over")} == {
        name for name, kind in SCHEMES.items() if kind.converts
    }


def test_default_space__has_timers_of_rlc_that_outlast_the_round_trip(trace: File) -> None:
    """An RTT of 0.1 s: reports every 0.12 s; 0.035 + 0.12 s for each retransmission of the scheme below."""
    found = {
        (one.scheme.below.name, one.scheme.reassembly, one.scheme.status_prohibit)
        for one in _task(trace).candidates
        if isinstance(one.scheme, Rlc)
    }
    assert found == {
        ("none", 0.035, 0.12),
        ("fec", 0.035, 0.12),
        ("arq", 0.275, 0.12),
        ("harq", 0.155, 0.12),
        ("harq-processes", 0.395, 0.12),
        ("sliding-window", 0.035, 0.12),
        ("tetrys", 0.035, 0.12),
    }


def test_options__replace_the_timers_of_rlc() -> None:
    schemes, paths = space(
        ("rlc",), {"rlc.status_prohibit": [0.0, 0.3], "rtt": [0.1, 0.2]}, Path(rtt=0.1), "modern"
    )
    assert {path.rtt for path in paths} == {0.1, 0.2}
    assert {(one.status_prohibit, one.reassembly) for one in schemes} == {(0.0, 0.035), (0.3, 0.035)}


def test_docs__have_the_default_space() -> None:
    page = (ROOT / "docs" / "tune.md").read_text()
    table = page.partition("| scheme | values |\n")[2].partition("\n\n")[0]
    told = re.findall(r"^\| `([\w-]+)` \| (.*?) ?\|$", table, re.MULTILINE)
    expected = [
        (name, "; ".join(f"`{key}` {', '.join(map(str, values))}" for key, values in one.items()))
        for name, tables in SPACE.items()
        for one in tables
    ]
    assert [(name, values.strip()) for name, values in told] == expected


def test_goal__counts_weights_and_signs() -> None:
    (aim,) = parse_goal(["1e-3*goodput + 2 * delay-p95"], []).objectives
    values = {"goodput": np.array([5000.0]), "delay-p95": np.array([0.5])}
    assert aim.scores(values) == pytest.approx([5.0 - 1.0])
    goal = parse_goal(["transfer-time:100000"], ["delay-median<=0.3", "goodput>1e5"])
    assert goal.transfer_bytes == 100_000
    values = {"delay-median": np.array([0.2, 0.4]), "goodput": np.array([9e4, 2e5])}
    margins = [constraint.margins(values) for constraint in goal.constraints]
    np.testing.assert_allclose(margins, [[0.1, -0.1], [-1e4, 1e5]])
