"""The space that options describe: schemes with their usual values, as the text of a scenario file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tmt.campaign.sections import SCHEME_SECTIONS, Link
from tmt.core.errors import UsageError
from tmt.core.schemes.registry import ALL_SCHEMES
from tmt.core.schemes.rlc import RlcLayer
from tmt.results.tune.toml_text import table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from tmt.results.tune.space import Value

Tables = list[dict[str, Any]]

SPACE: dict[str, Tables] = {
    "none": [{}],
    "arq": [{}, {"max_transmissions": [2, 3, 5]}],
    "fec": [{"data": [10, 20, 50], "repair": [1, 2, 5, 10], "depth": [1, 4]}],
    "harq": [{"data": [10, 20, 50], "repair": [0, 1, 2, 5], "rounds": [1, 3]}],
    "harq-processes": [
        {"processes": [8, 16, 32], "max_transmissions": [2, 4, 8]},
        {"repetitions": [2, 3, 4]},
    ],
    "sliding-window": [{"coding_window": [32, 128], "repair_interval": [2, 4, 8, 16]}],
    "tetrys": [{"coding_window": [256, 1024], "repair_interval": [8, 32]}],
    "rlc": [{}],
    "rlc-over-fec": [{"data": [20], "repair": [2, 5]}],
    "rlc-over-arq": [{"max_transmissions": [2, 3]}],
    "rlc-over-harq": [{"data": [20], "repair": [1, 2], "rounds": [1]}],
    "rlc-over-harq-processes": [{"processes": [16, 32], "max_transmissions": [4]}],
    "rlc-over-sliding-window": [{"coding_window": [128], "repair_interval": [4, 8, 16]}],
    "rlc-over-tetrys": [{"coding_window": [1024], "repair_interval": [32]}],
}
"""Default values of a search; a list is a parameter to search."""

ROUND_TRIPS = 1.2
"""Time between RLC's status reports, and its receiver's wait for one retransmission below, in round trips."""

REASSEMBLY_S = 0.035
"""Further time that the receiver of RLC waits before it reports a gap: the usual t-Reassembly."""

LINK: dict[str, Any] = {"in_order": [True, False]}


def scenario_text(
    trace: Path,
    schemes: Sequence[str],
    varied: Mapping[str, Sequence[Value]],
    grid: Mapping[str, Any],
    link: Mapping[str, Any],
    traffic: Mapping[str, Any],
    tune: Mapping[str, Any],
) -> str:
    """Return a scenario with a table ``[tune]``; absent values (None) are left out.

    Parameters
    ----------
    schemes
        Those to search; empty for all of `SPACE`.
    varied
        Values by ``KEY`` of the link or ``SCHEME.KEY``; they replace those of `SPACE`.

    Raises
    ------
    UsageError
        When a name is unknown.
    """
    for name in schemes:
        if name not in SCHEME_SECTIONS:
            raise UsageError(f"--scheme is {name!r}; it must be one of {', '.join(SCHEME_SECTIONS)}")
    searched = {name: SPACE.get(name, [{}]) for name in schemes or SPACE}
    links = LINK | dict(link)
    _vary(searched, links, varied)
    rtt_s = max(_numbers(links.get("rtt")), default=0.0)
    found = []
    for name, parameters in searched.items():
        is_rlc = issubclass(ALL_SCHEMES[name], RlcLayer)
        for values in parameters:
            timers = _rlc_timers(values, rtt_s) if is_rlc else {}
            found += table("[[scheme]]", {"name": name} | timers | values)
    parts = [
        *table("[grid]", grid),
        *table("[[trace]]", {"file": str(trace.absolute())}),
        *found,
        *table("[link]", links),
        *table("[[traffic]]", traffic),
        *table("[tune]", tune),
    ]
    return "\n".join(parts)


def _vary(searched: dict[str, Tables], links: dict[str, Any], varied: Mapping[str, Sequence[Value]]) -> None:
    """Put the values to search in place of the usual ones (UsageError for an unknown name)."""
    for key, values in varied.items():
        scheme, dot, own = key.rpartition(".")
        if not dot:
            if own not in Link.model_fields:
                raise UsageError(f"--vary {key}: {own} is no key of [link]: {', '.join(Link.model_fields)}")
            links[own] = list(values)
        elif scheme not in searched:
            raise UsageError(f"--vary {key}: {scheme} is not searched; those are {', '.join(searched)}")
        elif own not in SCHEME_SECTIONS[scheme].model_fields:
            allowed = ", ".join(SCHEME_SECTIONS[scheme].model_fields)
            raise UsageError(f"--vary {key}: {own} is no parameter of {scheme}: {allowed}")
        else:
            searched[scheme] = _with_values(searched[scheme], own, list(values))


def _rlc_timers(parameters: Mapping[str, Any], rtt_s: float) -> dict[str, float]:
    """Return timers of RLC that fit a round trip; with shorter ones the sender repeats segments needlessly.

    Status reports are more than a round trip apart. The receiver waits for all retransmissions of the scheme
    below before it reports a gap.
    """
    transmissions, rounds = _numbers(parameters.get("max_transmissions")), _numbers(parameters.get("rounds"))
    retransmissions = max([0, *(most - 1 for most in transmissions), *rounds])
    wait_s = ROUND_TRIPS * rtt_s
    return {
        "reassembly": round(REASSEMBLY_S + retransmissions * wait_s, 9),
        "status_prohibit": round(wait_s, 9),
    }


def _numbers(value: Any) -> list[float]:
    """Return the numbers of a key: of one value, or of a list; bad values are refused later."""
    return [one for one in (value if isinstance(value, list) else [value]) if isinstance(one, int | float)]


def _with_values(tables: Tables, key: str, values: list[Value]) -> Tables:
    """Return the tables with other values of a parameter: those that have it, or else the first one."""
    having = [table for table in tables if key in table] or [tables[0]]
    return [table | {key: values} for table in having]
