#!/usr/bin/env python3
"""Build the program whose QUIC runs in simulated time, `clift-quic/build/clift-quic`, if it is out of date.

It is a crate of ours over quinn-proto, compiled by cargo from the sources that Cargo.lock names, with the
link core of clift-ns2. Any problem ends in one line and exit status 1. Needs nothing but Python's standard
library to start.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
CORE = HERE.parent / "clift-ns2"
DRIVER = HERE.parent / "clift-linux" / "driver"
LINKED = (
    *(f"emulate/{name}.cc" for name in ("flow_table", "ip_packet", "report", "histogram")),
    "ns2/end_with_parent.cc",
)
"""The sources of clift-ns2 outside its core that build.rs compiles."""
HEADERS = ("core/*.h", "core/aqm/*.h", "emulate/*.h", "ns2/end_with_parent.h")
CORE_FILES = ("core/*.cc", "core/aqm/*.cc", *HEADERS)
DRIVER_FILES = ("clift.h", "host.cc", "path.cc", "path.h", "records.h")
OLDEST = (1, 85)
"""The oldest version of Rust that quinn-proto compiles with."""
RUST = "Rust 1.85 or newer is needed: Debian 13's package cargo, or rustup.rs"


class BuildError(Exception):
    """The reason why the build stops, in one line."""


def build() -> None:
    """Bring the program up to date, and write the stamp of its sources beside it."""
    version = rust_version()
    if shutil.which("g++") is None:
        raise BuildError("g++ is missing: install Debian's package g++")
    folder = HERE / "build"
    folder.mkdir(exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        program, stamp_file = folder / "clift-quic", folder / "stamp"
        sources = source_hash(version)
        if program.is_file() and stamp_file.is_file() and stamp_file.read_text() == stamp(sources, program):
            say("the program is up to date")
            return
        stamp_file.unlink(missing_ok=True)
        say("compiling, a minute")
        compile_program(folder)
        shutil.copy(folder / "target" / "release" / "clift-quic", folder / "clift-quic.new")
        (folder / "clift-quic.new").rename(program)
        stamp_file.write_text(stamp(sources, program))
        say(f"built {program}, {program.stat().st_size / 1e6:.0f} MB")


def rust_version() -> str:
    """Return the compiler's name and version, and refuse a missing or an old one."""
    if shutil.which("cargo") is None or shutil.which("rustc") is None:
        raise BuildError(f"cargo is missing. {RUST}")
    said = subprocess.run(["rustc", "--version"], capture_output=True, text=True, check=False).stdout.strip()
    found = re.search(r"(\d+)\.(\d+)", said)
    if not found or (int(found[1]), int(found[2])) < OLDEST:
        raise BuildError(f"rustc says {said or 'nothing'}. {RUST}")
    return said


def stamp(sources: str, program: Path) -> str:
    """Return the text of a stamp: the hash of the sources, and that of the program built from them."""
    return f"{sources} {hashlib.sha256(program.read_bytes()).hexdigest()}\n"


def inputs() -> list[Path]:
    """Return the files that decide the program: crate, locked libraries, link core."""
    crate = ("build.py", "build.rs", "Cargo.toml", "Cargo.lock", ".cargo/config.toml")
    return [
        *(HERE / name for name in crate),
        *sorted((HERE / "src").iterdir()),
        *(DRIVER / name for name in DRIVER_FILES),
        *(CORE / name for name in LINKED),
        *(path for pattern in CORE_FILES for path in sorted(CORE.glob(pattern))),
    ]


def source_hash(version: str) -> str:
    """Hash the inputs of the build and the compilers."""
    digest = hashlib.sha256(version.encode())
    for path in inputs():
        digest.update(f"{path.relative_to(HERE.parent)}\0{path.stat().st_size}\0".encode())
        digest.update(path.read_bytes())
    compiler = subprocess.run(["g++", "--version"], capture_output=True, text=True, check=False).stdout
    digest.update(compiler.partition("\n")[0].encode())
    return digest.hexdigest()


def compile_program(folder: Path) -> None:
    """Compile with cargo; it shows its own progress on a terminal."""
    command = ["cargo", "build", "--release", "--locked"]
    quiet = [] if sys.stderr.isatty() else ["--quiet"]
    environment = os.environ | {"CARGO_TARGET_DIR": str(folder / "target")}
    environment.pop("RUSTFLAGS", None)  # they would replace those of .cargo
    log = folder / "cargo.log"
    with log.open("w") as output:
        errors = None if sys.stderr.isatty() else output
        done = subprocess.run(
            [*command, *quiet], cwd=HERE, env=environment, check=False, stdout=output, stderr=errors
        )
    if done.returncode != 0:
        lines = [line for line in log.read_text(errors="replace").splitlines() if line.startswith("error")]
        raise BuildError(f"cargo failed: {lines[0] if lines else 'see above'}")


def say(words: str) -> None:
    """Report progress."""
    print(f"clift-quic: {words}", flush=True)


if __name__ == "__main__":
    try:
        build()
    except (BuildError, KeyboardInterrupt) as error:
        sys.exit(f"clift-quic: {str(error) or 'interrupted'}")
