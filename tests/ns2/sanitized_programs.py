"""The programs of the backends under the address and undefined-behaviour sanitizers, each built once.

In user-mode Linux the kernel has sanitizers of its own, and any report makes it panic; the driver's part
outside it stops at undefined behaviour. QUIC's program has that part and the link core under both sanitizers.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from analysis.tcp.tcp_linux import builder

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build" / "sanitized"

KERNEL_OPTIONS = """
CONFIG_KASAN=y
CONFIG_KASAN_INLINE=y
CONFIG_KASAN_VMALLOC=y
CONFIG_UBSAN=y
CONFIG_UBSAN_BOUNDS=y
CONFIG_UBSAN_SHIFT=y
CONFIG_UBSAN_DIV_ZERO=y
CONFIG_UBSAN_BOOL=y
CONFIG_UBSAN_ENUM=y
"""
COMPILER = """#!/bin/sh
exec /usr/bin/g++ "$@" -fsanitize=undefined -fsanitize-undefined-trap-on-error
"""
PANIC_AT_A_REPORT = """Let a report end the run.

--- a/kernel/panic.c
+++ b/kernel/panic.c
@@ -62 +62 @@
-int panic_on_warn __read_mostly;
+int panic_on_warn __read_mostly = 1;
"""
LINKER = """#!/bin/sh
exec g++ -Wl,--no-as-needed -lasan -lubsan -Wl,--as-needed "$@"
"""


def ns2() -> Path:
    """Return the simulator."""
    return builder().build_variant("audit", options=("-DCLIFT_SANITIZE=ON",))


def quic() -> Path:
    """Return the program of QUIC."""
    linker = _script("linker", LINKER)  # rustc calls it without the usual libraries
    settings = {
        "CARGO_TARGET_DIR": str(BUILD / "quic"),
        "CXXFLAGS": "-fsanitize=address,undefined -fno-omit-frame-pointer -g1 -D_GLIBCXX_ASSERTIONS",
        "RUSTFLAGS": f'--cfg getrandom_backend="custom" -Clinker={linker}',
    }
    command = ["cargo", "build", "--release", "--locked", "--quiet"]
    subprocess.run(command, cwd=ROOT / "clift-quic", env=os.environ | settings, check=True)
    return BUILD / "quic" / "release" / "clift-quic"


def linux() -> Path:
    """Return the kernel whose flows are the driver's own."""
    shutil.rmtree(BUILD / "clift-ns2", ignore_errors=True)
    for name in ("clift-linux", "clift-ns2/core", "clift-ns2/emulate", "clift-ns2/ns2"):
        shutil.copytree(ROOT / name, BUILD / name, dirs_exist_ok=True, ignore=shutil.ignore_patterns("build"))
    copy = BUILD / "clift-linux"
    build = copy / "build.py"
    build.write_text(build.read_text().replace("in (FLOWS, PROGRAMS)", "in (FLOWS,)"))
    config = copy / "config"
    config.write_text(config.read_text().replace("CONFIG_STATIC_LINK=y\n", "") + KERNEL_OPTIONS)
    patches = copy / "patches"
    (patches / "9999-panic-at-a-report.patch").write_text(PANIC_AT_A_REPORT)
    # The library's own strings would come from another memory than the driver's.
    link = patches / "0004-link-the-driver.patch"
    link.write_text(link.read_text().replace("-lstdc++", "-l:libstdc++.a"))
    path = f"{_script('g++', COMPILER).parent}:{os.environ['PATH']}"
    subprocess.run([sys.executable, build], env=os.environ | {"PATH": path}, check=True)
    return copy / "build" / "linux"


def _script(name: str, text: str) -> Path:
    file = BUILD / "bin" / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    file.chmod(0o755)
    return file
