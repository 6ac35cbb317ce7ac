"""The documentation builds as a site without a warning, and its pages load nothing from elsewhere."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LOADED = re.compile(r"<(?:script|link|img|iframe)\b[^>]*\b(?:src|href)=\"(?:https?:)?//")


def test_site__builds_without_a_warning_and_works_offline(tmp_path: Path) -> None:
    build = [sys.executable, "-m", "sphinx", "--quiet", "--fail-on-warning", "--nitpicky"]
    built = subprocess.run(
        [*build, "docs", str(tmp_path)], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert built.returncode == 0, built.stderr
    pages = sorted(tmp_path.rglob("*.html"))
    assert len(pages) > len(list((ROOT / "docs").glob("*.md")))
    assert [page.name for page in pages if LOADED.search(page.read_text(encoding="utf-8"))] == []
