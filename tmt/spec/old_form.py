"""The form of scenario files of version 0.2, which is read for one more version."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from tmt.spec.points import as_list
from tmt.spec.stacks import FECTCP, STACKS

if TYPE_CHECKING:
    from collections.abc import Callable

    from tmt.core.problems import Place

_OLD = frozenset({"grid", "link", "wired", "proxy"})
_OF_TRACE = frozenset(
    ["rate", "length", "decode_time", "realisations", "lldu_bytes", "packing", "every", "offset", "label"]
)
_OF_RLC = {"rlc_mode": "mode", "rlc_window": "window_pdus"} | {
    key: key
    for key in (
        *("online", "delivery", "max_retransmissions"),
        *("poll_pdus", "poll_retransmit", "reassembly", "status_prohibit"),
    )
}


def is_old(table: dict[str, Any]) -> bool:
    """Whether a scenario file has the tables of version 0.2."""
    return not _OLD.isdisjoint(table) and "path" not in table


def renewed(old: dict[str, Any]) -> dict[str, Any]:
    """Return the present tables for those of version 0.2; errors in them are kept."""
    grid = old.get("grid", {})
    new = {key: value for key, value in old.items() if key not in {*_OLD, "trace", "scheme", "traffic"}}
    if isinstance(grid, dict):
        new |= {key: value for key, value in grid.items() if key != "tcp"}
    if "proxy" in old and not any(_has_proxy(one) for one in as_list(old.get("link", {}))):
        new["proxy"] = old["proxy"]
    changes: dict[str, tuple[str, Callable[[Any], Any]]] = {
        "trace": ("trace", _trace),
        "scheme": ("scheme", renewed_scheme),
        "link": ("path", partial(_path, old)),
    }
    for key, (name, change) in changes.items():
        if key in old:
            value = old[key]
            new[name] = [change(one) for one in value] if isinstance(value, list) else change(value)
    if "traffic" in old:
        variants = as_list(grid.get("tcp", [])) if isinstance(grid, dict) else []
        new["traffic"] = _all_traffic(as_list(old["traffic"]), variants)
    return new


def renewed_lines(lines: dict[Place, int]) -> dict[Place, int]:
    """Return the lines of tables and keys of version 0.2 by their present places."""
    homes: dict[str, Place] = {"grid": (), "link": ("path",), "wired": ("path", "wired")}
    homes["proxy"] = ("path", "proxy")
    found = {(*homes.get(str(place[0]), place[:1]), *place[1:]): line for place, line in lines.items()}
    found.pop((), None)
    return found


def _trace(table: Any) -> Any:
    if not isinstance(table, dict) or "channel" not in table:
        return table
    own = {key: value for key, value in table.items() if key in _OF_TRACE}
    if "share" in table:
        own["every"] = table["share"]
    rest = {key: value for key, value in table.items() if key not in {*_OF_TRACE, "channel", "over", "share"}}
    over = {"file": table["over"]} if "over" in table else {}
    return over | {"channel": {"name": table["channel"]} | rest} | own


def renewed_scheme(table: Any) -> Any:
    """Return the present table of a scheme; in version 0.2 RLC was flat, such as ``rlc-over-harq``."""
    if not isinstance(table, dict) or not str(table.get("name", "")).startswith("rlc"):
        return table
    below = {key: value for key, value in table.items() if key not in {*_OF_RLC, "name"}}
    if "poll_retransmit" in table and table["poll_retransmit"] == 0:
        table = {key: value for key, value in table.items() if key != "poll_retransmit"}
    own = {_OF_RLC[key]: value for key, value in table.items() if key in _OF_RLC}
    name = str(table["name"]).removeprefix("rlc").removeprefix("-over-")
    return {"name": "rlc"} | ({"below": {"name": name} | below} if name else below) | own


def _has_proxy(table: Any) -> bool:
    return isinstance(table, dict) and table.get("proxy", False) is not False


def _path(old: dict[str, Any], table: Any) -> Any:
    if not isinstance(table, dict):
        return table
    new = {key: value for key, value in table.items() if key != "proxy"}
    if "wired" in old:
        new["wired"] = old["wired"]
    if _has_proxy(table):
        proxies = [] if table["proxy"] is True else ["none"]
        proxies += as_list(old.get("proxy", {}))
        new["proxy"] = proxies if len(proxies) > 1 else proxies[0]
    return new


def _all_traffic(tables: list[Any], variants: list[Any]) -> list[Any]:
    """Return a table of traffic for each set of variants that share their stacks; unknown variants stay with
    all.
    """
    stacks = [_stacks(one) for one in tables if isinstance(one, dict)]
    known = {variant for listed in stacks for stack in listed for variant in STACKS.get(stack, ())}
    found: list[Any] = []
    for table, own in zip(tables, stacks, strict=False) if len(stacks) == len(tables) else ():
        groups: dict[tuple[Any, ...], list[str]] = {}
        for stack in own:
            having = tuple(one for one in variants if one in STACKS.get(stack, ()) or one not in known)
            groups.setdefault(having or tuple(variants), []).append(stack)
        for having, these in groups.items():
            stack_of = {"stack": these if len(these) > 1 else these[0]} if "stack" in table else {}
            found += [{"tcp": tcp} | rest | stack_of for tcp, rest in _coded(list(having), table)]
    return found or tables


def _coded(variants: list[Any], table: dict[str, Any]) -> list[tuple[list[Any], dict[str, Any]]]:
    """Return FECTCP with its code, and the other variants without the code, which they ignored."""
    plain = {key: value for key, value in table.items() if key not in {"code", "block_segments"}}
    others = [one for one in variants if one != FECTCP]
    if plain == table or not others or len(others) == len(variants):
        return [(variants, table)]
    return [(others, plain), ([FECTCP], table)]


def _stacks(table: dict[str, Any]) -> list[str]:
    return [str(stack) for stack in as_list(table.get("stack", "modern"))]
