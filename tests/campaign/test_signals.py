"""A measured signal as the channel of a scenario: its content decides the runs, and bad files are refused."""

from pathlib import Path

import numpy as np
import pytest
from in_process import tmt
from scenario_parts import over_a_signal, runs_of

from tmt import Scenario
from tmt.campaign.link_traces import Convert, link_file, make_link_trace
from tmt.campaign.runs import ReplayRun
from tmt.spec.toml import files_of

ADAPTED = 'adaptation = { modes = "nr-1", resource_blocks = 10 }'
SCENARIO = over_a_signal("in/signal.txt", ADAPTED)


def _runs(folder: Path, text: str = SCENARIO, signal: str = "0 9\n2 12\n") -> list[ReplayRun]:
    (folder / "in").mkdir(exist_ok=True)
    (folder / "in/signal.txt").write_text(signal)
    (folder / "s.toml").write_text(text)
    return runs_of(folder / "s.toml")


def test_signal__gives_the_slots_of_tmt_generate(tmp_path: Path) -> None:
    for name in ("cache", "scratch"):
        (tmp_path / name).mkdir()
    for seed, run in enumerate(_runs(tmp_path), start=1):
        task = Convert(run.recipe, tmp_path / "cache", tmp_path / "scratch")
        assert make_link_trace(task) is None
        for words in (
            f"generate --channel snr --signal in/signal.txt --modes nr-1 --resource-blocks 10 --seed {seed} "
            f"--rate 4e6 --lldu-bytes 500 --duration 3 phy{seed}.parquet",
            f"convert phy{seed}.parquet link{seed}.npy --scheme none",
        ):
            assert tmt(*words.split(), folder=tmp_path).status == 0
        made = np.load(link_file(tmp_path / "cache", run.recipe))
        np.testing.assert_array_equal(made, np.load(tmp_path / f"link{seed}.npy"))


def test_signal__decides_the_runs_by_its_content(tmp_path: Path) -> None:
    """In one process: a notebook's user changes the file and runs the scenario again."""
    keys = [{run.key for run in _runs(tmp_path, signal=one)} for one in ("0 9\n", "0 8\n", "0 9\n")]
    assert keys[0] == keys[2]
    assert not keys[0] & keys[1]
    assert files_of(Scenario.read(tmp_path / "s.toml")) == [str(tmp_path / "in/signal.txt")]


def test_modes_of_a_file__decide_the_runs_by_their_content(tmp_path: Path) -> None:
    own, keys = SCENARIO.replace('"nr-1"', '"modes.csv"'), []
    for need_db in (6, 7, 6):
        (tmp_path / "modes.csv").write_text(f"efficiency,es_n0_db\n1,{need_db}\n2,9\n")
        keys.append({run.key for run in _runs(tmp_path, own)})
    assert keys[0] == keys[2]
    assert not keys[0] & keys[1]


def test_files__decide_no_run_by_their_place(tmp_path: Path) -> None:
    """A folder that was moved, or a pack that is unpacked, goes on with the same runs and rows."""
    own = SCENARIO.replace('"nr-1"', '"in/modes.csv", report_cqi = "in/modes.csv"')
    found = []
    for folder in (tmp_path / "here", tmp_path / "there"):
        (folder / "in").mkdir(parents=True)
        (folder / "in/modes.csv").write_text("efficiency,es_n0_db\n1,6\n2,9\n")
        runs = _runs(folder, own)
        assert runs[0].coordinates["trace"].startswith("snr(signal=signal.txt) with ")
        found.append([(run.key, run.recipe.trace_parameters) for run in runs])
    assert found[0] == found[1]
    told = [found[0][0][1][key] for key in ("signal", "modes", "report_cqi")]
    assert told == ["signal.txt", "modes.csv", "modes.csv"]


@pytest.mark.parametrize(
    ("text", "signal", "answer"),
    [
        (
            SCENARIO,
            "0 9\n1\n",
            "3: key trace[0].channel.signal: in/signal.txt:2: this line has 1 field",
        ),
        (SCENARIO.replace("signal.txt", "no.txt"), "", "3: key trace[0].channel.signal: in/no.txt: "),
        (
            SCENARIO.replace(ADAPTED, ""),
            "0 9\n",
            "3: key trace[0].channel.error_rates: is missing; allowed: a table of error rates, or adaptation",
        ),
    ],
    ids=["no number", "no file", "no error rates"],
)
def test_signal__is_refused_with_its_key(tmp_path: Path, text: str, signal: str, answer: str) -> None:
    _runs(tmp_path)
    (tmp_path / "in/signal.txt").write_text(signal)
    (tmp_path / "s.toml").write_text(text)
    done = tmt("run", "s.toml", "--dry-run", folder=tmp_path)
    assert done.status == 2
    assert done.err.startswith(f"s.toml:{answer}")
