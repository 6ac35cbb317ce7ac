"""Logs as editors and interrupted programs leave them: line ends, blank lines, comments, a cut last line."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from tests.measured.damaged_logs import DAMAGE, check, damaged
from tests.measured.excerpts import LOGS
from tests.measured.imports import import_trace


@pytest.mark.parametrize("name", LOGS)
def test_excerpt__reads_alike_with_other_line_ends_and_blank_lines(name: str, tmp_path: Path) -> None:
    log = LOGS[name]
    (tmp_path / "plain").write_text(log.text)
    plain = import_trace(log.importer, tmp_path / "plain", **log.options)
    assert len(plain) == 3
    assert (plain.decode_time_ns == 0).tolist() == [True, False, False]
    forms = {
        "DOS line ends": log.text.replace("\n", "\r\n"),
        "blank lines": log.header + log.rows.replace("\n", "\n\n") + "\n  \n",
        "comments": log.header + "# by hand\n" + log.rows + "# end\n",
        "a byte-order mark": "\ufeff" + log.text,
    }
    for form, text in forms.items():
        (tmp_path / "other").write_bytes(text.encode())
        other = import_trace(log.importer, tmp_path / "other", **log.options)
        for column in (*plain.table.names, "size_bytes"):
            np.testing.assert_array_equal(getattr(other, column), getattr(plain, column), err_msg=form)


@pytest.mark.parametrize("name", LOGS)
def test_excerpt__that_ends_in_the_middle_of_a_line_loses_that_line(name: str, tmp_path: Path) -> None:
    log = LOGS[name]
    cut = log.rows.rstrip().rfind("\n")
    (tmp_path / "cut").write_text(log.header + log.rows[: cut + 1 + (len(log.rows) - cut) // 4])
    assert len(import_trace(log.importer, tmp_path / "cut", **log.options)) == 2


@pytest.mark.parametrize("name", [name for name in LOGS if name != "table"])
def test_excerpt__is_recognised(name: str, tmp_path: Path) -> None:
    log = LOGS[name]
    (tmp_path / "log").write_text(log.text)
    assert import_trace("auto", tmp_path / "log", **log.options).metadata["importer"] == log.importer


@pytest.mark.parametrize("name", LOGS)
@settings(derandomize=True, deadline=None)
@given(damage=DAMAGE, reading=st.sampled_from(["phy", "link"]))
def test_excerpt__that_is_damaged_is_refused_or_makes_a_good_trace(
    name: str, damage: list[tuple[float, int, str]], reading: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Pieces of the text are replaced; the outcome is one line, or rows that a trace may have."""
    log = LOGS[name]
    path = tmp_path_factory.getbasetemp() / f"damaged-{name}"
    path.write_text(damaged(log.text, damage), encoding="utf-8")
    check(log.importer, path, as_=reading, **log.options)
