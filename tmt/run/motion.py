"""A path whose round-trip time changes: its checked series in the form of the backends' programs."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from tmt.core.declaration import ns
from tmt.core.problems import Problem, Refused
from tmt.core.provenance import digest
from tmt.core.units import NS_PER_S, ns_to_seconds
from tmt.io.metadata import trace_version
from tmt.io.rtt_series import read_rtt_series
from tmt.spec.points import plain

if TYPE_CHECKING:
    from pathlib import Path

    import numpy.typing as npt

    from tmt.spec.path import Path as LinkPath

    Rows = npt.NDArray[np.void]

SERIES = "rtt.npy"
"""Name of the file for the program, in the run's folder."""

UNKNOWN_DURATION_NS = 3600 * NS_PER_S
"""Duration of an orbit if the run's duration is unknown."""


def moved_trip(path: LinkPath, offset_ns: int, duration_ns: int | None) -> tuple[Rows, int] | None:
    """Return the series of a path for a run, and the time in it at which the run starts.

    None where the round-trip time is constant. `offset_ns` is the start of the run in the forward link's
    trace; the series is aligned with that trace: its first row is at the trace's start. An orbit is computed
    for the duration of the run. Without a duration that is an hour.

    Refused when the series exceeds the path's `rtt`, or ends before a run whose traces do not repeat.
    InputError when a file cannot be used, UsageError when no satellite is seen.
    """
    if path.orbit is not None:
        until_ns = offset_ns + (UNKNOWN_DURATION_NS if duration_ns is None else duration_ns)
        # Packets that leave at the end of the run arrive later.
        return path.orbit.series(offset_ns, until_ns + NS_PER_S), 0
    if path.rtt_series is None:
        return None
    rows = _known(path.rtt_series, trace_version(path.rtt_series))
    at = int(rows["rtt_ns"].argmax())
    most_s, time_s = ns_to_seconds(int(rows["rtt_ns"][at])), ns_to_seconds(int(rows["time_ns"][at]))
    if most_s > path.rtt:
        reason = f"is less than the {most_s:.9g} s of {path.rtt_series} at {time_s:.9g} s"
        raise Refused([Problem(("rtt",), path.rtt, "rule", f"{most_s:.9g} or more", reason)])
    length_ns = int(rows["time_ns"][-1] - rows["time_ns"][0])
    if not path.loop and duration_ns is not None and length_ns < offset_ns + duration_ns:
        need_s = ns_to_seconds(offset_ns + duration_ns)
        reason = f"lasts {ns_to_seconds(length_ns):.9g} s, less than the run, and does not repeat"
        allowed = f"a series of {need_s:.9g} s or more, or loop = true"
        raise Refused([Problem(("rtt_series",), path.rtt_series, "rule", allowed, reason)])
    return rows, offset_ns


@lru_cache(maxsize=64)
def _known(name: str, _version: object) -> Rows:
    return read_rtt_series(name)


def check_motion(path: LinkPath, duration: float, *place: str | int) -> None:
    """Refuse a series that does not fit its path, before any run; errors are those of `moved_trip`."""
    try:
        if path.rtt_series is not None:
            moved_trip(path, 0, ns(duration))
    except Refused as refused:
        raise Refused(problem.within(*place) for problem in refused.problems) from None


def series_digest(path: LinkPath) -> str | None:
    """Return the hash of the rows of a path's file, if it has one (InputError)."""
    if path.rtt_series is None:
        return None
    return digest(_known(path.rtt_series, trace_version(path.rtt_series)).tolist())


def told(path: LinkPath) -> Any:
    """Return a path as a table for fingerprints: the rows of its series instead of the file's name."""
    table = plain(path)
    content = series_digest(path)
    return table if content is None else table | {"rtt_series": content}


def motion_settings(path: LinkPath, moved: tuple[Rows, int] | None, folder: Path) -> dict[str, object]:
    """Write the series into the folder, and return the settings of a backend's program; none without a
    series.
    """
    if moved is None:
        return {}
    rows, offset_ns = moved
    file = (folder / SERIES).resolve()
    np.save(file, rows)
    return {
        "rtt_series": file,
        "rtt_offset_ns": offset_ns,
        "overtaking": int(path.overtaking),
    }
