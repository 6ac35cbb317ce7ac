"""`tmt report`: its files and its refusals, also beside results that cannot be written."""

import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from in_process import tmt
from machine import disk, make_read_only

from tmt.cli.report_command import command
from tmt.core.errors import InputError


def _report(*arguments: object) -> Result:
    return CliRunner().invoke(command, [str(one) for one in arguments], catch_exceptions=False)


@pytest.mark.ns2
def test_report__writes_page_and_figures_or_the_same_page_alone(
    campaign_folder: Path, tmp_path: Path
) -> None:
    result = _report(campaign_folder, "--output", tmp_path / "one")
    assert result.exit_code == 0
    assert result.stderr.splitlines()[0] == (
        "warning: Published values are left out: no finished run has scheme 'HARQ(10/12)'."
    )
    assert result.stdout.splitlines()[0] == str(tmp_path / "one" / "report.html")
    written = {path.name: path.read_bytes() for path in (tmp_path / "one").iterdir()}
    endings = sorted(name.rsplit(".", 1)[1] for name in written)
    assert endings.count("pdf") == endings.count("svg") >= 3
    assert endings.count("html") == 1
    assert written["goodput-by-scheme-probability-0-01.pdf"].startswith(b"%PDF")

    assert _report(campaign_folder, "--output", tmp_path / "two", "--no-figures").exit_code == 0
    (page,) = (tmp_path / "two").iterdir()
    assert (page.name, page.read_bytes()) == ("report.html", written["report.html"])


def test_report__refuses_a_folder_without_a_campaign(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(InputError, match="holds no campaign"):
        _report(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_report__refuses_a_folder_that_does_not_exist(tmp_path: Path) -> None:
    result = _report(tmp_path / "none")
    assert result.exit_code == 2
    assert "does not exist" in result.output


@pytest.mark.ns2
@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("tcp,scheme,value\n", r"published\.csv:1: column column is missing"),
        (
            "column,tcp,scheme,value,error,source\ngoodput_bps,cubic,ARQ,much,0,x\n",
            r"published\.csv:2: value 'much'",
        ),
    ],
)
def test_report__names_the_bad_line(campaign_folder: Path, tmp_path: Path, text: str, reason: str) -> None:
    published = tmp_path / "published.csv"
    published.write_text(text)
    with pytest.raises(InputError, match=reason):
        _report(campaign_folder, "--published", published, "--output", tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.ns2
def test_report__of_a_read_only_folder_goes_to_the_current_one(campaign_folder: Path, tmp_path: Path) -> None:
    here = tmp_path / "here"
    here.mkdir()
    with disk(tmp_path / "disk") as folder:
        shutil.copytree(campaign_folder, folder / "results")
        make_read_only(folder)
        result = tmt("report", folder / "results", "--no-figures", folder=here)
    assert (result.status, result.out) == (0, "report/report.html\n"), result.err
    assert (here / "report" / "report.html").stat().st_size > 100_000
