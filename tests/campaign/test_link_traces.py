"""Link traces of the cache: damage is found when a trace is used, and the trace is made again."""

import json
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest
from scenario_parts import HARQ_OVER_GEO, LOSSY_TRACE, runs_of

from tmt import GilbertElliott, NoScheme, TraceLink
from tmt.campaign.link_traces import Convert, facts_file, is_converted, link_file, make_link_trace, read_facts
from tmt.campaign.recipe import Phy, look_at, trace_sources
from tmt.campaign.runs import ReplayRun
from tmt.core.errors import InputError
from tmt.core.trace import PhyTrace
from tmt.core.units import NS_PER_S as S
from tmt.io import write_trace
from tmt.run.link_files import ready_link


@pytest.fixture(scope="module")
def task(write_scenario: Callable[..., Path], tmp_path_factory: pytest.TempPathFactory) -> Convert:
    folder = tmp_path_factory.mktemp("campaign")
    run = runs_of(write_scenario(folder / "s.toml", tcp='["newreno"]', seeds=1))[0]
    for name in ("cache", "scratch"):
        (folder / name).mkdir()
    return Convert(run.recipe, folder / "cache", folder / "scratch")


def swapped(trace: bytes) -> bytes:
    """Return a trace of the same size in which one delay differs."""
    return trace[:-10] + bytes([trace[-10] ^ 1]) + trace[-9:]


def _with_facts(others: dict[str, object]) -> Callable[[Path, Path], object]:
    return lambda _, facts: facts.write_text(json.dumps(json.loads(facts.read_text()) | others))


@pytest.mark.parametrize(
    "damage",
    [
        lambda trace, facts: trace.write_bytes(swapped(trace.read_bytes())),
        lambda trace, facts: trace.write_bytes(trace.read_bytes()[:-7]),
        lambda trace, facts: trace.unlink(),
        lambda trace, facts: facts.unlink(),
        lambda trace, facts: facts.write_bytes(facts.read_bytes()[:40]),
        lambda trace, facts: facts.write_bytes(b""),
        lambda trace, facts: facts.write_bytes(b"\xff\xfe"),
        lambda trace, facts: facts.write_text("[" * 100_000),
        lambda trace, facts: facts.write_text("[]"),
        lambda trace, facts: facts.write_text("null"),
        _with_facts({"span_ns": "long"}),
        _with_facts({"span_ns": 1e999}),
        _with_facts({"identity": "x"}),
        _with_facts({"file_bytes": 5}),
        _with_facts({"tmt": []}),
        _with_facts({"tmt": {"begin_ns": 0}}),
    ],
)
def test_damaged_trace__is_made_anew(damage: Callable[[Path, Path], object], task: Convert) -> None:
    assert make_link_trace(task) is None
    trace, facts = link_file(task.cache, task.recipe), facts_file(task.cache, task.recipe)
    whole, told = trace.read_bytes(), read_facts(task.cache, task.recipe)
    damage(trace, facts)
    assert not is_converted(task.cache, task.recipe)
    with pytest.raises(InputError, match=r"is damaged|cannot be used") as refused:
        read_facts(task.cache, task.recipe)
    assert "\n" not in str(refused.value)
    assert make_link_trace(task) is None
    assert trace.read_bytes() == whole
    assert read_facts(task.cache, task.recipe) == told
    assert len(np.load(trace)) == told["data_rows"]
    assert list(task.scratch.iterdir()) == []


def test_folder_in_place_of_a_trace__is_named(task: Convert) -> None:
    assert make_link_trace(task) is None
    trace = link_file(task.cache, task.recipe)
    trace.unlink()
    (trace / "full").mkdir(parents=True)
    with pytest.raises(InputError, match=rf"{trace}: is a folder where a file of the cache belongs"):
        make_link_trace(task)
    (trace / "full").rmdir()
    trace.rmdir()
    assert list(task.scratch.iterdir()) == []


COMBINED = """
seeds = 1
[[trace]]
{trace}
[[scheme]]
name = "harq-processes"
combining = "chase"
combining_threshold_db = 2
[[path]]
rtt = 0.01
[[traffic]]
tcp = ["newreno"]
duration = 3
"""
LMS = 'channel = { name = "lms", es_n0_db = 3 }\nlength = 5'


def _runs(folder: Path, text: str) -> list[ReplayRun]:
    (folder / "s.toml").write_text(text)
    return runs_of(folder / "s.toml")


