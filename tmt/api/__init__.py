"""The names of `import tmt`: traces, runs and results in Python, with times in seconds.

Wherever a trace is needed, a data frame or the name of a file will do.
"""

import tmt.api.notebook  # noqa: F401  (it registers what notebooks show)
from tmt.api.arguments import trace_from_frame
from tmt.api.runs import compare_results, read_results, replay_trace, run_scenario
from tmt.api.searches import tune_scenario, tune_trace
from tmt.api.traces import (
    convert_trace,
    fit_trace,
    generate_trace,
    import_trace,
    inspect_trace,
    read_trace,
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
    "tune_scenario",
    "tune_trace",
    "write_trace",
]
