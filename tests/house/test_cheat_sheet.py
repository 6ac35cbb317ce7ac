"""The cheat sheet is one printed page, with every command of its page in the documentation."""

import importlib.util
import re
from pathlib import Path
from types import ModuleType
from xml.etree import ElementTree

import pytest
import vl_convert

TOOL = Path(__file__).resolve().parents[2] / "tools" / "cheat_sheet.py"


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("cheat_sheet", TOOL)
    assert spec is not None
    assert spec.loader is not None
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


def test_sheet__has_every_command_and_is_one_page(tool: ModuleType) -> None:
    page = tool.PAGE.read_text(encoding="utf-8")
    drawn = tool.svg(page)
    texts = {" ".join("".join(one.itertext()).split()) for one in ElementTree.fromstring(drawn)}
    commands = re.findall(r"^tmt \w+", page, re.MULTILINE)
    assert len(commands) > 20
    assert sum(text.startswith("tmt ") for text in texts) == len(commands)
    assert "tmt run mine.toml --part 3/50" in texts
    assert "a share of them, for job arrays" in texts
    made = vl_convert.svg_to_pdf(drawn)
    for pdf in (made, tool.PDF.read_bytes()):
        assert pdf.startswith(b"%PDF")
        assert len(re.findall(rb"/Type\s*/Page\b", pdf)) == 1


def test_sheet__refuses_what_does_not_fit(tool: ModuleType) -> None:
    with pytest.raises(ValueError, match="the page is full"):
        tool.svg("\n## a\n```sh\n" + "tmt run\n" * 200 + "```\n\n")
    with pytest.raises(ValueError, match="too long for a column"):
        tool.svg("\n## a\n```sh\n" + "tmt " * 50 + "\n```\n")
