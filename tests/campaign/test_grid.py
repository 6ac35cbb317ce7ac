"""A run's key covers everything that decides the run's result, and nothing else."""

import shutil
from fractions import Fraction
from pathlib import Path

import pytest
from scenario_parts import HARQ_OVER_GEO, runs_of

from tmt.campaign.runs import ReplayRun
from tmt.core.errors import InputError
from tmt.io import read_trace, write_trace

TEXT = f"""\
seeds = [3]
[[trace]]
file = "phy.parquet"
{HARQ_OVER_GEO}queue_packets = 40
[[traffic]]
tcp = ["cubic"]
duration = 20
"""

GENERATED = TEXT.replace(
    'file = "phy.parquet"',
    'channel = { name = "gilbert-elliott", alpha = 0.99, beta = 0.5 }\n'
    "rate = 263e3\nlldu_bytes = 33\nlength = 60",
)


@pytest.fixture
def folder(tmp_path: Path, phy: Path) -> Path:
    shutil.copy(phy, tmp_path / "phy.parquet")
    return tmp_path


def _runs(folder: Path, text: str, stamp: str = "build 1") -> list[ReplayRun]:
    (folder / "s.toml").write_text(text)
    return runs_of(folder / "s.toml", stamp, "sources")


def _key(folder: Path, text: str, stamp: str = "build 1") -> str:
    (run,) = _runs(folder, text, stamp)
    return run.key


def test_a_table_that_only_tune_reads_decides_no_run(folder: Path) -> None:
    assert _key(folder, f"{TEXT}[tune]\nobjective = 'goodput'\n") == _key(folder, TEXT)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"cubic"', '"hybla"'),
        ("seeds = [3]", "seeds = [4]"),
        ("data = 10", "data = 11"),
        ("repair = 2", "repair = 3"),
        ("repair = 2", "repair = 2\nrounds = 3"),
        ("rtt = 0.5", "rtt = 0.6"),
        ("queue_packets = 40", "queue_packets = 41"),
        ("queue_packets = 40", "queue_packets = 40\nin_order = false"),
        ("duration = 20", "duration = 21"),
        ("duration = 20", "duration = 20\nflows = 2"),
        ("duration = 20", 'duration = 20\nstack = "2009"'),
        ('"cubic"', '"fectcp"'),
        ('file = "phy.parquet"', 'file = "phy.parquet"\nevery = 2'),
        ('file = "phy.parquet"', 'file = "phy.parquet"\noffset = 1'),
        ('file = "phy.parquet"', 'file = "phy.parquet"\nlldu_bytes = 33'),
        (
            'file = "phy.parquet"',
            'channel = { name = "bernoulli", probability = 0.01 }\nfile = "phy.parquet"',
        ),
        ("duration = 20", "duration = 20\ndelayed_acks = true"),
        ("repair = 2", "repair = 2\nonline = true"),
        ("rtt = 0.5", "rtt = 0.5\nwired = { rate = 1e7, delay = 0.01 }"),
        (
            'file = "phy.parquet"',
            'channel = { name = "neyman-a", probability = 0.01, errors_per_cluster = 5, '
            'cluster_slots = 0.5 }\nfile = "phy.parquet"',
        ),
    ],
)
def test_key__changes_with_what_decides_the_outcome(folder: Path, old: str, new: str) -> None:
    assert old in TEXT
    assert _key(folder, TEXT.replace(old, new)) != _key(folder, TEXT)


@pytest.mark.parametrize(
    ("old", "new"), [("alpha = 0.99", "alpha = 0.98"), ("length = 60", "length = 61"), ("263e3", "264e3")]
)
def test_key__changes_with_the_channel(folder: Path, old: str, new: str) -> None:
    assert _key(folder, GENERATED.replace(old, new)) != _key(folder, GENERATED)


def test_key__changes_with_the_simulator_and_the_trace(folder: Path) -> None:
    key = _key(folder, TEXT)
    assert _key(folder, TEXT, stamp="build 2") != key
    from tmt.core.channels.memoryless import Bernoulli
    from tmt.io.generation import overlay

    overlay(folder / "phy.parquet", folder / "other.parquet", Bernoulli(0.5), seed=1)
    other = _key(folder, TEXT.replace("phy.parquet", "other.parquet"))
    assert other != key, "other slots, another hash"
    (folder / "other.parquet").replace(folder / "phy.parquet")
    assert _key(folder, TEXT) == other, "the file was replaced after this process had read it"


