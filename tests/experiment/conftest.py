"""Link traces made for one test each."""

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from tmt.core.trace import LinkTrace
from tmt.io import write_trace

LinkFactory = Callable[..., Path]


@pytest.fixture
def link_file(tmp_path: Path) -> LinkFactory:
    """Return a function that writes a link trace of constant spacing and gives its path."""

    def write(
        name: str,
        *,
        rows: int,
        spacing_ns: int,
        delay_ns: int | npt.NDArray[np.int64] = 0,
        lost: Sequence[int] | npt.NDArray[np.int64] = (),
    ) -> Path:
        delivered = np.ones(rows, np.bool_)
        delivered[np.asarray(lost, np.int64)] = False
        trace = LinkTrace(
            spacing_ns * np.arange(rows, dtype=np.int64),
            np.broadcast_to(np.asarray(delay_ns, np.int64), rows).copy(),
            delivered,
            np.ones(rows, np.uint8),
        )
        write_trace(tmp_path / name, trace)
        return tmp_path / name

    return write
