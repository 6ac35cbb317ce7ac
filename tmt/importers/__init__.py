"""Measurements in the formats of other tools: importers, one file per format, and exporters."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tmt.importers.amarisoft import Amarisoft as Amarisoft
    from tmt.importers.atlas import Atlas as Atlas
    from tmt.importers.block_outcomes import Bler as Bler
    from tmt.importers.flent import Flent as Flent
    from tmt.importers.grants import NrScope as NrScope
    from tmt.importers.importer import Importer
    from tmt.importers.iperf import Iperf2 as Iperf2, Iperf3 as Iperf3
    from tmt.importers.irtt import Irtt as Irtt, Lens as Lens
    from tmt.importers.mahimahi import Mahimahi as Mahimahi
    from tmt.importers.mobileinsight import LteHarq as LteHarq, MobileInsight as MobileInsight
    from tmt.importers.ng_scope import NgScope as NgScope
    from tmt.importers.ns3 import Ns3Lte as Ns3Lte, Ns3Nr as Ns3Nr
    from tmt.importers.oai import Oai as Oai
    from tmt.importers.owamp import Owamp as Owamp, Twamp as Twamp
    from tmt.importers.pcap import Pcap as Pcap
    from tmt.importers.pcap_tcp import PcapTcp as PcapTcp
    from tmt.importers.ping import Ping as Ping
    from tmt.importers.qlog import Qlog as Qlog
    from tmt.importers.radiotap import Radiotap as Radiotap
    from tmt.importers.rates import RateTable as RateTable
    from tmt.importers.srsran import Srsran as Srsran
    from tmt.importers.table import AnyTable as AnyTable

FORMATS = {
    "ns3-lte": ("ns3.Ns3Lte", "ns-3 LTE: DlRxPhyStats.txt, UlRxPhyStats.txt"),
    "ns3-nr": ("ns3.Ns3Nr", "ns-3 mmWave and NR: RxPacketTrace.txt, NrDlMacStats.txt, NrUlMacStats.txt"),
    "amarisoft": ("amarisoft.Amarisoft", "Amarisoft enb.log, gnb.log and ue.log, with the lines of the PHY"),
    "srsran": ("srsran.Srsran", "srsRAN Project gnb.log, srsRAN 4G enb.log and ue.log"),
    "oai": ("oai.Oai", "statistics of OpenAirInterface's gNB: HARQ rounds, errors and bytes"),
    "mobileinsight": (
        "mobileinsight.MobileInsight",
        "MobileInsight: decoded LTE PDSCH and PUSCH messages (JSON or XML)",
    ),
    "lte-harq": ("mobileinsight.LteHarq", "uplink HARQ log of an LTE terminal, one attempt a line (CSV)"),
    "nr-scope": ("grants.NrScope", "NR-Scope: control information of a 5G cell (CSV)"),
    "ng-scope": ("ng_scope.NgScope", "NG-Scope: control information of an LTE cell (tab-separated or JSON)"),
    "irtt": ("irtt.Irtt", "round trips of irtt (JSON), each direction apart"),
    "lens": ("irtt.Lens", "round trips of the LENS data set (CSV of irtt or ping)"),
    "ping": ("ping.Ping", "output of ping, better with -D -O"),
    "owamp": ("owamp.Owamp", "one-way delays of owping -R or -v -U, and of perfSONAR's raw packets"),
    "twamp": ("owamp.Twamp", "one-way delays of twping -R or -v -U, each direction apart"),
    "atlas": ("atlas.Atlas", "results of ping on RIPE Atlas (JSON)"),
    "qlog": ("qlog.Qlog", "qlog of a QUIC endpoint (JSON, JSON-SEQ): fates and round trips of its packets"),
    "radiotap": (
        "radiotap.Radiotap",
        "802.11 frames heard by a monitor (pcap, pcapng with radiotap headers)",
    ),
    "pcap-tcp": ("pcap_tcp.PcapTcp", "capture of a TCP connection at one end (pcap, pcapng)"),
    "pcap": ("pcap.Pcap", "capture of a UDP stream at the receiver, or at both ends (pcap, pcapng)"),
    "iperf3": ("iperf.Iperf3", "intervals of iperf3, JSON (-J) or text: rates, and losses with UDP"),
    "iperf2": ("iperf.Iperf2", "intervals of iperf (version 2), text: rates, and losses with UDP"),
    "flent": ("flent.Flent", "series of a flent result file: rates or round trips"),
    "rates": (
        "rates.RateTable",
        "rates over time: UCC 5G logs, WetLinks, a Starlink dish's history, time_s,rate_bps",
    ),
    "bler": ("block_outcomes.Bler", "sequence of block outcomes (1, 0, -1), or of received sequence numbers"),
    "mahimahi": ("mahimahi.Mahimahi", "packet-delivery trace: one millisecond a line, each for 1500 bytes"),
    "table": ("table.AnyTable", "any CSV, TSV, text or Parquet table, with columns by name"),
}
"""Module, class and help line of each format, in the order of recognition: bare numbers come last."""


AUTO = "auto"
"""Name that stands for detection by the content."""


@cache
def all_importers() -> dict[str, type[Importer]]:
    """Return the importers by the names of their formats."""
    from tmt.importers.importer import Importer  # noqa: PLC0415  (numpy takes long to import)

    return Importer.choose_from(*(_imported(path) for path, _ in FORMATS.values()))


def _imported(path: str) -> type[Importer]:
    module, _, name = path.partition(".")
    found: type[Importer] = getattr(import_module(f"tmt.importers.{module}"), name)
    return found


def __getattr__(name: str) -> type[Importer]:
    for path, _ in FORMATS.values():
        if path.endswith(f".{name}"):
            return _imported(path)
    raise AttributeError(f"module 'tmt.importers' has no attribute {name!r}")
