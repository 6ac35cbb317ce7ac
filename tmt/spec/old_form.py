"""The form of scenario files of version 0.2, read for one version more."""

from __future__ import annotations

from typing import Any

from tmt.spec.tcp import STACKS

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
    """Return the tables of today for those of version 0.2; what is wrong in them stays wrong."""
    grid = old.get("grid", {})
    new = {key: value for key, value in old.items() if key not in {*_OLD, "trace", "scheme", "traffic"}}
    if isinstance(grid, dict):
        new |= {key: value for key, value in grid.items() if key != "tcp"}
    new["trace"] = [_trace(one) for one in _tables(old, "trace")]
    new["scheme"] = [renewed_scheme(one) for one in _tables(old, "scheme")]
    new["path"] = [_path(one, old) for one in _tables(old, "link")]
    variants = _listed(grid.get("tcp", [])) if isinstance(grid, dict) else []
    new["traffic"] = [part for one in _tables(old, "traffic") for part in _traffic(one, variants)]
    return new


def _tables(old: dict[str, Any], key: str) -> list[Any]:
    return _listed(old.get(key, []))


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


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
    """Return the table of a scheme of today; in version 0.2 RLC was flat, such as ``rlc-over-harq``."""
    if not isinstance(table, dict) or not str(table.get("name", "")).startswith("rlc"):
        return table
    below = {key: value for key, value in table.items() if key not in {*_OF_RLC, "name"}}
    if "poll_retransmit" in table and table["poll_retransmit"] == 0:
        table = {key: value for key, value in table.items() if key != "poll_retransmit"}
    own = {_OF_RLC[key]: value for key, value in table.items() if key in _OF_RLC}
    name = str(table["name"]).removeprefix("rlc").removeprefix("-over-")
    return {"name": "rlc"} | ({"below": {"name": name} | below} if name else below) | own


def _path(table: Any, old: dict[str, Any]) -> Any:
    if not isinstance(table, dict):
        return table
    has_proxy = table.get("proxy", False)
    new = {key: value for key, value in table.items() if key != "proxy"}
    if "wired" in old:
        new["wired"] = old["wired"]
    if has_proxy is not False:
        proxies = [] if has_proxy is True else ["none"]
        proxies += _listed(old.get("proxy", {}))
        new["proxy"] = proxies if len(proxies) > 1 else proxies[0]
    return new


def _traffic(table: Any, variants: list[Any]) -> list[Any]:
    """Return a table of traffic for each set of the variants that its stacks have."""
    if not isinstance(table, dict):
        return [table]
    groups: dict[tuple[Any, ...], list[Any]] = {}
    for stack in _listed(table.get("stack", "modern")):
        known = STACKS.get(str(stack), ())
        having = tuple(one for one in variants if one in known)
        groups.setdefault(having or tuple(variants), []).append(stack)
    found = []
    for having, stacks in groups.items():
        stack = {"stack": stacks if len(stacks) > 1 else stacks[0]} if "stack" in table else {}
        found.append({"tcp": list(having)} | table | stack)
    return found
