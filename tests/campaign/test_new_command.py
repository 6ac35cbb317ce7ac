"""`tmt new` writes scenario files that `tmt run` takes, and refuses in one line what makes none."""

import shutil
from pathlib import Path

from in_process import Said, tmt

from tmt import Rlc, Scenario
from tmt.cli.new_command import NAMES

ROOT = Path(__file__).resolve().parents[2]
SAMPLE = ROOT / "traces" / "sample.parquet"


def new(folder: Path, *arguments: str) -> Said:
    return tmt("new", *arguments, folder=folder)


def test_new__writes_a_scenario_that_run_takes(tmp_path: Path) -> None:
    shutil.copy(SAMPLE, tmp_path / "phy.parquet")
    (tmp_path / "studies").mkdir()
    options = "--trace phy.parquet --tcp cubic,hybla --scheme none,fec,arq,harq --stack 2009 --hold 0.5"
    more = ("--rtt", "0.05", "--seeds", "3", "--duration", "7.5")
    made = new(tmp_path, "studies/mine.toml", *options.split(), *more)
    assert (made.status, made.err) == (0, "")
    scenario = Scenario.read(tmp_path / "studies" / "mine.toml")
    assert [traffic.tcp for traffic in scenario.traffic] == ["cubic", "hybla"]
    assert {(traffic.stack, traffic.duration) for traffic in scenario.traffic} == {("2009", 7.5)}
    assert [scheme.name for scheme in scenario.scheme] == ["none", "fec", "arq", "harq"]
    assert (scenario.path[0].rtt, scenario.path[0].hold) == (0.05, 0.5)
    said = tmt("run", "studies/mine.toml", "--dry-run", folder=tmp_path)
    assert "24 runs" in said.out
    assert said.err == ""


def test_new__refuses_a_trace_that_run_would_refuse(tmp_path: Path) -> None:
    (tmp_path / "phy.csv").write_text("tx_time,decode_time\n0.001,0.01\n0.002,0.01\n0.003,0\n")
    (tmp_path / "one.csv").write_text("tx_time,decode_time,size_bytes\n0.001,0.01,1500\n")
    for name, said in (
        (
            "phy.csv",
            "--trace lldu_bytes: is missing: phy.csv does not say it; allowed: lldu_bytes of the trace, or a "
            "file that says it (`tmt import table --lldu-bytes`)",
        ),
        ("one.csv", "one.csv: a phy trace of one row has no rate"),
        ("none.csv", "none.csv: cannot be read"),
    ):
        refused = new(tmp_path, "mine.toml", "--trace", name)
        assert refused.status == 2
        assert refused.err.startswith(said)
        assert refused.err.count("\n") == 1
    assert not (tmp_path / "mine.toml").exists()


def test_new__names_all_that_is_wrong(tmp_path: Path) -> None:
    # Whether a name of TCP is one, its stack decides (tests/linux): the others are told first.
    refused = new(tmp_path, "mine.toml", "--tcp", "cubik", "--scheme", "ark,fex", "--rtt=-1", "--every", "0")
    flags = [line.partition(":")[0] for line in refused.err.splitlines()]
    assert (refused.status, flags) == (2, ["--every", "--scheme", "--scheme", "--rtt"])


def test_new__takes_every_nth_slot_of_a_trace(tmp_path: Path) -> None:
    """A tenth of 12 Mbit/s x (1 s + 36 ms of decoding) is 104 packets of 1500 bytes."""
    line = ("--channel", "error-free", "--duration", "5", "--rate", "12e6", "--lldu-bytes", "1500")
    assert tmt("generate", *line, "phy.parquet", folder=tmp_path).status == 0
    assert new(tmp_path, "one.toml", "--trace", "phy.parquet", "--every", "10", "--rtt", "1").status == 0
    made = Scenario.read(tmp_path / "one.toml")
    assert (made.trace[0].every, made.path[0].queue_packets) == (10, 104)


def test_new__compares_over_several_traces(tmp_path: Path) -> None:
    """The queue is that of the faster one: 24 Mbit/s x (0.5 s + 36 ms of decoding) are 1072 packets."""
    line = ("--channel", "error-free", "--duration", "5", "--lldu-bytes", "1500")
    for name, rate in (("slow.parquet", "12e6"), ("fast.parquet", "24e6")):
        assert tmt("generate", *line, "--rate", rate, name, folder=tmp_path).status == 0
    for given in (["fast.parquet,slow.parquet"], ["fast.parquet", "slow.parquet"]):
        options = [word for one in given for word in ("--trace", one)]
        assert new(tmp_path, f"{len(given)}.toml", *options, "--rtt", "0.5").status == 0
        made = Scenario.read(tmp_path / f"{len(given)}.toml")
        assert [Path(str(trace.file)).name for trace in made.trace] == ["fast.parquet", "slow.parquet"]
        assert made.path[0].queue_packets == 1072


