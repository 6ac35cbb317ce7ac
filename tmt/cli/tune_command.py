"""`tmt tune`: the best scheme and parameters for a trace and a transport."""

from __future__ import annotations

from dataclasses import MISSING, asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tmt.cli import options
from tmt.cli.lazy import imported_when_used
from tmt.cli.progress import print_notes, print_warnings, run_progress, say, working
from tmt.cli.tables import print_parts, text_table
from tmt.cli.values import Values, by_options
from tmt.core.declaration import declared, ns
from tmt.core.errors import StoppedError, UsageError
from tmt.core.schemes import SCHEMES
from tmt.core.words.values import percent, time_notes
from tmt.spec.goals import Tune
from tmt.spec.option_types import number_in, whole_numbers
from tmt.spec.options import Part, flag_of
from tmt.spec.path import Path as LinkPath
from tmt.spec.traffic import Traffic

if TYPE_CHECKING:
    from tmt.core.problems import Place
    from tmt.results.tune.task import Task

with imported_when_used():
    from rich import text as texts

    from tmt import io
    from tmt.campaign import local_workers
    from tmt.results.tune import task as tasks, trace_task, tuning, wording
    from tmt.show.page import tune_page
    from tmt.spec import toml

PAGE = "tune.html"

MOST_LINES = 12
"""Candidates in the table; JSON and the page have all of them."""

VALUES = {
    "path": Part(("path",), LinkPath, usual=None),
    "traffic": Part(("traffic",), Traffic, usual=None, hidden={"duration": MISSING, "seeds": MISSING}),
    "goal": Part(("goal",), Tune, usual=None),
}

FEW_ROUND_TRIPS = 10
"""Round trips that a run needs to say more than how slow start begins."""

FLAGS = {"true": True, "false": False}


def _varied(text: str) -> tuple[str, tuple[Any, ...]]:
    """Return key and values of ``KEY=VALUE,VALUE`` or ``KEY=FIRST:LAST``: numbers, true, false or words."""
    key, sign, values = text.partition("=")
    if not sign or not key or not values:
        example = "such as harq.data=10,20 or hold=0.1,0.5"
        raise click.BadParameter(f"{text!r} is not KEY=VALUE,VALUE, {example}.")
    ends = whole_numbers(values, ":")
    if len(ends) == 2 and 0 <= ends[1] - ends[0] < 10_000:
        return key, tuple(range(ends[0], ends[1] + 1))
    words = (word.strip() for word in values.split(","))
    return key, tuple(FLAGS.get(word, number_in(word)) for word in words)