def test_key__is_of_the_slots_in_whatever_format(folder: Path) -> None:
    trace = read_trace(folder / "phy.parquet")
    write_trace(folder / "phy.npy", trace)
    write_trace(folder / "phy.csv.gz", trace)
    keys = {_key(folder, TEXT.replace("phy.parquet", name)) for name in ("phy.parquet", "phy.npy")}
    assert len(keys) == 1
    lines = TEXT.replace("phy.parquet", "phy.csv.gz")
    with_size = [text.replace("file =", "lldu_bytes = 1500\nfile =") for text in (TEXT, lines)]
    assert _key(folder, with_size[0]) == _key(folder, with_size[1])


def test_key__changes_with_the_code(folder: Path) -> None:
    plain = TEXT.replace('"cubic"', '"fectcp"')
    keys = {
        _key(folder, plain.replace("duration = 20", f"duration = 20\n{more}"))
        for more in ("", 'code = "lt"', 'code = "5%"', "block_segments = 100")
    }
    assert len(keys) == 4


def test_key__does_not_change_with_names_and_order(folder: Path) -> None:
    (folder / "deeper").mkdir()
    shutil.copy(folder / "phy.parquet", folder / "deeper" / "same.parquet")
    renamed = TEXT.replace('file = "phy.parquet"', 'label = "x"\nfile = "deeper/same.parquet"')
    assert _key(folder, 'title = "y"\n' + renamed) == _key(folder, TEXT)
    several = TEXT.replace("[3]", "[1, 3]").replace('["cubic"]', '["hybla", "cubic"]')
    assert _key(folder, TEXT) in {run.key for run in _runs(folder, several)}


def test_experiment__is_the_run_without_its_seed(folder: Path) -> None:
    for text in (TEXT, GENERATED):
        first, second = _runs(folder, text.replace("[3]", "[1, 2]"))
        assert first.key != second.key
        assert first.experiment == second.experiment
    experiments = {
        _runs(folder, TEXT.replace(old, new))[0].experiment
        for old, new in (
            ("", ""),
            ('"cubic"', '"hybla"'),
            ("data = 10", "data = 11"),
            ("rtt = 0.5", "rtt = 0.6"),
            ("duration = 20", "duration = 21"),
            ('file = "phy.parquet"', 'file = "phy.parquet"\nevery = 2'),
        )
    }
    assert len(experiments) == 6


SPLIT = TEXT.replace(
    "rtt = 0.5",
    "rtt = 0.5\nwired = { rate = 10e6, delay = [0.001, 0.045] }\n"
    'proxy = ["none", { buffer_packets = [10, 20] }]',
)


def test_expand__splits_only_where_there_is_a_proxy(folder: Path) -> None:
    runs = _runs(folder, SPLIT)
    assert len(runs) == 2 * (1 + 2)
    assert [(run.coordinates["proxy"], run.coordinates["proxy_buffer_packets"]) for run in runs[:3]] == [
        (False, None),
        (True, 10),
        (True, 20),
    ]
    # The paths differ, the slots do not.
    assert len({run.recipe.identity for run in runs}) == len({run.start for run in runs}) == 1
    (whole,) = _runs(folder, TEXT.replace("rtt = 0.5", "rtt = 0.5\nwired = { rate = 10e6, delay = 0.001 }"))
    assert whole.key == runs[0].key


def test_expand__lets_schemes_work_online_on_the_same_slots(folder: Path) -> None:
    text = TEXT.replace("repair = 2", "repair = 2\nonline = [false, true]") + (
        '[[scheme]]\nname = "go-back-n"\nonline = true\nwindow_frames = 10\n'
    )
    offline, online, window = _runs(folder, text)
    assert [run.coordinates["scheme"] for run in (offline, online, window)] == [
        "HARQ(10/12) online=False",
        "HARQ(10/12) online=True",
        "GBN(10)",
    ]
    assert offline.online is None
    assert (online.link_scheme.online, offline.link_scheme.online) == (True, False)
    assert (online.recipe.scheme, window.recipe.scheme) == (None, None)
    assert online.recipe.identity == window.recipe.identity != offline.recipe.identity
    assert len({run.key for run in (offline, online, window)}) == 3


def test_expand__gives_runs_of_a_seed_the_same_channel(folder: Path) -> None:
    schemes = '[[scheme]]\nname = ["none", "arq"]\n[[scheme]]\nname = "harq"'
    text = TEXT.replace('[[scheme]]\nname = "harq"', schemes).replace("[3]", "3").replace("0.5", "[0.1, 0.5]")
    runs = _runs(folder, text)
    assert len(runs) == 3 * 3 * 2
    assert len({run.start for run in runs}) == 3
    assert all(0 <= run.start < 1 for run in runs)
    assert len({(run.seed, run.start) for run in runs}) == 3
    assert [run.seed for run in runs] == sorted(run.seed for run in runs), "a partial result has whole seeds"
    # Conversions do not depend on the seed; those without an answer from the receiver not on the RTT either.
    assert len({run.recipe.identity for run in runs}) == 1 + 2 + 2


