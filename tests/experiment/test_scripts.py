"""Scripts of single papers through the campaign engine: nothing runs twice, and a key holds what decides."""

import json
from pathlib import Path

import numpy as np
import pytest

from analysis.runs import PointRuns, by_point, read_figures
from tmt.campaign.campaign import open_runs
from tmt.campaign.cluster_worker import perform_away
from tmt.campaign.local_workers import LocalWorkers
from tmt.campaign.pool import Pool
from tmt.campaign.runs import plan_script_run
from tmt.campaign.tasks import ChangedProgramsError, Simulate
from tmt.core.errors import InputError, SimulatorError
from tmt.core.schema import PACKET_EVENTS, PACKET_RECORDS
from tmt.results.reading import read_results
from tmt.run import RunError
from tmt.run.ns2.script import ScriptExperiment, printed_figures, transfer_figures

pytestmark = [pytest.mark.ns2, pytest.mark.usefixtures("simulator")]

SCRIPT = """
array set setting $argv
if { $setting(x) < 0 } { puts stderr "x is negative"; exit 1 }
puts "ns-2 says something else"
puts "sum\\t[expr { $setting(x) + $setting(seed) }]"
exit 0
"""


CUT_RECORDS = 'set file [open packets.npy w]; puts $file "PK"; close $file'


@pytest.fixture
def script(tmp_path: Path) -> Path:
    path = tmp_path / "sum.tcl"
    path.write_text(SCRIPT)
    return path


def test_experiment__gives_the_numbers_that_the_script_prints(script: Path, tmp_path: Path) -> None:
    row = ScriptExperiment.of(script, {"x": 3, "seed": 4}).run(tmp_path / "run")
    assert json.loads(row["script_figures"]) == {"sum": 7.0}
    with pytest.raises(RunError, match="x is negative"):
        ScriptExperiment.of(script, {"x": -1}).run(tmp_path / "failed")


def test_key__follows_settings_seed_and_script(script: Path) -> None:
    def key(**settings: float) -> str:
        experiment = ScriptExperiment.of(script, settings)
        return plan_script_run(experiment, experiment.programs()).key

    keys = {key(x=1, seed=1), key(x=2, seed=1), key(x=1, seed=2)}
    assert len(keys) == 3
    assert key(seed=1, x=1) in keys
    script.write_text(SCRIPT + "# longer\n")
    assert key(x=1, seed=1) not in keys


def test_campaign__does_each_run_once_and_a_failed_one_again(script: Path, tmp_path: Path) -> None:
    folder = tmp_path / "runs"

    def figures(*x: int) -> tuple[int, list[dict[str, float]]]:
        experiments = [ScriptExperiment.of(script, {"x": one, "seed": 1}) for one in x]
        runs = [plan_script_run(experiment, experiment.programs()) for experiment in experiments]
        with open_runs("sums", runs, folder) as campaign:
            todo = campaign.plan(retry_failed=True)
            campaign.execute(todo, lambda _: Pool(LocalWorkers(1)), lambda _: None)
            return len(todo.missing), read_figures(folder, campaign.rows())

    assert figures(2, 1) == (2, [{"sum": 3.0}, {"sum": 2.0}])
    assert figures(1, 2, 5) == (1, [{"sum": 2.0}, {"sum": 3.0}, {"sum": 6.0}])
    with pytest.raises(InputError, match=r"sum\.tcl, which is not a scenario"):
        read_results(folder)
    for _ in range(2):
        with pytest.raises(InputError, match=r"sum\.tcl .*x is negative"):
            figures(1, -1)


def test_run__on_a_worker_without_the_folder_gives_the_same_figures(script: Path) -> None:
    experiment = ScriptExperiment.of(script, {"x": 3, "seed": 4})
    run = plan_script_run(experiment, experiment.programs())
    nowhere = Simulate(run, 1, *(Path("/nowhere") / name for name in ("cache", "scratch")))
    row, _ = perform_away(nowhere, [])
    assert (row["status"], row["script_figures"]) == ("done", '{"sum": 7.0}')
    script.write_text(SCRIPT + "# longer\n")
    with pytest.raises(ChangedProgramsError):
        perform_away(nowhere, [])


def test_points__have_means_and_intervals_over_their_seeds() -> None:
    one, two = by_point([{"y": 1.0}, {"y": 3.0}, {"y": 5.0}, {"y": 5.0}], 2)
    assert (one.mean("y"), two.mean("y")) == (2.0, 5.0)
    # Two values: Student's t with one degree of freedom, 12.706 times sd / sqrt(2) = 1.
    assert one.interval("y").half_width == pytest.approx(12.706, rel=1e-4)
    assert one.standard_deviation(lambda figures: 2 * figures["y"]) == pytest.approx(8**0.5)
    assert PointRuns(({"y": 1.0},)).standard_deviation("y") == 0.0


def test_transfer__runs_from_the_first_data_sent_to_the_last_segment_s_first_arrival() -> None:
    events = [("sent", 0, 0), ("sent", 1, 10), ("sent", 2, 20), ("received", 2, 70), ("received", 1, 95)]
    events += [("received", 1, 99)]
    records = np.zeros(len(events), dtype=PACKET_RECORDS.dtype)
    for row, (event, sequence, time_ns) in zip(records, events, strict=True):
        row["event"], row["sequence"], row["time_ns"] = PACKET_EVENTS.index(event), sequence, time_ns
    assert transfer_figures(records) == {"segments_received": 2.0, "transfer_s": 85e-9}
    assert transfer_figures(records[:3]) == {"segments_received": 0.0}


def test_printed_figures__leave_out_other_lines() -> None:
    assert printed_figures("num_nodes is set 3\na\t1\nb\t2.5e3\n") == {"a": 1.0, "b": 2500.0}


@pytest.mark.parametrize(("body", "said"), [("puts a\\tb", "NAME<tab>NUMBER"), (CUT_RECORDS, "packets.npy")])
def test_damaged_results__are_refused_in_one_line(body: str, said: str, tmp_path: Path) -> None:
    script = tmp_path / "damaged.tcl"
    script.write_text(body + "\n")
    with pytest.raises(SimulatorError, match=said) as refused:
        ScriptExperiment.of(script, {}).run(tmp_path / "run")
    assert "\n" not in str(refused.value)
