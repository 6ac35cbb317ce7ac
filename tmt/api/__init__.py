"""The functions of `import tmt`: traces, runs and results in Python, with times in seconds.

A trace may always be given as a data frame or the name of a file.
"""

import tmt.api.notebook  # noqa: F401  (it registers what notebooks show)
