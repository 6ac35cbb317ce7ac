#!/usr/bin/env python3
"""Build ns and the emulator as static programs, with all that they need on a machine without Tcl.

Everything is laid out in `clift-ns2/build-wheel/contents` as it lies in the wheel's folder `clift-ns2`. There
the package looks for it, as in a checkout:

* `build`: the programs, and the stamp that identifies them by the hash of ns itself.
* `lib/tcl8.6`: Tcl's library, where a program in `build` finds it.
* `source.tar.xz`: the sources of the programs, patched, and what builds them.
* `licenses`: those of all parts that are linked in, and where the source of the libraries is.
"""

from __future__ import annotations

import hashlib
import io
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
CLIFT = HERE.parent / "clift-ns2"
FOLDER = CLIFT / "build-wheel"
CONTENTS = FOLDER / "contents"

sys.path.insert(0, str(CLIFT))
import build  # noqa: E402

PROGRAMS = ("ns", "clift-emulate")
LIBRARIES = {
    "tcl": "libtcl8.6.a",
    "otcl": "libotcl.a",
    "tclcl": "libtclcl.a",
    "zlib": "libz.a",
    "glibc": "libc.a",
    "libstdc++": "libstdc++.a",
}
"""What is linked in, by the name that its licence gets."""
OURS = ("CMakeLists.txt", "unity.cmake", "build.py", "core", "emulate", "ns2", "patches")
NOT_COMPILED = ("doc", "indep-utils", "tcl/ex", "tcl/mobility", "tcl/test")
"""Folders of ns-2 that no program is made of: 70 of 77 MB."""

README = """\
The programs in ../build are ns-2.35 with CLIFT. ../source.tar.xz holds their sources, patched, and all that
builds them:

    cmake -S clift-ns2 -B build -G Ninja -DNS2_SOURCE=$PWD/ns-2.35
    ninja -C build ns clift-emulate

ns-2 itself is {tarball}, SHA-256
{sha256}.

These libraries of Debian are linked in. The files beside this one are their licences. On a Debian system
`apt-get source NAME=VERSION` fetches the source of each:

{libraries}
"""


def compile_static() -> None:
    """Compile both programs without any shared library."""
    FOLDER.mkdir(exist_ok=True)
    tarball = CLIFT / "build" / build.TARBALL
    if tarball.is_file() and not (FOLDER / build.TARBALL).is_file():
        shutil.copy(tarball, FOLDER)
    patches = [*sorted((CLIFT / "patches").glob("*.patch")), HERE / "no-build-paths.patch"]
    options = (
        # ns-2 has an abort() of its own, and the C library another: the first one counts, as it does for the
        # dynamic linker.
        "-DCMAKE_EXE_LINKER_FLAGS=-static -Wl,-z,muldefs",
        "-DCMAKE_CXX_STANDARD_LIBRARIES=-lz -lpthread",
        *(f"-D{name.upper()}_LIBRARY={library(LIBRARIES[name])}" for name in ("tcl", "otcl", "tclcl")),
    )
    build.compile_programs(CLIFT, FOLDER, patches, list(PROGRAMS), options)


def library(name: str) -> Path:
    """Return a static library of this machine."""
    found = Path(said("g++", f"-print-file-name={name}"))
    if not found.is_absolute():
        raise build.BuildError(f"{name} is missing: install Debian's packages tcl-dev and zlib1g-dev")
    return found.resolve()


def lay_out(programs: Path, source: Path, contents: Path) -> None:
    """Fill `contents` with the programs of a build, its sources and what belongs to them.

    Parameters
    ----------
    programs
        Folder of the built programs.
    source
        The patched source tree of ns-2.
    contents
        A new folder; what an earlier call has left is removed.
    """
    shutil.rmtree(contents, ignore_errors=True)
    (contents / "build").mkdir(parents=True)
    for name in PROGRAMS:
        subprocess.run(["strip", "-o", contents / "build" / name, programs / name], check=True)
    ns = contents / "build" / "ns"
    (contents / "build" / "stamp").write_text(build.stamp(hashlib.sha256(ns.read_bytes()).hexdigest(), ns))
    copy_tcl_library(contents / "lib" / "tcl8.6")
    copy_licences(source, contents / "licenses")
    write_sources(source, contents / "source.tar.xz")


def copy_tcl_library(folder: Path) -> None:
    """Copy the part of Tcl's library that every program may use; time zones are the system's."""
    print_library = subprocess.run(
        ["tclsh8.6"], input="puts [info library]", check=True, capture_output=True, text=True
    )
    home = Path(print_library.stdout.strip())
    folder.mkdir(parents=True)
    for path in [*home.glob("*.tcl"), home / "tclIndex"]:
        shutil.copy(path, folder)
    shutil.copytree(home / "encoding", folder / "encoding")


def copy_licences(source: Path, folder: Path) -> None:
    """Copy the licences of ns-2 and of the libraries, and name the package of each library."""
    folder.mkdir()
    shutil.copy(source / "COPYRIGHTS", folder / "ns-2-COPYRIGHTS")
    shutil.copy(source / "LICENSES", folder / "ns-2-LICENSES")
    rows = []
    for name, file in LIBRARIES.items():
        package = said("dpkg-query", "--search", str(library(file))).split(":")[0]
        shutil.copy(f"/usr/share/doc/{package}/copyright", folder / name)
        rows.append(
            said("dpkg-query", "-W", "-f", f"{name}: ${{source:Package}} ${{source:Version}}", package)
        )
    readme = README.format(tarball=build.TARBALL, sha256=build.TARBALL_SHA256, libraries="\n".join(rows))
    (folder / "README").write_text(readme)


def write_sources(source: Path, archive: Path) -> None:
    """Write the archive of the sources, the same bytes for the same sources."""
    files = {
        f"{build.TOP_FOLDER}/{path.relative_to(source)}": path for path in files_in(source, NOT_COMPILED)
    }
    for name in OURS:
        found = files_in(CLIFT / name) if (CLIFT / name).is_dir() else [CLIFT / name]
        files |= {f"clift-ns2/{path.relative_to(CLIFT)}": path for path in found}
    files |= {f"packaging/{path.name}": path for path in files_in(HERE)}
    with tarfile.open(archive, "w:xz", preset=1) as tar:
        for name, path in sorted(files.items()):
            entry = tarfile.TarInfo(name)
            content = path.read_bytes()
            entry.size = len(content)
            entry.mode = 0o755 if path.stat().st_mode & 0o100 else 0o644
            tar.addfile(entry, io.BytesIO(content))


def files_in(folder: Path, without: tuple[str, ...] = ()) -> list[Path]:
    """Return the files below a folder, but for some of its folders and what Python has compiled."""
    skipped = [folder / name for name in without]
    return [
        path
        for path in folder.rglob("*")
        if path.is_file()
        and "__pycache__" not in path.parts
        and not any(path.is_relative_to(one) for one in skipped)
    ]


def said(*command: str) -> str:
    """Return the output of a command."""
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def main() -> None:
    """Build the programs and lay out what the wheel contains."""
    try:
        build.check_tools()
        compile_static()
        lay_out(FOLDER, FOLDER / build.TOP_FOLDER, CONTENTS)
    except (build.BuildError, subprocess.CalledProcessError, OSError) as error:
        sys.exit(f"packaging: {error}")
    build.say(f"static programs are in {CONTENTS / 'build'}")


if __name__ == "__main__":
    main()
