"""Hashes of the sources that decide a result.

The sources of a result are the modules that compute it and every module that those import, directly or not,
at the top of a file or inside a function. The import statements are the only list of them. A change of
wording makes no run anew: a module's hash leaves out docstrings, comments, layout, notes in ``Annotated``,
the words of errors that it raises, the imports that only type checkers see, and the list ``__all__``. A file
that a module names and that lies beside it, such as a table of measured values, is part of the module.

Parsing all sources takes half a second. Therefore the hash and the imports of each source are cached by the
source's content: beside the package, as Python does with bytecode, or else in the user's cache folder.
"""

from __future__ import annotations

import ast
import hashlib
import json
import os
import secrets
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

PACKAGE = Path(__file__).resolve().parents[1]

MOST_FACTS = 2000
"""Sources in a cache beyond which those of older versions are dropped."""

Facts = dict[str, Any]
"""Of one source: ``tree``, the hash of its syntax; ``imports``, names that it may import; ``names``, text
constants that may be names of files."""


@cache
def source_hash(
    *modules: str, package: Path = PACKAGE, others: tuple[Path, ...] = (), outputs: tuple[Path, ...] = ()
) -> str:
    """Return the hash of all sources that decide the results of these modules.

    Parameters
    ----------
    *modules
        Full names, such as ``tmt.core.generate``.
    package
        Folder of the package that they belong to.
    others
        Folders of packages beside it whose modules count, too.
    outputs
        Files that the modules write, which decide nothing.
    """
    digest = hashlib.sha256()
    for path, content in _closure(modules, (package, *others)).items():
        if package.parent / path in outputs:
            continue
        digest.update(f"{path}\0{content}\0".encode())
    return digest.hexdigest()


def deciding_files(*modules: str, package: Path = PACKAGE) -> list[Path]:
    """Return the files that `source_hash` covers."""
    return [package.parent / path for path in _closure(modules, (package,))]


def _closure(modules: Iterable[str], packages: tuple[Path, ...]) -> dict[str, str]:
    """Return the hash of each source and each data file, by path, in the order of paths."""
    known = _Cache(packages[0])
    found: dict[str, str] = {}
    waiting, seen = list(modules), set()
    while waiting:
        name = waiting.pop()
        file = _file_of(name, packages)
        if name in seen or file is None:
            continue
        seen.add(name)
        # Importing a.b.c runs a/__init__.py and a/b/__init__.py first.
        waiting.append(name.rpartition(".")[0])
        facts = known.facts(file)
        waiting += _absolute(facts["imports"], name, file)
        found[_relative(file, packages)] = facts["tree"]
        for text in facts["names"]:
            beside = file.with_name(text)
            if beside.is_file():
                found[_relative(beside, packages)] = hashlib.sha256(beside.read_bytes()).hexdigest()
    known.save()
    missing = set(modules) - seen
    assert not missing, f"no such modules: {missing}"
    return dict(sorted(found.items()))


def _relative(file: Path, packages: tuple[Path, ...]) -> str:
    package = next(one for one in packages if file.is_relative_to(one))
    return file.relative_to(package.parent).as_posix()


def _file_of(name: str, packages: tuple[Path, ...]) -> Path | None:
    """Return the file of a module of the packages; None for names inside a module and for other packages."""
    first, *rest = name.split(".")
    package = next((one for one in packages if one.name == first), None)
    if package is None:
        return None
    place = package.joinpath(*rest)
    for file in (place / "__init__.py", place.parent / f"{place.name}.py"):
        if file.is_file():
            return file
    return None


def _absolute(imports: list[tuple[int, str]], name: str, file: Path) -> list[str]:
    """Return imported names in full; `level` is the number of dots before a relative one."""
    parts = name.split(".")
    own_package = parts if file.name == "__init__.py" else parts[:-1]
    return [
        ".".join([*own_package[: len(own_package) - level + 1], imported]) if level else imported
        for level, imported in imports
    ]


