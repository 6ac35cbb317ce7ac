#!/usr/bin/env python3
"""Obtain, verify, patch and build ns-2.35 with CLIFT as `clift-ns2/build/ns`, unless that is up to date.

The emulator, `clift-ns2/build/clift-emulate`, is built from the same core; ``build.py ns`` leaves it out.

The source is the `.orig` tarball of Debian's package ns2; ``NS2_TARBALL=/path`` names another copy of it. Any
problem ends in one line and exit status 1. The program needs only Python's standard library.
"""

from __future__ import annotations

import fcntl
import filecmp
import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
TARBALL = "ns2_2.35+dfsg.orig.tar.xz"
TARBALL_SHA256 = "a3a097194c87fedbf2a7d3c8520790dc8688874cad0373af2db0ed33e463d52e"
TOP_FOLDER = "ns-2.35"
TOOLS = {
    "cmake": "cmake",
    "ninja": "ninja-build",
    "g++": "g++",
    "gcc": "gcc",
    "patch": "patch",
    "tclsh": "tcl",
    "tcl2c++": "tclcl",
}
"""Programs that the build calls, and the Debian package of each."""
PROGRAMS = {
    "clift-emulate": ("emulate-stamp", ("core/**/*", "emulate/*")),
    "ns": ("stamp", ("patches/*.patch", "core/**/*", "ns2/*")),
}
"""The built programs: the stamp's file of each, and the sources that it depends on."""


class BuildError(Exception):
    """A problem that stops the build, in one line."""


