"""Read a campaign's folder, or the rows of an open campaign, into `Results`; read published values."""

from __future__ import annotations

import csv
import json
import math
import tomllib
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from tmt.campaign.columns import COLUMNS, DONE, PUBLISHED_COLUMNS
from tmt.campaign.database import DATABASE, PUBLISHED, SCENARIO, frame, read_runs
from tmt.core.errors import InputError
from tmt.core.words.refusals import shown
from tmt.results.codes import codes_of, joined, places_of, spread
from tmt.results.dataset import (
    Failure,
    Published,
    Results,
    equal_seeds_warning,
    find_axes,
    scheme_order,
    tcp_order,
    trace_uses,
)
from tmt.results.groups import LIKE
from tmt.results.measures import with_measures
from tmt.results.over_time import read_chosen
from tmt.results.values import NO_VALUE, scalar, texts

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import numpy.typing as npt

    from tmt.campaign.campaign import Campaign
    from tmt.results.codes import Codes
    from tmt.results.values import Axis


def read_results(folder: Path, published: Path | None = None) -> Results:
    """Read a campaign's folder and published values, from a CSV file or, by default, from the scenario.

    InputError when the folder holds no campaign or no run, or a file is damaged.
    """
    results = read_rows(folder)
    about = tomllib.loads(results.scenario_text)
    if published is None and "published" in about:
        published = folder / PUBLISHED
    values = read_published(published, results.axes, str(about.get("title", ""))) if published else ()
    return replace(
        results,
        records=read_chosen(folder, results.runs, results.axes),
        published=values,
        warnings=(*results.warnings, *unmatched_warnings(values, results.runs)),
    )


def read_rows(folder: Path) -> Results:
    """Read a campaign's folder, without packet records and published values; errors as `read_results`."""
    table = read_runs(folder)
    if not len(table):
        raise InputError(folder, "holds no runs yet; start them with `tmt run`")
    rows = frame(table)
    check_rows(rows, folder / DATABASE)
    if scripts := _texts(rows, "script"):
        raise InputError(
            folder,
            f"holds runs of {scripts[0]}, which is not a scenario; the recipe in its folder shows them",
        )
    scenario = _read_scenario(folder / SCENARIO)
    about = tomllib.loads(scenario)
    results = results_of(rows, str(about.get("title", folder.resolve().name)))
    description = str(about.get("description", "")).strip()
    return replace(results, description=description, scenario_text=scenario)


REQUIRED = ("tcp", "scheme", "trace", "seed")
"""Columns in which every finished run of a scenario has a value."""

OBJECTS = ("scheme_parameters", "trace_parameters")
"""Columns of one JSON object."""


def check_rows(rows: pd.DataFrame, file: Path) -> None:
    """Refuse rows of `file` without their point in the grid, or with JSON of an unexpected form.

    The rows are as `arrow_schema` declares them; the error is an InputError.
    """
    done = rows.loc[rows["status"] == DONE, list(REQUIRED)]
    for column in REQUIRED:
        if done[column].isna().any() and not _texts(rows, "script"):
            raise InputError(file, f"is damaged: a finished run has no {column}")
    for column in OBJECTS:
        _check_json(rows, column, lambda found: isinstance(found, dict), "a JSON object", file)
    _check_json(rows, "measures", _are_measures, "an object of objects of value, unit and better", file)
    _check_json(rows, "groups", _are_groups, "a list of an object for each group of flows", file)


def _check_json(
    rows: pd.DataFrame, column: str, is_valid: Callable[[Any], bool], needed: str, file: Path
) -> None:
    for text in _texts(rows, column):
        try:
            found = json.loads(text)
        except (ValueError, RecursionError):
            found = None
        if not is_valid(found):
            raise InputError(file, f"is damaged: {column} is {shown(text)}; {needed} is needed")


def _are_measures(found: Any) -> bool:
    return isinstance(found, dict) and all(
        isinstance(one, dict)
        and {"value", "unit", "better"} <= one.keys()
        and isinstance(one["value"], float | int | None)
        and isinstance(one["unit"], str)
        for one in found.values()
    )


