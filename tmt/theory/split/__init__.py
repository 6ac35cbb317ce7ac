"""TCP through a proxy and over a wireless link with go-back-N ARQ, after Jin and Yang (2006).

The path has a sender, a wired link, a node, a wireless link and a receiver. The node forwards packets, or it
is a proxy that ends one connection and begins another. Equation numbers are the paper's;
``docs/proxy-formulas.md`` lists its misprints and approximations.
"""

from tmt.theory.split.go_back_n import GoBackNLink
from tmt.theory.split.lossy import Transfer
from tmt.theory.split.path import TwoLinks
from tmt.theory.split.sender import TcpSender
from tmt.theory.split.transfers import SplitScenario, sweep, transfer

__all__ = ["GoBackNLink", "SplitScenario", "TcpSender", "Transfer", "TwoLinks", "sweep", "transfer"]
