#!/usr/bin/env python3
"""Build the kernels that run in simulated time, unless they are up to date.

`build/linux` has flows of the driver's own, `build/programs/linux` runs unmodified programs of the host. The
source is the distribution's package linux-source; ``KERNEL_TREE=/path`` names a tree of one's own, which
stays as it is. The kernels are user-mode Linux with time travel (ARCH=um) and the driver in `driver/`.
Any problem ends in one line and exit status 1. Needs nothing but Python's standard library to start.
"""

from __future__ import annotations

import dataclasses
import fcntl
import hashlib
import os
import platform
import re
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
CORE = HERE.parent / "clift-ns2"
PACKAGES = re.compile(r"linux-source-6\.(\d+)")
OLDEST_MINOR = 12
"""The driver and the patches were tried with 6.12."""
HOST_SOURCES = (
    *sorted(str(path.relative_to(CORE)) for path in CORE.glob("core/*.cc")),
    *sorted(str(path.relative_to(CORE)) for path in CORE.glob("core/aqm/*.cc")),
    *(f"emulate/{name}.cc" for name in ("flow_table", "ip_packet", "report", "histogram")),
    "ns2/end_with_parent.cc",
)
"""The parts of clift-ns2 that the driver is linked with."""
HEADERS = ("core/*.h", "core/aqm/*.h", "emulate/*.h", "ns2/end_with_parent.h")
TOOLS = {
    "gcc": "gcc",
    "g++": "g++",
    "make": "make",
    "flex": "flex",
    "bison": "bison",
    "bc": "bc",
    "xz": "xz-utils",
    "patch": "patch",
    "ld": "binutils",
}
"""Programs that the build calls, and the Debian package of each."""
FIXED = {
    "KBUILD_BUILD_USER": "tmt",
    "KBUILD_BUILD_HOST": "tmt",
    "KBUILD_BUILD_VERSION": "1",
    "KBUILD_BUILD_TIMESTAMP": "2026-01-01",
}
"""The kernel mixes these into its random numbers: fixed, so that a seed means the same on every machine."""
QDISCS = ("CODEL", "FQ_CODEL", "FQ", "FQ_PIE", "PIE", "CAKE", "SFQ", "SFB", "RED", "CHOKE", "DUALPI2")
"""Disciplines of the kernel's own that are built where the tree has them, besides pfifo and bfifo."""
OBJECTS = 1120
"""Lines that the kernel's build prints, for the progress line."""
LEFT_OUT = shutil.ignore_patterns(".git", "*.o")
"""Files of a tree that are neither copied nor hashed."""


@dataclasses.dataclass(frozen=True)
class Variant:
    """A kernel: its sources, the folder of its objects, the home of its program `linux` and its `stamp`.

    Paths are relative to clift-linux. A later file of `configs` overrides an option of an earlier one;
    `flags` are the C++ compiler's, for the driver's part outside the kernel.
    """

    name: str
    objects: str
    configs: tuple[str, ...]
    sources: tuple[str, ...]
    home: Path
    flags: tuple[str, ...] = ()

    @property
    def program(self) -> Path:
        """Return the path of the kernel."""
        return self.home / "linux"

    def inputs(self) -> list[Path]:
        """Return the files of this checkout that decide the kernel."""
        return [
            Path(__file__),
            *(HERE / name for name in self.configs),
            *files_of(self.sources),
            *self.patches(),
            *sorted((HERE / "patches").glob("*.patch")),
            *(CORE / name for name in HOST_SOURCES),
            *(path for pattern in HEADERS for path in sorted(CORE.glob(pattern))),
        ]

    def patches(self) -> list[Path]:
        """Return the patches that only this kernel has."""
        return [path for name in self.sources for path in sorted((HERE / name / "patches").glob("*.patch"))]


FLOWS = Variant("kernel", "kernel", ("config",), ("driver",), HERE / "build")
PROGRAMS = Variant(
    "kernel for programs",
    "kernel-programs",
    ("config", "programs/config"),
    ("driver", "programs"),
    HERE / "build" / "programs",
)
INIT = "init"
INIT_SOURCES = ("course.c", "ends.c", "init.c", "mptcp.c", "out.c", "processes.c", "root.c", "settings.c")
INITRAMFS = f"dir /dev 0755 0 0\nnod /dev/console 0600 0 0 c 5 1\nfile /init ../{INIT} 0755 0 0\n"
"""Files inside the kernel for programs; the path begins at the folder of its objects."""


