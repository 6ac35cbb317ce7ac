"""The search finds what an exhaustive one finds, for less, and says how sure it is."""

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import product
from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest

from tmt import CoDel, NoScheme, Path, Pie, Scenario, Trace, Traffic
from tmt.core.errors import UsageError
from tmt.results.statistics import Interval, rank
from tmt.results.tune.objectives import parse_goal
from tmt.results.tune.race import Cell, Outcome, Race, Rules
from tmt.results.tune.recommendation import Bounded, Recommendation, Standing, recommend
from tmt.results.tune.search import search
from tmt.results.tune.task import SCHEME, Candidate, candidates_of
from tmt.results.tune.tuning import Tuning
from tmt.results.tune.wording import certainty, verdict

GOODPUT = parse_goal(["goodput"], [])
RULES = Rules(first=4, most=20, level=0.95, tolerance=0.01)


@pytest.mark.parametrize("seed", range(20))
def test_search__finds_the_winner_of_the_exhaustive_search_or_a_tie(seed: int) -> None:
    candidates = grid_of(4, 6)
    means = 100 + 8 * np.random.default_rng(seed).normal(size=len(candidates))
    planted = Planted(means, seed)
    found = search(candidates, GOODPUT, RULES, 256, 5, planted)
    table = [[planted.value(one, course) for one in range(len(candidates))] for course in range(20)]
    best = {place.column for place in rank(np.array(table)) if place.among_best}
    assert found.winner in best
    searched = sum(course < 20 for _, course in planted.cells)
    assert searched < 0.6 * 20 * len(candidates)


@pytest.mark.parametrize("seed", range(2))
def test_search__finds_a_planted_optimum_within_a_tenth_of_the_exhaustive_cost(seed: int) -> None:
    levels = (8, 8, 8, 4)
    candidates = grid_of(*levels)
    places = np.array([[one.settings[f"p{axis}"] for axis in range(4)] for one in candidates])
    optimum = np.random.default_rng(seed).integers(levels)
    distance = ((places - optimum) / np.array(levels)) ** 2
    planted = Planted(100 - 60 * distance.sum(axis=1), seed)
    found = search(candidates, GOODPUT, RULES, 160, 5, planted)
    assert found.winner is not None
    assert planted.means[found.winner] >= 99  # the optimum has 100, a neighbour of it at least 96
    assert len(planted.cells) <= len(candidates) * 20 / 10


def test_search__gives_identical_candidates_as_ties() -> None:
    candidates = grid_of(3)
    planted = Planted(np.array([50.0, 50.0, 10.0]), 1, own=0.0)
    found = search(candidates, GOODPUT, RULES, 256, 5, planted)
    assert found.race.racing == [0, 1]
    assert found.race.evidence.cells == {(one, course) for one in range(3) for course in range(4)}
    assert found.race.stopped == "nothing left is better than the leader by more than 1 % of its value"


def test_search__names_each_stage_that_simulates() -> None:
    """The time left follows from the runs of one stage, so each look of the race is a stage of its own."""
    said: list[str] = []
    stages: list[int] = []

    def evaluate(wanted: Sequence[Cell]) -> dict[Cell, Outcome]:
        stages.append(len(said))
        return {cell: {"goodput": float(np.random.default_rng(cell).normal())} for cell in wanted}

    search(grid_of(2), GOODPUT, Rules(4, 9, 0.95, 0.0), 256, 5, evaluate, tell=said.append)
    assert stages == [1, 2, 3, 4]
    assert said == [
        "2 candidates on the first courses; models rule out 0",
        "race of 2 candidates over 6 courses",
        "race of 2 candidates over 9 courses",
        "2 finalists on the courses held out",
    ]


def test_race__seldom_eliminates_the_best_candidate() -> None:
    """At a level of 0.8 the best of five may be lost in a fifth of the races, eight of forty."""
    lost = 0
    for seed in range(40):
        planted = Planted(np.array([10.0, 9.9, 9.8, 9.7, 9.6]), seed, own=0.3)
        race = Race(GOODPUT, 5, 5, Rules(3, 9, 0.8, 0.0), planted)
        race.enter(range(5))
        race.run()
        lost += race.fates[0] != "races"
    assert lost <= 8


def test_race__keeps_a_constraint() -> None:
    """The candidate with the best goodput has a delay of 2 s; the next one keeps the bound of 1 s."""
    goal = parse_goal(["goodput"], ["delay-p95<1"])
    goodput, delay = np.array([100.0, 90.0, 80.0]), np.array([2.0, 0.5, 0.4])
    found = search(grid_of(3), goal, RULES, 256, 4, noisy(goodput, delay))
    assert found.winner == 1
    assert found.race.fates == ["infeasible", "races", "eliminated"]
    (bounded,) = recommend(found).constraints
    assert bounded.is_sure
    assert bounded.mean.mean == pytest.approx(0.5, abs=0.01)


