"""Two classes never share a name, and no modules of the package import each other, be it only for types."""

from __future__ import annotations

import ast
from collections import defaultdict
from graphlib import TopologicalSorter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def _modules(package: str) -> dict[str, ast.Module]:
    found = {}
    for path in (ROOT / package).rglob("*.py"):
        parts = path.relative_to(ROOT).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        found[name] = ast.parse(path.read_text(encoding="utf-8"))
    return found


MODULES = _modules("tmt")


def test_classes__have_names_of_their_own() -> None:
    places = defaultdict(list)
    for module, tree in (MODULES | _modules("analysis") | _modules("benchmarks")).items():
        for node in tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(module)
    assert {name: found for name, found in places.items() if len(found) > 1} == {}


def test_modules__import_each_other_in_one_direction_only() -> None:
    needs: dict[str, set[str]] = {module: set() for module in MODULES}
    for module, tree in MODULES.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                members = [f"{node.module}.{alias.name}" for alias in node.names]
                names = [one if one in MODULES else str(node.module) for one in members]
            else:
                continue
            # `tmt` itself imports its names only when they are used; others take the version from it.
            needs[module] |= {name for name in names if name in MODULES and name not in (module, "tmt")}
    TopologicalSorter(needs).prepare()  # raises CycleError, which names the modules
