"""The scenario file that repeats the winner of a search, on the same courses."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from tmt.campaign.scenario import parse
from tmt.results.tune.toml_text import table, value_text

if TYPE_CHECKING:
    from pydantic import BaseModel

    from tmt.results.tune.courses import Courses
    from tmt.results.tune.task import Task

PATHS = {"file", "over", "return_trace"}
"""Keys whose values are files, relative to the scenario's folder."""


def winner_scenario(task: Task, courses: Courses, winner: int, folder: Path) -> str:
    """Return the text of a scenario in `folder`: the winner on all courses."""
    scenario, candidate = task.scenario, task.candidates[winner]
    searched = ", ".join(map(str, courses.seeds[: courses.n_search]))
    held_out = ", ".join(map(str, courses.seeds[courses.n_search :]))
    text = "\n".join(
        [
            f"# The winner of a search by `tmt tune`: {candidate.name}.",
            f"title = {value_text(f'{scenario.title}: {candidate.name}')}",
            "",
            "[grid]",
            f"tcp = [{value_text(scenario.grid.tcp[0])}]",
            "seeds = [",
            f"    {searched},  # courses of the search",
            f"    {held_out},  # courses held out",
            "]",
            "",
            *_section("[[trace]]", task.trace, scenario.path.parent, folder),
            *_section("[[scheme]]", candidate.scheme, scenario.path.parent, folder),
            *_section("[link]", candidate.link, scenario.path.parent, folder),
            *(_section("[wired]", scenario.wireds[0], folder, folder) if scenario.wireds else []),
            *(_section("[proxy]", scenario.proxies[0], folder, folder) if scenario.proxies else []),
            *_section("[[traffic]]", task.traffic, scenario.path.parent, folder),
        ]
    )
    parse(text, folder / "winner.toml")  # a file that cannot be read would be a defect of ours
    return text


def _section(header: str, section: BaseModel, origin: Path, folder: Path) -> list[str]:
    """Return the lines of a table: the keys whose values are not the defaults."""
    values = {}
    for key, value in section.model_dump(exclude_none=True).items():
        if key == "name" or value != type(section).model_fields[key].default:
            is_path = key in PATHS and not Path(value).is_absolute()
            values[key] = os.path.relpath(origin / value, folder) if is_path else value
    return table(header, values)
