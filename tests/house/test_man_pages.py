"""Man pages have every command and option, and are what man reads."""

import importlib.util
import re
import shutil
from pathlib import Path

import pytest
from processes import execute

from tmt.cli.command_line import COMMANDS

TOOL = Path(__file__).resolve().parents[2] / "tools" / "man_pages.py"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    spec = importlib.util.spec_from_file_location("man_pages", TOOL)
    assert spec is not None
    assert spec.loader is not None
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    made = tmp_path_factory.mktemp("man")
    for name, text in tool.pages().items():
        (made / name).write_text(text, encoding="utf-8")
    return made


def test_pages__are_there_for_every_command_and_member(folder: Path) -> None:
    names = {path.stem for path in folder.iterdir()}
    assert names >= {"tmt", *(f"tmt-{name}" for name in COMMANDS)}
    assert names >= {"tmt-import-mahimahi", "tmt-model-arq"}
    for path in folder.iterdir():
        sections = re.findall(r"^\.SH (.*)$", path.read_text(), re.MULTILINE)
        assert sections[:3] == ["NAME", "SYNOPSIS", "DESCRIPTION"], path.name
        assert sections[-1] == '"SEE ALSO"'


@pytest.mark.skipif(shutil.which("groff") is None, reason="groff is not installed")
def test_pages__are_read_without_a_warning_and_fit_80_columns(folder: Path) -> None:
    for path in sorted(folder.iterdir()):
        shown = execute("groff", "-man", "-Tutf8", "-ww", "-P-c", path)
        assert (shown.returncode, shown.stderr) == (0, ""), path.name
        plain = re.sub(".\b", "", shown.stdout)
        _, _, options = plain.partition("\nDESCRIPTION\n")[2].partition("\n\n\n")  # examples may be longer
        assert max(map(len, options.splitlines()), default=0) <= 80, path.name
        if path.stem == "tmt-run":
            assert "tmt run scenarios/quickstart.toml --dry-run" in plain
            assert "--part NUMBER/PARTS" in plain
