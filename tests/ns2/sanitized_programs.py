"""The programs of the backends under the address and undefined-behaviour sanitizers, each built once.

In user-mode Linux the kernel has sanitizers of its own, and any report makes it panic; the driver's part
outside it stops at undefined behaviour. QUIC's program has that part and the link core under both sanitizers.
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build" / "sanitized"
KERNEL = Path(__file__).with_name("sanitized_kernel")

LINKER = """#!/bin/sh
exec g++ -Wl,--no-as-needed -lasan -lubsan -Wl,--as-needed "$@"
"""


def build_script(folder: str, root: Path = ROOT) -> ModuleType:
    """Return the module `build.py` of a folder of a checkout."""
    name = f"build_{folder}"
    spec = importlib.util.spec_from_file_location(name, root / folder / "build.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # a dataclass looks for its module there
    spec.loader.exec_module(module)
    return module


def ns2() -> Path:
    """Return the simulator."""
    return build_script("clift-ns2").build_variant("audit", options=("-DCLIFT_SANITIZE=ON",))


def quic() -> Path:
    """Return the program of QUIC."""
    linker = BUILD / "linker"  # rustc calls it, for the program only, without the usual libraries
    linker.parent.mkdir(parents=True, exist_ok=True)
    linker.write_text(LINKER)
    linker.chmod(0o755)
    settings = {
        "CARGO_TARGET_DIR": str(BUILD / "quic"),
        "CXXFLAGS": "-fsanitize=address,undefined -fno-omit-frame-pointer -g1 -D_GLIBCXX_ASSERTIONS",
    }
    command = ["cargo", "rustc", "--release", "--locked", "--quiet", "--", f"-Clinker={linker}"]
    subprocess.run(command, cwd=ROOT / "clift-quic", env=os.environ | settings, check=True)
    return BUILD / "quic" / "release" / "clift-quic"


def linux() -> Path:
    """Return the kernel whose flows are the driver's own."""
    script = build_script("clift-linux")
    kernel = script.Variant(
        "sanitized kernel",
        "kernel-sanitized",
        ("config", str(KERNEL / "config")),
        ("driver", str(KERNEL)),
        BUILD / "linux",
        ("-fsanitize=undefined", "-fsanitize-undefined-trap-on-error"),
    )
    script.build(kernel)
    return kernel.program