def _are_groups(found: Any) -> bool:
    return isinstance(found, list) and all(
        isinstance(one, dict) and isinstance(one.get("group"), str) and one.keys() >= {*LIKE} for one in found
    )


def _texts(rows: pd.DataFrame, column: str) -> list[str]:
    """Return the different texts of a column, in the order of the rows, without nulls."""
    found: list[str] = rows[column].dropna().unique().tolist()
    return found


def results_so_far(campaign: Campaign) -> Results:
    """Return the results of a campaign that is open; InputError when its database is damaged."""
    rows = campaign.rows()
    check_rows(rows, campaign.store.folder / DATABASE)
    return results_of(rows, campaign.title)


def results_of(rows: pd.DataFrame, title: str) -> Results:
    """Return the results in the rows of a campaign, without published values and records."""
    rows = with_measures(rows.assign(scheme=_distinct_schemes(rows)))
    is_done = (rows["status"] == DONE).to_numpy(dtype=bool)
    done = rows if is_done.all() else rows[is_done].reset_index(drop=True)
    axes = find_axes(done) if len(done) else ()
    latest, earlier = _split_versions(done, axes)
    runs, older = done.iloc[latest].reset_index(drop=True), done.iloc[earlier].reset_index(drop=True)
    warnings = []
    if len(older):
        warnings.append(
            f"{len(older)} runs of an earlier version of the programs or of a trace are in the results too; "
            "no mean counts them."
        )
    if equal_seeds := equal_seeds_warning(runs):
        warnings.append(equal_seeds)
    failures, notes = () if is_done.all() else _failures(rows.copy()), _notes(rows, runs)
    return Results(title, "", runs, axes, older, failures=failures, notes=notes, warnings=tuple(warnings))


def _read_scenario(path: Path) -> str:
    """Return the scenario's text, empty when the folder holds no valid one (InputError for a failed read)."""
    if path.is_fifo():  # reading it would wait for ever
        return ""
    try:
        text = path.read_text(encoding="utf-8")
        tomllib.loads(text)
    except (FileNotFoundError, ValueError, RecursionError):
        return ""
    except OSError as error:
        raise InputError(path, f"cannot be read: {error.strerror}") from error
    return text


def _distinct_schemes(rows: pd.DataFrame) -> npt.NDArray[np.object_]:
    """Return the schemes' labels; if several sets of parameters share a label, it gains the parameters that
    differ.
    """
    codes, labels = codes_of(rows["scheme"])
    of_rows, texts_of = codes_of(rows["scheme_parameters"])
    pairs = joined(codes, of_rows)
    _, first = np.unique(pairs, return_index=True)
    found = [(str(labels[codes[row]]), json.loads(texts_of[of_rows[row]] or "{}")) for row in first]
    sets: dict[str, list[dict[str, Any]]] = {}
    for label, own in found:
        sets.setdefault(label, []).append(own)
    differing = {label: _differing(of_label) for label, of_label in sets.items()}
    named = [
        ", ".join([label, *(f"{name}={own[name]}" for name in differing[label] if name in own)])
        for label, own in found
    ]
    return spread(named, pairs)


def _differing(sets: list[dict[str, Any]]) -> list[str]:
    """Return the names of the parameters in which the sets differ; a parameter may be missing from a set."""
    names = dict.fromkeys(name for one in sets for name in one if name != "rtt_ns")
    return [name for name in names if len({str(one.get(name)) for one in sets}) > 1]


def _split_versions(done: pd.DataFrame, axes: tuple[Axis, ...]) -> tuple[Codes, Codes]:
    """Return the rows of the runs of each cell's latest version, and those of earlier ones.

    Both are in the order of TCP variant, scheme, point and seed. The latest version is that of the cell's
    last row: rows are in the order in which runs finished. Of several runs of a seed the last one counts.
    """
    if not len(done):
        return np.arange(0), np.arange(0)
    columns = [
        places_of(done["tcp"], tcp_order(done["tcp"])),
        places_of(done["scheme"], scheme_order(done)),
        *(places_of(done[axis.column], axis.levels) for axis in axes),
    ]
    experiments, _ = codes_of(done["experiment"])
    table = pd.DataFrame({"cell": joined(*columns), "experiment": experiments, "seed": done["seed"]})
    is_latest = experiments == table.groupby("cell")["experiment"].transform("last")
    kept = np.zeros(len(done), dtype=bool)
    kept[table[is_latest].drop_duplicates(["cell", "seed"], keep="last").index] = True
    by_place = np.lexsort((done["seed"].to_numpy(), *reversed(columns)))
    return by_place[kept[by_place]], by_place[~kept[by_place]]


