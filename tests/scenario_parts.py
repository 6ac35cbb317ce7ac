"""Parts of scenarios that tests of several areas share."""

LOSSY_TRACE = """\
[[trace]]
channel = "bernoulli"
probability = 0.05
rate = 1e6
length = 4
lldu_bytes = 400
"""

HARQ_OVER_GEO = """\
[[scheme]]
name = "harq"
data = 10
repair = 2
[link]
rtt = 0.5
"""
