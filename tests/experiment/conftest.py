"""Link traces made for one test each."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from link_traces import sent_once

from tmt.io import write_trace

LinkFactory = Callable[..., Path]


@pytest.fixture
def link_file(tmp_path: Path) -> LinkFactory:
    """Return a function that writes a link trace of constant spacing and gives its path."""

    def write(name: str, *, rows: int, spacing_ns: int, delay_ns: Any = 0, lost: Any = ()) -> Path:
        write_trace(tmp_path / name, sent_once(spacing_ns * np.arange(rows), delay_ns, lost))
        return tmp_path / name

    return write
