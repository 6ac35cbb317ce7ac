"""`tmt new` writes scenario files that `tmt run` takes, and refuses in one line what makes none."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tmt.campaign.scenario import load

TMT = str(Path(sys.executable).with_name("tmt"))
SAMPLE = Path(__file__).resolve().parents[2] / "traces" / "sample.parquet"


def new(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [TMT, "new", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_new__writes_a_scenario_that_run_takes(tmp_path: Path) -> None:
    shutil.copy(SAMPLE, tmp_path / "phy.parquet")
    (tmp_path / "studies").mkdir()
    options = (
        "--trace",
        "phy.parquet",
        "--tcp",
        "cubic,hybla",
        "--scheme",
        "none,fec,arq,harq",
        "--stack",
        "2009",
    )
    made = new(tmp_path, "studies/mine.toml", *options, "--rtt", "0.05", "--seeds", "3", "--duration", "7.5")
    assert (made.returncode, made.stderr) == (0, "")
    scenario = load(tmp_path / "studies" / "mine.toml")
    assert scenario.grid.tcp == ("cubic", "hybla")
    assert [scheme.name for scheme in scenario.schemes] == ["none", "fec", "arq", "harq"]
    dry = [TMT, "run", "studies/mine.toml", "--dry-run"]
    said = subprocess.run(dry, cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    assert "24 runs" in said


def test_new__keeps_what_is_there(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text("mine")
    refused = new(tmp_path, "mine.toml")
    assert (refused.returncode, refused.stderr) == (
        2,
        "mine.toml: this file is there already; name another one\n",
    )
    assert (tmp_path / "mine.toml").read_text() == "mine"


@pytest.mark.parametrize(
    ("option", "value", "words"),
    [
        ("--tcp", "cubix", 'mine.toml:6: key grid.tcp[0]: value "cubix" is not allowed'),
        ("--scheme", "arq,farq", "--scheme is 'farq'; it must be one of none, fec, arq, harq"),
        ("--stack", "2010", 'value "2010" is not allowed'),
        ("--seeds", "0", "value 0 is not allowed"),
        ("--rtt", "-1", "value -1 is not allowed"),
        ("--trace", "gone.parquet", "gone.parquet: no such file"),
    ],
)
def test_new__refuses_what_makes_no_scenario(option: str, value: str, words: str, tmp_path: Path) -> None:
    refused = new(tmp_path, "mine.toml", f"{option}={value}")
    assert refused.returncode == 2
    assert words in refused.stderr
    assert refused.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []
