"""Reading ahead and writing behind: files are read and written while rows are computed."""

from __future__ import annotations

from collections import deque
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator
    from concurrent.futures import Future

Item = TypeVar("Item")

WAITING = 4
"""Chunks that may have been read ahead, and that may wait to be written: a writer that has written two, which
are a row group, finds the next two."""


def ahead(items: Iterator[Item]) -> Generator[Item]:
    """Yield the same items, none of them None, while a thread fetches the next ones."""
    with ThreadPoolExecutor(1) as thread:
        coming = deque(thread.submit(next, items, None) for _ in range(WAITING))
        try:
            while (item := coming.popleft().result()) is not None:
                coming.append(thread.submit(next, items, None))
                yield item
        finally:
            for call in coming:
                call.cancel()


class Behind:
    """Calls that a thread makes one after the other, while the caller goes on."""

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1)
        self._calls: deque[Future[None]] = deque()

    def call(self, function: Callable[[Item], None], argument: Item) -> None:
        """Queue a call; raise the exception of an earlier call."""
        if len(self._calls) == WAITING:
            self._calls.popleft().result()
        self._calls.append(self._thread.submit(function, argument))

    def join(self) -> None:
        """Wait until all calls are over, and raise the exception of one of them."""
        while self._calls:
            self._calls.popleft().result()

    def stop(self) -> None:
        """Wait for the call that is being made, and make no other."""
        self._thread.shutdown(cancel_futures=True)
