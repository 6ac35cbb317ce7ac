"""Tables of a scenario file as text."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping


def table(header: str, values: Mapping[str, Any]) -> list[str]:
    """Return the lines of a table and an empty line; values of None are left out."""
    lines = [f"{key} = {value_text(value)}" for key, value in values.items() if value is not None]
    return [header, *lines, ""]


def value_text(value: Any) -> str:
    """Return a value in TOML: JSON spells text, numbers, flags and lists alike."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
