"""The command line of recipes: the folder, copies for the documentation, refusals."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from analysis.command_line import start
from tmt.errors import SimulatorError

if TYPE_CHECKING:
    from pathlib import Path


class Recipe:
    """Keeps the arguments of its call."""

    def __init__(self) -> None:
        self.called: list[tuple[str, Path, bool]] = []

    def main(self, folder: Path, *, as_is: bool = False) -> str:
        assert folder.is_dir()
        self.called.append(("main", folder, as_is))
        return "found"

    def keep_in_docs(self, folder: Path) -> None:
        self.called.append(("keep", folder, False))


def test_start__makes_the_folder_and_passes_what_was_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    recipe, new = Recipe(), tmp_path / "new"
    monkeypatch.setattr("sys.argv", ["recipe", str(new), "--as-is", "--docs"])
    start(recipe.main, recipe.keep_in_docs, as_is="execute nothing")
    assert recipe.called == [("main", new, True), ("keep", new, False)]
    assert capsys.readouterr().out == "found\n"


def test_start__without_a_word_takes_the_default_and_touches_no_docs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recipe = Recipe()
    monkeypatch.setattr("sys.argv", ["recipe"])
    start(recipe.main, recipe.keep_in_docs, default=str(tmp_path / "usual"))
    assert recipe.called == [("main", tmp_path / "usual", False)]


@pytest.mark.parametrize("word", ["--dosc", "--docs"])
def test_start__refuses_what_the_recipe_does_not_have(word: str, monkeypatch: pytest.MonkeyPatch) -> None:
    recipe = Recipe()
    monkeypatch.setattr("sys.argv", ["recipe", word])
    with pytest.raises(SystemExit) as ended:
        start(recipe.main)
    assert (ended.value.code, recipe.called) == (2, [])


def test_start__ends_with_one_line_when_a_user_can_mend_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def main(folder: Path) -> str:
        raise SimulatorError("the simulator is not built")

    monkeypatch.setattr("sys.argv", ["recipe", str(tmp_path)])
    with pytest.raises(SystemExit, match=r"^the simulator is not built$"):
        start(main)
