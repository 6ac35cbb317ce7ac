"""Rules for the whole repository: links have targets, and the README's commands exist."""

import re
import subprocess
import tomllib
from pathlib import Path

import pytest

import tmt

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "traces").glob("*.md")])


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_page__links_to_files_that_exist(page: Path) -> None:
    targets = re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", page.read_text())
    local = [target for target in targets if "://" not in target and not target.startswith("mailto:")]
    assert [target for target in local if not (page.parent / target).exists()] == []


def test_pages__are_reachable_from_the_readme() -> None:
    reached, waiting = set(), [ROOT / "README.md"]
    while waiting:
        page = waiting.pop()
        reached.add(page)
        targets = re.findall(r"\]\(([^)#\s]+\.md)", page.read_text())
        linked = {(page.parent / target).resolve() for target in targets if "://" not in target}
        waiting += linked - reached
    assert set((ROOT / "docs").rglob("*.md")) <= reached


def test_citation__names_the_version() -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    assert f"\nversion: {version}\n" in (ROOT / "CITATION.cff").read_text()
    assert tmt.__version__ == version


def test_readme__names_only_targets_that_make_has() -> None:
    named = set(re.findall(r"(?:^|`)make ([a-z]+)", (ROOT / "README.md").read_text(), re.MULTILINE))
    listing = subprocess.run(["make", "help"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert named <= {line.split()[1] for line in listing.splitlines() if line.startswith("make ")}
    assert {"run", "test"} <= named
