"""Fills the tables of `docs/scenarios.md` from the parameters: ``python tools/scenario_tables.py``."""

from __future__ import annotations

from pathlib import Path

from page_tables import filled, markdown_table
from tmt.spec.settings import PARAMETERS

from tmt.core.units import ns_to_seconds

PAGE = Path(__file__).parents[1] / "docs" / "scenarios.md"
TABLES = ("link", "wired", "proxy", "traffic")


def _table(name: str) -> str:
    rows = []
    for one in PARAMETERS:
        if one.parameter.table != name:
            continue
        default = "" if one.is_required else one.parameter.absent or one.default
        if one.kind == "time" and isinstance(default, int):
            default = f"{ns_to_seconds(default):g}"
        shown = str(default).lower() if isinstance(default, bool) else default
        rows.append([f"`{one.key}`", one.unit, one.parameter.meaning, str(shown)])
    return markdown_table(["key", "unit", "meaning", "default"], rows)


def tables() -> dict[str, str]:
    """Return every table of the page, by its name."""
    return {name: _table(name) for name in TABLES}


if __name__ == "__main__":
    PAGE.write_text(filled(PAGE.read_text(encoding="utf-8"), tables()), encoding="utf-8")
