"""Hashes, by folders, of the sources that decide a result.

A link trace is decided by the core and the folders of its channel and scheme. A run over link traces is
decided by the core, the folder of its backend, and the files that all backends share. Words decide nothing: a
hash omits docstrings, comments, layout, notes in ``Annotated``, the texts of raised errors, imports for type
checkers, and ``__all__``. Other files in a folder, such as a table of measured values, are hashed byte by
byte.
"""

from __future__ import annotations

import ast
import hashlib
import json
import os
import secrets
from contextlib import suppress
from dataclasses import fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tmt.core.errors import ChangedProgramsError
from tmt.core.provenance import FileVersion, file_version, user_cache

if TYPE_CHECKING:
    from collections.abc import Iterator


PACKAGE = Path(__file__).resolve().parents[1]

MODELS = "core/channels", "core/schemes", "core/sharing"
"""Folders whose subfolders and files count only if their model takes part."""

WORDS = "core/words"

KEYS = "core/identity.py"
"""This module decides keys, and no result."""

MOST_HASHES = 2000
"""Number of cached sources above which those of older versions are dropped."""


@cache
def core_places() -> tuple[Path, ...]:
    """Return the folders and files of the core, without models, words and this file."""
    others = {PACKAGE / place for place in (*MODELS, WORDS, KEYS, "core/__pycache__")}
    return tuple(place for place in sorted((PACKAGE / "core").iterdir()) if place not in others)


def model_places(*models: object) -> tuple[Path, ...]:
    """Return the folders, or files, of channels and schemes and of the models nested in them."""
    return tuple(sorted({place for model in models for place in _places(model)}))


def _places(model: Any) -> Iterator[Path]:
    yield from class_places(type(model).__mro__)
    if is_dataclass(model):
        for field in fields(model):
            yield from _places(getattr(model, field.name))


@cache
def class_places(classes: tuple[type[Any], ...]) -> tuple[Path, ...]:
    """Return the folders, or files, of the classes that are models or bases of models."""
    names = (one.__module__.split(".") for one in classes)
    found = (PACKAGE.joinpath(*parts[1:4]) for parts in names if "/".join(parts[1:3]) in MODELS)
    return tuple(place if place.is_dir() else place.with_suffix(".py") for place in found)


@cache
def source_hash(*places: Path, root: Path = PACKAGE) -> str:
    """Return the hash of all sources in folders below `root`, and of single files."""
    known, digest = _Cache(), hashlib.sha256()
    for path in map(Path, sorted(versions(*places))):
        digest.update(f"{path.relative_to(root).as_posix()}\0{known.hash_of(path)}\0".encode())
    known.save()
    return digest.hexdigest()


def loaded_hash(*places: Path) -> str:
    """Return the `source_hash` of sources that this process has loaded, or will load.

    ChangedProgramsError when a file was changed, added or removed after the start of the process.
    """
    found, now = source_hash(*places), versions(*places)
    for path in sorted(now.keys() | _loaded_files(*places)):
        if now.get(path) != LOADED.get(path):
            raise ChangedProgramsError(
                f"{path}: was changed after tmt had started; what it made since then is not kept; call again"
            )
    return found


def versions(*places: Path) -> dict[str, FileVersion | None]:
    """Return the version of each file in folders, and of single files, without editors' backup files."""
    files = [str(place) for place in places if not place.is_dir()]
    for place in places:
        for folder, folders, names in os.walk(place):
            folders[:] = [name for name in folders if name != "__pycache__"]
            files += [f"{folder}/{name}" for name in names if name[0] != "." and name[-1] != "~"]
    return {file: file_version(file) for file in files}


LOADED = versions(PACKAGE)
"""The versions of all files of the package when this process loaded this module."""


@cache
def _loaded_files(*places: Path) -> frozenset[str]:
    names, folders = {str(place) for place in places}, tuple(f"{place}{os.sep}" for place in places)
    return frozenset(file for file in LOADED if file in names or file.startswith(folders))


class _Cache:
    """Cache of the hash of each source's syntax tree, by the hash of its text, because parsing all sources
    takes seconds.

    It is beside the package, as Python's bytecode is, or else in the user's cache folder.
    """

    def __init__(self) -> None:
        # Hashes made by another version of this module are never read.
        version = hashlib.sha256(Path(__file__).read_bytes()).hexdigest()[:16]
        places = PACKAGE / "__pycache__", user_cache()
        self._files = [place / f"identity-{version}.json" for place in places if place is not None]
        self._hashes: dict[str, str] = {}
        self._used: dict[str, str] = {}
        self._is_new = False
        for file in self._files:
            with suppress(OSError, ValueError, TypeError):
                self._hashes |= json.loads(file.read_bytes())

    def hash_of(self, file: Path) -> str:
        """Return the hash of a source's syntax tree, or of another file's content; new sources are parsed."""
        text = file.read_bytes()
        key = hashlib.sha256(text).hexdigest()
        if file.suffix != ".py":
            return key
        if key not in self._hashes:
            syntax = repr(_simplified(ast.parse(text)))
            self._hashes[key] = hashlib.sha256(syntax.encode()).hexdigest()
            self._is_new = True
        self._used[key] = self._hashes[key]
        return self._hashes[key]

    def save(self) -> None:
        """Keep new hashes in the first folder that can be written, if there is one."""
        hashes = self._hashes if len(self._hashes) < MOST_HASHES else self._used
        for file in self._files if self._is_new else ():
            staged = file.with_name(f"{file.name}.{secrets.token_hex(4)}")
            with suppress(OSError):
                file.parent.mkdir(parents=True, exist_ok=True)
                staged.write_text(json.dumps(hashes))
                staged.replace(file)
                return


def _simplified(node: Any) -> Any:
    """Return a tree as nested tuples, without empty fields and the statements that decide nothing.

    Empty fields are left out because newer versions of Python add more of them.
    """
    if isinstance(node, list):
        return [_simplified(one) for one in node if not _is_unseen(one)]
    if not isinstance(node, ast.AST):
        return node
    if isinstance(node, ast.Raise):
        _remove_words(node)
    if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and node.value.id == "Annotated":
        # Words and bounds beside the type refuse values; they change no result.
        return _simplified(node.slice.elts[0])  # type: ignore[attr-defined]
    parts = [(name, _simplified(value)) for name, value in ast.iter_fields(node) if value not in (None, [])]
    return type(node).__name__, parts


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
