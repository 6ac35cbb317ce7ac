"""The pictures of worked examples in `docs/schemes.md` show what the schemes do."""

import importlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"


@pytest.fixture
def tool(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The program that draws them."""
    monkeypatch.syspath_prepend(DOCS.with_name("tools"))
    return importlib.import_module("scheme_ladders")


def test_ladders__are_what_the_schemes_do(tool: Any) -> None:
    page = (DOCS / "schemes.md").read_text(encoding="utf-8")
    for name, ladder in tool.LADDERS.items():
        tool.check(ladder)
        assert f"](images/{name}.png)" in page
        assert (DOCS / "images" / f"{name}.png").is_file()


def test_ladders__that_contradict_their_scheme_are_refused(tool: Any, tmp_path: Path) -> None:
    ladder = tool.LADDERS["scheme-rlc"]
    later = replace(ladder, rtt=25)
    with pytest.raises(AssertionError, match=r"RLC\(AM\) delivers at \[1, 61, 61, 61, 61, 61\]"):
        tool.check(later)
    tool.draw(ladder, tmp_path / "ladder.png")
    assert (tmp_path / "ladder.png").read_bytes().startswith(b"\x89PNG")
