"""A campaign's folder to what a report is made from; the only module here that knows how results are kept."""

from __future__ import annotations

import csv
import json
import math
import tomllib
from typing import TYPE_CHECKING, Any

from tmt.campaign.columns import COLUMNS, DONE
from tmt.campaign.store import MARK, PUBLISHED, SCENARIO, Store
from tmt.errors import InputError
from tmt.report.axes import find_axes
from tmt.report.looks import scheme_place, tcp_place
from tmt.report.plain import NO_VALUE, texts
from tmt.report.records import read_chosen
from tmt.report.results import Failure, Published, Results

if TYPE_CHECKING:
    from pathlib import Path

    import pandas as pd

    from tmt.report.results import Axis

PUBLISHED_COLUMNS = ("column", "tcp", "scheme", "value", "error", "source")


def read_results(folder: Path, published: Path | None = None) -> Results:
    """Read a campaign's folder, and published values: from a CSV file, by default the scenario's.

    Raises
    ------
    InputError
        When the folder holds no campaign or no run, or the file is not as `docs/report.md` says.
    """
    if not (folder / MARK).is_file():
        raise InputError(folder, "holds no campaign; name a folder that `tmt run` has written")
    store = Store(folder)
    try:
        frame = store.table().to_pandas()
    finally:
        store.close()
    if not len(frame):
        raise InputError(folder, "holds no runs yet; start them with `tmt run`")
    frame["scheme"] = _distinct_schemes(frame)
    done = frame[frame["status"] == DONE].reset_index(drop=True)
    axes = find_axes(done) if len(done) else ()
    runs, warnings = _latest(done, axes)
    scenario = _read_scenario(folder / SCENARIO)
    about = tomllib.loads(scenario)
    if published is None and "published" in about:
        published = folder / PUBLISHED
    values = _read_published(published, axes, str(about.get("title", ""))) if published else ()
    return Results(
        title=str(about.get("title", folder.resolve().name)),
        description=str(about.get("description", "")).strip(),
        scenario_text=scenario,
        runs=runs,
        axes=axes,
        records=read_chosen(folder, runs),
        failures=tuple(_failure(row) for row in frame[frame["status"] != DONE].to_dict("records")),
        published=values,
        notes=_notes(frame),
        warnings=(*warnings, *_strangers(values, runs)),
    )


def _read_scenario(path: Path) -> str:
    """Return the scenario's text, empty where the folder holds none that TOML allows."""
    try:
        text = path.read_text(encoding="utf-8")
        tomllib.loads(text)
    except (OSError, ValueError):
        return ""
    return text


def _distinct_schemes(frame: pd.DataFrame) -> list[str]:
    """Return the schemes' labels; those that stand for several sets of parameters name what differs."""
    parameters = {text: json.loads(text) for text in frame["scheme_parameters"].dropna().unique()}
    sets: dict[str, list[dict[str, Any]]] = {}
    for label, text in frame[["scheme", "scheme_parameters"]].drop_duplicates().itertuples(index=False):
        sets.setdefault(str(label), []).append(parameters.get(text, {}))
    differing = {
        label: [
            name for name in found[0] if name != "rtt_ns" and len({str(one.get(name)) for one in found}) > 1
        ]
        for label, found in sets.items()
    }
    return [
        ", ".join([str(label), *(f"{name}={parameters[text][name]}" for name in differing[str(label)])])
        for label, text in zip(frame["scheme"], frame["scheme_parameters"], strict=True)
    ]