def _failures(rows: pd.DataFrame) -> tuple[Failure, ...]:
    """Return the failed runs; a name contains the run's value of each parameter that varies."""
    axes, found = find_axes(rows), []
    for row in rows[rows["status"] != DONE].to_dict("records"):
        parts = texts([row["tcp"], row["scheme"], row["trace"]])
        for axis in axes:
            # A failed run lacks values that are computed from its link trace.
            if axis.column != "trace" and scalar(row[axis.column]) is not None:
                parts += axis.named([row[axis.column]])
        seed, status = texts([row["seed"], row["exit_status"]])
        reason = str(row["status"]) + ("" if status == NO_VALUE else f", exit status {status}")
        name = f"{', '.join(parts)}, seed {seed}"
        found.append(Failure(name, reason, str(row["command"] or ""), str(row["message"] or "")))
    return tuple(found)


def _notes(rows: pd.DataFrame, runs: pd.DataFrame) -> tuple[tuple[str, str], ...]:
    finished = rows["finished_at"].dropna()
    times = [("first run finished", str(finished.min())), ("last run finished", str(finished.max()))]
    uses = [(f"trace {trace}", sentence) for trace, sentence in trace_uses(runs)]
    return (*(times if len(finished) else ()), *uses)


def read_published(path: Path, axes: tuple[Axis, ...], title: str) -> tuple[Published, ...]:
    """Read published values; columns other than `PUBLISHED_COLUMNS` hold levels of axes, by their labels.

    A value is left out if its column `scenario` names another title. InputError when the file cannot be read
    or is not as `docs/report.md` says.
    """
    labels = {axis.label: axis for axis in axes}
    try:
        with path.open(encoding="utf-8", newline="") as file:
            reader = csv.DictReader(file)
            names = reader.fieldnames or []
            for name in PUBLISHED_COLUMNS:
                if name not in names:
                    needed = ", ".join(PUBLISHED_COLUMNS)
                    raise InputError(path, f"column {name} is missing; needed: {needed}", 1)
            rows = (row for row in reader if row.get("scenario") in {None, "", title})
            return tuple(_published(path, reader.line_num, row, labels) for row in rows)
    except OSError as error:
        raise InputError(path, f"cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise InputError(path, "is not text in UTF-8") from error
    except csv.Error as error:
        raise InputError(path, f"is no CSV: {error}") from error


def unmatched_warnings(values: tuple[Published, ...], runs: pd.DataFrame) -> list[str]:
    """Return a warning that names the columns, TCP variants and schemes that no finished run has, if any.

    A value without TCP describes the channel alone, not a run.
    """
    named = [value for value in values if value.tcp]
    known = {
        "column": {column.name for column in COLUMNS},
        "TCP": set(runs["tcp"].unique()),
        "scheme": set(runs["scheme"].unique()),
    }
    unknown = [
        f"{what} {', '.join(map(repr, missing))}"
        for what, there in known.items()
        if (missing := sorted({getattr(value, what.lower()) for value in named} - there))
    ]
    return [f"Published values are left out: no finished run has {' or '.join(unknown)}."] if unknown else []


def _published(path: Path, line: int, row: dict[str, str], labels: dict[str, Axis]) -> Published:
    try:
        value, error = float(row["value"]), float(row["error"] or 0)
    except (TypeError, ValueError):
        value = error = math.nan
    if not (math.isfinite(value) and math.isfinite(error)):
        raise InputError(path, f"value {row['value']!r} or error {row['error']!r} is not a number", line)
    levels = {
        axis.column: next((level for level in axis.levels if texts([level]) == [row[label]]), row[label])
        for label, axis in labels.items()
        if row.get(label)
    }
    return Published(
        row["column"], row["tcp"] or "", row["scheme"] or "", levels, value, error, row["source"]
    )
