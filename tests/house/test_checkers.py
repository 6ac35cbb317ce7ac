"""The linters are tests too: style, types and the one direction of imports."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(
    "command",
    [["ruff", "check", "."], ["ruff", "format", "--check", "."], ["mypy"], ["lint-imports"]],
    ids=lambda command: "-".join(command[:2]),
)
def test_checker__is_content(command: list[str]) -> None:
    program = Path(sys.executable).with_name(command[0])
    result = subprocess.run([program, *command[1:]], cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
