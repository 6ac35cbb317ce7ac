"""One run of ns-2 over link traces: parameters in, records and figures of merit out."""

from tmt.replay.parameters import STACKS, TCP_VARIANTS, Link, PlainLink, Replay, TraceLink
from tmt.replay.runner import ReplayResult, run
from tmt.replay.simulator import ReplayError

__all__ = [
    "STACKS",
    "TCP_VARIANTS",
    "Link",
    "PlainLink",
    "Replay",
    "ReplayError",
    "ReplayResult",
    "TraceLink",
    "run",
]
