"""One run of ns-2 over link traces: parameters in, records and figures of merit out."""

from tmt.replay.parameters import Link, PlainLink, Replay, TraceLink
from tmt.replay.runner import ReplayResult, run
from tmt.replay.simulator import ReplayError
from tmt.replay.stacks import STACKS, TCP_VARIANTS
from tmt.replay.wired import Proxy, WiredHop

__all__ = [
    "STACKS",
    "TCP_VARIANTS",
    "Link",
    "PlainLink",
    "Proxy",
    "Replay",
    "ReplayError",
    "ReplayResult",
    "TraceLink",
    "WiredHop",
    "run",
]
