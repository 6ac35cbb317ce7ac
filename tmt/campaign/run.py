"""Interface of a run to the engine: of a replay, or of a paper's own script."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from pathlib import Path

    from tmt.campaign.recipe import Recipe

Programs = tuple[str, str]
"""Stamp of a backend's program, and hash of the sources that decide its runs."""


class Run(Protocol):
    """One run of a campaign, as plain data that travels to a worker."""

    @property
    def key(self) -> str:
        """Hash of everything that decides the outcome."""

    @property
    def experiment(self) -> str:
        """Hash of the same without the seed."""

    @property
    def seed(self) -> int:
        """Number of the random substream."""

    @property
    def programs(self) -> Programs:
        """Hashes of the programs when the run was planned."""

    @property
    def timeout_s(self) -> float | None:
        """Wall time after which it is killed; None waits for ever."""

    @property
    def keep_records(self) -> bool:
        """Whether packet records are kept."""

    @property
    def recipes(self) -> tuple[Recipe, ...]:
        """The link traces that it needs."""

    @property
    def most_simulated_s(self) -> float:
        """Simulated time after which it ends at the latest."""

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
