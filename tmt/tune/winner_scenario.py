"""The scenario file that repeats the winner of a search, on the same courses."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tmt.campaign.scenario import parse

if TYPE_CHECKING:
    from pydantic import BaseModel

    from tmt.tune.courses import Courses
    from tmt.tune.task import Task

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
            f"title = {json.dumps(f'{scenario.title}: {candidate.name}')}",
            "",
            "[grid]",
            f"tcp = [{json.dumps(scenario.grid.tcp[0])}]",
            "seeds = [",
            f"    {searched},  # courses of the search",
            f"    {held_out},  # courses held out",
            "]",
            "",
            *_table("[[trace]]", task.trace, scenario.path.parent, folder),
            *_table("[[scheme]]", candidate.scheme, scenario.path.parent, folder),
            *_table("[link]", candidate.link, scenario.path.parent, folder),
            *(_table("[wired]", scenario.wireds[0], folder, folder) if scenario.wireds else []),
            *(_table("[proxy]", scenario.proxies[0], folder, folder) if scenario.proxies else []),
            *_table("[[traffic]]", task.traffic, scenario.path.parent, folder),
        ]
    )
    parse(text, folder / "winner.toml")  # a file that cannot be read would be a defect of ours
    return text


def _table(header: str, section: BaseModel, origin: Path, folder: Path) -> list[str]:
    """Return the lines of a table: the keys whose values are not the defaults."""
    lines = [header]
    for key, value in section.model_dump(exclude_none=True).items():
        if key == "name" or value != type(section).model_fields[key].default:
            is_path = key in PATHS and not Path(value).is_absolute()
            shown = os.path.relpath(origin / value, folder) if is_path else value
            lines.append(f"{key} = {_value(shown)}")
    return [*lines, ""]


def _value(value: Any) -> str:
    """Return a value in TOML; JSON spells text, numbers and flags alike."""
    return json.dumps(value)
