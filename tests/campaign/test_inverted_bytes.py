"""One byte of a campaign's files is inverted: the file is refused, healed, or as good as before."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest
from damage import damages
from result_rows import row_of
from scenario_parts import runs_of

from tmt.campaign.database import DATABASE, read_runs
from tmt.campaign.link_traces import Convert, facts_file, is_converted, link_file, make_link_trace, read_facts
from tmt.campaign.store import Store
from tmt.core.errors import TmtError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.mark.parametrize("ending", ["", "-wal"])
def test_rows__are_refused_or_were_written(ending: str, tmp_path: Path) -> None:
    """The last rows are in the write-ahead log while the campaign's engine is at work."""
    store, out = Store(tmp_path / "out"), tmp_path / "copy"
    for first in (0, 6):
        store.append(*(row_of(n, goodput_bps=799_296.5 + n) for n in range(first, first + 6)))
    written = read_runs(tmp_path / "out").to_pylist()
    if not ending:
        store.close()
    out.mkdir()
    for name in {DATABASE, DATABASE + ending}:
        shutil.copy(tmp_path / "out" / name, out)
    if ending:
        store.close()
    assert read_runs(out).to_pylist() == written
    noticed = 0
    for place in damages(out / (DATABASE + ending)):
        try:
            found = read_runs(out).to_pylist()
        except TmtError:
            noticed += 1
        else:
            assert all(row in written for row in found), place
            noticed += len(found) < len(written)  # a log ends before its damage; those runs are done again
    assert noticed


def test_link_trace__is_made_again_with_the_same_facts(
    tmp_path: Path, write_scenario: Callable[..., Path]
) -> None:
    (run,) = runs_of(write_scenario(tmp_path / "s.toml", tcp='["newreno"]', seeds=1))[:1]
    cache, scratch = tmp_path / "cache", tmp_path / "scratch"
    cache.mkdir()
    scratch.mkdir()
    assert make_link_trace(Convert(run.recipe, cache, scratch)) is None
    told = read_facts(cache, run.recipe)
    for file in (link_file, facts_file):
        for place in damages(file(cache, run.recipe)):
            assert not is_converted(cache, run.recipe), (file.__name__, place)
    assert read_facts(cache, run.recipe) == told
