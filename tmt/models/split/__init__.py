"""TCP through a proxy and over a wireless link with go-back-N ARQ, after Jin and Yang (2006).

A sender, a wired link, a node, a wireless link, a receiver. The node forwards packets, or it is a proxy that
ends one connection and begins another. Equations are those of the paper; what it prints wrongly or
approximates stands in ``docs/proxy-model.md``.
"""

from tmt.models.split.go_back_n import GoBackN
from tmt.models.split.lossy import Transfer
from tmt.models.split.path import TwoLinks
from tmt.models.split.sender import TcpSender
from tmt.models.split.transfers import Scenario, sweep, transfer

__all__ = ["GoBackN", "Scenario", "TcpSender", "Transfer", "TwoLinks", "sweep", "transfer"]
