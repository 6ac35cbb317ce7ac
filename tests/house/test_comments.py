"""Comments and docstrings name only functions, classes and options that exist."""

import ast
import io
import re
import tokenize
from pathlib import Path

import pytest
from processes import execute

ROOT = Path(__file__).resolve().parents[2]
C_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
TCL_COMMENT = re.compile(r"(?:^|;)\s*#[^\n]*", re.MULTILINE)
WORD = re.compile(r"[A-Za-z_]\w*")
NAMED = re.compile(r"`([A-Za-z_][\w.:]*)(\(\))?`")
CHECKED = (".py", ".cc", ".h", ".tcl")


def _tracked() -> list[Path]:
    listing = execute("git", "ls-files", cwd=ROOT, check=True)
    return [ROOT / line for line in listing.stdout.splitlines()]


def _python_parts(text: str) -> tuple[str, str]:
    """Return the code of a module without its comments and docstrings, and those."""
    comments = [
        token.string
        for token in tokenize.generate_tokens(io.StringIO(text).readline)
        if token.type == tokenize.COMMENT
    ]
    tree = ast.parse(text)
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            for statement in [s for s in body if _is_text(s)]:
                comments.append(statement.value.value)
                statement.value.value = ""
    return ast.unparse(tree), "\n".join(comments)


def _is_text(statement: ast.stmt) -> bool:
    value = getattr(statement, "value", None)
    return (
        isinstance(statement, ast.Expr) and isinstance(value, ast.Constant) and isinstance(value.value, str)
    )


def _parts(path: Path) -> tuple[str, str]:
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        return _python_parts(text)
    pattern = TCL_COMMENT if path.suffix == ".tcl" else C_COMMENT
    return pattern.sub(" ", text), "\n".join(pattern.findall(text))


def _unknown(comments: str, known: set[str]) -> list[str]:
    """Return the names in backquotes of which a part is not a word of any code."""
    return sorted({one[0] for one in NAMED.finditer(comments) if not set(WORD.findall(one[1])) <= known})


@pytest.fixture(scope="module")
def sources() -> dict[Path, tuple[str, str]]:
    return {path: _parts(path) for path in _tracked() if path.suffix in CHECKED and path.is_file()}


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
    code, comments = _python_parts('"""About `one`."""\nx = 1  # `two`\n')
    assert "one" not in code
    assert NAMED.findall(comments) == [("two", ""), ("one", "")]
