"""Start of the command line `tmt`; what the system refuses ends in one line."""

from __future__ import annotations

import errno
import gc
import os
from pathlib import Path

from tmt.cli.system_refusals import end_with, refused_by_system


def main() -> None:
    """Run the command line. What the system refuses ends in one line, a defect of ours in a traceback."""
    try:
        Path.home()
    except RuntimeError:
        os.environ["HOME"] = "/nonexistent"  # libraries ask for it while they are imported
    try:
        # Here, because the import of its libraries can fail.
        from tmt.cli.command_line import run  # noqa: PLC0415

        status = run()
    except KeyboardInterrupt:
        status = end_with("interrupted", 130)
    except SystemExit:
        raise
    except BaseException as error:  # a Rust library's panic is not an Exception
        line = refused_by_system(error)
        if line is None:
            raise
        is_bad_name = isinstance(error, OSError) and error.errno == errno.ENAMETOOLONG
        status = end_with(f"tmt: {line}", 2 if is_bad_name else 1)
    gc.freeze()  # skips the last collection, which takes 0.2 s over all imported objects
    raise SystemExit(status)
