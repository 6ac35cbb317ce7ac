"""A small space, and a search of it."""

from pathlib import Path
from typing import Any, NamedTuple

SPACE = """\
title = "A small search"
seeds = 6
[[trace]]
file = "phy.parquet"
[[scheme]]
name = "arq"
[[scheme]]
name = "harq"
data = 10
repair = [2, 90]
[path]
rtt = 0.05
[[traffic]]
tcp = ["cubic"]
duration = 4
[tune]
objective = "goodput"
held_out = 3
"""


class Searched(NamedTuple):
    scenario: Path
    folder: Path
    result: dict[str, Any]
