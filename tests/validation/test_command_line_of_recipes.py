"""The command line of recipes: the folder, copies for the documentation, refusals."""

from pathlib import Path

import pytest

from analysis import pages
from analysis.pages import start
from tmt.core.errors import SimulatorError


class Recipe:
    """Keeps the arguments of its call."""

    def __init__(self) -> None:
        self.called: list[tuple[str, Path, bool]] = []

    def main(self, folder: Path, *, as_is: bool = False) -> str:
        assert (folder / "images").is_dir()
        self.called.append(("main", folder, as_is))
        return "found"


def test_start__makes_the_folder_and_passes_what_was_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    recipe, new = Recipe(), tmp_path / "new"
    monkeypatch.setattr("sys.argv", ["recipe", str(new), "--as-is"])
    start(recipe.main, "page.md", as_is="execute nothing")
    assert recipe.called == [("main", new, True)]
    assert capsys.readouterr().out == "found\n"


def test_docs__get_pages_figures_and_tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    docs, folder = tmp_path / "docs", tmp_path / "out"
    (docs / "images").mkdir(parents=True)
    by_hand = "Text\n<!-- one -->\nold\n<!-- end -->\n<!-- two -->\nkept\n<!-- end -->\n"
    (docs / "by-hand.md").write_text(by_hand)
    monkeypatch.setattr(pages, "DOCS", docs)

    def main(folder: Path) -> str:
        (folder / "page.md").write_text("a page")
        for name in ("a-1", "a-2", "b"):
            (folder / "images" / f"{name}.png").write_text(name)
        return pages.write_tables(folder, "by-hand.md", {"one": "| new |", "two": "| newer |"})

    monkeypatch.setattr("sys.argv", ["recipe", str(folder), "--docs"])
    start(main, "page.md", "images/a-*.png", "by-hand.md#one")
    found = sorted(path.relative_to(docs).as_posix() for path in docs.rglob("*") if path.is_file())
    assert found == ["by-hand.md", "images/a-1.png", "images/a-2.png", "page.md"]
    assert (docs / "page.md").read_text() == "a page"
    one = "Text\n<!-- one -->\n\n| new |\n\n<!-- end -->\n"
    assert (docs / "by-hand.md").read_text() == f"{one}<!-- two -->\nkept\n<!-- end -->\n"
    with pytest.raises(SystemExit, match=r"holds no images/c\.png$"):
        start(main, "images/c.png")


def test_start__without_a_word_takes_the_default(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    recipe = Recipe()
    monkeypatch.setattr("sys.argv", ["recipe"])
    start(recipe.main, "page.md", default=str(tmp_path / "usual"))
    assert recipe.called == [("main", tmp_path / "usual", False)]


@pytest.mark.parametrize("word", ["--dosc", "--docs"])
def test_start__refuses_what_the_recipe_does_not_have(word: str, monkeypatch: pytest.MonkeyPatch) -> None:
    recipe = Recipe()
    monkeypatch.setattr("sys.argv", ["recipe", word])
    with pytest.raises(SystemExit) as ended:
        start(recipe.main)
    assert (ended.value.code, recipe.called) == (2, [])


def test_start__ends_in_one_line_a_user_can_mend(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def main(folder: Path) -> str:
        raise SimulatorError("the simulator is not built")

    monkeypatch.setattr("sys.argv", ["recipe", str(tmp_path)])
    with pytest.raises(SystemExit, match=r"^the simulator is not built$"):
        start(main)
