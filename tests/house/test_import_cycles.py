"""No modules of the package import each other when they are loaded; lint-imports checks only the rooms."""

import ast
from graphlib import TopologicalSorter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_modules__import_each_other_in_one_direction_only() -> None:
    modules = {}
    for path in (ROOT / "tmt").rglob("*.py"):
        parts = path.relative_to(ROOT).with_suffix("").parts
        modules[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    needs: dict[str, set[str]] = {module: set() for module in modules}
    for module, path in modules.items():
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                members = [f"{node.module}.{alias.name}" for alias in node.names]
                names = [one if one in modules else str(node.module) for one in members]
            else:
                continue
            # `tmt` itself imports its names only when they are used; others take the version from it.
            needs[module] |= {name for name in names if name in modules and name not in (module, "tmt")}
    TopologicalSorter(needs).prepare()  # raises CycleError, which names the modules
