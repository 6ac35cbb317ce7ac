"""Start and length of a trace: a repetition starts where the previous one ends."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Self

    from tmt.core.trace import Metadata, Trace


@dataclass(frozen=True, slots=True)
class Extent:
    """The time that a trace covers: rows lie from `begin_ns` to before `end_ns`.

    Metadata store it as ``begin_ns`` and ``length_ns``. Without them it starts at the first row and lasts n
    times the mean distance of the n rows.
    """

    begin_ns: int
    length_ns: int

    @property
    def end_ns(self) -> int:
        """Start of the next repetition."""
        return self.begin_ns + self.length_ns

    @property
    def metadata(self) -> Metadata:
        """The entries of a trace's metadata."""
        return {"begin_ns": self.begin_ns, "length_ns": self.length_ns}

    @classmethod
    def said(cls, metadata: Metadata) -> Self | None:
        """Return the extent that metadata state; None where they state none."""
        begin_ns, length_ns = metadata.get("begin_ns"), metadata.get("length_ns")
        return None if begin_ns is None or length_ns is None else cls(begin_ns, length_ns)

    @classmethod
    def of_rows(cls, first_ns: int, last_ns: int, rows: int) -> Self | None:
        """Return the extent estimated from the times of the first and last row; None for one row."""
        if rows < 2:
            return None
        return cls(first_ns, ((last_ns - first_ns) * rows + (rows - 1) // 2) // (rows - 1))

    @classmethod
    def of(cls, trace: Trace) -> Self | None:
        """Return the extent of a whole trace, from its metadata or else from its rows."""
        times_ns = trace.tx_time_ns
        return cls.said(trace.metadata) or cls.of_rows(int(times_ns[0]), int(times_ns[-1]), len(times_ns))

    def between(self, from_ns: int | None, until_ns: int | None) -> Extent:
        """Return the part between two times, on a clock that starts with that part."""
        begin_ns = self.begin_ns if from_ns is None else max(self.begin_ns, from_ns)
        end_ns = self.end_ns if until_ns is None else min(self.end_ns, until_ns)
        return Extent(begin_ns - (from_ns or 0), end_ns - begin_ns)
