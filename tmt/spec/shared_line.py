"""Users of a line who are in one run: what goes with them, and whose flows are whose."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tmt.spec.stacks import FECTCP

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tmt.core.declaration import Rules
    from tmt.spec.path import Path
    from tmt.spec.traffic import Flow, Traffic

NEEDS_ONLINE = "true with users in one run, whose slots are given at their times", "works before the run"
"""Allowed value of a scheme's `online` there, and why."""


def users_of(groups: Sequence[Flow]) -> list[int]:
    """Return each group's user: its own, or the one of the same number."""
    return [one.user or number for number, one in enumerate(groups, 1)]


def shared_line_rules(users: int, path: Path, traffic: Traffic) -> Rules:
    """Refuse what does not go with users in one run, 0 if there are none; places begin with path or
    traffic.
    """
    if not users:
        for at, one in enumerate(traffic.flow):
            if one.user is not None:
                allowed = 'none without users in one run (sharing with user = "all")'
                yield ("traffic", "flow", at, "user"), allowed, "has no meaning"
        return
    having = "with users in one run"
    if path.return_link != "plain":
        yield ("path", "return_link"), f'"plain" {having}'
    if path.proxy is not None:
        yield ("path", "proxy"), f'"none" {having}', f"does not go {having}"
    if traffic.return_flows:
        yield ("traffic", "return_flows"), f"0 {having}"
    if traffic.tcp == FECTCP:
        yield ("traffic", "tcp"), f"a variant of TCP {having}"
    for at, (one, user) in enumerate(zip(traffic.flow, users_of(traffic.flow), strict=True)):
        if user > users:
            reason = f"is for user {user}" if one.user is None else "is too large"
            yield ("traffic", "flow", at, "user"), f"1 to {users}, the users of the line", reason
        if one.direction == "return":
            yield ("traffic", "flow", at, "direction"), f'"forward" {having}'
