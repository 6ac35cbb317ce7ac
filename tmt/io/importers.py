"""Measurements in somebody else's form that can become PHY traces, by name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tmt import provenance
from tmt.io import write_trace
from tmt.io.atomic import check_not_source
from tmt.io.lte_harq import read_lte_harq
from tmt.io.mahimahi import PACKET_BYTES, read_mahimahi
from tmt.trace import PhyTrace

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True, slots=True)
class Importer:
    """One kind of measurement.

    Attributes
    ----------
    read
        Takes the file's name and the decode time of slots that are not erased, in nanoseconds: the
        measurements do not tell it.
    lldu_bytes
        What one slot carries; None where that varies.
    """

    read: Callable[[str, int], PhyTrace]
    lldu_bytes: int | None


IMPORTERS = {
    "lte-harq": Importer(read_lte_harq, None),
    "mahimahi": Importer(read_mahimahi, PACKET_BYTES),
}


def import_trace(kind: str, source: str, phy: str, decode_time_ns: int) -> PhyTrace:
    """Turn the measurement `source` of kind `kind` (a key of `IMPORTERS`) into the PHY trace file `phy`.

    Raises
    ------
    InputError
        When the measurement is not of that kind, or damaged.
    OutputError
        When `phy` cannot be written.
    UsageError
        When the ending of `phy` stands for no format, or `phy` is `source`.
    """
    check_not_source(phy, source)
    importer = IMPORTERS[kind]
    slots = importer.read(source, decode_time_ns)
    how = {"importer": kind, "source": provenance.source(source), "decode_time_ns": decode_time_ns}
    if importer.lldu_bytes is not None:
        how["lldu_bytes"] = importer.lldu_bytes
    trace = PhyTrace(slots.tx_time_ns, slots.decode_time_ns, provenance.record(slots.table.kind, **how))
    write_trace(phy, trace)
    return trace
