"""The pool of simulations that a command's options ask for: processes here, or a cluster."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from tmt.core.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from tmt.campaign.pool import Pool
    from tmt.campaign.runs import Run


@contextmanager
def pools(scheduler: str | None, folder: Path, jobs: int) -> Iterator[Callable[[Sequence[Run]], Pool]]:
    """Yield a function that makes the pool of simulations; connect to a scheduler first."""
    from tmt.campaign.pool import Pool  # noqa: PLC0415

    if scheduler is None:
        from tmt.campaign.local_workers import LocalWorkers  # noqa: PLC0415

        yield lambda _: Pool(LocalWorkers(jobs))
        return
    try:
        from tmt.campaign.cluster import ClusterWorkers, connected  # noqa: PLC0415  (an extra)
    except ModuleNotFoundError as error:
        if error.name != "distributed":
            raise
        raise UsageError(
            '--scheduler: distributed is not installed: pip install "tmt-clift[cluster]"'
        ) from None
    with connected(scheduler) as client:
        yield lambda runs: Pool(ClusterWorkers(client, folder, jobs, runs))
