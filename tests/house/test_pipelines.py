"""The pipelines of docs/pipelines.md, carried out by Snakemake and DVC, or step by step without them."""

import os
import re
import shlex
import shutil
from pathlib import Path
from typing import NamedTuple

import pytest
import yaml
from in_process import tmt
from processes import TMT, execute

PAGE = Path(__file__).resolve().parents[2] / "docs" / "pipelines.md"
FILES = dict(
    re.findall(r"^```\w+ ([\w.]+)\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
)
PROGRAMS = {"Snakefile": ["snakemake", "--cores", "1"], "dvc.yaml": ["dvc", "repro"]}


class Step(NamedTuple):
    """A command with the files that it reads and writes."""

    command: str
    reads: list[str]
    writes: list[str]


def _rules(text: str) -> list[Step]:
    """Return the steps of the rules of a Snakefile, one for each number of a part."""
    assert "NUMBERS = [1, 2]\n" in text
    steps = []
    for rule in re.findall(r"^rule \w+:\n((?: {4}.*\n?)+)", text, re.MULTILINE):
        lines = dict(line.strip().split(": ", 1) for line in rule.splitlines())
        named = {key: re.findall(r'"([^"]*)"', value) for key, value in lines.items()}
        for number in ("1", "2") if "{wildcards.number}" in lines.get("shell", "") else ("",):
            command = lines.get("shell", "").strip('"').replace("{wildcards.number}", number)
            command = command.replace("{threads}", "1").replace("{output}", " ".join(named.get("output", [])))
            many = (
                [one.replace("{number}", each) for one in named["input"] for each in "12"]
                if ("expand(" in lines.get("input", ""))
                else named.get("input", [])
            )
            writes = [one.replace("{number}", number) for one in named.get("output", [])]
            steps.append(Step(command, list(dict.fromkeys(many)), writes))
    return steps


def _stages(text: str) -> list[Step]:
    """Return the steps of a dvc.yaml."""
    return [
        Step(stage["cmd"], stage.get("deps", []), stage["outs"])
        for stage in yaml.safe_load(text)["stages"].values()
    ]


@pytest.mark.ns2
@pytest.mark.usefixtures("simulator")
@pytest.mark.parametrize("file", PROGRAMS)
def test_pipeline__makes_results_and_report(file: str, tmp_path: Path) -> None:
    for name in (file, "study.toml"):
        (tmp_path / name).write_text(FILES[name], encoding="utf-8")
    environment = os.environ | {"PATH": f"{TMT.parent}{os.pathsep}{os.environ['PATH']}"}
    program = PROGRAMS[file]
    if shutil.which(program[0]):
        if program[0] == "dvc":
            execute("dvc", "init", "--no-scm", cwd=tmp_path, check=True)
        ended = execute(*program, cwd=tmp_path, env=environment)
        assert ended.returncode == 0, ended.stderr
    else:
        left = _rules(FILES[file]) if file == "Snakefile" else _stages(FILES[file])
        assert len(left) > 2
        while left:
            step = next(one for one in left if all((tmp_path / name).exists() for name in one.reads))
            left.remove(step)
            if step.command:  # a rule may only name files
                program, *words = shlex.split(step.command)
                assert program == "tmt"
                ended = tmt(*words, folder=tmp_path)
                assert ended.status == 0, ended.err
            assert [name for name in step.writes if not (tmp_path / name).exists()] == []
    assert (tmp_path / "out" / "study" / "results.parquet").is_file()
    assert (tmp_path / "out" / "study" / "report" / "report.html").is_file()
