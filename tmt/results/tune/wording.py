"""Sentences on the result of a search, shared by terminal and page."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from tmt.core.words.values import counted, percent, rate_unit
from tmt.results.tune.task import SCHEME
from tmt.results.values import interval_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tmt.results.statistics import Interval
    from tmt.results.tune.objectives import Objective
    from tmt.results.tune.recommendation import Standing
    from tmt.results.tune.task import Value
    from tmt.results.tune.tuning import Tuning

NAMED = 4
"""Candidates that a sentence names."""


def verdict(found: Tuning) -> str:
    """Return the recommendation of a search with a winner, its ties and what it saved, as a sentence."""
    result, counts = found.recommendation, found.recommendation.counts
    assert result.winner is not None
    start = "Use" if result.is_useful else "No candidate keeps the constraints; nearest:"
    if len(found.task.goal.objectives) > 1:
        rivals = f"one of {counted(len(result.front), 'candidate')} on the front"
    elif result.ties:
        others = f" and {counted(len(result.ties) - 1, 'other')}" if len(result.ties) > 1 else ""
        rivals = f"a tie with {result.ties[0].name}{others}"
    else:
        rivals = "no other candidate may be as good"
    saved = percent(1 - counts["outcomes"] / counts["exhaustive"])
    effort = "" if saved == percent(0) else f"; searched {saved} cheaper than everything"
    return f"{start} {result.winner.name} ({setting_words(result.winner.settings)}): {rivals}{effort}."


def certainty(found: Tuning) -> list[str]:
    """Return sentences on how good the winner is, how certain that is, and what held-out courses say."""
    result = found.recommendation
    if result.winner is None:
        return []
    lines = [*_held_out(found), *_ties(found)]
    if not math.isnan(result.most_better):
        lines.append(_most_better(found))
    if result.most_unseen_better is not None:
        share_text, drawn = percent(result.most_unseen_better), len(found.search.drawn)
        lines.append(
            f"{result.counts['not_simulated']:,} candidates were not simulated. Of {drawn} that were drawn "
            f"uniformly none beats the winner: with {percent(result.level)} confidence at most {share_text} "
            "of the space are better."
        )
    return [*lines, *_runner_up(found), *_effort(found)]


def _most_better(found: Tuning) -> str:
    result, aim = found.recommendation, found.task.goal.objectives[0]
    assert result.winner is not None
    space = "the space" if result.most_unseen_better is None else "the simulated part of the space"
    start = f"With {percent(result.level)} confidence nothing else in {space} is better"
    if result.most_better <= 0:
        return f"{start}."
    if math.isinf(result.most_better):
        return "Too few courses tell how much better another candidate may be."
    mean = result.winner.values[aim.text].mean
    share = f" ({percent(result.most_better / abs(mean))})" if mean else ""
    unit, factor = shown_unit(found, aim)
    return f"{start} by more than {factor * result.most_better:.3g} {unit}".rstrip() + f"{share}."


def _effort(found: Tuning) -> list[str]:
    counts = found.recommendation.counts
    parts = []
    if counts["ruled_out"]:
        parts.append(f"{counts['ruled_out']} ruled out by models")
    parts.append(f"{counts['simulated']} simulated")
    if counts["infeasible"]:
        parts.append(f"{counts['infeasible']} miss a constraint")
    share = counts["outcomes"] / counts["exhaustive"]
    return [
        f"The search compared {counts['candidates']:,} candidates on common courses: {', '.join(parts)}. It "
        f"took {counts['outcomes']:,} pairs of a candidate and a course, {percent(share)} of all. "
        f"The race ended because {found.recommendation.stopped}."
    ]


def _ties(found: Tuning) -> list[str]:
    result = found.recommendation
    if len(found.task.goal.objectives) > 1:
        choice = "" if len(result.front) == 1 else "; the recommendation is nearest to both optima"
        return [f"The front has {counted(len(result.front), 'candidate')}{choice}."]
    if not result.ties:
        return ["No other candidate is left in the race."]
    return [f"{counted(len(result.ties), 'other candidate')} may be as good: {names(result.ties)}."]


def _runner_up(found: Tuning) -> list[str]:
    result, aim = found.recommendation, found.task.goal.objectives[0]
    if result.runner_up is None or len(found.task.goal.objectives) > 1:
        return []
    loss = result.runner_up.loss
    name = result.runner_up.standing.name
    text = f"The runner-up, {name}, is worse by {with_unit(found, aim, loss)}"
    if result.runner_up_held_out is not None and not math.isnan(result.runner_up_held_out.mean):
        text += f"; on the courses held out by {with_unit(found, aim, result.runner_up_held_out)}"
    return [f"{text}."]


def _held_out(found: Tuning) -> list[str]:
    """Return the sentence on the winner's value on courses that the search has not seen."""
    result, aim = found.recommendation, found.task.goal.objectives[0]
    assert result.winner is not None
    winner = next(one for one in result.finalists if one.standing.number == result.winner.number)
    seen, unseen = winner.standing.values[aim.text], winner.held_out[aim.text]
    change = winner.change
    is_told = not math.isnan(change.low) and (change.low > 0 or change.high < 0)
    verdict = "significant" if is_told else "not significant"
    means = [with_unit(found, aim, mean) for mean in (unseen, seen)]
    moved = with_unit(found, aim, change, signed=True)
    return [
        f"{aim.label}: {means[0]} on {unseen.count} courses (pieces of the channel, "
        f"{found.task.traffic.duration:g} s each) that were held out of the search, {means[1]} on those of "
        f"the search; the change is {verdict} ({moved})."
    ]


