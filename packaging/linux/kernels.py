"""Hatchling's hook that fills the wheel of the kernels (`make linux-wheel`), which are static programs.

They lie in the wheel's folder `clift-linux`, where the package `tmt` seeks them as in a checkout, with the
stamps of their builds: a run has the same key with the wheel's kernel and with the checkout's own.
"""

from __future__ import annotations

import platform
import re
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

ROOT = Path(__file__).resolve().parents[2]
LINUX = ROOT / "clift-linux"

sys.path.insert(0, str(LINUX))
import build  # noqa: E402

OURS = (
    *(f"clift-linux/{name}" for name in ("build.py", "config", "driver", "patches", "programs")),
    *(f"clift-ns2/{name}" for name in ("core", "emulate", "ns2/end_with_parent.cc", "ns2/end_with_parent.h")),
)
"""All that the kernels are built from, beside Linux itself."""

README = """\
build/linux and build/programs/linux are Linux {version} as user-mode Linux, under version 2 of the GNU
General Public License (GPL-2), with the patches, the configuration and the driver of CLIFT in source/.

Linux is Debian's package {package}, version {version}, SHA-256
{sha256}. With it

    python3 source/clift-linux/build.py

builds both on Debian. We give the complete source of these programs to whoever has them and asks for it, for
three years from the day of this wheel: {repository}
"""


class KernelHook(BuildHookInterface):  # type: ignore[type-arg]
    """Adds the kernels, their sources and their licence to the wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Name the files by their place in the wheel; a kernel that is not up to date is refused."""
        origin = build.kernel_origin()
        places = {ROOT / name: f"clift-linux/source/{name}" for name in OURS}
        for variant in (build.FLOWS, build.PROGRAMS):
            assert build.is_up_to_date(variant, origin), "run `make linux-kernel` without KERNEL_TREE first"
            for path in (variant.program, variant.home / "stamp"):
                places[path] = f"clift-linux/{path.relative_to(LINUX)}"
        readme = LINUX / "build" / "README"
        readme.write_text(_readme(origin))
        places |= {readme: "clift-linux/README", ROOT / "LICENSE": "clift-linux/LICENSE"}
        build_data["force_include"] |= {str(path): place for path, place in places.items()}
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-manylinux_2_17_{platform.machine()}"


def _readme(origin: str) -> str:
    package, _, version = origin.partition("=")
    listed = build.output_of(["apt-cache", "show", "--no-all-versions", package])
    (sha256,) = re.findall(r"^SHA256: (\w+)$", listed, re.MULTILINE)
    (repository,) = re.findall(r'^Repository = "(.+)"$', (ROOT / "pyproject.toml").read_text(), re.MULTILINE)
    return README.format(package=package, version=version, sha256=sha256, repository=repository)