def test_search__gives_the_front_of_two_objectives() -> None:
    goal = parse_goal(["goodput", "delay-p95"], [])
    goodput, delay = np.array([100.0, 90.0, 80.0, 70.0]), np.array([2.0, 1.0, 1.5, 0.9])

    result = recommend(search(grid_of(4), goal, RULES, 256, 4, noisy(goodput, delay)))
    assert [one.number for one in result.front] == [0, 1, 3]
    assert result.winner.number == 1  # a third of the span in goodput, a tenth in delay from the best values
    assert result.standings[2].fate == "eliminated"


def test_search__simulates_nothing_that_bounds_rule_out() -> None:
    candidates = grid_of(6)
    means = np.array([50.0, 60.0, 40.0, 58.0, 30.0, 20.0])
    planted = Planted(means, 3, own=0.1, common=0.0)
    bounds = np.repeat((means + 1)[:, None], RULES.most, axis=1)
    found = search(candidates, GOODPUT, RULES, 256, 4, planted, bounds)
    assert found.winner == 1
    assert {one for one, _ in planted.cells} == {1}  # the bound of candidate 3 is 59
    assert found.race.fates.count("ruled out") == 5


def test_recommendation__says_how_much_better_anything_can_be() -> None:
    """The bound holds for the true means in nineteen of twenty searches at least."""
    held = 0
    for seed in range(20):
        means = 100 + np.random.default_rng(seed).normal(size=12)
        found = search(grid_of(12), GOODPUT, RULES, 256, 4, Planted(means, seed))
        assert found.winner is not None
        held += recommend(found).most_better >= means.max() - means[found.winner]
    assert held >= 19


def test_recommendation__measures_overfitting() -> None:
    """Of equal candidates the luckiest wins; on courses held out it loses its luck."""
    changes = []
    for seed in range(10):
        planted = Planted(np.full(20, 100.0), seed, own=2.0, common=0.0)
        result = recommend(search(grid_of(20), GOODPUT, Rules(4, 4, 0.95, 0.0), 256, 20, planted))
        changes.append(result.finalists[0].change.mean)
    assert np.mean(changes) < -1.0  # the largest of 20 means is 1.87 standard errors, of 1 each, too high


def test_search__samples_disciplines_with_their_own_parameters() -> None:
    """CoDel has targets and intervals, PIE other targets; CoDel's best is planted among 300 candidates."""
    targets, intervals = [at / 1000 for at in range(1, 18)], [at / 100 for at in range(1, 18)]
    queues = [CoDel(*one) for one in product(targets, intervals)] + [Pie(at / 100) for at in range(1, 12)]
    scenario = Scenario(
        Trace("traces/sample.parquet"),
        NoScheme(),
        tuple(Path(0.1, queue=queue) for queue in queues),
        Traffic("cubic", duration=5),
    )
    candidates = candidates_of(scenario)
    assert len({one.name for one in candidates}) == len(candidates) == 300
    assert candidates[0].settings.keys() == {SCHEME, "queue", "queue.target", "queue.interval"}
    assert candidates[-1].settings == {SCHEME: "none", "queue": "pie", "queue.target": 0.11}
    means = np.full(300, 40.0)
    for at, queue in enumerate(queues):
        if isinstance(queue, CoDel):
            means[at] = 100 - 1000 * abs(queue.target - 0.008) - 100 * abs(queue.interval - 0.1)
    found = search(candidates, GOODPUT, RULES, 96, 5, Planted(means, 1, common=0.0))
    assert found.winner is not None
    assert means[found.winner] >= 98
    best_of = {one.value for one in recommend(found).sensitivity if one.parameter == "queue"}
    assert best_of == {"codel", "pie"}


def test_sampler__of_a_large_space_needs_optuna(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "optuna", None)
    with pytest.raises(UsageError, match=r"the space has 300 candidates; Optuna, .*: pip install"):
        search(grid_of(300), GOODPUT, RULES, 256, 4, Planted(np.zeros(300), 1))