def build(wanted: list[str], here: Path = HERE) -> None:
    """Build the wanted programs whose sources in `here` have changed, and write a stamp beside each."""
    check_tools()
    folder = here / "build"
    folder.mkdir(exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        sources = {name: source_hash(here, patterns) for name, (_, patterns) in PROGRAMS.items()}
        stale = [name for name in wanted if not is_current(folder, name, sources[name])]
        if not stale:
            say("ns is up to date")
            return
        for name in stale:
            (folder / PROGRAMS[name][0]).unlink(missing_ok=True)
        compile_programs(here, folder, sorted((here / "patches").glob("*.patch")), stale)
        for name in stale:
            (folder / PROGRAMS[name][0]).write_text(stamp(sources[name], folder / name))
        say(f"built {' and '.join(str(folder / name) for name in reversed(stale))}")


def compile_programs(
    here: Path, folder: Path, patches: list[Path], programs: list[str], options: tuple[str, ...] = ()
) -> None:
    """Build programs in `folder` from ns-2 with these patches and further options of CMake."""
    source = prepare_source(folder, patches)
    say("configuring")
    configure = [
        "cmake",
        "-S",
        str(here),
        "-B",
        str(folder),
        "-G",
        "Ninja",
        f"-DNS2_SOURCE={source}",
        *options,
    ]
    run_logged(configure, folder / "configure.log", "configuring failed")
    say("compiling, a few minutes the first time")
    run_logged(["ninja", "-C", str(folder), *programs], folder / "ninja.log", "compiling failed")


def build_variant(name: str, patches: list[Path] | None = None, options: tuple[str, ...] = ()) -> Path:
    """Build a simulator in `build-NAME` and return it: with some patches only, or sanitized."""
    folder = HERE / f"build-{name}"
    folder.mkdir(exist_ok=True)
    if not (folder / TARBALL).is_file() and (HERE / "build" / TARBALL).is_file():
        shutil.copy(HERE / "build" / TARBALL, folder)
    chosen = sorted((HERE / "patches").glob("*.patch")) if patches is None else patches
    compile_programs(HERE, folder, chosen, ["ns"], options)
    return folder / "ns"


def is_current(folder: Path, name: str, sources: str) -> bool:
    """Whether a program exists and was built by this script, from sources with this hash."""
    stamp_file, program = folder / PROGRAMS[name][0], folder / name
    return program.is_file() and stamp_file.is_file() and stamp_file.read_text() == stamp(sources, program)


def stamp(sources: str, program: Path) -> str:
    """Return the text of a stamp: the hash of the sources, and that of the program built from them."""
    return f"{sources} {hashlib.sha256(program.read_bytes()).hexdigest()}\n"


def check_tools() -> None:
    """Raise an error if one of the programs in `TOOLS` is missing."""
    for tool, package in TOOLS.items():
        if shutil.which(tool) is None:
            raise BuildError(f"{tool} is missing: install Debian's package {package}")


def source_hash(here: Path, patterns: tuple[str, ...]) -> str:
    """Return the hash of a program's inputs: tarball, patches, sources, compiler."""
    digest = hashlib.sha256(TARBALL_SHA256.encode())
    inputs = [here / "CMakeLists.txt", here / "unity.cmake"]
    for pattern in patterns:
        inputs += sorted(path for path in here.glob(pattern) if path.is_file())
    for path in inputs:
        digest.update(f"{path.relative_to(here)}\0{path.stat().st_size}\0".encode())
        digest.update(path.read_bytes())
    version = subprocess.run(["g++", "--version"], capture_output=True, text=True, check=True)
    digest.update(version.stdout.splitlines()[0].encode())
    return digest.hexdigest()


def prepare_source(folder: Path, patches: list[Path]) -> Path:
    """Unpack and patch ns-2; unchanged files keep their times and are not compiled again."""
    fresh, source = folder / "unpacked", folder / TOP_FOLDER
    shutil.rmtree(fresh, ignore_errors=True)
    try:
        unpack(verified_tarball(folder), fresh)
        apply_patches(fresh / TOP_FOLDER, patches)
        if source.exists():
            copy_changes(fresh / TOP_FOLDER, source)
        else:
            (fresh / TOP_FOLDER).rename(source)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
    return source


def verified_tarball(folder: Path) -> Path:
    """Return the user's tarball, or that of an earlier build, or fetch it; its hash is checked."""
    if named := os.environ.get("NS2_TARBALL"):
        tarball = Path(named)
        if not tarball.is_file():
            raise BuildError(f"NS2_TARBALL={named}: no such file")
        check_hash(tarball)
        return tarball
    tarball = folder / TARBALL
    if not tarball.is_file():
        partial = folder / (TARBALL + ".partial")
        fetch(partial)
        check_hash(partial)
        partial.rename(tarball)
    check_hash(tarball)
    return tarball


def check_hash(tarball: Path) -> None:
    """Raise an error if the tarball is not the one that the patches were made for."""
    digest = hashlib.sha256(tarball.read_bytes()).hexdigest()
    if digest != TARBALL_SHA256:
        raise BuildError(f"{tarball}: SHA-256 is {digest}, not {TARBALL_SHA256}")


def fetch(target: Path) -> None:
    """Fetch the tarball from this machine's package archive, from the folder of the binary package."""
    listing = subprocess.run(
        ["apt-get", "download", "--print-uris", "ns2"], check=False, capture_output=True, text=True
    )
    if listing.returncode != 0 or not listing.stdout.startswith("'"):
        raise BuildError(
            "the package archive names no ns2: run `apt-get update`, or set NS2_TARBALL to a copy of "
            + TARBALL
        )
    address = listing.stdout.split("'")[1].rpartition("/")[0] + "/" + TARBALL
    say(f"fetching {TARBALL}")
    helper = ["/usr/lib/apt/apt-helper", "download-file", address, str(target)]
    result = subprocess.run(helper, check=False, capture_output=True, text=True)
    if result.returncode != 0 or not target.is_file():
        words = (result.stderr.strip() or "nothing arrived").splitlines()[-1]
        raise BuildError(f"cannot fetch {TARBALL}: {words}; NS2_TARBALL can name a copy of it")


def unpack(tarball: Path, folder: Path) -> None:
    """Unpack the tarball into `folder`."""
    say("unpacking")
    with tarfile.open(tarball) as archive:
        for member in archive:
            archive.extract(member, folder, set_attrs=member.isfile())


def apply_patches(source: Path, patches: list[Path]) -> None:
    """Apply the patches in order of their names; a patch that does not fit exactly stops the build."""
    for patch in patches:
        command = ["patch", "-p1", "--fuzz=0", "--forward", "--batch", "--reject-file=-", "-i", str(patch)]
        result = subprocess.run(command, cwd=source, check=False, capture_output=True, text=True)
        if result.returncode != 0 or "fuzz" in result.stdout:
            raise BuildError(f"{patch}: does not apply to {TOP_FOLDER}")


def copy_changes(fresh: Path, source: Path) -> None:
    """Make `source` equal to `fresh`, touching only files that differ."""
    for path in fresh.rglob("*"):
        target = source / path.relative_to(fresh)
        if path.is_dir():
            target.mkdir(parents=True, exist_ok=True)
        elif not target.is_file() or not filecmp.cmp(path, target, shallow=False):
            target.unlink(missing_ok=True)
            shutil.copyfile(path, target)
            shutil.copymode(path, target)


def run_logged(command: list[str], log: Path, what: str) -> None:
    """Run a command with its output in `log`; after a failure, the error quotes the first error message."""
    with log.open("w") as output:
        status = subprocess.run(command, check=False, stdout=output, stderr=subprocess.STDOUT).returncode
    if status != 0:
        lines = log.read_text(errors="replace").splitlines()
        complaints = [line.strip() for line in lines if "missing: " in line or "error: " in line]
        raise BuildError(
            f"{what}: {complaints[0] if complaints else 'its output tells why'} (all of it: {log})"
        )


def say(words: str) -> None:
    """Report progress."""
    print(f"clift-ns2: {words}", flush=True)


if __name__ == "__main__":
    try:
        build(sys.argv[1:] or list(PROGRAMS))
    except (BuildError, KeyboardInterrupt) as error:
        sys.exit(f"clift-ns2: {str(error) or 'interrupted'}")
