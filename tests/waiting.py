"""Waiting for another process, without a measure of speed."""

import subprocess
import time
from collections.abc import Callable
from typing import Any, TypeVar

PATIENCE_S = 900
"""A test that waits for so long hangs; no machine is so busy."""

T = TypeVar("T")


def until(ask: Callable[[], T], process: subprocess.Popen[Any] | None = None) -> T:
    """Return the first answer that is true; fail where it cannot come, because `process` has ended before."""
    deadline = time.monotonic() + PATIENCE_S
    while True:
        has_ended = process is not None and process.poll() is not None
        if answer := ask():
            return answer
        assert not has_ended, "the process has ended before"
        assert time.monotonic() < deadline, "it has not happened"
        time.sleep(0.01)
