"""Click parameter types shared by the commands, and lists of options."""

from __future__ import annotations

import json
import math
import os
from contextlib import contextmanager
from dataclasses import MISSING
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import click
from click.core import ParameterSource

from tmt.cli.lazy import imported_when_used
from tmt.cli.progress import print_notes
from tmt.core.declaration import Count, Param, PositiveSeconds, Probability, Rate, Seconds, ns, taken
from tmt.core.errors import UsageError
from tmt.core.problems import Refused
from tmt.core.words.values import time_notes
from tmt.spec import hints
from tmt.spec.option_types import number_in, number_within, whole_numbers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from tmt.campaign.runs import Run

    Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]

with imported_when_used():
    from tmt import io
    from tmt.campaign import cluster, local_workers, pack_reader, pool
    from tmt.show.charts import files as charts


class Value(click.ParamType[Any]):
    """A number or a time in seconds, within the bounds of a declared type; `name` is its placeholder.

    If `noted`, an unusually long time gives a note, because milliseconds may be meant.
    """

    def __init__(self, name: str, hint: Any, *, noted: bool = False) -> None:
        self.name, self.hint, self.noted = name, hint, noted

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:
        """Return the placeholder, with the bounds of a number if they are small."""
        return number_within(self.hint.__metadata__[-1]) if self.name == "number" else self.name.upper()

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Convert text."""
        try:
            found = taken(self.name, self.hint, number_in(str(value)))
        except Refused as refused:
            self.fail(f"{hints.told(refused.problems[0])}.", param, ctx)
        if self.noted and param is not None:
            print_notes(time_notes(param.opts[0], ns(found)))
        return found


SECONDS, POSITIVE_SECONDS = Value("seconds", Seconds), Value("seconds", PositiveSeconds)

ROUND_TRIP = Value("seconds", Seconds, noted=True)

DECODE_TIME = Value("seconds", PositiveSeconds, noted=True)
"""A decode time: 0 s would mean erased."""

COUNT, RATE = Value("number", Count), Value("number", Rate)


def whole(least: int, most: int = 2**31 - 1) -> Value:
    """Return the type of whole numbers within bounds."""
    return Value("number", Annotated[int, Param("", least, most)])


SEED = whole(0, 2**63 - 1)

PROBABILITY = Value("number", Probability)


class FilePath(click.Path):
    """A file's name; a folder is refused. Whether the file exists is checked when it is opened."""

    def __init__(self, path_type: type[Any] | None = None) -> None:
        super().__init__(dir_okay=False, path_type=path_type)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Refuse a folder, an empty name, and the name that means a stream in other programs."""
        if not value:
            self.fail("the file's name is empty.", param, ctx)
        if os.fsdecode(value) == "-":
            self.fail("- is not a stream here; a file's name is needed.", param, ctx)
        if Path(os.fsdecode(value)).is_dir():
            self.fail(f"{os.fsdecode(value)} is a folder; a file is needed.", param, ctx)
        return super().convert(value, param, ctx)


class OutputPath(FilePath):
    """A file that the command writes: none of those that it reads (`tmt.cli.values`)."""


class ReportPath(OutputPath):
    """A local file that follows long work: its folder is checked before."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Refuse a path where no file can be."""
        path = super().convert(value, param, ctx)
        io.atomic.check_place(path)
        return path


FILE, OUT = FilePath(), OutputPath()


class FigurePath(OutputPath):
    """A figure's file, whose ending and folder are checked before any work."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Refuse an ending that is not a figure's, and a path where no file can be."""
        path = super().convert(value, param, ctx)
        charts.check_format(path)
        return path


MOST_VALUES = 100_000
"""Upper bound on the values of one range; each makes a row of the result."""