def complaints(found: Tuning) -> list[str]:
    """Return a line on everything that weakens the result."""
    result, courses = found.recommendation, found.courses
    lines = []
    if result.winner is None:
        lines.append("no candidate could be judged" + (": every run failed" if found.failures else ""))
    lines += [f"the winner misses {one.text}" for one in result.constraints if not one.holds]
    lines += [
        f"the winner may miss {one.text}: its mean is {interval_text(one.mean)}"
        for one in result.constraints
        if one.holds and not one.is_sure
    ]
    if len(courses.seeds) < courses.wanted:
        lines.append(
            f"the trace has room for {len(courses.seeds)} disjoint courses, {courses.wanted} were wanted; "
            "shorter runs (duration) make room for more"
        )
    if found.failures:
        name, seed, message = found.failures[0]
        lines.append(
            f"{counted(len(found.failures), 'run')} failed; the first one: {name}, seed {seed}: {message}"
        )
    if found.cut_transfers:
        lines.append(
            f"{found.cut_transfers} transfers were cut at the end of their run, which counts as their time"
        )
    return lines


def names(standings: Sequence[Standing]) -> str:
    """Return the first names of candidates."""
    shown = "; ".join(one.name for one in standings[:NAMED])
    return shown + (f"; and {len(standings) - NAMED} more" if len(standings) > NAMED else "")


def setting_words(settings: Mapping[str, Value]) -> str:
    """Return the settings of a candidate as one line."""
    words = (f"{key} {value_word(value)}" for key, value in settings.items() if key != SCHEME)
    return ", ".join([f"scheme {settings[SCHEME]}", *words])


def with_unit(found: Tuning, aim: Objective, interval: Interval, *, signed: bool = False) -> str:
    """Return a mean of an objective with half of its interval, in the unit that people read."""
    shown, factor = shown_unit(found, aim)
    return f"{interval_text(interval.scaled(factor), signed=signed)} {shown}".rstrip()


def shown_unit(found: Tuning, aim: Objective) -> tuple[str, float]:
    """Return the unit of an objective's values in text, and the factor to it; the greatest mean decides."""
    means = (one.values[aim.text].mean for one in found.recommendation.standings)
    return unit_of(aim.unit, max((mean for mean in means if not math.isnan(mean)), default=0.0))


def unit_of(unit: str, greatest: float) -> tuple[str, float]:
    """Return the unit in which values up to `greatest` are shown, and the factor to it."""
    return rate_unit(greatest) if unit == "bit/s" else (unit, 1.0)


def value_word(value: Value) -> str:
    """Return a value of a parameter as text."""
    return "not set" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def finalist_table(found: Tuning) -> tuple[list[str], list[list[str]]]:
    """Return the header and the rows: candidate, role, each objective in the search and held out."""
    result, aims = found.recommendation, found.task.goal.objectives
    units = [shown_unit(found, aim) for aim in aims]
    header = ["candidate", ""]
    for aim, (unit, _) in zip(aims, units, strict=True):
        header += [f"{aim.label}, {unit}" if unit else aim.label, "held out"]
    ties = {one.number for one in result.ties}
    front = {one.number for one in result.front}
    rows = []
    for one in result.finalists:
        number = one.standing.number
        is_winner = result.winner is not None and number == result.winner.number
        role = "winner" if is_winner else "front" if number in front else "tie" if number in ties else "worse"
        cells = [one.standing.name, role]
        for aim, (_, factor) in zip(aims, units, strict=True):
            cells += [
                interval_text(interval.scaled(factor))
                for interval in (one.standing.values[aim.text], one.held_out[aim.text])
            ]
        rows.append(cells)
    return header, rows