def test_expand__tells_schemes_of_one_notation_apart(folder: Path) -> None:
    text = TEXT.replace("repair = 2", "repair = 2\nrounds = [1, 3]") + '[[scheme]]\nname = "arq"\n'
    assert [run.coordinates["scheme"] for run in _runs(folder, text)] == [
        "HARQ(10/12) rounds=1",
        "HARQ(10/12) rounds=3",
        "ARQ",
    ]


def test_expand__gives_every_seed_its_own_realisation(folder: Path) -> None:
    runs = _runs(folder, GENERATED.replace("[3]", "3").replace('["cubic"]', '["cubic", "hybla"]'))
    assert len({run.recipe.phy.identity for run in runs}) == 3
    assert {run.recipe.phy.seed for run in runs} == {1, 2, 3}
    assert runs[0].coordinates["trace"] == "gilbert-elliott(alpha=0.99, beta=0.5, error_good=0, error_bad=1)"


def test_expand__takes_realisations_in_turn_and_gives_traffic_seeds_of_its_own(folder: Path) -> None:
    text = GENERATED.replace("[3]", "4").replace("length = 60", "length = 60\nrealisations = 2")
    runs = _runs(folder, text + "[[traffic]]\nduration = 9\ntransfer_bytes = 1000\nseeds = 6\n")
    long, short = ([run for run in runs if run.coordinates["duration_s"] == duration] for duration in (20, 9))
    assert [run.seed for run in long] == [1, 2, 3, 4]
    assert [run.seed for run in short] == [1, 2, 3, 4, 5, 6]
    assert [run.recipe.phy.seed for run in short] == [1, 2, 1, 2, 1, 2]
    assert len({run.start for run in short}) == 6
    assert [run.start for run in long] == [run.start for run in short[:4]]
    fewer = _runs(folder, text + "[[traffic]]\nduration = 9\ntransfer_bytes = 1000\nseeds = 5\n")
    assert {run.key for run in fewer} < {run.key for run in runs}


def test_expand__fills_in_the_values_that_a_label_names(folder: Path) -> None:
    text = GENERATED.replace("alpha = 0.99", "alpha = [0.99, 0.9]").replace(
        "[[scheme]]", 'label = "a {alpha} over {rate} bit/s"\n[[scheme]]'
    )
    assert [run.coordinates["trace"] for run in _runs(folder, text)] == [
        "a 0.99 over 263000 bit/s",
        "a 0.9 over 263000 bit/s",
    ]


def test_expand__gives_a_return_link_slots_of_its_own(folder: Path) -> None:
    listed = 'rtt = 0.5\nreturn_link = ["plain", "unprotected", "protected"]'
    plain, raw, protected = _runs(folder, GENERATED.replace("rtt = 0.5", listed))
    assert plain.recipes == (plain.recipe,)
    assert raw.recipes[0] == plain.recipe
    assert [run.recipes[1].scheme.name for run in (raw, protected)] == ["none", "harq"]
    assert raw.recipes[1].phy == protected.recipes[1].phy
    assert raw.recipes[1].phy.seed != plain.recipe.phy.seed
    assert raw.start != raw.return_start
    of_file = _runs(folder, TEXT.replace("rtt = 0.5", listed))[1]
    assert of_file.recipes[1].phy == of_file.recipes[0].phy
    assert of_file.start != of_file.return_start


def test_expand__without_repetition_starts_at_the_beginning(folder: Path) -> None:
    assert _runs(folder, TEXT.replace("rtt = 0.5", "rtt = 0.5\nloop = false"))[0].start == 0
    assert _runs(folder, TEXT.replace("file =", "offset = 1.5\nfile ="))[0].start == 1_500_000_000


def test_expand__refuses_traces_that_cannot_be_used(folder: Path) -> None:
    with pytest.raises(InputError, match=r"absent\.parquet"):
        _runs(folder, TEXT.replace("phy.parquet", "absent.parquet"))
    (folder / "phy.txt").write_text("0.0 0.1\n0.1 0.1\n")
    with pytest.raises(
        InputError, match=r"s\.toml:2: key trace\[0\]\.lldu_bytes: is missing: .*phy\.txt does not say it; "
    ):
        _runs(folder, TEXT.replace("phy.parquet", "phy.txt"))