class CampaignPath(click.Path):
    """The folder of a campaign's results, or a pack if packs are allowed."""

    def __init__(self, *, or_pack: bool = False) -> None:
        super().__init__(exists=True, path_type=Path)
        self._or_pack = or_pack

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Refuse other files; for a scenario file, name the folder of its results."""
        is_file = (file := Path(value)).is_file()
        is_pack = is_file and pack_reader.is_pack(file)
        if is_file and not (self._or_pack and is_pack):
            usual = file.parent / "out" / file.stem
            there = f", here {usual}" if usual.is_dir() else ""
            wanted = f"the folder of results that `tmt run{f' {file}' if is_pack else ''}` prints{there}"
            kind = "no pack" if self._or_pack else "a pack" if is_pack else "a file"
            pack = ", or a pack of `tmt pack`" if self._or_pack else ""
            self.fail(f"{file} is {kind}; name {wanted}{pack}.", param, ctx)
        return super().convert(value, param, ctx)


class Swept(click.ParamType[list[Any]]):
    """One value of a kind, or `FIRST:LAST:COUNT` for equally spaced ones; both ends are exact."""

    def __init__(self, name: str, kind: click.ParamType[Any]) -> None:
        self.name, self.kind = name, kind

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> list[Any]:
        """Split the range, and convert its ends."""
        *ends, number = str(value).split(":")
        if not ends:
            return [self.kind.convert(number, param, ctx)]
        counts = whole_numbers(number, ":")
        if len(ends) != 2 or not counts or not 2 <= counts[0] <= MOST_VALUES:
            self.fail(
                f"{value} is neither a number nor FIRST:LAST:COUNT with a COUNT from 2 to {MOST_VALUES}.",
                param,
                ctx,
            )
        first, last = (self.kind.convert(end, param, ctx) for end in ends)
        steps = counts[0] - 1
        between = (first + (last - first) * i / steps for i in range(steps))
        return [*(self.kind.convert(one, param, ctx) for one in between), last]


PROBABILITIES = Swept("probability", PROBABILITY)

TIMES = Swept("seconds", SECONDS)


class CountList(click.ParamType[tuple[int | None, ...]]):
    """One whole number, or `FIRST:LAST` for all from the first to the last; None for `unlimited`."""

    def __init__(self, name: str = "count", *, may_be_unlimited: bool = False) -> None:
        self.name, self.may_be_unlimited = name, may_be_unlimited

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int | None, ...]:
        """Parse and check."""
        if self.may_be_unlimited and value == "unlimited":
            return (None,)
        ends = whole_numbers(str(value), ":")
        if len(ends) not in (1, 2):
            self.fail(f"{value} is neither a whole number nor FIRST:LAST.", param, ctx)
        counts = range(ends[0], ends[-1] + 1)
        if not counts:
            self.fail(f"{value} is empty; the first number must not exceed the last.", param, ctx)
        if counts[-1] - counts[0] >= MOST_VALUES:
            self.fail(f"{value} is not allowed; it must be at most {MOST_VALUES} numbers.", param, ctx)
        return tuple(counts)


COUNTS = CountList()


def typed_flags(*names: str) -> list[str]:
    """Return those of these parameters of the running command that the user typed."""
    context = click.get_current_context()
    named = (one for one in context.command.params if one.name in names)
    typed = ParameterSource.COMMANDLINE
    return [one.opts[-1] for one in named if context.get_parameter_source(str(one.name)) is typed]


JOBS = click.option("--jobs", type=COUNT, help="Simulations at a time.  [default: one for each processor]")

SCHEDULER = click.option(
    "--scheduler",
    metavar="ADDRESS",
    help="Run the simulations on the dask.distributed cluster of this scheduler, such as tcp://node1:8786.",
)

QUIET = click.option("--quiet", is_flag=True, help="Print nothing but warnings and errors.")

JSON = click.option("--json", "as_json", is_flag=True, help="Print the result as one JSON object.")
"""Result as JSON; notes stay on stderr."""


def json_text(content: Any) -> str:
    """Return nested dictionaries and sequences as JSON; NaN and infinite numbers become null."""
    return json.dumps(_plain(content), indent=2, allow_nan=False)


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(member) for key, member in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(member) for member in value]
    if hasattr(value, "item"):  # a number of numpy's
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value


def output_option(words: str, *, is_folder: bool = False, **settings: Any) -> Decorator:
    """Return the option for a command's output, which has the same name everywhere."""
    settings |= {"help": words, "type": OutputPath(Path)}
    if is_folder:
        settings |= {"metavar": "DIR", "type": click.Path(file_okay=False, path_type=Path)}
    return click.option("-o", "--output", **settings)


def swept(sweeps: dict[str, list[float]], example: str, flags: str) -> str:
    """Return the only parameter with several values; UsageError, with `example`, unless there is one."""
    names = [name for name, values in sweeps.items() if len(values) > 1]
    if len(names) != 1:
        raise UsageError(f"--plot draws a sweep: give a range such as {example} to one of {flags}")
    return names[0]


def plot_option(words: str) -> Decorator:
    """Return the option for a command's only figure; `words` say what is drawn."""
    said = f"{words} into this .png, .svg, .pdf, .html or .json file."
    return click.option("--plot", type=FigurePath(), help=said)


def table(*rows: tuple[str, click.ParamType[Any], Any, str]) -> Decorator:
    """Return a decorator that adds an option for each row: name, type, default and help.

    `MISSING` is the default of a required option. An option whose type takes several values is repeatable.
    """

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        for name, kind, default, words in reversed(rows):
            settings: dict[str, Any] = {"required": True} if default is MISSING else {}
            if default is not None and default is not MISSING:
                settings = {"default": default}
            if isinstance(kind, Swept | CountList):
                settings |= {
                    "multiple": True,
                    "callback": lambda _, __, values: list(chain.from_iterable(values)),
                }
            function = click.option(name, type=kind, help=words, **settings)(function)
        return function

    return decorate


@contextmanager
def pools(scheduler: str | None, folder: Path, jobs: int) -> Iterator[Callable[[Sequence[Run]], pool.Pool]]:
    """Yield a function that makes the pool of simulations; connect to a scheduler first."""
    if scheduler is None:
        yield lambda _: pool.Pool(local_workers.LocalWorkers(jobs))
        return
    try:
        connected = cluster.connected(scheduler)
    except ModuleNotFoundError as error:
        if error.name != "distributed":
            raise
        raise UsageError(
            '--scheduler: distributed is not installed: pip install "tmt-clift[cluster]"'
        ) from None
    with connected as client:
        yield lambda runs: pool.Pool(cluster.ClusterWorkers(client, folder, jobs, runs))
