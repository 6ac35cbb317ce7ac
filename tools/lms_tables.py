"""Fills the table of `docs/lms.md` from the parameters and the profiles: ``python tools/lms_tables.py``."""

from __future__ import annotations

from pathlib import Path

from page_tables import fill_tables, markdown_table

from tmt.core.channels.base import Profile, Sourced
from tmt.core.channels.lms import Lms
from tmt.core.channels.lms.profiles import PROFILES
from tmt.core.declaration import declared

PAGE = Path(__file__).parents[1] / "docs" / "lms.md"


def _origins() -> list[str]:
    """Every source of a value, once."""
    profiles = PROFILES.values()
    values = [
        sourced
        for profile in profiles
        for sourced in (
            *profile.values.values(),
            profile.line.rate_bps,
            profile.line.lldu_bytes,
            profile.line.share,
        )
    ]
    return list(dict.fromkeys(value.origin.source for value in values))


def _value(sourced: Sourced | None) -> str:
    if sourced is None:
        return "to be given"
    return f"{sourced.value:g} {sourced.origin.kind} [{_origins().index(sourced.origin.source) + 1}]"


def _parameters() -> str:
    rows = []
    for name, field in declared(Lms).items():
        if name != "profile":
            values = _unlike([_value(profile.values.get(name)) for profile in PROFILES.values()])
            rows.append([f"`{name}`", field.param.unit, field.meaning, *values])
    rows += [_line_row(name) for name in ("rate_bps", "lldu_bytes", "share")]
    return markdown_table(["parameter", "unit", "meaning", *(f"`{name}`" for name in PROFILES)], rows)


def _line_row(name: str) -> list[str]:
    option, unit, meaning = {
        "rate_bps": ("`--rate`, `rate`", "bit/s", "the line: bits of LLDUs per second"),
        "lldu_bytes": ("`--lldu-bytes`, `lldu_bytes`", "byte", "the line: useful bytes of an LLDU"),
        "share": ("`--every`, `every`", "", "the line: every n-th slot is this user's"),
    }[name]

    def cell(profile: Profile) -> str:
        sourced: Sourced = getattr(profile.line, name)
        kind, number = sourced.origin.kind, _origins().index(sourced.origin.source) + 1
        return f"{sourced.value:.0f} {kind} [{number}]"

    return [option, unit, meaning, *_unlike([cell(profile) for profile in PROFILES.values()])]


def _unlike(cells: list[str]) -> list[str]:
    """Return a row's cells, empty where they equal the first."""
    return [cells[0], *("" if cell == cells[0] else cell for cell in cells[1:])]


def tables() -> dict[str, str]:
    """Return every table of the page, by its name."""
    profiles = "\n".join(f"* `{name}`: {profile.summary}." for name, profile in PROFILES.items())
    sources = "\n".join(f"{number}. {source}" for number, source in enumerate(_origins(), start=1))
    return {"profiles": profiles, "parameters": _parameters(), "sources": sources}


if __name__ == "__main__":
    fill_tables(PAGE, tables())
