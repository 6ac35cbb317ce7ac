"""TMT, the Trace Manager Tool: from PHY traces to link traces, and from those to TCP in ns-2 (CLIFT).

The names below are for scripts and notebooks (docs/python.md). Each is imported when it is used first.
"""

from importlib import import_module

TYPE_CHECKING = False  # as in the module typing, which would take most of the time of `import tmt`

if TYPE_CHECKING:
    from tmt import importers as importers
    from tmt.api import (
        compare_results,
        convert_trace,
        fit_trace,
        generate_trace,
        import_trace,
        inspect_trace,
        read_results,
        read_trace,
        replay_trace,
        run_scenario,
        trace_from_frame,
        tune_trace,
        write_trace,
    )

__all__ = [
    "compare_results",
    "convert_trace",
    "fit_trace",
    "generate_trace",
    "import_trace",
    "inspect_trace",
    "read_results",
    "read_trace",
    "replay_trace",
    "run_scenario",
    "trace_from_frame",
    "tune_trace",
    "write_trace",
]

__version__ = "0.2.0"


def __getattr__(name: str) -> object:
    if name == "importers":
        return import_module("tmt.importers")
    if name in __all__:
        found: object = getattr(import_module("tmt.api"), name)
        return found
    raise AttributeError(f"module 'tmt' has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*globals(), *__all__]
