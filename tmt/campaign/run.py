"""Interface of a run to the engine: of a replay, or of a paper's own script."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from pathlib import Path

    from tmt.campaign.planned_conversions import PlannedConversion

Programs = tuple[str, str]
"""Stamp of a backend's program, and hash of the sources that decide its runs."""


class Run(Protocol):
    """One run of a campaign, as plain data that travels to a worker.

    Attributes
    ----------
    key
        Hash of everything that decides the outcome.
    experiment
        Hash of the same without the seed.
    programs
        Hashes of the programs when the run was planned.
    timeout_s
        Wall time after which it is killed; None waits for ever.
    keep_records
        Whether packet records are kept.
    conversions
        The link traces that it needs.
    most_simulated_s
        Simulated time after which it ends at the latest.
    """

    @property
    def key(self) -> str: ...  # noqa: D102
    @property
    def experiment(self) -> str: ...  # noqa: D102
    @property
    def seed(self) -> int: ...  # noqa: D102
    @property
    def programs(self) -> Programs: ...  # noqa: D102
    @property
    def timeout_s(self) -> float | None: ...  # noqa: D102
    @property
    def keep_records(self) -> bool: ...  # noqa: D102
    @property
    def conversions(self) -> tuple[PlannedConversion, ...]: ...  # noqa: D102
    @property
    def most_simulated_s(self) -> float: ...  # noqa: D102

    def installed_programs(self) -> Programs:
        """Return the hashes of the same programs on this machine, now."""

    def program(self) -> tuple[str, Path]:
        """Return the name of the program that executes the run, and its file on this machine."""

    def columns(self) -> dict[str, Any]:
        """Return the result columns that do not depend on the outcome."""

    def carry_out(self, folder: Path, cache: Path) -> dict[str, Any]:
        """Do the run in a new `folder`; return its result columns.

        Packet records that are to be kept are left in the folder ``kept`` inside. `cache` holds the link
        traces.

        Raises
        ------
        RunError
            When the program fails or hangs.
        """
