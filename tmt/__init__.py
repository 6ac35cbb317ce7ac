"""TMT, the Trace Manager Tool: from PHY traces to link traces, and from those to TCP in ns-2 (CLIFT).

The names below are for scripts and notebooks (docs/python.md). Each is imported when it is used first.
"""

from importlib import import_module

TYPE_CHECKING = False  # as in the module typing, which would take most of the time of `import tmt`

if TYPE_CHECKING:
    from tmt import importers as importers
    from tmt.api.arguments import trace_from_frame as trace_from_frame
    from tmt.api.figures import fit_trace as fit_trace, inspect_trace as inspect_trace
    from tmt.api.runs import (
        compare_results as compare_results,
        read_results as read_results,
        replay_trace as replay_trace,
        run_scenario as run_scenario,
    )
    from tmt.api.searches import tune_scenario as tune_scenario, tune_trace as tune_trace
    from tmt.api.traces import (
        convert_trace as convert_trace,
        generate_trace as generate_trace,
        import_trace as import_trace,
        read_trace as read_trace,
        write_trace as write_trace,
    )
    from tmt.core.channels.gilbert_elliott import GilbertElliott as GilbertElliott
    from tmt.core.channels.handover import Handover as Handover
    from tmt.core.channels.lms import Lms as Lms
    from tmt.core.channels.memoryless import Bernoulli as Bernoulli, ErrorFree as ErrorFree
    from tmt.core.channels.neyman_a import NeymanA as NeymanA
    from tmt.core.channels.shadows import Shadows as Shadows
    from tmt.core.channels.snr import Snr as Snr
    from tmt.core.modes import Adaptation as Adaptation
    from tmt.core.orbit import Orbit as Orbit
    from tmt.core.problems import Refused as Refused
    from tmt.core.schemes.arq import Arq as Arq
    from tmt.core.schemes.fec import Fec as Fec
    from tmt.core.schemes.harq import Harq as Harq
    from tmt.core.schemes.harq_processes import HarqProcesses as HarqProcesses
    from tmt.core.schemes.none import NoScheme as NoScheme
    from tmt.core.schemes.online_only import GoBackN as GoBackN, Hybrid as Hybrid
    from tmt.core.schemes.rlc import Rlc as Rlc
    from tmt.core.schemes.sliding_window import SlidingWindow as SlidingWindow
    from tmt.core.schemes.tetrys import Tetrys as Tetrys
    from tmt.spec.experiment import Experiment as Experiment, PlainLink as PlainLink, TraceLink as TraceLink
    from tmt.spec.flow_settings import Resume as Resume
    from tmt.spec.goals import Tune as Tune
    from tmt.spec.path import Path as Path, Proxy as Proxy, Wired as Wired
    from tmt.spec.programs import Measure as Measure, Program as Program, SecondPath as SecondPath
    from tmt.spec.queue import (
        CoDel as CoDel,
        DropTail as DropTail,
        DualPi2 as DualPi2,
        FqCoDel as FqCoDel,
        Pie as Pie,
    )
    from tmt.spec.scenario import Scenario as Scenario
    from tmt.spec.trace import Trace as Trace
    from tmt.spec.traffic import Flow as Flow, Traffic as Traffic

_NAMES = {
    "tmt.api.traces": ("read_trace", "write_trace", "import_trace", "generate_trace", "convert_trace"),
    "tmt.api.figures": ("inspect_trace", "fit_trace"),
    "tmt.api.arguments": ("trace_from_frame",),
    "tmt.api.runs": ("replay_trace", "run_scenario", "read_results", "compare_results"),
    "tmt.api.searches": ("tune_trace", "tune_scenario"),
    "tmt.spec.scenario": ("Scenario",),
    "tmt.spec.trace": ("Trace",),
    "tmt.core.orbit": ("Orbit",),
    "tmt.spec.path": ("Path", "Wired", "Proxy"),
    "tmt.spec.experiment": ("Experiment", "TraceLink", "PlainLink"),
    "tmt.spec.queue": ("DropTail", "CoDel", "FqCoDel", "Pie", "DualPi2"),
    "tmt.spec.traffic": ("Traffic", "Flow"),
    "tmt.spec.flow_settings": ("Resume",),
    "tmt.spec.programs": ("Program", "Measure", "SecondPath"),
    "tmt.spec.goals": ("Tune",),
    "tmt.core.schemes": (
        *("NoScheme", "Fec", "Arq", "Harq", "HarqProcesses", "SlidingWindow", "Tetrys", "Rlc"),
        *("Hybrid", "GoBackN"),
    ),
    "tmt.core.modes": ("Adaptation",),
    "tmt.core.channels": (
        *("ErrorFree", "Bernoulli", "GilbertElliott", "NeymanA", "Lms", "Shadows", "Snr", "Handover"),
    ),
    "tmt.core.problems": ("Refused",),
}
_MODULES = {name: module for module, names in _NAMES.items() for name in names}

__all__ = list(_MODULES)

__version__ = "0.2.0"


def __getattr__(name: str) -> object:
    if name == "importers":
        return import_module("tmt.importers")
    if name in _MODULES:
        found: object = getattr(import_module(_MODULES[name]), name)
        return found
    raise AttributeError(f"module 'tmt' has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*globals(), *__all__]
