"""The functions of `import tmt`: traces, runs and results in Python, with times in seconds.

Wherever a trace is needed, a data frame or the name of a file will do.
"""

import tmt.api.notebook  # noqa: F401  (it registers what notebooks show)
