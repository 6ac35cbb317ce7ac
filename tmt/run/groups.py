"""The figures of a run's groups of flows, and of their competition."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tmt.core.declaration import ns
from tmt.core.measure import transport
from tmt.core.measure.competition import competition
from tmt.core.units import ns_to_seconds
from tmt.spec.columns import GROUP_RESULTS
from tmt.spec.settings import GROUP_SETTINGS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tmt.core.measure.competition import Competition
    from tmt.core.measure.transport import Figures, FlowDelivery, Records
    from tmt.run import Recording
    from tmt.run.setup import Setup
    from tmt.spec.settings import Value
    from tmt.spec.traffic import Flow


@dataclass(frozen=True, slots=True)
class MeasuredGroup:
    """A group of flows with the run's records of them until the group's end.

    Flows are numbered from 0; the directions of a return group's packets are swapped. `timeouts` is None
    where the backend does not count them.
    """

    group: Flow
    packets: Records
    windows: Records
    flows: list[FlowDelivery]
    timeouts: int | None


def measured_groups(setup: Setup, recording: Recording) -> list[MeasuredGroup]:
    """Return the groups of a run, those of the forward direction first."""
    found: list[MeasuredGroup] = []
    first = 0
    for group in setup.groups:
        until_ns = recording.end_ns if group.end is None else min(ns(group.end), recording.end_ns)
        packets, windows = (
            transport.of_group(records, first, group.count, until_ns, is_return=group.direction == "return")
            for records in (recording.packets, recording.windows)
        )
        flows = transport.deliveries(
            packets,
            flows=group.count,
            end_ns=until_ns,
            header_bytes=recording.header_bytes,
            transfer_bytes=group.transfer_bytes,
            handed_over=setup.traffic.is_handed_over,
        )
        timeouts = sum(recording.timeouts[first : first + group.count]) if recording.timeouts else None
        found.append(MeasuredGroup(group, packets, windows, flows, timeouts))
        first += group.count
    return found


def delivery_of(groups: Sequence[MeasuredGroup]) -> Figures:
    """Return the figures of delivery over all flows of groups; completion is that of their transfers."""
    found = transport.delivery_figures([flow for one in groups for flow in one.flows])
    sizes = [one.group.transfer_bytes for one in groups if one.group.transfer_bytes is not None]
    transfers = [flow for one in groups if one.group.transfer_bytes is not None for flow in one.flows]
    of_transfers = transport.delivery_figures(transfers, min(sizes, default=None))
    return found | {key: of_transfers[key] for key in ("completion_s", "flows_completed")}


def competition_columns(setup: Setup, groups: Sequence[MeasuredGroup]) -> dict[str, Value]:
    """Return the columns of a run on its groups and their competition in the forward direction."""
    objects: list[dict[str, Value]] = []
    labels = setup.labels
    columns: dict[str, Value] = {}
    for direction in ("forward", "return"):
        rivals = [one for one in groups if one.group.direction == direction]
        longest = max((one.group.rtt or setup.path.rtt for one in rivals), default=0)
        found = competition([one.flows for one in rivals], ns(longest))
        if found is not None and direction == "forward":
            columns = {
                "competition_s": ns_to_seconds(found.end_ns - found.begin_ns),
                "competition_fairness": found.fairness,
                "convergence_s": _seconds(found.slowest_ns),
            }
        for place, one in enumerate(rivals):
            objects.append({"group": labels[len(objects)], **_columns(one, found, place)})
    return columns | {"groups": json.dumps(objects)}


def _columns(own: MeasuredGroup, found: Competition | None, place: int) -> dict[str, Value]:
    """Return settings and figures of a group, by its position in a competition."""
    losses = transport.loss_figures(own.packets)
    values: dict[str, Value] = {
        **{one.name: one.of(own.group) for one in GROUP_SETTINGS},
        "share": None if found is None else found.shares[place],
        "convergence_s": None if found is None else _seconds(found.convergence_ns[place]),
        **delivery_of([own]),
        **transport.delay_figures(own.packets),
        **transport.recovery_figures(own.packets),
        **transport.window_figures(own.windows, own.flows),
        "timeouts": own.timeouts,
        **{name: losses[f"forward_{name}"] for name in ("link_lost", "link_unsettled", "queue_dropped")},
    }
    names = [column.name for column in GROUP_RESULTS if column.name != "group"]
    assert values.keys() == set(names), "measured, but not declared in GROUP_RESULTS"
    return {name: values[name] for name in names}


def _seconds(time_ns: int | None) -> float | None:
    return None if time_ns is None else ns_to_seconds(time_ns)
