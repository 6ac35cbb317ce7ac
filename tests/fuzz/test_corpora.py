"""Readers take or refuse, in one line, every input of the corpora and a few hundred random ones."""

import random
from pathlib import Path

import pytest

from tests.fuzz.cpp_readers import SOURCE, sources
from tests.fuzz.drawn import TOGETHER
from tests.fuzz.inputs import changed
from tests.fuzz.readers import ENDINGS, READERS, read, seeds
from tests.fuzz.rows import changed_cells

INPUTS = 60
SLOW = {"results": 10, "pack": 10}
"""Random inputs of a reader; `make fuzz` tries many more."""


@pytest.mark.parametrize("name", READERS)
@pytest.mark.filterwarnings("ignore")
def test_reader__takes_or_refuses_any_input(name: str, tmp_path: Path) -> None:
    draw = random.Random(name)
    known = list(seeds(name)) or [b"\n"]
    drawn = (changed(draw.choice(known), draw.choice(known), draw) for _ in range(SLOW.get(name, INPUTS)))
    together = [changed_cells(TOGETHER[name], draw)] if name in TOGETHER else []
    path = tmp_path / f"input{ENDINGS.get(name, '')}"
    for content in (*known, *together, *drawn):
        path.write_bytes(content)
        read(name, path)


def test_cpp_readers__are_compiled_with_what_their_files_include() -> None:
    """Few machines have clang, which would name a file that is missing."""
    found = {str(file.relative_to(SOURCE)) for file in sources() if file.is_relative_to(SOURCE)}
    assert {"tests/fuzz_targets.cc", "core/path_settings.cc", "core/aqm/disciplines.cc"} <= found
