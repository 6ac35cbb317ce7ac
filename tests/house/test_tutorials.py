"""Every command of a tutorial runs as printed, in the order of the page."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TUTORIALS = sorted(page for page in (ROOT / "docs" / "tutorials").glob("*.md") if page.stem != "index")
BLOCK = re.compile(r"^```(\w+) ?([\w./-]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.mark.ns2
@pytest.mark.parametrize("page", TUTORIALS, ids=lambda page: page.stem)
def test_tutorial__runs_as_printed(page: Path, tmp_path: Path) -> None:
    blocks = BLOCK.findall(page.read_text(encoding="utf-8"))
    (tmp_path / "traces").symlink_to(ROOT / "traces")
    environment = os.environ | {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    if any(file.startswith("tmt/") for _, file, _ in blocks):  # the page changes the program: a copy of it
        shutil.copytree(ROOT / "tmt", tmp_path / "tmt", ignore=shutil.ignore_patterns("__pycache__"))
        environment["PYTHONPATH"] = str(tmp_path)

    commands = 0
    for language, file, text in blocks:
        if file:
            (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / file).write_text(text, encoding="utf-8")
        elif language == "sh":
            arguments = ["sh", "-euc", text]
            ended = subprocess.run(
                arguments, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
            )
            assert ended.returncode == 0, f"{text}\n{ended.stderr}"
            commands += 1
    assert commands
