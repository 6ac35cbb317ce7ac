"""A root file system of Debian packages as one tar file, made from the distribution's archive without root
rights and whatever the host's distribution.

Packages are unpacked; their scripts do not run. Equal versions give an equal file, byte by byte.
"""

from __future__ import annotations

import io
import os
import re
import shutil
import subprocess
import tarfile
from contextlib import ExitStack
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from tmt.core.errors import SimulatorError, UsageError
from tmt.io.atomic import staged

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

ALWAYS = ("base-files", "base-passwd", "coreutils", "dash", "netbase")
"""Packages of every root: a shell, the usual folders, users, and names of services."""

NEEDED = {"apt-get": "apt", "dpkg-deb": "dpkg"}
"""Programs that are called, and their packages."""

LEFT_OUT = ("usr/share/doc/", "usr/share/info/", "usr/share/locale/", "usr/share/man/")

MERGED = ("bin", "lib", "lib64", "sbin")
"""Folders that are links into ``/usr``, as in Debian since version 12."""

USERS = "usr/share/base-passwd"
PACKAGES = "etc/tmt-packages"
"""File in a root that lists its packages and their versions."""

NO_PACKAGE = ("Unable to locate package", "was not found", "has no installation candidate")
"""Apt's words for a name or a version that the archive does not have."""

TIME_S = 1_767_225_600
"""Time of every file: the start of 2026."""

_CHOSEN = re.compile(r"^Inst (\S+) \((\S+) ", re.MULTILINE)
_NAME = re.compile(r"[a-z0-9][a-z0-9.+-]+(:[a-z0-9]+)?(=\S+)?")


def make_root(wanted: Sequence[str], output: Path, watch: Callable[[str], None]) -> list[str]:
    """Write a root with these packages and their dependencies; return each with its version.

    `watch` is called with each step. UsageError for unknown names, SimulatorError when apt or dpkg is missing
    or fails, OutputError when the file cannot be written.
    """
    for name in wanted:
        if not _NAME.fullmatch(name):
            raise UsageError(f"--with: {name!r} is not allowed; allowed: names of packages, such as curl")
    for program, package in NEEDED.items():
        if shutil.which(program) is None:
            raise SimulatorError(
                f"{program} is missing: a root is made on Debian or Ubuntu (package {package})"
            )
    with TemporaryDirectory(prefix="tmt-root-") as scratch, staged(output) as part:
        folder = Path(scratch)
        watch("asking apt for the packages that are needed")
        chosen = _chosen(wanted, folder)
        watch(f"fetching {len(chosen)} packages")
        _call(["apt-get", "download", "--quiet", *chosen], folder)
        watch("writing the root")
        _write(sorted(folder.glob("*.deb")), chosen, part)
    return chosen


def _chosen(wanted: Sequence[str], folder: Path) -> list[str]:
    """Return ``name=version`` of these packages and their dependencies on an empty system."""
    status = folder / "status"
    status.touch()
    command = ["apt-get", "install", "--simulate", "--quiet", "--no-install-recommends"]
    command += ["--option", f"Dir::State::status={status}", *ALWAYS, *wanted]
    return sorted(f"{name}={version}" for name, version in _CHOSEN.findall(_call(command, folder)))


def _call(command: list[str], folder: Path) -> str:
    """Return the text that a command prints (UsageError with apt's own words for an unknown package)."""
    environment = os.environ | {"LC_ALL": "C"}
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, errors="replace", check=False
    )
    if done.returncode == 0:
        return done.stdout
    said = [line.removeprefix("E: ") for line in done.stderr.splitlines() if line.startswith("E: ")]
    reason = (said or [f"exit status {done.returncode}"])[0]
    if any(words in reason for words in NO_PACKAGE):
        raise UsageError(
            f"--with: {reason}; `apt-get update` renews the lists, `apt-cache search` finds names"
        )
    raise SimulatorError(f"{command[0]}: {reason}")


def _write(packages: Sequence[Path], chosen: Sequence[str], output: Path) -> None:
    """Write the files of packages into one tar file, sorted by name, all with one time."""
    members: dict[str, tuple[tarfile.TarInfo, tarfile.TarFile]] = {}
    with ExitStack() as archives:
        for package in packages:
            archive = archives.enter_context(tarfile.open(_unpacked(package)))
            for member in archive:
                name = merged(member.name)
                if name and not f"{name}/".startswith(LEFT_OUT):
                    members[name] = member, archive
        own = {PACKAGES: "".join(f"{one}\n" for one in chosen).encode()}
        for name in ("passwd", "group"):
            master = members.get(f"{USERS}/{name}.master")
            if master is not None:
                own[f"etc/{name}"] = _bytes(*master)
        root = archives.enter_context(tarfile.open(output, "w"))
        for name in MERGED:
            root.addfile(_entry(name, tarfile.SYMTYPE, linkname=f"usr/{name}"))
        for name in sorted(members.keys() | own.keys()):
            if name in own:
                entry = _entry(name, tarfile.REGTYPE, size=len(own[name]))
                root.addfile(entry, io.BytesIO(own[name]))
            else:
                member, archive = members[name]
                for entry in _copied(name, member):
                    root.addfile(entry, archive.extractfile(member) if entry.isreg() else None)


def _unpacked(package: Path) -> Path:
    """Return the tar file of a package's files, written beside it (SimulatorError)."""
    unpacked = package.with_suffix(".tar")
    with unpacked.open("wb") as file:
        command = ["dpkg-deb", "--fsys-tarfile", str(package)]
        done = subprocess.run(command, stdout=file, stderr=subprocess.PIPE, check=False)
    if done.returncode:
        said = done.stderr.decode(errors="replace").splitlines() or [f"exit status {done.returncode}"]
        raise SimulatorError(f"{package.name}: {said[0]}")
    return unpacked


def merged(name: str) -> str:
    """Return the path in a root of a package's member: without ``./``, below ``usr`` if that is merged."""
    parts = PurePosixPath(name).parts
    if parts and parts[0] in MERGED:
        parts = ("usr", *parts)
    return "/".join(parts)


def _copied(name: str, member: tarfile.TarInfo) -> Iterator[tarfile.TarInfo]:
    """Return the entry of a member; None for devices."""
    target = member.linkname
    has_moved = name != "/".join(PurePosixPath(member.name).parts)
    if member.issym() and has_moved and not target.startswith("/"):
        above = PurePosixPath("/", PurePosixPath(member.name)).parent
        target = f"/{merged(os.path.normpath(above / target).lstrip('/'))}"
    if member.islnk():
        target = merged(target)
    if member.isreg() or member.isdir() or member.issym() or member.islnk():
        yield _entry(name, member.type, size=member.size, mode=member.mode, linkname=target)


def _entry(
    name: str, kind: bytes, *, size: int = 0, mode: int = 0o644, linkname: str = ""
) -> tarfile.TarInfo:
    entry = tarfile.TarInfo(name)
    entry.type, entry.size, entry.mode, entry.linkname = kind, size, mode, linkname
    entry.mtime = TIME_S
    return entry


def _bytes(member: tarfile.TarInfo, archive: tarfile.TarFile) -> bytes:
    file = archive.extractfile(member)
    assert file is not None
    return file.read()