def _latest(done: pd.DataFrame, axes: tuple[Axis, ...]) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Return the newest run of each place in the grid; older programs may have left others."""
    place = ["tcp", "scheme", "seed", *(axis.column for axis in axes)]
    kept = done.sort_values("finished_at", kind="stable").drop_duplicates(place, keep="last").sort_index()
    warnings = []
    if len(kept) < len(done):
        warnings.append(
            f"{len(done) - len(kept)} runs of other versions of the programs or of other content of the "
            "traces are in the results too; of each place in the grid the newest run is shown."
        )
    for name, what in (("tmt_version", "versions of tmt"), ("simulator", "builds of the simulator")):
        count = len(kept[name].unique())
        if count > 1:
            warnings.append(f"The runs shown come from {count} {what}.")
    return _in_order(kept, axes), tuple(warnings)


def _in_order(runs: pd.DataFrame, axes: tuple[Axis, ...]) -> pd.DataFrame:
    """Return the runs by TCP variant, scheme, point and seed, in whatever order they were finished."""
    levels = [[axis.levels.index(value) for value in runs[axis.column]] for axis in axes]
    columns = [runs["tcp"].map(tcp_place), runs["scheme"].map(scheme_place), *levels, runs["seed"]]
    places = list(zip(*columns, strict=True))
    return runs.iloc[sorted(range(len(runs)), key=places.__getitem__)].reset_index(drop=True)


def _failure(row: dict[str, Any]) -> Failure:
    name = ", ".join(texts([row["tcp"], row["scheme"], row["trace"]])) + f", seed {texts([row['seed']])[0]}"
    reason = str(row["status"])
    status = texts([row["exit_status"]])[0]
    if status != NO_VALUE:
        reason += f", exit status {status}"
    return Failure(name, reason, str(row["command"] or ""), str(row["message"] or ""))


def _notes(frame: pd.DataFrame) -> tuple[tuple[str, str], ...]:
    finished = frame["finished_at"].dropna()
    notes = [("first run finished", str(finished.min())), ("last run finished", str(finished.max()))]
    return tuple(notes) if len(finished) else ()


def _read_published(path: Path, axes: tuple[Axis, ...], title: str) -> tuple[Published, ...]:
    """Read published values; columns besides `PUBLISHED_COLUMNS` name the level on an axis by its label.

    Where a column `scenario` names another scenario than the one with this title, the value is left out.
    """
    labels = {axis.label: axis for axis in axes}
    try:
        with path.open(encoding="utf-8", newline="") as file:
            reader = csv.DictReader(file)
            names = reader.fieldnames or []
            missing = [name for name in PUBLISHED_COLUMNS if name not in names]
            if missing:
                needed = ", ".join(PUBLISHED_COLUMNS)
                raise InputError(path, f"column {missing[0]} is missing; needed: {needed}", 1)
            rows = (row for row in reader if row.get("scenario") in {None, "", title})
            return tuple(_published(path, reader.line_num, row, labels) for row in rows)
    except OSError as error:
        raise InputError(path, f"cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise InputError(path, "is no text in UTF-8") from error


def _strangers(values: tuple[Published, ...], runs: pd.DataFrame) -> list[str]:
    """Return a warning that names what published values have and no finished run has, if there is any.

    A value without TCP is of the channel alone and stands beside no run.
    """
    named = [value for value in values if value.tcp]
    known = {
        "column": {column.name for column in COLUMNS},
        "TCP": set(runs["tcp"]),
        "scheme": set(runs["scheme"]),
    }
    unknown = [
        f"{what} {', '.join(map(repr, strange))}"
        for what, there in known.items()
        if (strange := sorted({getattr(value, what.lower()) for value in named} - there))
    ]
    return [f"Published values are left out: no finished run has {' or '.join(unknown)}."] if unknown else []


def _published(path: Path, line: int, row: dict[str, str], labels: dict[str, Axis]) -> Published:
    try:
        value, error = float(row["value"]), float(row["error"] or 0)
    except (TypeError, ValueError):
        value = error = math.nan
    if not (math.isfinite(value) and math.isfinite(error)):
        raise InputError(path, f"value {row['value']!r} or error {row['error']!r} is no number", line)
    levels = {
        axis.column: next((level for level in axis.levels if texts([level]) == [row[label]]), row[label])
        for label, axis in labels.items()
        if row.get(label)
    }
    return Published(
        row["column"], row["tcp"] or "", row["scheme"] or "", levels, value, error, row["source"]
    )