def test_new__explains_each_key(tmp_path: Path) -> None:
    assert new(tmp_path, "mine.toml").status == 0
    written = (tmp_path / "mine.toml").read_text().splitlines()
    assert "queue_packets = 40  # limit of the queue before each link (packets)" in written
    assert 'channel = { name = "lms", es_n0_db = [5, 8] }  # channel model' in written
    assert "data = 10  # data LLDUs of a block or frame, N_D" in written


def test_new__sizes_the_queue_of_a_trace_of_ones_own_and_draws_starts(tmp_path: Path) -> None:
    # 12 Mbit/s x (0.1 s + 36 ms of decoding) = 136 packets of 1500 bytes; 73 where padding fills half of each
    # pair of LLDUs. The delays of probes hold the propagation: the RTT beside them is small.
    line = ("--channel", "bernoulli", "--probability", "0.1", "--duration", "5", "--rate", "12e6")
    for lldu_bytes, rtt, packets in (("1500", "0.1", 136), ("1400", "0.1", 73), ("1500", "0.001", 37)):
        assert tmt("generate", *line, "--lldu-bytes", lldu_bytes, "phy.parquet", folder=tmp_path).status == 0
        for seeds, offset in (("3", "drawn"), ("1", None)):
            options = ("--trace", "phy.parquet", "--rtt", rtt, "--seeds", seeds)
            assert new(tmp_path, f"{lldu_bytes}-{rtt}-{seeds}.toml", *options).status == 0
            made = Scenario.read(tmp_path / f"{lldu_bytes}-{rtt}-{seeds}.toml")
            assert (made.path[0].queue_packets, made.trace[0].offset) == (packets, offset)
        (tmp_path / "phy.parquet").unlink()
    assert new(tmp_path, "time.toml", "--queue-time", "0.1").status == 0
    assert Scenario.read(tmp_path / "time.toml").path[0].queue_packets is None


def test_new__knows_every_scheme_that_converts(tmp_path: Path) -> None:
    made = new(tmp_path, "all.toml", "--scheme", ",".join(NAMES), "--rtt", "0.025")
    assert (made.status, made.err) == (0, "")
    schemes = Scenario.read(tmp_path / "all.toml").scheme
    assert [scheme.full_name for scheme in schemes] == list(NAMES)
    layers = [scheme for scheme in schemes if isinstance(scheme, Rlc)]
    assert len(layers) == 7
    assert {scheme.status_prohibit for scheme in layers} == {0.03}


def test_new__takes_spaces_after_commas_and_quotes_names(tmp_path: Path) -> None:
    shutil.copy(SAMPLE, tmp_path / 'a "b".parquet')
    made = new(
        tmp_path, "mine.toml", "--trace", 'a "b".parquet', "--tcp", "cubic, bbr", "--scheme", "none, arq"
    )
    assert (made.status, made.err) == (0, "")
    scenario = Scenario.read(tmp_path / "mine.toml")
    assert [traffic.tcp for traffic in scenario.traffic] == ["cubic", "bbr"]
    assert [scheme.name for scheme in scenario.scheme] == ["none", "arq"]


def test_new__brings_a_file_of_version_0_2_into_todays_form(tmp_path: Path) -> None:
    shutil.copy(ROOT / "tests" / "spec" / "old_form.toml", tmp_path / "old.toml")
    made = new(tmp_path, "today.toml", "--from", "old.toml")
    assert (made.status, made.err) == (0, "")
    assert Scenario.read(tmp_path / "today.toml") == Scenario.read(tmp_path / "old.toml")
    todays = (tmp_path / "today.toml").read_text()
    assert 'channel = { name = "gilbert-elliott", alpha = [0.99, 0.9], beta = 0.5 }' in todays
    assert 'below = { name = "harq", data = 10, repair = [2, 5] }' in todays
    warned = tmt("run", "old.toml", "--dry-run", folder=tmp_path).err
    assert warned.startswith("warning: old.toml: ")