@click.command(cls=Values, values=VALUES, renamed={"--queue": "--queue-packets", "--out": "--output"})
@click.argument("trace", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--duration",
    type=options.POSITIVE_SECONDS,
    help="Length of a run in seconds.  [default: 60, or the fiftieth part of a shorter trace]",
)
@click.option(
    "--scheme",
    "schemes",
    multiple=True,
    help="Schemes to search, with commas between them.  [default: all that convert traces]",
)
@click.option(
    "--vary",
    "varied",
    type=_varied,
    multiple=True,
    metavar="KEY=VALUES",
    help="Values to search of a scheme's parameter, such as harq.data=10,20,50 or harq.repair=0:5, of the "
    "path, such as hold=0.1,0.5 or queue=droptail,codel, or of a discipline's parameter, such as "
    "codel.target=0.005,0.05; keys as in scenario files; may be repeated.",
)
@click.option("--every", type=options.COUNT, help="Every n-th slot of TRACE is this user's.  [default: 1]")
@click.option("--courses", type=options.whole(2), default=20, help="Most courses that the search runs.")
@options.output_option(
    "Folder of the results; a second call goes on there.  [default: out/NAME-tune]",
    is_folder=True,
)
@options.JOBS
@options.SCHEDULER
@click.option("--dry-run", is_flag=True, help="Print the size of the search; run nothing.")
@options.QUIET
@options.JSON
def command(
    trace: Path,
    output: Path | None,
    jobs: int | None,
    scheduler: str | None,
    dry_run: bool,
    quiet: bool,
    as_json: bool,
    **given: Any,
) -> int:
    """Find the best link-layer scheme and parameters for TRACE and a transport.

    TRACE is a PHY trace, or a scenario file (.toml) with a table [tune], whose schemes, paths and adaptations
    are the search space. A course is a piece of the channel; all candidates see the same courses. All
    candidates run the first courses; only those that may still be the best run more. The result is a
    recommendation, its ties, an upper bound on the gain of any other candidate, its value on held-out
    courses, and a verdict in one sentence. The folder of the results also gets a page, and a scenario that
    repeats the winner.

    The exit status is 1 if no candidate could be judged or keeps the constraints.

    \b
    Example:
      tmt tune phy.parquet --tcp cubic --rtt 0.5
      tmt tune phy.parquet --rtt 0.5 \\
          --objective transfer-time:100000 --constraint 'delay-p95<1'
      tmt tune phy.parquet --rtt 0.5 --scheme harq \\
          --vary harq.data=10,20,50 --vary harq.repair=0:5
    """
    is_scenario = tasks.is_scenario(trace)
    task = _task_of_scenario(trace, given) if is_scenario else _task_of_trace(trace, given)
    folder = output or tuning.default_folder(trace)
    with working("reads the trace"):
        planned = tuning.plan_tuning(task)
    print_notes(_run_notes(task, chosen=is_scenario or given["duration"] is not None))
    processes = jobs or local_workers.default_jobs()
    if dry_run:
        say(_forecast(planned, folder, as_json=as_json))
        return 0
    progress = run_progress("search", shown=not (quiet or as_json))
    with options.pools(scheduler, folder, processes) as new_pool, progress as (watch, tell):
        try:
            found = tuning.tune(planned, folder, new_pool, processes, watch, tell)
        except KeyboardInterrupt:
            raise StoppedError(
                f"interrupted: finished runs are kept in {folder}; the same command goes on"
            ) from None
    page = folder / PAGE
    io.atomic.write_text(page, tune_page.render(found))
    if as_json:
        say(_as_json(found, folder, page))
    else:
        print_warnings(wording.complaints(found))
        if not quiet:
            _summarise(found, page)
    return 0 if found.recommendation.is_useful else 1


def _run_notes(task: Task, *, chosen: bool) -> list[str]:
    """Return a note where a short trace gives runs of a few round trips."""
    longest, duration = max(candidate.path.rtt for candidate in task.candidates), task.traffic.duration
    if chosen or not task.goal.needs_runs or duration >= FEW_ROUND_TRIPS * longest:
        return []
    return [
        f"a run lasts {duration:g} s, {duration / longest:.1f} round trips, too few for TCP to fill the "
        "link: take a longer trace, or --duration"
    ]


def _task_of_scenario(path: Path, given: dict[str, Any]) -> Task:
    """Return the task of a scenario file, with which options conflict (UsageError)."""
    flags = options.typed_flags("duration", "schemes", "varied", "every", "courses")
    for name in VALUES:
        said = [] if given[name] is None else given[name].said()
        flags += [flag_of((name, key)) for key in said]
    if flags:
        raise UsageError(f"{flags[0]}: is given with a scenario, whose tables say it")
    asked = toml.read(path)
    print_warnings(asked.notes)
    with asked.named():
        return tasks.task_of(asked.scenario)


