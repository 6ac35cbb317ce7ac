"""The comparison of two checkouts' results: equal runs, changed runs, and runs that are gone."""

from pathlib import Path

from tools.same_results import differences, results

SCENARIO = """
[[trace]]
channel = {{ name = "bernoulli", probability = 0.1 }}
rate = 1e6
lldu_bytes = 500
length = 5

[[scheme]]
name = "none"

[path]
rtt = 0.05
queue_packets = {queue}

[[traffic]]
tcp = ["newreno", "cubic", "bbr"]
duration = 2
"""


def test_same_results__names_what_differs(tmp_path: Path) -> None:
    found = []
    for number, queue in enumerate((50, 50, 5)):
        scenario = tmp_path / f"{number}.toml"
        scenario.write_text(SCENARIO.format(queue=queue))
        found.append({"s.toml": results(scenario, 2, tmp_path / f"campaign{number}")})
    first, again, other = found
    assert len(first["s.toml"]) == 2
    assert all("packets.parquet" in values for values in first["s.toml"].values())
    assert list(differences(first, again)) == []
    # The queue's length is in the runs' names.
    assert len(list(differences(first, other))) == 2
    renamed = {"s.toml": dict(zip(first["s.toml"], other["s.toml"].values(), strict=True))}
    assert all("queue_packets 50.0 now 5.0" in line for line in differences(first, renamed))
