"""The gallery has at least twelve figures, and below each a command that draws it and a page about it."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_gallery__names_what_draws_each_figure() -> None:
    page = (ROOT / "docs" / "gallery.md").read_text(encoding="utf-8")
    entries = re.findall(
        r"^!\[[^\]]+\]\((images/[\w-]+\.png)\)\n\n(.*?)(?=\n\n|\Z)", page, re.MULTILINE | re.DOTALL
    )
    assert len(entries) == page.count("![") >= 12
    for image, caption in entries:
        assert (ROOT / "docs" / image).is_file()
        commands = re.findall(r"`([^`]+)`", caption)
        assert any(re.match(r"tmt |make |python -m ", command) for command in commands), image
        assert re.search(r"\]\([\w/-]+\.md", caption), image
        for path in re.findall(r"(?:scenarios|traces)/[\w./-]+\.(?:toml|parquet)", caption):
            assert (ROOT / path).is_file(), path
        for module in re.findall(r"python -m ([\w.]+)", caption):
            found = ROOT.joinpath(*module.split("."))
            assert found.is_dir() or found.with_suffix(".py").is_file(), module
