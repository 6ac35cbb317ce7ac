"""Tables on terminals that are too narrow: no figure is cut."""

from __future__ import annotations

import pytest
from rich.table import Table

from tmt.cli.tables import wide_console

FIGURES = ("12345678 ±123456*", "87654321 ±654321", "1000000")


@pytest.mark.parametrize("columns", [1, 30, 200])
def test_wide_console__keeps_what_must_not_wrap_whole(columns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    table = Table(title="a title", box=None)
    for heading in ("first", "a long heading", "third"):
        table.add_column(heading, no_wrap=True)
    table.add_column("meaning")
    table.add_row(*FIGURES, "words that may stand below each other")
    console = wide_console(table)
    with console.capture() as capture:
        console.print(table)
    said = capture.get()
    for text in (*FIGURES, "a long heading", "below"):
        assert text in said
    assert "…" not in said
    if columns == 200:
        assert "words that may stand below each other" in said


def test_wide_console__takes_brackets_for_what_they_are() -> None:
    table = Table("[red]", box=None)
    table.add_row("a[/bold].parquet")
    console = wide_console(table)
    with console.capture() as capture:
        console.print(table)
    assert capture.get().split() == ["[red]", "a[/bold].parquet"]