def test_expand__refuses_a_trace_under_two_names(folder: Path) -> None:
    shutil.copy(folder / "phy.parquet", folder / "copy.parquet")
    text = TEXT.replace("[[trace]]", '[[trace]]\nfile = "copy.parquet"\n[[trace]]')
    reason = (
        r"s\.toml:4: key trace\[1\]: 'phy\.parquet' has the same slots as 'copy\.parquet'; "
        r"allowed: each trace once"
    )
    with pytest.raises(InputError, match=reason):
        _runs(folder, text)


@pytest.mark.parametrize(
    ("every", "rows", "reason"),
    [
        (1, 1, r"a phy trace of one row has no rate; at least two rows are needed"),
        (3, 3, r"with every = 3 a phy trace of one row has no rate; at least two rows are needed"),
    ],
)
def test_expand__refuses_traces_of_one_row(folder: Path, every: int, rows: int, reason: str) -> None:
    text = TEXT.replace('phy.parquet"', f'short.txt"\nlldu_bytes = 33\nevery = {every}')
    slots = [f"{0.1 * slot:.1f} 0.1\n" for slot in range(rows + 1)]
    (folder / "long.txt").write_text("".join(slots))
    assert _runs(folder, text.replace("short", "long"))
    (folder / "short.txt").write_text("".join(slots[:rows]))
    with pytest.raises(InputError, match=rf"short\.txt: {reason}"):
        _runs(folder, text)


def test_expand__makes_100000_runs_of_a_large_grid(folder: Path) -> None:
    text = TEXT.replace("seeds = [3]", "seeds = 20000").replace(
        '["cubic"]', '["newreno", "westwood", "hybla", "cubic", "compound"]'
    )
    assert len(_runs(folder, text)) == 100_000


def test_expand__takes_line_and_decode_time_of_a_channel_from_its_profile(tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text(
        'seeds = 1\n[[trace]]\nchannel = { name = "lms", es_n0_db = [5.0, 6.0] }\nlength = 60\n'
        '[[trace]]\nchannel = { name = "lms", profile = "distribution", interleaver_depth = 0 }\n'
        "rate = 9e5\nlength = 60\n"
        '[[scheme]]\nname = "arq"\n[[path]]\nrtt = 0.5\n[[traffic]]\nduration = 20\n'
    )
    runs = runs_of(tmp_path / "s.toml", "build", "sources")
    assert [run.coordinates["trace"] for run in runs] == [
        "lms(profile=internet, es_n0_db=5)",
        "lms(profile=internet, es_n0_db=6)",
        "lms(profile=distribution, interleaver_depth=0)",
    ]
    assert len({run.key for run in runs}) == 3
    # 264 bits in every tenth slot of 2.63 Mbit/s; 1523 bytes in every slot of a line of the user's own rate.
    shared, own = runs[0].recipe.phy.line, runs[2].recipe.phy.line
    assert (shared.interval_ns, runs[0].coordinates["forward_lldu_bytes"]) == (
        Fraction(264 * 10**10, 2_630_000),
        33,
    )
    assert (own.interval_ns, runs[2].coordinates["forward_lldu_bytes"]) == (
        Fraction(8 * 1523 * 10**9, 900_000),
        1523,
    )
    assert (shared.decode_time_ns, own.decode_time_ns) == (36_100_000, 100_000)


def test_stacks__are_an_axis(folder: Path) -> None:
    runs = _runs(folder, TEXT.replace("duration = 20", 'duration = 20\nstack = ["2009", "modern"]'))
    assert [(run.coordinates["stack"], run.coordinates["tcp"]) for run in runs] == [
        ("2009", "cubic"),
        ("modern", "cubic"),
    ]


def test_codes__are_an_axis(folder: Path) -> None:
    text = TEXT.replace('["cubic"]', '"fectcp"').replace("duration = 20", 'code = ["raptorq", "5%"]')
    assert [run.coordinates["code"] for run in _runs(folder, text)] == ["raptorq", "5%"]


def test_backends__are_compared_side_by_side(folder: Path) -> None:
    text = TEXT + '[[traffic]]\nduration = 20\nstack = "linux"\nbackend = "emulate"\n'
    simulated, emulated = _runs(folder, text)
    assert [run.coordinates["backend"] for run in (simulated, emulated)] == ["ns2", "emulate"]
    assert simulated.key != emulated.key
    refused = TEXT.replace("duration = 20", 'duration = 20\nbackend = "emulate"')
    with pytest.raises(InputError, match=r"s\.toml:14: key traffic\[0\]\.backend: 'emulate' does not have "):
        _runs(folder, refused)
