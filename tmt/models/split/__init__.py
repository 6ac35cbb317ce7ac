"""TCP through a proxy and over a wireless link with go-back-N ARQ, after Jin and Yang (2006).

The path has a sender, a wired link, a node, a wireless link and a receiver. The node forwards packets, or it
is a proxy that ends one connection and begins another. Equation numbers are the paper's;
``docs/proxy-formulas.md`` lists its misprints and approximations.
"""

from tmt.models.split.go_back_n import GoBackNLink
from tmt.models.split.lossy import Transfer
from tmt.models.split.path import TwoLinks
from tmt.models.split.sender import TcpSender
from tmt.models.split.transfers import SplitScenario, sweep, transfer

__all__ = ["GoBackNLink", "SplitScenario", "TcpSender", "Transfer", "TwoLinks", "sweep", "transfer"]
