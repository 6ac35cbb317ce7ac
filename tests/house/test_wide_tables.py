"""Tables on terminals that are too narrow: no figure is cut."""

import pytest
from rich.table import Table

from tmt.cli.tables import print_parts

FIGURES = ("12345678 ±123456*", "87654321 ±654321", "1000000")


@pytest.mark.parametrize("columns", [1, 30, 200])
def test_print_parts__keeps_what_must_not_wrap_whole(
    columns: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    table = Table(title="a title", box=None)
    for heading in ("first", "a long heading", "third"):
        table.add_column(heading, no_wrap=True)
    table.add_column("meaning")
    table.add_row(*FIGURES, "words that may stand below each other")
    print_parts(table)
    said = capsys.readouterr().out
    for text in (*FIGURES, "a long heading", "below"):
        assert text in said
    assert "…" not in said
    assert [line for line in said.splitlines() if line.endswith(" ")] == []
    if columns == 200:
        assert "words that may stand below each other" in said


def test_print_parts__takes_brackets_for_what_they_are(capsys: pytest.CaptureFixture[str]) -> None:
    table = Table("[red]", box=None)
    table.add_row("a[/bold].parquet")
    print_parts(table)
    assert capsys.readouterr().out.split() == ["[red]", "a[/bold].parquet"]