def _task_of_trace(trace: Path, given: dict[str, Any]) -> Task:
    path = given["path"]
    if path is None:
        raise UsageError("--rtt: is missing; a search over a trace needs the round-trip propagation time")
    print_notes(time_notes("--rtt", ns(path.rtt)))
    places: dict[Place, Place | str] = {
        ("seeds",): "--courses",
        ("schemes",): "--scheme",
        ("varied",): "--vary",
        **{(key, 0): (key,) for key in ("path", "traffic")},
    }
    for key, values in given["varied"]:
        scheme = next((name for name, kind in SCHEMES.items() if key in declared(kind)), None)
        if scheme is not None and key not in declared(LinkPath):
            example = f"{scheme}.{key}={','.join(map(str, values))}"
            raise UsageError(f"--vary {key}: is a parameter of a scheme; write {example}")
    pairs = [(key, value) for key, values in given["varied"] for value in values]
    varied = {key: list(dict.fromkeys(value for name, value in pairs if name == key)) for key, _ in pairs}
    with by_options(places):
        return trace_task.trace_task(
            trace,
            path,
            given["traffic"] or Traffic(),
            given["goal"] or Tune(),
            schemes=tuple(name.strip() for names in given["schemes"] for name in names.split(",")),
            varied=varied,
            courses=given["courses"],
            duration=given["duration"],
            every=given["every"],
        )


def _forecast(planned: tuning.PlannedTuning, folder: Path, *, as_json: bool) -> str:
    task, courses = planned.task, planned.courses
    n_sampled = min(len(task.candidates), task.most_simulated)
    content = {
        "candidates": len(task.candidates),
        "sampled": n_sampled < len(task.candidates),
        "courses": courses.n_search,
        "held_out": courses.n_held_out,
        "least_outcomes": n_sampled * task.rules.first,
        "exhaustive_outcomes": len(task.candidates) * courses.n_search,
        "seeds": list(courses.seeds),
        "folder": str(folder),
    }
    if as_json:
        return options.json_text(content)
    how = f"{n_sampled} of them sampled" if content["sampled"] else "all of them"
    return (
        f"{content['candidates']} candidates, {how}, on {task.rules.first} to {courses.n_search} courses: "
        f"{content['least_outcomes']} outcomes and more; an exhaustive search has "
        f"{content['exhaustive_outcomes']}\n"
        f"{courses.n_held_out} courses are held out; a run lasts {task.traffic.duration:g} s\n"
        f"results in {folder}"
    )


def _as_json(found: tuning.Tuning, folder: Path, page: Path) -> str:
    """Return the result as JSON; values have the units that `objectives` names."""
    courses, task = found.courses, found.task
    content: dict[str, Any] = {
        "objectives": [{"text": aim.text, "unit": aim.unit} for aim in task.goal.objectives],
        "constraints_given": [constraint.text for constraint in task.goal.constraints],
        **asdict(found.recommendation),
        "race": [
            {
                "courses": look.courses,
                "leader": task.candidates[look.leader].name,
                "left": len(look.scores) - len(look.eliminated),
                "eliminated": len(look.eliminated),
            }
            for look in found.search.race.looks
        ],
        "seeds_of_search": list(courses.seeds[: courses.n_search]),
        "seeds_held_out": list(courses.seeds[courses.n_search :]),
        "courses_wanted": courses.wanted,
        "failures": [dict(zip(("candidate", "seed", "message"), one, strict=True)) for one in found.failures],
        "cut_transfers": found.cut_transfers,
        "folder": str(folder),
        "page": str(page),
        "winner_scenario": None if found.winner_file is None else str(found.winner_file),
    }
    return options.json_text(content)


def _summarise(found: tuning.Tuning, page: Path) -> None:
    result = found.recommendation
    if result.winner is None:
        return
    for line in wording.certainty(found):
        say(line)
    header, rows = wording.finalist_table(found)
    print_parts(text_table("Finalists", header, rows[:MOST_LINES], (0, 1)))
    say(f"Intervals: Student's t at {percent(result.level)} over courses; losses are paired.")
    say(f"page: {page}\nthe winner again: tmt run {found.winner_file}")
    print_parts(texts.Text(wording.verdict(found), style="bold"))
