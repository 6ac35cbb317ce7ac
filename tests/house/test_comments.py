"""Comments and docstrings name only functions, classes and options that exist."""

import re
from pathlib import Path

import pytest
from processes import execute

ROOT = Path(__file__).resolve().parents[2]
COMMENTS = {
    ".py": re.compile(r'(?:^|\s)#[^\n]*|^ *r?"""(?!\\).*?"""|(?P<text>""".*?""")', re.MULTILINE | re.DOTALL),
    ".tcl": re.compile(r"(?:^|;)\s*#[^\n]*", re.MULTILINE),
} | dict.fromkeys((".cc", ".h"), re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL))
"""By a file's ending; docstrings count. Texts in triple quotes match, but stay code."""

WORD = re.compile(r"[A-Za-z_]\w*")
NAMED = re.compile(r"`([A-Za-z_][\w.:]*)(\(\))?`")


def _tracked() -> list[Path]:
    listing = execute("git", "ls-files", cwd=ROOT, check=True)
    return [ROOT / line for line in listing.stdout.splitlines()]


def _parts(text: str, ending: str) -> tuple[str, str]:
    """Return the code of a file without its comments, and those."""
    found = [one for one in COMMENTS[ending].finditer(text) if one.lastgroup != "text"]
    code = COMMENTS[ending].sub(lambda one: one[0] if one.lastgroup == "text" else " ", text)
    return code, "\n".join(one[0] for one in found)


def _unknown(comments: str, known: set[str]) -> list[str]:
    """Return the names in backquotes of which a part is not a word of any code."""
    return sorted({one[0] for one in NAMED.finditer(comments) if not set(WORD.findall(one[1])) <= known})


@pytest.fixture(scope="module")
def sources() -> dict[Path, tuple[str, str]]:
    found = [path for path in _tracked() if path.suffix in COMMENTS and path.is_file()]
    return {path: _parts(path.read_text(encoding="utf-8"), path.suffix) for path in found}


@pytest.fixture(scope="module")
def known(sources: dict[Path, tuple[str, str]]) -> set[str]:
    """Words of all code, and of the names of all files."""
    words = {word for code, _ in sources.values() for word in WORD.findall(code)}
    words |= {word for path in _tracked() for word in WORD.findall(str(path.relative_to(ROOT)))}
    return words


def test_comments__name_what_exists(sources: dict[Path, tuple[str, str]], known: set[str]) -> None:
    found = {
        str(path.relative_to(ROOT)): unknown
        for path, (_, comments) in sources.items()
        if (unknown := _unknown(comments, known))
    }
    assert found == {}


def test_check__finds_a_name_that_is_gone() -> None:
    assert _unknown("see `found` and `gone`, `a.gone()`", {"found", "a"}) == ["`a.gone()`", "`gone`"]
    code, comments = _parts('"""About `one`."""\nx = """`three`"""  # `two`\n', ".py")
    assert WORD.findall(code) == ["x", "three"]
    assert NAMED.findall(comments) == [("one", ""), ("two", "")]