def _write_slots(path: Path, count: int, es_n0_mdb: int | None = None) -> None:
    """Write erased slots of 33 bytes, all of one Es/N0 if any."""
    levels = None if es_n0_mdb is None else np.full(count, es_n0_mdb, np.int32)
    times, fates = np.arange(count) * 1_000_000, np.zeros(count, np.int64)
    write_trace(path, PhyTrace(times, fates, {"lldu_bytes": 33}, es_n0_mdb=levels))


def test_combining__takes_es_n0_of_a_channel_or_file(task: Convert, tmp_path: Path) -> None:
    _write_slots(tmp_path / "phy.parquet", 3000, es_n0_mdb=0)
    for trace in (
        LMS,
        'file = "phy.parquet"',
        'channel = { name = "bernoulli", probability = 0.1 }\nfile = "phy.parquet"',
    ):
        recipe = _runs(tmp_path, COMBINED.format(trace=trace))[0].recipe
        assert make_link_trace(replace(task, recipe=recipe)) is None
        facts = read_facts(task.cache, recipe)
        assert facts["delivered"] > facts["lost"]


@pytest.mark.parametrize("needed", [False, True])
def test_online_scheme__gets_the_es_n0_that_it_needs(needed: bool, task: Convert, tmp_path: Path) -> None:
    phy = tmp_path / "phy.csv"
    phy.write_text("tx_time_ns,decode_time_ns,es_n0_mdb\n0,5,1000\n1000000,0,-1000\n")
    planned = look_at(phy)
    recipe = replace(
        task.recipe,
        identity=f"online, {needed}",
        phy=Phy(planned.sha256, phy, planned.sha256),
        scheme=None,
        needs_es_n0=needed,
        sources=trace_sources(),
    )
    assert make_link_trace(replace(task, recipe=recipe)) is None
    slots = np.load(link_file(task.cache, recipe))
    with_es_n0 = [(0, 5, 1000), (1_000_000, 0, -1000)]
    assert slots.tolist() == (with_es_n0 if needed else [(0, 5), (1_000_000, 0)])
    file = ready_link(TraceLink(str(phy), scheme=NoScheme(online=True)), 1500).file
    assert np.load(file.npy).tolist() == with_es_n0


def test_combining_online__takes_es_n0_of_a_channel(task: Convert, tmp_path: Path) -> None:
    both = COMBINED.format(trace=LMS).replace("chase", "incremental")
    runs = _runs(tmp_path, both.replace("[[path]]", "online = [false, true]\n[[path]]"))
    offline, online = (run.recipe for run in runs)
    assert online.identity != offline.identity
    assert make_link_trace(replace(task, recipe=online)) is None
    assert np.load(link_file(task.cache, online)).dtype.names[-1] == "es_n0_mdb"
    without = COMBINED.format(trace=LMS).replace('"chase"', '"none"')
    without = without.replace("combining_threshold_db = 2\n", "online = true\n")
    plain = _runs(tmp_path, without)[0].recipe
    assert plain.identity != online.identity
    assert make_link_trace(replace(task, recipe=plain)) is None
    assert "es_n0_mdb" not in np.load(link_file(task.cache, plain)).dtype.names


def test_combining__is_refused_over_a_trace_without_es_n0(tmp_path: Path) -> None:
    _write_slots(tmp_path / "phy.parquet", 9)
    bernoulli = LMS.replace('"lms", es_n0_db = 3', '"bernoulli", probability = 0.1')
    line = "lldu_bytes = 33\nrate = 264000\n"
    for trace, label in (
        (line + bernoulli, "bernoulli(probability=0.1)"),
        ('file = "phy.parquet"', "phy.parquet"),
    ):
        with pytest.raises(InputError) as refused:
            _runs(tmp_path, COMBINED.format(trace=trace))
        assert "key scheme[0].combining: 'chase' needs the Es/N0 of each slot, which the trace " in str(
            refused.value
        )
        assert f"{label}' does not have; allowed: one Es/N0 of each slot: " in str(refused.value)


def test_frames__are_refused_over_a_trace_of_packed_packets(tmp_path: Path) -> None:
    text = LOSSY_TRACE + 'packing = "packed"\n' + HARQ_OVER_GEO + "[[traffic]]\nduration = 2\n"
    with pytest.raises(InputError) as refused:
        _runs(tmp_path, text.replace('"harq"', '"hybrid"\nonline = true'))
    assert str(refused.value) == (
        f"{tmp_path / 's.toml'}:8: key scheme[0].name: 'hybrid' does not go with packing = 'packed': its "
        "frames hold LLDUs of one packet, and the trace 'bernoulli(probability=0.05)' is so; allowed: "
        'packing = "padded"'
    )


