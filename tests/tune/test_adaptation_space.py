"""A search over the adaptation of a trace finds the margin, and the scheme, that are best by construction.

The signal has 11 and 9 dB in turn, a second each, and reports are a second old, so that the sender always
knows the other level. Mode a, b, c or d has an error rate of 0.1 at 4, 6, 8 or 10 dB and carries 180, 360,
540 or 720 bytes in a slot of 4 ms, which is 360 kbit/s times 1, 2, 3 or 4:

=======  =====================================  ======================================  ============
margin   at 9 dB, 11 dB reported                at 11 dB, 9 dB reported                 mean, kbit/s
=======  =====================================  ======================================  ============
0        10 <= 11: d, which loses 98 %          8 <= 9: c, 1080                         less than 562
2        8 <= 9: c, 1080                        6 <= 7: b, 720                          900
4        6 <= 7: b, 720                         4 <= 5: a, 360                          540
6        4 <= 5: a, 360                         no mode; a is the lowest, 360           360
=======  =====================================  ======================================  ============

d needs 10 - 0.3 * 1.28 = 9.62 dB for half of its blocks, so that at 9 dB Phi(0.62 / 0.3) = 98 % are lost; the
rest is 29 kbit/s of 1440. A run lasts two periods, so that each has the mean wherever it begins. FEC(1, 1)
halves each rate.
"""

import json
from pathlib import Path
from typing import Any

import pytest
from in_process import tmt

MODES = "name,efficiency,es_n0_db,error_rate,width_db\n" + "".join(
    f"{name},{number},{2 + 2 * number},0.1,0.3\n" for number, name in enumerate("abcd", start=1)
)

SEARCH = """\
title = "A planted margin"
seeds = 4
[[trace]]
channel = { name = "snr", signal = "signal.csv" }
adaptation = { modes = "modes.csv", resource_blocks = 10, margin = [0, 2, 4, 6], report_delay = 1 }
rate = 1e6
lldu_bytes = 500
length = 30
[[scheme]]
name = "none"
[[scheme]]
name = "fec"
data = 1
repair = 1
[path]
rtt = 0.02
queue_packets = 20
[traffic]
tcp = "cubic"
duration = 4
[tune]
objective = "goodput"
held_out = 2
first_courses = 3
"""

MOST_OF_OTHERS_BPS = 562e3


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "signal.csv").write_text("time_s,es_n0_db\n0,11\n0.999,11\n1,9\n1.999,9\n2,11\n")
    (tmp_path / "modes.csv").write_text(MODES)
    (tmp_path / "s.toml").write_text(SEARCH)
    return tmp_path


def _tuned(folder: Path, *words: str) -> dict[str, Any]:
    done = tmt("tune", "s.toml", "--output", "out", "--json", *words, folder=folder)
    assert done.status == 0, done.err
    return dict(json.loads(done.out))


def test_tune__finds_the_planted_margin_and_scheme(simulator: Path, folder: Path) -> None:
    result = _tuned(folder)
    assert result["winner"]["name"] == "none, margin 2"
    assert result["winner"]["settings"] == {"scheme": "none", "adaptation.margin": 2.0}
    assert result["ties"] == []
    winner, *others = (one["values"]["goodput"]["mean"] for one in _by_goodput(result))
    assert MOST_OF_OTHERS_BPS < winner < 900e3
    assert max(others) < MOST_OF_OTHERS_BPS
    levels = {one["value"] for one in result["sensitivity"] if one["parameter"] == "adaptation.margin"}
    assert levels == {0.0, 2.0, 4.0, 6.0}
    page = (folder / "out" / "tune.html").read_text()
    assert "adaptation.margin 0.0, 2.0, 4.0, 6.0" in page
    again = json.loads(
        tmt("run", "out/winner.toml", "--output", "out", "--dry-run", "--json", folder=folder).out
    )
    assert (again["runs"], again["to_run"]) == (6, 4 - result["counts"]["courses_used"])


def _by_goodput(result: dict[str, Any]) -> list[dict[str, Any]]:
    return sorted(result["standings"], key=lambda one: -one["values"]["goodput"]["mean"])


def test_tune__counts_every_adaptation_with_every_scheme_and_path(folder: Path) -> None:
    more = "margin = [0, 2, 4, 6], target = [0.1, 0.01, 0.001]"
    search = SEARCH.replace("margin = [0, 2, 4, 6]", more).replace("rtt = 0.02", "rtt = [0.02, 0.5]")
    (folder / "s.toml").write_text(search)
    planned = _tuned(folder, "--dry-run")
    assert planned["candidates"] == 4 * 3 * 2 * 2
    assert planned["exhaustive_outcomes"] == 48 * 4


def test_tune__refuses_an_objective_that_counts_slots(folder: Path) -> None:
    (folder / "s.toml").write_text(SEARCH.replace('"goodput"', '["goodput", "efficiency"]'))
    done = tmt("tune", "s.toml", "--dry-run", folder=folder)
    assert (done.status, done.err) == (
        2,
        "s.toml:21: key tune: has efficiency, which counts slots, whatever they carry; "
        "allowed: measures of TCP, because adaptation varies\n",
    )
