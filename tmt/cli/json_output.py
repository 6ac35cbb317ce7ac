"""Results as JSON for programs; NaN and infinity become null."""

from __future__ import annotations

import json
import math
from typing import Any


def json_text(content: Any) -> str:
    """Return nested dictionaries and sequences as JSON; NaN and infinite numbers become null."""
    return json.dumps(_plain(content), indent=2, allow_nan=False)


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(member) for key, member in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(member) for member in value]
    if hasattr(value, "item"):  # a number of numpy's
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value