class BuildError(Exception):
    """The reason why the build stops, in one line."""


def build(*variants: Variant) -> None:
    """Bring kernels up to date, and write the stamp of its sources beside each.

    One with patches of its own comes after those without.
    """
    check_machine()
    folder = HERE / "build"
    folder.mkdir(exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        origin = kernel_origin()
        source = source_of(origin)
        stale = [variant for variant in variants if not is_up_to_date(variant, source)]
        if not stale:
            say("the kernels are up to date")
            return
        work = folder / "work"
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir()
        try:
            tree = kernel_tree(work, origin)
            for variant in stale:
                build_variant(variant, tree, work, origin, source)
        finally:
            if os.environ.get("CLIFT_KEEP_KERNEL_TREE") != "1":
                shutil.rmtree(work, ignore_errors=True)


def is_up_to_date(variant: Variant, source: str) -> bool:
    """Whether a kernel and its stamp are those of its sources."""
    stamp_file, program = variant.home / "stamp", variant.program
    if not (program.is_file() and stamp_file.is_file()):
        return False
    return stamp_file.read_text() == stamp(source_hash(source, variant), program)


def build_variant(variant: Variant, tree: Path, work: Path, origin: str, source: str) -> None:
    """Build one kernel from the patched tree."""
    variant.home.mkdir(parents=True, exist_ok=True)
    (variant.home / "stamp").unlink(missing_ok=True)
    kernel = work / variant.objects
    apply_patches(variant.patches(), tree, origin)
    add_driver(variant, tree, work)
    if variant is PROGRAMS:
        add_init(work)
    configure(variant, tree, kernel, work)
    compile_kernel(variant, tree, kernel, work)
    new = variant.home / "linux.new"
    run(["strip", "-o", str(new), str(kernel / "linux")], work / "strip.log")
    new.rename(variant.program)
    (variant.home / "stamp").write_text(stamp(source_hash(source, variant), variant.program))
    say(f"built {variant.program}, {variant.program.stat().st_size / 1e6:.0f} MB")


def files_of(folders: tuple[str, ...]) -> list[Path]:
    """Return the files of folders of clift-linux, in order."""
    return [path for folder in folders for path in sorted((HERE / folder).iterdir()) if path.is_file()]


def check_machine() -> None:
    """Refuse another processor, and a machine without one of the programs in `TOOLS`."""
    if platform.machine() != "x86_64":
        raise BuildError(
            f"this machine is {platform.machine()}; user-mode Linux with time travel needs x86_64"
        )
    for tool, package in TOOLS.items():
        if shutil.which(tool) is None:
            raise BuildError(f"{tool} is missing: install Debian's package {package}")


def kernel_origin() -> str:
    """Return the kernel's source: the user's tree, or ``package=version`` of the newest package."""
    if named := os.environ.get("KERNEL_TREE"):
        tree = Path(named).resolve()
        if not (tree / "arch" / "um").is_dir():
            raise BuildError(f"KERNEL_TREE={named}: no kernel tree with arch/um")
        return str(tree)
    listing = output_of(["apt-cache", "pkgnames", "linux-source-6."])
    minors = [int(match[1]) for name in listing.split() if (match := PACKAGES.fullmatch(name))]
    known = sorted(minor for minor in minors if minor >= OLDEST_MINOR)
    if not known:
        raise BuildError(
            "the package archive has no linux-source-6.12: run `apt-get update`, or set KERNEL_TREE"
        )
    package = f"linux-source-6.{known[-1]}"
    found = re.search(
        r"^Version: (\S+)$", output_of(["apt-cache", "show", "--no-all-versions", package]), re.MULTILINE
    )
    if not found:
        raise BuildError(f"the package archive does not say the version of {package}: run `apt-get update`")
    return f"{package}={found[1]}"


def source_of(origin: str) -> str:
    """Return the identity of the kernel's source: the package's version, or the hash of a tree's files."""
    if not origin.startswith("/"):
        return origin
    # Times differ between equal copies, and the stamp counts into the keys of runs: ten seconds for 1.4 GB.
    digest = hashlib.sha256()
    for folder, folders, files in os.walk(origin):
        left_out = LEFT_OUT(folder, [*folders, *files])
        folders[:] = sorted(set(folders) - left_out)
        for name in sorted({*folders, *files} - left_out):
            path = Path(folder, name)
            if path.is_symlink():
                content = os.fsencode(path.readlink())
            elif path.is_file():
                content = path.read_bytes()
            else:
                continue
            digest.update(f"{path.relative_to(origin)}\0{len(content)}\0".encode(errors="surrogateescape"))
            digest.update(content)
    return digest.hexdigest()


def stamp(sources: str, program: Path) -> str:
    """Return the text of a stamp: the hash of the sources, and that of the program built from them."""
    return f"{sources} {hashlib.sha256(program.read_bytes()).hexdigest()}\n"


def source_hash(source: str, variant: Variant) -> str:
    """Hash the inputs of a kernel: source, configuration, patches, driver, link core, compiler."""
    digest = hashlib.sha256(" ".join([source, *variant.flags]).encode())
    for path in variant.inputs():
        digest.update(f"{path.relative_to(HERE.parent)}\0{path.stat().st_size}\0".encode())
        digest.update(path.read_bytes())
    digest.update(output_of(["gcc", "--version"]).splitlines()[0].encode())
    return digest.hexdigest()


def kernel_tree(work: Path, origin: str) -> Path:
    """Return a patched copy of the kernel's tree in `work`."""
    tree = work / "tree"
    if origin.startswith("/"):
        say(f"copying {origin}")
        shutil.copytree(origin, tree, symlinks=True, ignore=LEFT_OUT)
    else:
        fetch(work, origin)
        tree.mkdir()
        say("unpacking")
        package = next(work.glob("*.deb"))
        run(["dpkg-deb", "--extract", str(package), str(work / "package")], work / "unpack.log")
        package.unlink()
        archive = next((work / "package").rglob("linux-source-*.tar.xz"))
        run(
            ["tar", "--extract", "--strip-components=1", "--file", str(archive), "--directory", str(tree)],
            work / "unpack.log",
        )
        shutil.rmtree(work / "package")
    apply_patches(sorted((HERE / "patches").glob("*.patch")), tree, origin)
    return tree


def apply_patches(patches: list[Path], tree: Path, origin: str) -> None:
    """Patch the kernel's tree."""
    for patch in patches:
        command = ["patch", "-p1", "--forward", "--batch", "--reject-file=-", "-i", str(patch)]
        if subprocess.run(command, cwd=tree, check=False, capture_output=True).returncode != 0:
            raise BuildError(f"{patch.name} does not apply to {origin}")


def fetch(work: Path, origin: str) -> None:
    """Fetch the package; apt checks it against the archive's signed index."""
    say(f"fetching {origin.replace('=', ' ')}")
    # apt's own user cannot write here; the note that it prints about this goes to the log.
    run(["apt-get", "download", "--quiet", origin], work / "fetch.log", folder=work)


def add_driver(variant: Variant, tree: Path, work: Path) -> None:
    """Put a variant's driver into the tree, with its part outside the kernel as one object file."""
    folder = tree / "drivers" / "net" / "clift"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    sources = files_of(variant.sources)
    for path in sources:
        if path.suffix != ".cc":
            shutil.copy(path, folder)
    objects = work / "objects"
    objects.mkdir(exist_ok=True)
    parts = []
    for source in (
        *(path for path in sources if path.suffix == ".cc"),
        *(CORE / name for name in HOST_SOURCES),
    ):
        part = objects / f"{source.stem}.o"
        parts.append(str(part))
        if part.exists():
            continue
        command = [
            "g++",
            "-std=c++17",
            "-O2",
            "-fno-pie",
            "-fno-stack-protector",
            f"-ffile-prefix-map={HERE.parent}/=",
            *variant.flags,
            f"-I{CORE}",
            *(f"-I{HERE / name}" for name in variant.sources),
        ]
        run([*command, "-c", str(source), "-o", str(part)], work / "driver.log")
    run(["ld", "-r", "-o", str(folder / "host.o_shipped"), *sorted(parts)], work / "driver.log")


def add_init(work: Path) -> None:
    """Compile process 1 of the kernel for programs, and list it for the kernel's build."""
    sources = [str(path) for path in files_of(("programs",)) if path.name in INIT_SOURCES]
    command = ["gcc", "-std=gnu11", "-O2", "-static", "-s", f"-ffile-prefix-map={HERE.parent}/="]
    run([*command, "-o", str(work / INIT), *sources], work / "init.log")
    (work / "initramfs").write_text(INITRAMFS)


def make_command(tree: Path, kernel: Path) -> list[str]:
    """Return the start of every call of the kernel's build, whose objects are in `kernel`."""
    return ["make", "-C", str(tree), "ARCH=um", f"O={kernel}"]


def configure(variant: Variant, tree: Path, kernel: Path, work: Path) -> None:
    """Configure the kernel, and refuse a tree that lacks one of the wanted options.

    All congestion controls of the tree are built, those of its owner too.
    """
    lines = [line for name in variant.configs for line in (HERE / name).read_text().splitlines()]
    wanted = dict(line.split("=", 1) for line in lines if line.startswith("CONFIG_"))
    controls = re.findall(
        r"^config (TCP_CONG_\w+)", (tree / "net" / "ipv4" / "Kconfig").read_text(), re.MULTILINE
    )
    config = work / "config"
    offered = [*controls, *(f"NET_SCH_{name}" for name in QDISCS)]
    options = wanted | dict.fromkeys((f"CONFIG_{name}" for name in offered), "y")
    config.write_text("".join(f"{option}={value}\n" for option, value in options.items()))
    environment = os.environ | {"KCONFIG_ALLCONFIG": str(config)}
    run([*make_command(tree, kernel), "allnoconfig"], work / "configure.log", environment=environment)
    taken = (kernel / ".config").read_text().splitlines()
    for option, value in wanted.items():
        if value != "n" and f"{option}={value}" not in taken:
            raise BuildError(
                f"this kernel cannot be configured with {option}={value}: a kernel with time travel is needed"
            )


def compile_kernel(variant: Variant, tree: Path, kernel: Path, work: Path) -> None:
    """Compile, with a line that says how far it is."""
    jobs = len(os.sched_getaffinity(0))
    command = [*make_command(tree, kernel), f"-j{jobs}", "linux"]
    log = work / "compile.log"
    say(f"compiling the {variant.name}, some minutes with {jobs} processes")
    with (
        log.open("w") as output,
        subprocess.Popen(
            command, env=os.environ | FIXED, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        ) as process,
    ):
        assert process.stdout is not None
        for done, line in enumerate(process.stdout):
            output.write(line)
            if sys.stderr.isatty():
                print(
                    f"\rclift-linux: {min(99, 100 * done // OBJECTS)} %", end="", file=sys.stderr, flush=True
                )
    if sys.stderr.isatty():
        print("\r" + " " * 24 + "\r", end="", file=sys.stderr)
    if process.returncode != 0:
        raise BuildError(f"compiling failed: {first_complaint(log)}")


def run(
    command: list[str], log: Path, *, folder: Path | None = None, environment: dict[str, str] | None = None
) -> None:
    """Run a command with its output in `log`; when it fails, say its first complaint."""
    with log.open("a") as output:
        done = subprocess.run(
            command, cwd=folder, env=environment, check=False, stdout=output, stderr=subprocess.STDOUT
        )
    if done.returncode != 0:
        raise BuildError(f"{command[0]} failed: {first_complaint(log)}")


def first_complaint(log: Path) -> str:
    """Return the first line of a log that names an error, else its last line."""
    lines = log.read_text(errors="replace").splitlines()
    complaints = [line.strip() for line in lines if re.search(r"\b(error|E|fatal)\b:", line)]
    return (complaints or lines or ["it printed nothing"])[0 if complaints else -1]


def output_of(command: list[str]) -> str:
    """Return the printed text of a command; nothing when it fails."""
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout


def say(words: str) -> None:
    """Report progress."""
    print(f"clift-linux: {words}", flush=True)


if __name__ == "__main__":
    try:
        build(FLOWS, PROGRAMS)
    except (BuildError, KeyboardInterrupt) as error:
        sys.exit(f"clift-linux: {str(error) or 'interrupted'}")
