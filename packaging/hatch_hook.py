"""Hatchling's hook that adds simulator, scenarios, traces and man pages to the wheel (`make wheel`).

Without the hook a wheel holds only the Python package, as `pip install --editable` needs it.
"""

from __future__ import annotations

import platform
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

LEFT_OUT = {"__pycache__", "contract", "out"}
"""Folders that hold no examples: results, and damaged traces for the readers' tests."""


class SimulatorHook(BuildHookInterface):  # type: ignore[type-arg]
    """Adds files to the wheel, and the tag of the machines on which its programs run."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Name the files, by their place in the wheel."""
        root = Path(self.root)
        contents = root / "clift-ns2" / "build-wheel" / "contents"
        assert (contents / "build" / "ns").is_file(), "run packaging/static_programs.py first"
        places = {contents: "clift-ns2", root / "clift-ns2" / "tcl": "clift-ns2/tcl"}
        for name in ("scenarios", "traces"):
            for path in sorted((root / name).rglob("*")):
                inside = path.relative_to(root)
                if path.is_file() and not LEFT_OUT & set(inside.parts):
                    places[path] = f"tmt/examples/{inside}"
        data = f"tmt_clift-{self.metadata.version}.data/data/share/man/man1"
        places |= {path: f"{data}/{path.name}" for path in (contents.parent / "man").glob("*.1")}
        build_data["force_include"] |= {str(path): place for path, place in places.items()}
        build_data["pure_python"] = False
        # Static programs need no version of the C library; this is the oldest that a tag can name.
        build_data["tag"] = f"py3-none-manylinux_2_17_{platform.machine()}"