class _Cache:
    """Cache of the facts about each source, by the hash of its text."""

    def __init__(self, package: Path) -> None:
        # Facts that another version of this module has found are never read.
        version = hashlib.sha256(Path(__file__).read_bytes()).hexdigest()[:16]
        home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
        self._files = [
            folder / f"identity-{version}.json" for folder in (package / "__pycache__", home / "tmt")
        ]
        self._facts: dict[str, Facts] = {}
        self._used: dict[str, Facts] = {}
        self._is_new = False
        for file in self._files:
            with suppress(OSError, ValueError, TypeError):
                self._facts |= json.loads(file.read_bytes())

    def facts(self, source: Path) -> Facts:
        """Return the facts about a source; it is parsed if its text is new."""
        text = source.read_bytes()
        key = hashlib.sha256(text).hexdigest()
        if key not in self._facts:
            self._facts[key] = _facts(text)
            self._is_new = True
        self._used[key] = self._facts[key]
        return self._facts[key]

    def save(self) -> None:
        """Keep new facts in the first folder that can be written, if there is one."""
        facts = self._facts if len(self._facts) < MOST_FACTS else self._used
        for file in self._files if self._is_new else ():
            staged = file.with_name(f"{file.name}.{secrets.token_hex(4)}")
            with suppress(OSError):
                file.parent.mkdir(parents=True, exist_ok=True)
                staged.write_text(json.dumps(facts))
                staged.replace(file)
                return


def _facts(text: bytes) -> Facts:
    imports: list[tuple[int, str]] = []
    names: set[str] = set()
    tree = repr(_simplified(ast.parse(text), imports, names))
    return {
        "tree": hashlib.sha256(tree.encode()).hexdigest(),
        "imports": sorted(set(imports)),
        "names": sorted(names),
    }


def _simplified(node: Any, imports: list[tuple[int, str]], names: set[str]) -> Any:
    """Return a tree as nested tuples, without empty fields and the statements that decide nothing.

    Empty fields are left out because newer versions of Python add more of them.
    """
    if isinstance(node, list):
        return [_simplified(one, imports, names) for one in node if not _is_unseen(one)]
    if not isinstance(node, ast.AST):
        return node
    if isinstance(node, ast.Raise):
        _remove_words(node)
    if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and node.value.id == "Annotated":
        # Beside the type stand words and bounds: they refuse values, and change no result.
        return _simplified(node.slice.elts[0], imports, names)  # type: ignore[attr-defined]
    if isinstance(node, ast.Import):
        imports += [(0, alias.name) for alias in node.names]
    elif isinstance(node, ast.ImportFrom):
        module = node.module or ""
        # The imported name may be a module, or a name inside the module.
        imports += [(node.level, ".".join(filter(None, (module, alias.name)))) for alias in node.names]
        imports.append((node.level, module))
    elif isinstance(node, ast.Constant) and isinstance(node.value, str) and _may_name_a_file(node.value):
        names.add(node.value)
    fields = [
        (name, _simplified(value, imports, names))
        for name, value in ast.iter_fields(node)
        if value is not None and value != []
    ]
    return type(node).__name__, fields


def _remove_words(statement: ast.Raise) -> None:
    """Empty the texts of an error's message."""
    for part in ast.walk(statement):
        if isinstance(part, ast.JoinedStr):
            part.values = []
        elif isinstance(part, ast.Constant) and isinstance(part.value, str):
            part.value = ""


def _is_unseen(statement: Any) -> bool:
    """Whether a statement decides nothing: a docstring, a list of exports, or imports for type checkers."""
    if isinstance(statement, ast.Expr):
        return isinstance(statement.value, ast.Constant)
    if isinstance(statement, ast.Assign):
        return all(isinstance(target, ast.Name) and target.id == "__all__" for target in statement.targets)
    return (
        isinstance(statement, ast.If)
        and isinstance(statement.test, ast.Name)
        and statement.test.id == "TYPE_CHECKING"
    )


def _may_name_a_file(text: str) -> bool:
    return "." in text[1:-1] and len(text) < 100 and not set(text) & set("/\\\0\n ")
