"""Every exporter by the name that users type."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tmt.measured.export_losses import write_ns3, write_quic_simulator
from tmt.measured.export_rates import write_leoreplayer, write_picoquic, write_rattan, write_tc_netem
from tmt.measured.mahimahi import write_opportunities

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from os import PathLike

    from tmt.trace import Trace

    Write = Callable[[str | PathLike[str], Trace, int | None, int], Sequence[str]]


@dataclass(frozen=True, slots=True)
class Exporter:
    """One tool's form of a link.

    Attributes
    ----------
    summary
        One line for the help.
    write
        Takes the file, the trace, the bytes of a row and the length of an interval in ns; returns sentences
        for the user.
    """

    summary: str
    write: Write


EXPORTERS: dict[str, Exporter] = {
    "mahimahi": Exporter("mahimahi's mm-link: one line per opportunity of 1500 bytes", write_opportunities),
    "leoreplayer": Exporter("LeoReplayer: opportunities, and delays in a file beside", write_leoreplayer),
    "tc-netem": Exporter("a shell script of tc commands: rate, delay and loss over time", write_tc_netem),
    "rattan": Exporter("Rattan: bandwidth, and delay and loss in files beside (JSON)", write_rattan),
    "picoquic": Exporter("picoquic's simulator: the line link_scenario", write_picoquic),
    "quic-simulator": Exporter("the QUIC network simulator: the scenario droplist", write_quic_simulator),
    "ns3": Exporter("ns-3: changes of rate and delay, and lost packets in a file beside", write_ns3),
}
