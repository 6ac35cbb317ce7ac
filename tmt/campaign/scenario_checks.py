"""Checks of a scenario file across its tables: keys that mean something only beside others."""

from __future__ import annotations

from collections import Counter
from itertools import product
from typing import TYPE_CHECKING

from tmt.campaign.domain_objects import scheme_of
from tmt.campaign.scenario_errors import Refused
from tmt.core.errors import UsageError
from tmt.core.units import seconds_to_ns
from tmt.spec.coding import CODING_NAMES
from tmt.spec.tcp import FECTCP, STACKS

if TYPE_CHECKING:
    from tmt.campaign.sections import Scenario


def check_together(scenario: Scenario) -> None:
    """Refuse tables that do not go together.

    Raises
    ------
    Refused
        Naming the key, its value and what would be allowed.
    """
    _check_links(scenario)
    _check_online_schemes(scenario)
    _check_proxies(scenario)
    for traffic in scenario.traffics:
        if traffic.start_spread >= traffic.duration:
            told = f"{traffic.start_spread} is not allowed"
            raise Refused(("traffic", "start_spread"), told, f"less than {traffic.duration}")
    _check_coding(scenario)
    _check_grid(scenario)


def _check_links(scenario: Scenario) -> None:
    """Refuse keys of a link that another key makes meaningless."""
    for link in scenario.links:
        plain = link.return_link == "plain"
        back = f"means nothing for a return link that is {link.return_link}"
        if link.hold is not None and not link.in_order:
            told = f"{link.hold} means nothing without in_order"
            raise Refused(("link", "hold"), told, "in_order = true")
        if link.return_rate is not None and not plain:
            raise Refused(("link", "return_rate"), f"{link.return_rate} {back}", 'return_link = "plain"')
        if link.return_trace is not None and plain:
            allowed = 'return_link = "unprotected" or "protected"'
            raise Refused(("link", "return_trace"), f"{link.return_trace!r} {back}", allowed)


def _check_grid(scenario: Scenario) -> None:
    """Refuse variants that no stack of the traffic has, values listed twice, and records of other seeds."""
    stacks = dict.fromkeys(traffic.stack for traffic in scenario.traffics)
    for tcp in scenario.grid.tcp:
        if not any(tcp in STACKS[stack] for stack in stacks):
            having = [name for name, variants in STACKS.items() if tcp in variants]
            raise Refused(
                ("grid", "tcp"),
                f"{tcp!r} does not exist with stack {' or '.join(map(repr, stacks))}",
                f"traffic with stack = {' or '.join(map(repr, having))}",
            )
    for name in ("tcp", "seeds", "records"):
        for value, count in Counter(getattr(scenario.grid, name)).items():
            if count > 1:
                raise Refused(("grid", name), f"{value!r} is listed twice", "each value once")
    for seed in set(scenario.grid.records).difference(scenario.grid.seeds):
        raise Refused(("grid", "records"), f"{seed} is not allowed", "seeds of this grid")


def _check_online_schemes(scenario: Scenario) -> None:
    """Refuse schemes whose times do not go with the RTT of a link."""
    for section, link in product(scenario.schemes, scenario.links):
        try:
            scheme_of(section, seconds_to_ns(link.rtt))
        except UsageError as error:
            raise Refused(("scheme",), str(error), "") from None


def _check_proxies(scenario: Scenario) -> None:
    is_split = any(link.proxy for link in scenario.links)
    if is_split and not scenario.wireds:
        raise Refused(
            ("link", "proxy"), "true is not allowed", "a table [wired], at whose end the proxy stands"
        )
    if scenario.proxies and not is_split:
        raise Refused(("proxy",), "means nothing without a proxy", "proxy = true in [link]")
    for proxy, traffic in product(scenario.proxies, scenario.traffics):
        stack = proxy.stack or traffic.stack
        for own in scenario.grid.tcp:
            tcp = proxy.tcp or own
            if own in STACKS[traffic.stack] and tcp not in STACKS[stack]:
                raise Refused(
                    ("proxy", "tcp" if proxy.tcp else "stack"),
                    f"{tcp!r} does not exist with stack {stack!r}",
                    ", ".join(STACKS[stack]),
                )


def _check_coding(scenario: Scenario) -> None:
    has_fectcp = FECTCP in scenario.grid.tcp
    for traffic in scenario.traffics:
        for name in CODING_NAMES:
            value = getattr(traffic, name)
            if value is not None and not has_fectcp:
                key = "traffic", name
                raise Refused(key, f"{value!r} means nothing without FECTCP", f"tcp = [{FECTCP!r}]")
        if traffic.delayed_acks and has_fectcp:
            raise Refused(("traffic", "delayed_acks"), "true is not allowed", "TCP, not FECTCP, in [grid]")
    if any(link.proxy for link in scenario.links) and (
        has_fectcp or any(proxy.tcp == FECTCP for proxy in scenario.proxies)
    ):
        raise Refused(("link", "proxy"), "true is not allowed", "TCP: a proxy cannot split FECTCP")
