"""Parts of scenarios that tests of several areas share, and the runs of a scenario file."""

from pathlib import Path

from tmt.campaign.plan import expand
from tmt.campaign.runs import ReplayRun
from tmt.spec import toml

LOSSY_TRACE = """\
[[trace]]
channel = { name = "bernoulli", probability = 0.05 }
rate = 1e6
length = 4
lldu_bytes = 400
"""

HARQ_OVER_GEO = """\
[[scheme]]
name = "harq"
data = 10
repair = 2
[[path]]
rtt = 0.5
"""


def over_a_signal(signal: str, adaptation: str) -> str:
    """Return a scenario of two seeds over a measured signal; `adaptation` is a line of its trace."""
    return f"""\
seeds = 2
[[trace]]
channel = {{ name = "snr", signal = "{signal}" }}
{adaptation}
rate = 4e6
lldu_bytes = 500
length = 3
[[scheme]]
name = "none"
[path]
rtt = 0.1
[traffic]
tcp = "cubic"
duration = 2
"""


def runs_of(file: Path, *programs: str) -> list[ReplayRun]:
    """Return the runs of a scenario file, with the hashes of the programs that are given or installed."""
    asked = toml.read(file)
    with asked.named():
        return expand(asked.scenario, lambda *_: programs) if programs else expand(asked.scenario)
