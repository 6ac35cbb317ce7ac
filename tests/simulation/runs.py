"""The runs of the simulated campaigns, and the one right row of each."""

import zlib
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from scenario_parts import LOSSY_TRACE, runs_of

from tmt.campaign.columns import DONE, blank_row
from tmt.campaign.pool import InstalledPrograms
from tmt.campaign.recipe import Recipe
from tmt.campaign.runs import Run
from tmt.campaign.tasks import Simulate

SCENARIO = f"""
seeds = 2
records = [1]
{LOSSY_TRACE}[[scheme]]
name = "none"
[[scheme]]
name = "arq"
[[path]]
rtt = 0.1
return_link = "unprotected"
[[traffic]]
tcp = ["newreno", "cubic"]
duration = 10
"""

PROGRAMS = "stamp of the simulator", "hash of the sources"
"""Programs that the keys of the runs name."""

OURS = {"ns2": InstalledPrograms(*PROGRAMS, "hash of the simulator")}
OTHERS = {"ns2": InstalledPrograms("another stamp", PROGRAMS[1], "hash of another simulator")}


@cache
def all_runs() -> list[Run]:
    """Return eight runs over six link traces; each run needs two of them."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "simulated.toml"
        path.write_text(SCENARIO)
        return runs_of(path, *PROGRAMS)


def trace_content(recipe: Recipe) -> bytes:
    """Return the bytes of a recipe's link trace."""
    return recipe.identity.encode() * 4


def result(run: Run, contents: list[bytes]) -> float:
    """Return the measured value of a run: another one for every other content of its link traces."""
    return float(zlib.crc32(b"".join([run.key.encode(), *contents])))


def true_result(run: Run) -> float:
    """Return the one right result of a run."""
    return result(run, [trace_content(recipe) for recipe in run.recipes])


def row_of(task: Simulate, measured: float, programs: tuple[str, str] = PROGRAMS) -> dict[str, Any]:
    """Return the row of a run that went well."""
    run = task.run
    return blank_row() | {
        "key": run.key,
        "experiment": run.experiment,
        "status": DONE,
        "seed": run.seed,
        "attempt": task.attempt,
        "goodput_bps": measured,
        "simulator": programs[0],
        "sources": programs[1],
    }
