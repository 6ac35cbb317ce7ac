"""Every exporter by the name that users type."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tmt.importers.export_losses import write_ns3, write_quic_simulator
from tmt.importers.export_rates import write_leoreplayer, write_picoquic, write_rattan, write_tc_netem
from tmt.importers.mahimahi import write_opportunities

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from os import PathLike

    from tmt.core.trace import Trace

    Write = Callable[[str | PathLike[str], Trace, int | None, int], Sequence[str]]

EXPORTERS: dict[str, Write] = {
    "mahimahi": write_opportunities,
    "leoreplayer": write_leoreplayer,
    "tc-netem": write_tc_netem,
    "rattan": write_rattan,
    "picoquic": write_picoquic,
    "quic-simulator": write_quic_simulator,
    "ns3": write_ns3,
}
"""Functions of file, trace, bytes of a row and length of an interval in ns; they return notes."""