@pytest.mark.parametrize(
    ("holds", "ties", "front", "said"),
    [
        (True, 0, 1, "Use HARQ(10/11) (scheme harq, repair 1): no other candidate may be as good"),
        (True, 1, 1, "Use HARQ(10/11) (scheme harq, repair 1): a tie with ARQ"),
        (True, 3, 1, "Use HARQ(10/11) (scheme harq, repair 1): a tie with ARQ and 2 others"),
        (True, 0, 2, "Use HARQ(10/11) (scheme harq, repair 1): one of 2 candidates on the front"),
        (
            False,
            0,
            1,
            "No candidate keeps the constraints; nearest: HARQ(10/11) (scheme harq, repair 1): no other "
            "candidate may be as good",
        ),
    ],
)
def test_verdict__says_winner_ties_and_cost(holds: bool, ties: int, front: int, said: str) -> None:
    mean = Interval(0.3, 0.2, 0.4, 8)
    arq = Standing(0, "ARQ", {SCHEME: "arq"}, "races", {"goodput": mean})
    harq = Standing(1, "HARQ(10/11)", {SCHEME: "harq", "repair": 1}, "races", {"goodput": mean})
    bound = Bounded("delay-p95<0.2", mean, holds, is_sure=False)
    counts = {"outcomes": 576, "exhaustive": 3600}  # 16 %
    result = Recommendation(
        [arq, harq],
        counts,
        "",
        0.95,
        winner=harq,
        ties=[arq] * ties,
        front=[arq] * front,
        constraints=[bound],
    )
    assert result.is_useful is holds
    task = SimpleNamespace(goal=SimpleNamespace(objectives=[None] * front))
    found = cast("Tuning", SimpleNamespace(recommendation=result, task=task))
    assert verdict(found) == f"{said}; searched 84 % cheaper than everything."
    counts["outcomes"] = counts["exhaustive"]
    assert verdict(found) == f"{said}."


@pytest.mark.parametrize(
    ("delays_s", "said"),
    [
        ((1.0, 2.0), "The front has 1 candidate."),
        ((2.0, 1.0), "The front has 2 candidates; the recommendation is nearest to both optima."),
    ],
)
def test_certainty__counts_the_candidates_of_a_front(delays_s: tuple[float, ...], said: str) -> None:
    goal, candidates = parse_goal(["goodput", "delay-p95"], []), grid_of(2)

    def simulated(wanted: Sequence[Cell]) -> dict[Cell, Outcome]:
        return {(one, at): {"goodput": 9.0 - one + at, "delay-p95": delays_s[one] + at} for one, at in wanted}

    found = search(candidates, goal, RULES, 256, 5, simulated)
    task = SimpleNamespace(goal=goal, traffic=Traffic())
    tuning = SimpleNamespace(recommendation=recommend(found), task=task, search=found)
    assert said in certainty(cast("Tuning", tuning))


def noisy(goodput: np.ndarray, delay: np.ndarray) -> Callable[[Sequence[Cell]], dict[Cell, Outcome]]:
    """Return what simulates candidates of these means; both figures of a cell have the same noise."""

    def evaluate(wanted: Sequence[Cell]) -> dict[Cell, Outcome]:
        noise = {cell: 0.01 * np.random.default_rng(cell).normal() for cell in wanted}
        return {
            cell: {"goodput": goodput[cell[0]] + noise[cell], "delay-p95": delay[cell[0]] + noise[cell]}
            for cell in wanted
        }

    return evaluate


def grid_of(*levels: int) -> list[Candidate]:
    """Return the candidates of a grid with so many levels of each parameter."""
    places = np.stack(np.meshgrid(*map(np.arange, levels), indexing="ij"), axis=-1).reshape(-1, len(levels))
    return [
        Candidate(
            Trace("phy.parquet"),
            NoScheme(),
            Path(0.1),
            {SCHEME: "planted"} | {f"p{axis}": int(level) for axis, level in enumerate(place)},
            f"candidate {number}",
        )
        for number, place in enumerate(places)
    ]


@dataclass
class Planted:
    """Values ``means[candidate] + common[course] + own noise``; `cells` holds what was asked for."""

    means: np.ndarray
    seed: int
    own: float = 1.0
    common: float = 5.0
    name: str = "goodput"
    cells: set[Cell] = field(default_factory=set)

    def value(self, candidate: int, course: int) -> float:
        shared = np.random.default_rng([self.seed, course]).normal()
        noise = np.random.default_rng([self.seed, course, candidate]).normal()
        return float(self.means[candidate] + self.common * shared + self.own * noise)

    def __call__(self, wanted: Sequence[Cell]) -> dict[Cell, Outcome]:
        assert not self.cells & set(wanted), "a cell is simulated twice"
        self.cells |= set(wanted)
        return {cell: {self.name: self.value(*cell)} for cell in wanted}
