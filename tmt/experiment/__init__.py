"""Experiments: settings in, a row of figures and records out, whichever backend carries them out."""

from tmt.backend.base import RunError
from tmt.experiment.experiment import Experiment
from tmt.experiment.measure import ExperimentResult
from tmt.settings.access import Proxy, WiredHop
from tmt.settings.links import Link, PlainLink, TraceLink
from tmt.settings.tcp import STACKS, TCP_VARIANTS

__all__ = [
    "STACKS",
    "TCP_VARIANTS",
    "Experiment",
    "ExperimentResult",
    "Link",
    "PlainLink",
    "Proxy",
    "RunError",
    "TraceLink",
    "WiredHop",
]