def test_combining__is_refused_over_a_trace_with_two_es_n0(tmp_path: Path) -> None:
    _write_slots(tmp_path / "phy.parquet", 9, es_n0_mdb=0)
    trace = 'channel = { name = "lms", es_n0_db = 3 }\nfile = "phy.parquet"'
    with pytest.raises(InputError, match=r"scheme\[0\]\.combining: 'chase' has the Es/N0 twice") as refused:
        _runs(tmp_path, COMBINED.format(trace=trace))
    assert f"the channel lms and the column es_n0_mdb of {tmp_path / 'phy.parquet'}; " in str(refused.value)


def test_phy_trace_whose_metadata_change__is_looked_at_again(tmp_path: Path) -> None:
    _write_slots(tmp_path / "phy.npy", 3)
    assert look_at(tmp_path / "phy.npy").says_sizes
    (tmp_path / "phy.npy.json").unlink()
    assert not look_at(tmp_path / "phy.npy").says_sizes


@pytest.mark.parametrize("scheme", ["none", "online", "none under a channel"])
def test_phy_trace_that_changes__gives_no_link_trace(scheme: str, task: Convert, tmp_path: Path) -> None:
    """Otherwise the cache would hold another trace's rows under the planned one's identity."""
    phy = tmp_path / "phy.csv"
    phy.write_text("tx_time_ns,decode_time_ns\n0,5\n1000000,5\n2000000,5\n")
    planned = look_at(phy)
    channel = GilbertElliott(0.9, 0.5) if "channel" in scheme else None
    made_by = NoScheme() if scheme != "online" else None
    recipe = replace(
        task.recipe,
        identity="planned",
        phy=Phy(planned.sha256, phy, planned.sha256, channel),
        scheme=made_by,
        sources=trace_sources(channel, made_by),
    )
    assert make_link_trace(replace(task, recipe=recipe)) is None
    assert len(np.load(link_file(task.cache, recipe))) == 3
    link_file(task.cache, recipe).unlink()
    phy.write_text("tx_time_ns,decode_time_ns\n0,5\n1000000,0\n2000000,5\n")
    error = f"{phy}: was changed while the campaign ran; call again"
    assert make_link_trace(replace(task, recipe=recipe)) == error
    assert not link_file(task.cache, recipe).exists()
    assert list(task.scratch.iterdir()) == []


LENGTHS = """
seeds = 1
[[trace]]
file = "phy.parquet"
[[scheme]]
name = "arq"
online = {online}
[[path]]
rtt = 0.01
[[traffic]]
tcp = ["newreno"]
duration = 3
"""


@pytest.mark.parametrize("online", ["true", "false"])
def test_length__of_a_file_counts_and_goes_with_its_link_trace(
    online: str, task: Convert, tmp_path: Path
) -> None:
    """Slots from 1 s to 3 s of 10 s: a run starts anywhere in the 10 s, and each length has an identity."""
    slots = PhyTrace(S + np.arange(2000) * 1_000_000, np.ones(2000, np.int64), {"lldu_bytes": 33})
    found = {}
    for length_ns in (None, 10 * S, 11 * S):
        about = {} if length_ns is None else {"begin_ns": 0, "length_ns": length_ns}
        write_trace(tmp_path / "phy.parquet", replace(slots, metadata=slots.metadata | about))
        (run,) = _runs(tmp_path, LENGTHS.format(online=online))
        found[length_ns] = run.key, run.experiment, run.recipe.identity
        made = replace(task, recipe=run.recipe)
        assert make_link_trace(made) is None
        facts = read_facts(task.cache, run.recipe)
        assert facts["span_ns"] == (length_ns or 1999 * 1_000_000)
        assert facts.get("length_ns") == length_ns
        link = TraceLink(link_file(task.cache, run.recipe), 33, scheme=run.online)
        assert ready_link(link, 1500).file.length_ns == (length_ns or 0)
    assert all(len(set(own)) == 3 for own in zip(*found.values(), strict=True))


def test_identity__of_a_file_without_a_length_is_that_of_its_slots(tmp_path: Path) -> None:
    """The hash of a trace's columns, as it was before traces had a length."""
    times = np.array([5, 7])
    write_trace(tmp_path / "phy.npy", PhyTrace(times, np.array([1, 0])))
    columns = {"decode_time_ns": np.array([1, 0]), "tx_time_ns": times}
    of_columns = {name: sha256(values.tobytes()).hexdigest() for name, values in columns.items()}
    text = json.dumps([of_columns], separators=(",", ":"))
    assert look_at(tmp_path / "phy.npy").sha256 == sha256(text.encode()).hexdigest()[:32]
