"""Read a campaign's folder, or the rows of a campaign that is open, into `Results`."""

from __future__ import annotations

import json
import tomllib
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow.compute as pc

from tmt.campaign.columns import DONE
from tmt.campaign.database import DATABASE, frame, read_runs
from tmt.campaign.stored_runs import PUBLISHED, SCENARIO
from tmt.core.errors import InputError
from tmt.core.words.refusals import shown
from tmt.results.axes import find_axes, scheme_order, tcp_order
from tmt.results.dataset import Failure, Results
from tmt.results.published import read_published, unmatched_warnings
from tmt.results.records import read_chosen
from tmt.results.trace_use import equal_seeds_warning, trace_uses
from tmt.results.values import NO_VALUE, scalar, texts

if TYPE_CHECKING:
    from pathlib import Path

    import pandas as pd
    import pyarrow as pa

    from tmt.results.dataset import Axis


def read_results(folder: Path, published: Path | None = None) -> Results:
    """Read a campaign's folder and published values: those of a CSV file, by default the scenario's.

    Raises
    ------
    InputError
        When the folder holds no campaign or no run, or a file is damaged.
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
    check_rows(table, folder / DATABASE)
    if scripts := _texts(table, "script"):
        raise InputError(
            folder, f"holds runs of {scripts[0]}, which is no scenario; the recipe in its folder shows them"
        )
    scenario = _read_scenario(folder / SCENARIO)
    about = tomllib.loads(scenario)
    results = results_of(frame(table), str(about.get("title", folder.resolve().name)))
    description = str(about.get("description", "")).strip()
    return replace(results, description=description, scenario_text=scenario)


REQUIRED = ("tcp", "scheme", "trace", "seed")
"""Columns in which every finished run of a scenario has a value."""


def check_rows(rows: pa.Table, file: Path) -> None:
    """Refuse rows of a file that lack their place in the grid, or whose parameters are no JSON objects.

    Parameters
    ----------
    rows
        Columns as `tmt.campaign.columns.arrow_schema` declares them.
    file
        Named in a refusal.

    Raises
    ------
    InputError
        When a row is refused.
    """
    done = rows.filter(pc.equal(rows["status"], DONE))
    for column in REQUIRED:
        if done[column].null_count and not _texts(rows, "script"):
            raise InputError(file, f"is damaged: a finished run has no {column}")
    for column in ("scheme_parameters", "trace_parameters"):
        for text in _texts(rows, column):
            try:
                found = json.loads(text)
            except (ValueError, RecursionError):
                found = None
            if not isinstance(found, dict):
                raise InputError(file, f"is damaged: {column} is {shown(text)}; a JSON object is needed")


def _texts(rows: pa.Table, column: str) -> list[str]:
    """Return the different texts of a column, in the order of the rows, without nulls."""
    found: list[str] = rows[column].drop_null().unique().to_pylist()
    return found


def results_of(rows: pd.DataFrame, title: str) -> Results:
    """Return the results that the rows of a campaign hold, without published values and records."""
    rows = rows.assign(scheme=_distinct_schemes(rows))
    done = rows[rows["status"] == DONE].reset_index(drop=True)
    axes = find_axes(done) if len(done) else ()
    runs, older = _split_versions(done, axes)
    warnings = []
    if len(older):
        warnings.append(
            f"{len(older)} runs of an earlier version of the programs or of a trace are in the results too; "
            "no mean counts them."
        )
    equal_seeds = equal_seeds_warning(runs)
    if equal_seeds is not None:
        warnings.append(equal_seeds)
    return Results(
        title=title,
        description="",
        runs=_in_order(runs, axes),
        axes=axes,
        older=_in_order(older, axes),
        failures=_failures(rows.copy()),
        notes=_notes(rows, runs),
        warnings=tuple(warnings),
    )


def _read_scenario(path: Path) -> str:
    """Return the scenario's text, empty when the folder holds no valid one (InputError for a failed read)."""
    try:
        text = path.read_text(encoding="utf-8")
        tomllib.loads(text)
    except (FileNotFoundError, ValueError):
        return ""
    except OSError as error:
        raise InputError(path, f"cannot be read: {error.strerror}") from error
    return text


