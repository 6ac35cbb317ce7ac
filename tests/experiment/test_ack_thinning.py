"""ACK thinning before the return link: the fate of every acknowledgement against a slow twin."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from experiments import Asked, asked
from link_traces import sent_once

from tmt import PlainLink, TraceLink
from tmt.core.errors import SimulatorError
from tmt.core.schema import PACKET_EVENTS
from tmt.core.units import NS_PER_MS, NS_PER_S
from tmt.io import write_trace
from tmt.run.linux import Kernel

QUEUE = 20
PLAIN_ACK_BYTES = 52
RETURN_RATE_BPS = 150_001
ROW_NS = 2_500_003
"""Distance of the rows of the return trace, each of which carries one acknowledgement."""

SENT, RECEIVED, QUEUE_DROPPED, ACK_THINNED = (
    PACKET_EVENTS.index(name) for name in ("sent", "received", "queue_dropped", "ack_thinned")
)


@pytest.fixture(scope="module")
def forward(tmp_path_factory: pytest.TempPathFactory) -> TraceLink:
    """Rows at random times: no acknowledgement comes just when another leaves."""
    path = tmp_path_factory.mktemp("forward") / "forward.npy"
    tx_ns = np.cumsum(np.random.default_rng(1).integers(200_000, 2_200_000, 8000))
    write_trace(path, sent_once(tx_ns, np.full(len(tx_ns), 10)))
    return TraceLink(str(path), lldu_bytes=1500)


def experiment(stack: str, forward: TraceLink, **settings: Any) -> Asked:
    """Two flows, whose acknowledgements need several times the return link's rate."""
    if stack == "linux":
        try:
            Kernel.find()
        except SimulatorError as error:
            pytest.skip(f"{error}")
    given: dict[str, Any] = {
        "tcp": "cubic",
        "stack": stack,
        "forward": forward,
        "back": PlainLink(RETURN_RATE_BPS),
        "rtt_ns": 200 * NS_PER_MS,
        "duration_ns": 8 * NS_PER_S,
        "queue_packets": QUEUE,
        "flows": 2,
        "delayed_acks": False,
    }
    return asked(**given | settings)


@dataclass
class Ack:
    """An acknowledgement on its way; one without a SACK block has 52 bytes."""

    time_ns: int
    uid: int
    flow: int
    number: int
    size_bytes: int
    is_removable: bool = False


def acknowledgements(packets: Any) -> Iterator[Ack]:
    """Yield the acknowledgements that receivers sent; removable ones acknowledge more than all before."""
    highest: dict[int, int] = defaultdict(lambda: -1)
    for one in packets[(packets["event"] == SENT) & (packets["direction"] == 1)]:
        ack = Ack(*(int(one[key]) for key in ("time_ns", "uid", "flow", "sequence", "size_bytes")))
        ack.is_removable = ack.size_bytes == PLAIN_ACK_BYTES and ack.number > highest[ack.flow]
        highest[ack.flow] = max(highest[ack.flow], ack.number)
        yield ack


def filtered(acks: Iterator[Ack], rows: bool) -> tuple[set[int], set[int]]:
    """Return the acknowledgements that a filter removes, and those that find the queue full.

    The place of the oldest packet is that of the one being sent. `rows`: the link sends one of them at each
    row of a trace; else each takes its time.
    """
    queue: list[Ack] = []
    thinned, dropped = set(), set()
    free_ns = 0.0
    for ack in acks:
        while queue and free_ns <= ack.time_ns:
            queue.pop(0)
            free_ns = _next_end(free_ns, queue[0], rows) if queue else free_ns
        own = [place for place, other in enumerate(queue) if other.flow == ack.flow]
        last = queue[own[-1]] if own and own[-1] > 0 else None
        if last and last.is_removable and ack.is_removable:
            thinned.add(last.uid)
            queue[own[-1]] = ack
        elif len(queue) >= QUEUE:
            dropped.add(ack.uid)
        else:
            if not queue:
                free_ns = _next_end(ack.time_ns, ack, rows)
            queue.append(ack)
    return thinned, dropped


def _next_end(begin_ns: float, ack: Ack, rows: bool) -> float:
    if rows:
        return (begin_ns // ROW_NS + 1) * ROW_NS
    return begin_ns + 8e9 * ack.size_bytes / RETURN_RATE_BPS


def fates(packets: Any) -> tuple[set[int], set[int]]:
    """Return the numbers of the acknowledgements that were thinned, and dropped by the queue."""
    back = packets[packets["direction"] == 1]
    thinned, dropped = (
        {int(uid) for uid in back["uid"][back["event"] == event]} for event in (ACK_THINNED, QUEUE_DROPPED)
    )
    return thinned, dropped


@pytest.mark.parametrize("stack", ["modern", "linux"])
def test_filter__removes_the_acknowledgements_that_its_twin_does(stack: str, forward: TraceLink) -> None:
    result = experiment(stack, forward, ack_thinning="filter").run()
    expected = filtered(acknowledgements(result.packets), rows=False)
    assert fates(result.packets) == expected
    assert result.row["return_acks_thinned"] == len(expected[0]) > 500


@pytest.mark.parametrize("stack", ["modern", "linux"])
def test_filter__before_a_trace_leaves_the_packet_that_is_being_sent(
    stack: str, forward: TraceLink, tmp_path: Path
) -> None:
    path = tmp_path / "back.npy"
    write_trace(path, sent_once((np.arange(1, 4001) * ROW_NS).astype(np.int64), np.full(4000, 10)))
    back = TraceLink(str(path), lldu_bytes=1500)
    result = experiment(stack, forward, ack_thinning="filter", back=back).run()
    expected = filtered(acknowledgements(result.packets), rows=True)
    assert fates(result.packets) == expected
    assert len(expected[0]) > 500


@pytest.mark.parametrize("stack", ["modern", "linux"])
def test_decimation__lets_the_newest_acknowledgement_of_each_interval_pass(
    stack: str, forward: TraceLink
) -> None:
    interval_ns = 10_000_001
    result = experiment(
        stack, forward, ack_thinning="decimate", ack_interval_ns=interval_ns, queue_packets=1000
    ).run()
    next_ns: dict[int, int] = defaultdict(int)
    held: dict[int, Ack | None] = defaultdict(lambda: None)
    thinned = set()
    for ack in acknowledgements(result.packets):
        waiting = held[ack.flow]
        if waiting and next_ns[ack.flow] <= ack.time_ns:
            waiting, next_ns[ack.flow] = None, next_ns[ack.flow] + interval_ns
        if ack.is_removable and (waiting or ack.time_ns < next_ns[ack.flow]):
            thinned |= {waiting.uid} if waiting else set()
            waiting = ack
        elif ack.is_removable or waiting:
            waiting, next_ns[ack.flow] = None, ack.time_ns + interval_ns
        held[ack.flow] = waiting
    assert fates(result.packets)[0] == thinned
    assert len(thinned) > 1000


def test_thinning__spares_the_return_link(forward: TraceLink) -> None:
    # Without it three quarters of the acknowledgements find the queue full.
    none, thinned = (
        experiment("modern", forward, ack_thinning=kind).run().row["return_queue_dropped"]
        for kind in ("none", "filter")
    )
    assert isinstance(none, int)
    assert isinstance(thinned, int)
    assert thinned < none / 2
