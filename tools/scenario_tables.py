"""Fills tables of `docs/scenarios.md` and `programs.md` from declarations: ``tools/scenario_tables.py``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from page_tables import fill_tables, markdown_table

from tmt.core.channels import CHANNELS
from tmt.core.declaration import Field, Spec, declared
from tmt.core.problems import number
from tmt.core.schemes import SCHEMES
from tmt.spec.flow_settings import Resume
from tmt.spec.path import Path as LinkPath, Proxy, Wired
from tmt.spec.programs import Measure, Program, SecondPath
from tmt.spec.scenario import AXES, Scenario
from tmt.spec.trace import Trace
from tmt.spec.traffic import Flow, Traffic

DOCS = Path(__file__).parents[1] / "docs"

PARAMETERS = {"lms": "lms.md#parameters", "shadows": "channels.md#shadows-that-are-alike"}
"""Where the parameters of a profile are explained."""


def _default(field: Field) -> str:
    if field.is_required:
        return "required"
    return field.param.absent if field.default is None else _text(field.default)


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Spec):
        return value.name
    if isinstance(value, tuple):
        return ", ".join(map(_text, value)) or "none"
    return number(value) if isinstance(value, float) else str(value)


def _keys(kind: type[Spec], but: tuple[str, ...] = ()) -> str:
    """Return a row for each key of a class."""
    rows = [
        [f"`{key}`", field.param.unit, field.meaning, _default(field)]
        for key, field in declared(kind).items()
        if key not in but
    ]
    return markdown_table(["key", "unit", "meaning", "default"], rows)


def _alike(kind: type[Spec], other: type[Spec]) -> tuple[str, ...]:
    """Return the keys that mean the same in both classes."""
    fields = declared(other)
    return tuple(
        key for key, one in declared(kind).items() if key in fields and one.meaning == fields[key].meaning
    )


def _kinds(kinds: dict[str, Any], but: tuple[str, ...] = ()) -> str:
    """Return a row for each class that a name chooses, with its keys and their defaults."""
    rows = []
    for name, kind in kinds.items():
        own = {key: field for key, field in declared(kind).items() if key not in but}
        of_profile = next((profile.values for profile in getattr(kind, "profiles", {}).values()), {})
        keys = [_key(key, field) for key, field in own.items() if key not in of_profile]
        if of_profile:
            keys.append(f"[parameters]({PARAMETERS[name]}) in place of the profile's")
        rows.append([f"`{name}`", ", ".join(keys)])
    return markdown_table(["`name`", "further keys"], rows)


def _key(key: str, field: Field) -> str:
    """Return a key with its default; a required one is bold."""
    if field.is_required or (field.default is None and not field.is_optional):
        return f"**`{key}`**"
    return f"`{key}` ({_default(field)})"


def program_tables() -> dict[str, str]:
    """Return the tables of the page on programs, by their names."""
    return {
        "program": _keys(Program, tuple(declared(Traffic))),
        "measure": _keys(Measure),
        "second": _keys(SecondPath),
    }


def tables() -> dict[str, str]:
    """Return every table of the page on scenarios, by its name."""
    return {
        "scenario": _keys(Scenario, (*AXES, "tune")),
        "trace": _keys(Trace),
        "channels": _kinds(CHANNELS),
        "schemes": _kinds(SCHEMES, ("online",)),
        "path": _keys(LinkPath),
        "resume": _keys(Resume),
        "wired": _keys(Wired),
        "proxy": _keys(Proxy),
        "traffic": _keys(Traffic),
        "flow": _keys(Flow, but=_alike(Flow, Traffic)),
    }


if __name__ == "__main__":
    fill_tables(DOCS / "scenarios.md", tables())
    fill_tables(DOCS / "programs.md", program_tables())
