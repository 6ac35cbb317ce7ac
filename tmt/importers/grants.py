"""Grants heard on a cell's control channel: repeats are inferred, outcomes follow from repeats.

A sniffer hears the grants of a base station and no acknowledgements. A block is sent again, in the same HARQ
process and with the same new-data indicator (NDI), if the terminal did not decode it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tmt.core.declaration import ns
from tmt.importers.attempts import (
    Attempt,
    count_from_first,
    in_order,
    infer_failures,
    number_blocks,
    select,
    with_data,
)
from tmt.importers.harq_logs import CellImporter, measurement

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from tmt.importers.importer import Measurement

WINDOW_NS = 50_000_000
"""Longest time from a grant to its repeat."""


@dataclass(slots=True)
class Repeats:
    """Counts of grants by the evidence that they repeat the grant before them in their process.

    Attributes
    ----------
    heard
        Redundancy version above 0, NDI of the grant before.
    unheard
        Redundancy version above 0, but no grant of that NDI in the window: the block's grant was not heard.
    likely
        Redundancy version 0, NDI and size of the grant before.
    missed
        Redundancy version 0 and NDI of the grant before, another size: a grant between was not heard.
    """

    heard: int = 0
    unheard: int = 0
    likely: int = 0
    missed: int = 0

    def notes(self) -> list[str]:
        """Return sentences on how sure the erasures of the trace are."""
        said = [
            "the log has no outcomes: a grant counts as erased if it was repeated, so the erasure rate is a "
            "lower bound"
        ]
        if total := self.heard + self.unheard:
            said.append(
                f"{self.heard:,} of {total:,} repeats follow a grant that was heard, {self.unheard:,} do "
                f"not: about {100 * self.unheard / total:.0f} % of the grants are missing from the log"
            )
        if self.likely or self.missed:
            said.append(
                f"{self.likely:,} grants of redundancy version 0 count as repeats by the same NDI and size, "
                f"which is less sure; {self.missed:,} with the same NDI and another size do not"
            )
        return said


def mark_repeats(grants: Sequence[Attempt]) -> Repeats:
    """Set `repeat` of grants in order of time, and `size_bytes` 0 of repeats to the size of their block.

    Grants without a new-data indicator (`new_data` None) repeat by their redundancy version alone.
    """
    counts = Repeats()
    last: dict[Hashable, Attempt] = {}
    for grant in grants:
        key = grant.user, grant.direction, grant.stream, grant.process
        before = last.get(key)
        near = before is not None and grant.time_ns - before.time_ns <= WINDOW_NS
        same = near and before is not None and before.new_data == grant.new_data
        alike = same and before is not None and 0 != grant.size_bytes == before.size_bytes
        if grant.version > 0:
            grant.repeat = same
            counts.heard += same
            counts.unheard += not same
        elif same and grant.new_data is not None:
            grant.repeat = alike
            counts.likely += alike
            counts.missed += not alike
        if grant.repeat and before is not None and not grant.size_bytes:
            grant.size_bytes = before.size_bytes
        last[key] = grant
    return counts


class GrantImporter(CellImporter):
    """A log of grants of several terminals."""

    def measured(self, path: str, grants: Sequence[Attempt], notes: Sequence[str]) -> Measurement:
        """Return the trace of one terminal's grants; times count from the first grant of the log.

        Raises
        ------
        InputError
            As for `select`, `in_order` and `with_data`.
        """
        ordered = in_order(path, grants)
        kept, said = select(path, ordered, self.direction, self.user)
        repeats = mark_repeats(kept)
        sized, left_out = with_data(path, kept)
        count_from_first(ordered)
        blocks = number_blocks(sized, WINDOW_NS)
        infer_failures(sized)
        notes = [*said, *left_out, *repeats.notes(), *notes]
        return measurement(sized, blocks, self.as_, ns(self.decode_time), notes)
