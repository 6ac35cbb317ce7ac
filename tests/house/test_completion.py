"""`tmt completion`: a shell that starts afterwards completes commands, options and values."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

TMT = Path(sys.executable).with_name("tmt")


def _environment(home: Path, **variables: str) -> dict[str, str]:
    clean = {name: value for name, value in os.environ.items() if name not in ("XDG_DATA_HOME", "ZDOTDIR")}
    return clean | {"HOME": str(home), "PATH": f"{TMT.parent}:{os.environ['PATH']}"} | variables


def _install(home: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = _environment(home, **variables)
    return subprocess.run(
        ["tmt", "completion", *arguments], env=environment, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize(
    ("words", "completions"),
    [
        ("tmt conv", "convert"),
        ("tmt convert --det", "--detection-delay"),
        ("tmt convert --scheme ha", "harq harq-processes"),
    ],
)
def test_bash__completes_commands_options_and_values(tmp_path: Path, words: str, completions: str) -> None:
    (tmp_path / ".bashrc").write_text("alias l=ls")
    assert _install(tmp_path, SHELL="/bin/bash").returncode == 0
    script = (
        f". ~/.bashrc; COMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); _tmt_completion tmt; "
        'echo "${COMPREPLY[*]}"'
    )
    shell = ["bash", "--norc", "-c", script]
    result = subprocess.run(shell, env=_environment(tmp_path), capture_output=True, text=True, check=True)
    assert (result.stdout, result.stderr) == (f"{completions}\n", "")


def test_second_call__leaves_one_line_in_the_start_file(tmp_path: Path) -> None:
    for _ in range(2):
        assert _install(tmp_path, "zsh").returncode == 0
    assert (tmp_path / ".zshrc").read_text().count("tmt.zsh") == 1
    assert "compdef _tmt_completion tmt" in (tmp_path / ".local/share/tmt/tmt.zsh").read_text()


def test_fish__gets_a_script_where_it_looks_for_it(tmp_path: Path) -> None:
    assert _install(tmp_path, "fish", XDG_CONFIG_HOME=str(tmp_path / "c")).returncode == 0
    assert "_TMT_COMPLETE=fish_complete" in (tmp_path / "c/fish/completions/tmt.fish").read_text()
    assert [path.name for path in tmp_path.iterdir()] == ["c"]


def test_other_shell__is_refused_in_one_line(tmp_path: Path) -> None:
    result = _install(tmp_path, SHELL="/bin/dash")
    assert (result.returncode, result.stderr) == (2, "SHELL is '/bin/dash'; name one of bash, zsh, fish\n")
    assert list(tmp_path.iterdir()) == []
