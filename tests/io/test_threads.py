"""Reading ahead and writing behind: order, errors, and early closing."""

from collections.abc import Iterator
from itertools import count
from pathlib import Path
from threading import current_thread, main_thread

import numpy as np
import pytest

from tmt.core.trace import PhyTrace
from tmt.io import open_trace, write_trace
from tmt.io.base import WAITING, Behind, ahead


def test_ahead__keeps_the_order_and_fetches_in_a_thread() -> None:
    def items() -> Iterator[int]:
        for item in range(100):
            assert current_thread() is not main_thread()
            yield item

    assert list(ahead(items())) == list(range(100))


def test_ahead__yields_what_came_before_an_error() -> None:
    def items() -> Iterator[int]:
        yield 1
        yield 2
        raise ValueError("no third")

    fetched = ahead(items())
    assert [next(fetched), next(fetched)] == [1, 2]
    with pytest.raises(ValueError, match="no third"):
        next(fetched)


def test_ahead__when_abandoned__fetches_no_more_than_may_wait() -> None:
    fetched = count()
    items = ahead(iter(fetched))
    assert next(items) == 0
    items.close()
    assert next(fetched) <= 1 + WAITING


def test_behind__calls_in_order() -> None:
    behind, called = Behind(), []
    for item in range(100):
        behind.call(called.append, item)
    behind.join()
    behind.stop()
    assert called == list(range(100))


def test_behind__raises_the_error_of_a_call_at_the_latest_when_joined() -> None:
    def fail(item: int) -> None:
        raise OSError(f"call {item}")

    behind = Behind()
    behind.call(fail, 1)
    with pytest.raises(OSError, match="call 1"):
        behind.join()
    behind.stop()


@pytest.mark.parametrize("ending", ["parquet", "npy"])
def test_reader__closed_after_the_first_chunk__ends(tmp_path: Path, ending: str) -> None:
    slots = 1 << 19
    path = tmp_path / f"phy.{ending}"
    write_trace(path, PhyTrace(np.arange(slots) * 1_000_000, np.full(slots, 500_000)))
    with open_trace(path) as reader:
        chunks = iter(reader)
        assert len(next(chunks)) < slots
    assert list(chunks) == []
