"""Metadata that a link trace takes over from its PHY trace."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tmt.trace import Metadata


def about_rows(metadata: Metadata) -> Metadata:
    """Return the size of the rows, and how packets lie in them where the trace says so."""
    packing = metadata.get("packing")
    return {"lldu_bytes": metadata.get("lldu_bytes")} | ({} if packing is None else {"packing": packing})
