"""A scenario file is read correctly, or refused with a line for each fault: place, key, value and choice."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tmt.campaign.campaign import planned
from tmt.core.channels.gilbert_elliott import GilbertElliott
from tmt.core.errors import InputError
from tmt.core.schemes.arq import Arq
from tmt.core.schemes.harq import Harq
from tmt.core.schemes.harq_processes import HarqProcesses
from tmt.core.schemes.rlc import Rlc
from tmt.core.schemes.sliding_window import SlidingWindow
from tmt.spec.path import Path as LinkPath
from tmt.spec.scenario import Scenario
from tmt.spec.toml import read
from tmt.spec.trace import Trace
from tmt.spec.traffic import Traffic

if TYPE_CHECKING:
    from pathlib import Path

GOOD = """\
title = "A test"
seeds = 3
[[trace]]
file = "phy.parquet"
every = [1, 10]
[[trace]]
channel = { name = "gilbert-elliott", alpha = [0.99, 0.9], beta = 0.5 }
rate = 263e3
lldu_bytes = 33
length = 60
[[scheme]]
name = "arq"
[[scheme]]
name = "harq"
data = 10
repair = [2, 5]
detection_delay = 0.001
[path]
rtt = 0.5
[[traffic]]
tcp = ["newreno", "cubic"]
duration = 20
"""


def written(folder: Path, text: str) -> Scenario:
    (folder / "s.toml").write_text(text)
    return Scenario.read(folder / "s.toml")


def refusal(folder: Path, text: str) -> str:
    with pytest.raises(InputError) as refused:
        written(folder, text)
    return str(refused.value).replace(f"{folder}/", "")


def test_read__expands_lists_into_points(tmp_path: Path) -> None:
    channel = {"rate": 263e3, "lldu_bytes": 33, "length": 60}
    assert written(tmp_path, GOOD) == Scenario(
        title="A test",
        seeds=3,
        trace=(
            *(Trace(tmp_path / "phy.parquet", every=every) for every in (1, 10)),
            *(Trace(channel=GilbertElliott(alpha, 0.5), **channel) for alpha in (0.99, 0.9)),
        ),
        scheme=(Arq(), *(Harq(10, repair, detection_delay=0.001) for repair in (2, 5))),
        path=LinkPath(rtt=0.5),
        traffic=tuple(Traffic(tcp, duration=20) for tcp in ("newreno", "cubic")),
    )


REFUSALS = {
    "unknown key": (
        "seeds = 3",
        "sedes = 3",
        "2: key sedes: is not known; did you mean seeds?; allowed: trace, ",
    ),
    "unknown table": (
        "[path]",
        "[lonk]",
        "18: key lonk: is not known; allowed: trace, scheme, path, traffic, title, description, published, ",
    ),
    "unknown key of a scheme": (
        'name = "arq"',
        'name = "arq"\ndata = 3',
        "13: key scheme[0].data: is not known; allowed: name, max_transmissions, detection_delay, online",
    ),
    "unknown key of a channel": (
        "beta = 0.5",
        "beta = 0.5, gamma = 1",
        "7: key trace[1].channel.gamma: is not known; allowed: name, alpha, beta, error_good, error_bad",
    ),
    "unknown variant": (
        '"cubic"',
        '"cubik"',
        "21: key traffic[0].tcp[1]: 'cubik' is not allowed; did you mean cubic?; allowed: newreno, westwood,",
    ),
    "variant that the stack does not have": (
        '"cubic"',
        '"vegas"',
        "21: key traffic[0].tcp[1]: 'vegas' needs stack linux; allowed: newreno, westwood, hybla, cubic, ",
    ),
    "unknown stack": (
        "duration = 20",
        'duration = 20\nstack = "2020"',
        "23: key traffic[0].stack: '2020' is not allowed; did you mean 2009?; allowed: 2009, "
        "2009-as-shipped, modern, linux",
    ),
    "unknown code": (
        'tcp = ["newreno", "cubic"]',
        'tcp = "fectcp"\ncode = ["5%", "raptor"]',
        "22: key traffic[0].code[1]: 'raptor' is not allowed; allowed: raptorq, lt, or a share from 0% to 10",
    ),
    "block that is too large": (
        "duration = 20",
        "duration = 20\nblock_segments = 20000",
        "23: key traffic[0].block_segments: 20000 is not allowed; allowed: a whole number from 1 to 10000 "
        'segments, or "none": a whole transfer up to 10,000, 256 of a flow without end',
    ),
    "code without anybody who codes": (
        "duration = 20",
        'duration = 20\ncode = "5%"',
        "23: key traffic[0].code: '5%' has no meaning without FECTCP; allowed: tcp = \"fectcp\"",
    ),
    "delayed acknowledgements of FECTCP": (
        'tcp = ["newreno", "cubic"]',
        'tcp = ["newreno", "fectcp"]\ndelayed_acks = true',
        "22: key traffic[0].delayed_acks: true does not go with the rest; allowed: false: FECTCP acknowledge",
    ),
    "unknown scheme": (
        '"arq"',
        '"arx"',
        "12: key scheme[0].name: 'arx' is not allowed; did you mean arq?; allowed: none, fec, arq, harq, ",
    ),
    "unknown channel": (
        '"gilbert-elliott"',
        '"gilbert"',
        "7: key trace[1].channel.name: 'gilbert' is not allowed; did you mean gilbert-elliott?; allowed: ",
    ),
    "scheme that converts nothing": (
        'name = "arq"',
        'name = "go-back-n"\nwindow_frames = 10',
        "11: key scheme[0].online: false is not possible: go-back-n converts no traces; allowed: true",
    ),
    "repetition before the report": (
        'name = "arq"',
        'name = "go-back-n"\nonline = true\nwindow_frames = 10\nrepeat_after = [1, 0.4]',
        "15: key scheme[0].repeat_after[1]: 0.4 does not go with the rest; allowed: at least the "
        "feedback delay, 0.5 s",
    ),
    "parameters that only conversions have": (
        'name = "arq"',
        'name = "harq-processes"\nonline = [false, true]\nfeedback_seed = 2',
        "14: key scheme[0].feedback_seed: 2 has no meaning: the seed of the run draws the faults; allowed: 0",
    ),
    "proxy without a wired hop": (
        "rtt = 0.5",
        "rtt = 0.5\nproxy = { delay = 0.1 }",
        "20: key path.proxy: is not possible without wired; allowed: a wired hop, at whose end the proxy sta",
    ),
    "proxy of a flow that it cannot split": (
        "rtt = 0.5",
        'rtt = 0.5\nwired = { rate = 1e7 }\nproxy = ["none", { tcp = "fectcp" }]',
        "21: key path.proxy[1]: does not go with FECTCP; allowed: TCP: a proxy cannot split FECTCP",
    ),
    "proxy whose stack lacks the variant": (
        "rtt = 0.5",
        'rtt = 0.5\nwired = { rate = 1e7 }\nproxy = { tcp = "bbr", stack = "2009" }',
        "21: key path.proxy.tcp: 'bbr' needs stack modern or linux; allowed: newreno, westwood, ",
    ),
    "buffer of nothing": (
        "rtt = 0.5",
        "rtt = 0.5\nwired = { rate = 1e7 }\nproxy = { buffer_packets = [4, 1] }",
        "21: key path.proxy.buffer_packets[1]: 1 is not allowed; allowed: a whole number from 2 to "
        '2147483647 packets, or "none": as many as a sender\'s window',
    ),
    "loss beyond certainty": (
        "rtt = 0.5",
        "rtt = 0.5\n[path.wired]\nrate = 1e7\ndelay = 0\nloss = 1.5",
        "23: key path.wired.loss: 1.5 is not allowed; allowed: a number from 0 to 1",
    ),
    "no seeds": (
        "seeds = 3",
        "seeds = 0",
        "2: key seeds: 0 is not allowed; allowed: a whole number from 1 to 10",
    ),
    "seeds beyond reason": (
        "seeds = 3",
        "seeds = 1e999",
        "2: key seeds: inf is not allowed; allowed: a whole ",
    ),
    "time beyond reason": (
        "seeds = 3",
        f"timeout = [1, {'9' * 400}]",
        "2: key timeout[1]: 99999999999999999999999999999999999999999999999999999999 ... is not allowed",
    ),
    "times in a list": (
        "seeds = 3",
        "timeout = [1, 2]",
        "2: key timeout: [1, 2] is not allowed; allowed: one v",
    ),
    "time that is no number": (
        "seeds = 3",
        "timeout = nan",
        "2: key timeout: nan is not allowed; allowed: a n",
    ),
    "limit that is no number": ("seeds = 3", "max_runs = 'many'", "2: key max_runs: 'many' is not allowed; "),
    "more seeds than there are": (
        "duration = 20",
        "duration = 20\nseeds = 1000001",
        "23: key traffic[0].seeds: 1000001 is not allowed; allowed: a whole number from 1 to 1000000",
    ),
    "no variant": (
        'tcp = ["newreno", "cubic"]',
        "tcp = []",
        "21: key traffic[0].tcp: [] is not allowed; allowed: a value, or a list with at least one",
    ),
    "seed twice": (
        "seeds = 3",
        "seeds = [4, 4]",
        "2: key seeds[1]: 4 is listed twice; allowed: each seed once",
    ),
    "variant twice": (
        'tcp = ["newreno", "cubic"]',
        'tcp = ["cubic", "newreno", "cubic"]',
        "21: key traffic[0].tcp[2]: 'cubic' is listed twice; allowed: each value once",
    ),
    "value twice in another notation": (
        "rtt = 0.5",
        "rtt = [1, 0.5, 1.0]",
        "19: key path.rtt[2]: 1 is listed twice; allowed: each value once",
    ),
    "table twice": (
        'name = "arq"',
        'name = "arq"\n[[scheme]]\nname = "arq"\nonline = false',
        "13: key scheme[1]: describes a point that scheme[0] has, too; allowed: each point of the grid once",
    ),
    "table that repeats a point of another": (
        'name = "arq"',
        'name = "harq"\ndata = 10\nrepair = 5\ndetection_delay = 0.001',
        "16: key scheme[1]: describes a point that scheme[0] has, too; allowed: each point of the grid once",
    ),
    "file without a name": (
        'file = "phy.parquet"',
        'file = ""',
        "4: key trace[0].file: '' is not allowed; allowed: text that is not empty",
    ),
    "records of no seed": (
        "seeds = 3",
        "seeds = 3\nrecords = [4]",
        "3: key records[0]: 4 is not a seed of this scenario; allowed: seeds of this scenario",
    ),
    "no list": (
        "seeds = 3",
        "seeds = 3\nrecords = 1",
        "3: key records: 1 is not allowed; allowed: a list, each a whole number from 1 to 1000000",
    ),
    "missing key": ("rtt = 0.5", "", "18: key path.rtt: is missing; allowed: a number from 0 to 1152921504."),
    "missing table": (
        '[[traffic]]\ntcp = ["newreno", "cubic"]\nduration = 20',
        "",
        " key traffic: is missing; allowed: one or more tables",
    ),
    "negative time": (
        "rtt = 0.5",
        "rtt = -1",
        "19: key path.rtt: -1 is not allowed; allowed: a number from 0 to 1152921504.60685 s",
    ),
    "bad member of a list": ("rtt = 0.5", "rtt = [0.5, -1]", "19: key path.rtt[1]: -1 is not allowed; "),
    "empty list": (
        "rtt = 0.5",
        "rtt = []",
        "19: key path.rtt: [] is not allowed; allowed: a value, or a list with at least one",
    ),
    "text for a number": (
        "data = 10",
        'data = "10"',
        "15: key scheme[1].data: '10' is not allowed; allowed: a whole number from 1 to 65535",
    ),
    "impossible parameter": (
        "data = 10",
        "data = 0",
        "15: key scheme[1].data: 0 is not allowed; allowed: a whole number from 1 to 65535",
    ),
    "impossible channel": (
        "beta = 0.5",
        "beta = 1.5",
        "7: key trace[1].channel.beta: 1.5 is not allowed; allowed: a number from 0 to 1",
    ),
    "channel on nothing": (
        "length = 60",
        "",
        "6: key trace[1].length: is missing: a generated line of slots needs it; allowed: a number from 1e-0",
    ),
    "start behind the trace": (
        "length = 60",
        "length = 60\noffset = 60",
        "11: key trace[1].offset: 60 does not go with the rest; allowed: less than length, 60 s",
    ),
    "rate over a trace": (
        "length = 60",
        'file = "x"',
        "8: key trace[1].rate: 263000 has no meaning beside file; allowed: none with a file, whose slots are",
    ),
    "hold out of order": (
        "rtt = 0.5",
        "rtt = 0.5\nin_order = false\nhold = 1",
        "21: key path.hold: 1 has no meaning without delivery in order; allowed: in_order = true",
    ),
    "start after the end": (
        "duration = 20",
        "duration = 20\nstart_spread = 20",
        "23: key traffic[0].start_spread: 20 is too late a start; allowed: start + start_spread less than ",
    ),
    "return rate of a trace": (
        "rtt = 0.5",
        'rtt = 0.5\nreturn_link = "protected"\nreturn_rate = 1e6',
        "21: key path.return_rate: 1000000 has no meaning for a return link that is protected; allowed: ",
    ),
    "label of no key": (
        "rate = 263e3",
        'rate = 263e3\nlabel = "gamma {gamma}"',
        "9: key trace[1].label: 'gamma {gamma}' names {gamma}, which has no value; allowed: names of keys ",
    ),
    "no TOML": ("rtt = 0.5", "rtt = ", "19: is not TOML: Invalid value"),
    "number without end": (
        "seeds = 3",
        f"seeds = {'9' * 5000}",
        " is not a scenario: a number in it has thous",
    ),
    "table without end": (
        "seeds = 3",
        f"seeds = {'{a = ' * 400}1{'}' * 400}",
        " is not a scenario: its values ",
    ),
    "list without end": (
        "seeds = 3",
        f"seeds = {'[' * 5000}{']' * 5000}",
        " is not a scenario: its values are ",
    ),
}


@pytest.mark.parametrize(("good", "bad", "message"), REFUSALS.values(), ids=REFUSALS)
def test_read__refuses_with_place_value_and_choice(tmp_path: Path, good: str, bad: str, message: str) -> None:
    assert good in GOOD
    assert refusal(tmp_path, GOOD.replace(good, bad, 1)).startswith(f"s.toml:{message}")


def test_read__says_all_that_is_wrong_a_line_each(tmp_path: Path) -> None:
    text = GOOD.replace("data = 10", "data = 0").replace("length = 60", 'file = "x"').replace("rtt", "rrt")
    text = text.replace("beta = 0.5", "beta = 5")
    lines = refusal(tmp_path, text).splitlines()
    assert [line.partition(": is")[0].partition(" is ")[0] for line in lines] == [
        "s.toml:7: key trace[1].channel.beta: 5",
        "s.toml:15: key scheme[1].data: 0",
        "s.toml:19: key path.rrt",
        "s.toml:18: key path.rtt",
    ]


def test_read__refuses_what_is_no_file_of_text(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"absent\.toml: cannot be read: No such file"):
        read(tmp_path / "absent.toml")
    with pytest.raises(InputError, match="this is a folder; name a scenario file"):
        read(tmp_path)
    (tmp_path / "s.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match=r"s\.toml: is not text in UTF-8"):
        read(tmp_path / "s.toml")


def test_read__says_how_many_runs_a_grid_has_before_it_makes_them(tmp_path: Path) -> None:
    # 2 variants, 10^9 seeds, 2 + 2 traces, 1 + 2 schemes, 1 path, 1 kind of traffic.
    reason = (
        "s.toml: has up to 24,000,000,000 runs; allowed: up to 1,000,000 runs; a higher limit is max_runs"
    )
    assert refusal(tmp_path, GOOD.replace("seeds = 3", "seeds = 1000000000")) == reason
    said = refusal(tmp_path, GOOD.replace("seeds = 3", "seeds = 3\nmax_runs = 71"))
    assert "has up to 72 runs; allowed: up to 71" in said
    assert written(tmp_path, GOOD.replace("seeds = 3", "seeds = 3\nmax_runs = 72")).size == 72
    lists = ", ".join(str(number / 1000) for number in range(1, 2000))
    many = GOOD.replace("rtt = 0.5", f"rtt = [{lists}]\nqueue_packets = [{lists}]")
    assert "has up to 287,712,072 runs" in refusal(tmp_path, many)


def test_plan__takes_no_other_file_for_published_values(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("root:x:0:0\n")
    for name in ("none.csv", "secret", "/etc/passwd", ".", "a" * 300):
        (tmp_path / "s.toml").write_text(f'published = "{name}"\n{GOOD}')
        document = read(tmp_path / "s.toml")
        with pytest.raises(
            InputError, match=r"s\.toml:1: key published: .* (is not a file|holds no published)"
        ):
            planned(document)


def test_read__takes_schemes_above_others(tmp_path: Path) -> None:
    schemes = """
[[scheme]]
name = "harq-processes"
processes = [8, 32]
retransmission = "synchronous"
missed_feedback = 0.01
[[scheme]]
name = "harq-processes"
combining = "incremental"
combining_threshold_db = [-2, 1.5]
[[scheme]]
name = "sliding-window"
coding_window = 20
repair_interval = 5
[[scheme]]
name = "rlc"
below = [{ name = "harq-processes" }, { name = "arq", max_transmissions = [2, "none"] }]
status_prohibit = 0.6
online = true
"""
    assert written(tmp_path, GOOD.replace("[path]", f"{schemes}[path]")).scheme[3:] == (
        *(HarqProcesses(n, retransmission="synchronous", missed_feedback=0.01) for n in (8, 32)),
        *(HarqProcesses(combining="incremental", combining_threshold_db=db) for db in (-2, 1.5)),
        SlidingWindow(20, 5),
        *(Rlc(below, status_prohibit=0.6, online=True) for below in (HarqProcesses(), Arq(2), Arq())),
    )