def _distinct_schemes(rows: pd.DataFrame) -> list[str]:
    """Return the schemes' labels; a label with several sets of parameters gains those that differ."""
    known = {text: json.loads(text) for text in rows["scheme_parameters"].dropna().unique()}
    sets: dict[str, list[dict[str, Any]]] = {}
    for label, text in rows[["scheme", "scheme_parameters"]].drop_duplicates().itertuples(index=False):
        sets.setdefault(str(label), []).append(known.get(text, {}))
    differing = {label: _differing(found) for label, found in sets.items()}
    labels = []
    for label, text in zip(rows["scheme"], rows["scheme_parameters"], strict=True):
        own = known.get(text, {})
        parts = [f"{name}={own[name]}" for name in differing[str(label)] if name in own]
        labels.append(", ".join([str(label), *parts]))
    return labels


def _differing(sets: list[dict[str, Any]]) -> list[str]:
    """Return the names of the parameters in which the sets differ; a set may lack a name of another one."""
    names = dict.fromkeys(name for one in sets for name in one if name != "rtt_ns")
    return [name for name in names if len({str(one.get(name)) for one in sets}) > 1]


def _split_versions(done: pd.DataFrame, axes: tuple[Axis, ...]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the runs of each cell's latest experiment, and the runs of earlier ones.

    The latest experiment is that of the cell's last row: rows stand in the order in which runs finished.
    """
    cell = ["tcp", "scheme", *(axis.column for axis in axes)]
    keys = [tuple(key) for key in done[cell].astype(object).itertuples(index=False)]
    experiments = [str(value) for value in done["experiment"]]
    latest = dict(zip(keys, experiments, strict=True))
    is_latest = [latest[key] == value for key, value in zip(keys, experiments, strict=True)]
    kept = done[np.array(is_latest, dtype=bool)].drop_duplicates([*cell, "seed"], keep="last")
    return kept, done.drop(kept.index)


def _in_order(runs: pd.DataFrame, axes: tuple[Axis, ...]) -> pd.DataFrame:
    """Return the runs by TCP variant, scheme, point and seed."""
    levels = [axis.places(runs) for axis in axes]
    tcps, schemes = tcp_order(runs["tcp"]), scheme_order(runs)
    columns = [runs["tcp"].map(tcps.index), runs["scheme"].map(schemes.index), *levels, runs["seed"]]
    places = list(zip(*columns, strict=True))
    return runs.iloc[sorted(range(len(runs)), key=places.__getitem__)].reset_index(drop=True)


def _failures(rows: pd.DataFrame) -> tuple[Failure, ...]:
    """Return the failed runs; a name has the run's value of every parameter that varies in the campaign."""
    failed = rows["status"] != DONE
    axes = find_axes(rows) if failed.any() else ()
    return tuple(_failure(row, axes) for row in rows[failed].to_dict("records"))


def _failure(row: dict[Any, Any], axes: tuple[Axis, ...]) -> Failure:
    parts = texts([row["tcp"], row["scheme"], row["trace"]])
    for axis in axes:
        # A failed run lacks values that are computed from its link trace.
        if axis.column != "trace" and scalar(row[axis.column]) is not None:
            parts += axis.named([row[axis.column]])
    name = f"{', '.join(parts)}, seed {texts([row['seed']])[0]}"
    reason = str(row["status"])
    status = texts([row["exit_status"]])[0]
    if status != NO_VALUE:
        reason += f", exit status {status}"
    return Failure(name, reason, str(row["command"] or ""), str(row["message"] or ""))


def _notes(rows: pd.DataFrame, runs: pd.DataFrame) -> tuple[tuple[str, str], ...]:
    finished = rows["finished_at"].dropna()
    notes = [("first run finished", str(finished.min())), ("last run finished", str(finished.max()))]
    use = [(f"trace {trace}", sentence) for trace, sentence in trace_uses(runs)]
    return (*(notes if len(finished) else ()), *use)
