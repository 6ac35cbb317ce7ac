"""A scenario: what is compared with what, as one value."""

from __future__ import annotations

from itertools import product
from pathlib import Path as File
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

from tmt.core.declaration import Count, Param, PositiveSeconds, Spec
from tmt.core.schemes import SCHEMES
from tmt.core.schemes.scheme import Scheme
from tmt.spec.experiment import together
from tmt.spec.goals import NUMBERS, Expect, Tune
from tmt.spec.path import Path
from tmt.spec.points import leaves
from tmt.spec.programs import Program
from tmt.spec.shared_line import NEEDS_ONLINE, shared_line_rules
from tmt.spec.trace import Trace
from tmt.spec.traffic import Seed, Traffic

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator
    from typing import Self

    from tmt.core.declaration import Rules
    from tmt.results.dataset import Results

assert SCHEMES  # a scenario chooses among them

MAX_RUNS = 100_000
"""Largest number of runs of a scenario without `max_runs`, and of a file unless the user allows more."""


class Point(NamedTuple):
    """A point of a scenario's grid, and the seeds with which it runs."""

    trace: Trace
    scheme: Scheme
    path: Path
    traffic: Traffic
    seeds: tuple[int, ...]


class Scenario(Spec):
    """Every trace with every scheme, path and traffic, over some seeds; each seed sees another piece.

    Examples
    --------
    >>> import tmt
    >>> scenario = tmt.Scenario(
    ...     trace=(tmt.Trace("traces/sample.parquet"),),
    ...     scheme=(tmt.NoScheme(), tmt.Harq(10, 2)),
    ...     path=(tmt.Path(rtt=0.5),),
    ...     traffic=(tmt.Traffic("cubic", duration=20), tmt.Traffic("bbr", duration=20)),
    ... )
    >>> scenario.size
    4
    """

    trace: Annotated[tuple[Trace, ...], "PHY traces", Param(is_axis=True)]
    scheme: Annotated[tuple[Scheme, ...], "link-layer schemes", Param(is_axis=True)]
    path: Annotated[tuple[Path, ...], "paths", Param(is_axis=True)]
    traffic: Annotated[tuple[Traffic, ...], "traffic", Param(is_axis=True)] = ()
    title: Annotated[str, "title of tables and figures"] = "scenario"
    description: Annotated[str | None, "what is compared"] = None
    published: Annotated[
        str | None, "CSV file of published values to show beside ours", Param(absent="none", is_path=True)
    ] = None
    seeds: Annotated[Seed | tuple[Seed, ...], "number of seeds, or the seeds"] = 1
    records: Annotated[tuple[Seed, ...], "seeds whose packet records are kept"] = ()
    timeout: Annotated[PositiveSeconds, "wall time after which a run is given up"] = 600
    max_runs: Annotated[Count, "most runs"] = MAX_RUNS
    tune: Annotated[Tune | None, "goal of a search by `tmt tune`", Param(absent="no search")] = None
    program: Annotated[
        tuple[Program, ...],
        "programs at the path's ends, beside traffic or in its place",
        Param(is_axis=True),
    ] = ()

    expect: Annotated[tuple[Expect, ...], "bounds on results, for `tmt run` to check"] = ()

    def filled(self, key: str, value: Any) -> Any:
        """Return one point of an axis as a tuple; a scenario without programs needs traffic."""
        if key == "traffic" and not value and not self.program:
            return None
        return (value,) if key in AXES and isinstance(value, Spec) else value

    def rules(self) -> Rules:
        """Refuse combinations that are not possible across tables."""
        for key in ("seeds", "records"):
            value = getattr(self, key)
            if isinstance(value, tuple) and len(set(value)) < len(value):
                twice = next(at for at, seed in enumerate(value) if seed in value[:at])
                yield (key, twice), "each seed once", "is listed twice"
        known = frozenset(self.each_seed)
        for at, seed in enumerate(self.records):
            if seed not in known:
                yield ("records", at), "seeds of this scenario", "is not a seed of this scenario"
        for key in AXES:
            seen = set()
            for at, member in enumerate(getattr(self, key)):
                if member in seen:
                    yield (key, at), "each point of the grid once", "describes a point that is there already"
                seen.add(member)
        yield from self._across()
        yield from self._of_programs()
        if self.size > self.max_runs:
            yield "max_runs", f"at least {self.size}, the runs of this scenario", "is too few"

    def _of_programs(self) -> Rules:
        """Refuse programs of the same name, bounds on results that no run has, and a search over programs."""
        for at, one in enumerate(self.program):
            if any(other.title == one.title and not one.is_like(other) for other in self.program[:at]):
                yield ("program", at, "label"), "a label for each, or none", "is the name of other programs"
        said = [measure.column for one in self.program for measure in one.measure]
        for at, expected in enumerate(self.expect):
            if expected.column not in (*said, *NUMBERS):
                yield ("expect", at, "column"), tuple(dict.fromkeys((*said, *NUMBERS)))
        if self.tune is not None and self.program:
            yield "tune", "none with programs", "searches for traffic only"

    def _across(self) -> Rules:
        seen = set()
        loads = [((key, number), one) for key in LOADS for number, one in enumerate(getattr(self, key))]
        users = sorted({one.users_in_one_run for one in self.trace})
        if any(users):
            for at, scheme in enumerate(self.scheme):
                if not scheme.online:
                    yield ("scheme", at, "online"), *NEEDS_ONLINE
        for (at, path), (load, traffic) in product(enumerate(self.path), loads):
            schemes = [(("scheme", i), one) for i, one in enumerate(self.scheme) if one.online]
            rules = [rule for number in users for rule in shared_line_rules(number, path, traffic)]
            for place, *rest in (*rules, *together(path, traffic, iter(schemes))):
                first, *inner = (place,) if isinstance(place, str) else place
                where = {"path": ("path", at), "traffic": load}.get(str(first), (first,))
                if (*where, *inner) not in seen:
                    seen.add((*where, *inner))
                    yield (*where, *inner), *rest  # type: ignore[misc]

    @property
    def each_seed(self) -> tuple[int, ...]:
        """Each seed."""
        return tuple(range(1, self.seeds + 1)) if isinstance(self.seeds, int) else self.seeds

    @property
    def loads(self) -> tuple[Traffic, ...]:
        """The traffic, then the programs."""
        return (*self.traffic, *self.program)

    def points(self) -> Iterator[Point]:
        """Return every point of the grid with its seeds."""
        for trace, scheme, path, traffic in product(self.trace, self.scheme, self.path, self.loads):
            own = self.each_seed if traffic.seeds is None else tuple(range(1, traffic.seeds + 1))
            yield Point(trace, scheme, path, traffic, own)

    @property
    def size(self) -> int:
        """Number of runs."""
        seeds = len(self.each_seed)
        runs = sum(seeds if one.seeds is None else one.seeds for one in self.loads)
        return len(self.trace) * len(self.scheme) * len(self.path) * runs

    def labels(self) -> dict[Scheme, str]:
        """Return a label for each scheme: the papers' notation, with the parameters that differ."""
        alike: dict[str, list[Scheme]] = {}
        for scheme in self.scheme:
            alike.setdefault(scheme.label, []).append(scheme)
        found: dict[Scheme, str] = {}
        for label, schemes in alike.items():
            tables = [{name: f"{value}" for name, _, value in leaves(one)} for one in schemes]
            keys = dict.fromkeys(key for table in tables for key in table)
            differing = [key for key in keys if len({table.get(key) for table in tables}) > 1]
            for scheme, table in zip(schemes, tables, strict=True):
                found[scheme] = " ".join([label, *(f"{key}={table.get(key)}" for key in differing)])
        return found

    @classmethod
    def read(cls, path: str | os.PathLike[str], max_runs: int | None = None) -> Self:
        """Read a scenario file (TOML); paths in it are relative to its folder.

        `max_runs` replaces the file's limit, which cannot exceed 100,000 runs.

        Raises
        ------
        InputError
            When it cannot be read, or describes no scenario: one line for each wrong key, with file, line,
            key, value and the allowed values.
        """
        from tmt.spec.toml import read  # noqa: PLC0415  (it imports this module)

        return read(File(path), max_runs).scenario  # type: ignore[return-value]

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write a scenario file; reading it gives an equal scenario.

        Raises
        ------
        OutputError
            When it cannot be written.
        """
        from tmt.io.atomic import write_text  # noqa: PLC0415
        from tmt.spec.toml_text import relative_to, text_of  # noqa: PLC0415

        write_text(File(path), text_of(self, relative_to(File(path).parent)))

    def run(self, out: str | os.PathLike[str] | None = None, jobs: int | None = None) -> Results:
        """Execute the runs that have no result yet, and return all results: `tmt.run_scenario`."""
        from tmt.api.runs import run_scenario  # noqa: PLC0415  (it imports this module)

        return run_scenario(self, out, jobs)


LOADS = ("traffic", "program")
"""Fields whose members are loads of the path; each point of the grid has one of them."""

AXES = ("trace", "scheme", "path", *LOADS)
"""Fields whose members make the grid."""
