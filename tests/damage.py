"""Files with one byte inverted."""

import os
from collections.abc import Iterator
from pathlib import Path

APART = 1 if os.environ.get("TMT_EVERY_BYTE") else 97
"""Distance of the bytes that are inverted: `make soak` inverts every byte."""


def damages(path: Path) -> Iterator[int]:
    """Invert a byte of the file, then give its place; the file is whole again in the end."""
    whole = path.read_bytes()
    for place in range(0, len(whole), APART):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 0xFF]) + whole[place + 1 :])
        yield place
    path.write_bytes(whole)
