"""`clift-ns2/build.py` with missing or wrong inputs, in a copy of its folder."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from processes import execute

pytestmark = pytest.mark.ns2

CLIFT = Path(__file__).resolve().parents[2] / "clift-ns2"
TARBALL = CLIFT / "build" / "ns2_2.35+dfsg.orig.tar.xz"
SHA256 = "a3a097194c87fedbf2a7d3c8520790dc8688874cad0373af2db0ed33e463d52e"
PACKAGES = {
    "cmake": "cmake",
    "ninja": "ninja-build",
    "g++": "g++",
    "gcc": "gcc",
    "patch": "patch",
    "tclsh": "tcl",
    "tcl2c++": "tclcl",
}

FAILING_NINJA = """#!/bin/sh
for last; do :; done
[ "$last" = ns ] || exec {ninja} "$@"
echo "a.cc:1:1: warning: odd"
echo "b.cc:2:3: error: first"
echo "c.cc:4:5: error: second"
exit 1
"""
"""Does what CMake asks it while configuring, and fails to make `ns`."""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A copy of the simulator's sources, without anything that was built."""
    ours = ("CMakeLists.txt", "build.py", "core", "emulate", "ns2", "patches", "tcl", "unity.cmake")
    copy = tmp_path / "clift-ns2"
    copy.mkdir()
    for name in ours:
        if (CLIFT / name).is_dir():
            shutil.copytree(CLIFT / name, copy / name)
        else:
            shutil.copy(CLIFT / name, copy / name)
    return copy


@pytest.fixture
def built(checkout: Path, simulator: Path) -> Path:
    """The copy with the programs and their stamps, as a build leaves them."""
    (checkout / "build").mkdir()
    for path in (simulator, *map(simulator.with_name, ("stamp", "clift-emulate", "emulate-stamp"))):
        shutil.copy2(path, checkout / "build" / path.name)
    return checkout


def build(checkout: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return execute(sys.executable, checkout / "build.py", env=os.environ | environment)


def refusal(checkout: Path, **environment: str) -> str:
    """Return the one line on stderr of a build that must fail."""
    result = build(checkout, **environment)
    assert result.returncode == 1
    line = result.stderr.removesuffix("\n")
    assert line.startswith("clift-ns2: ")
    assert "\n" not in line
    assert not (checkout / "build" / "stamp").exists()
    return line.removeprefix("clift-ns2: ")


def test_tarball__with_another_content_is_refused(checkout: Path, tmp_path: Path) -> None:
    doctored = tmp_path / "ns2.tar.xz"
    doctored.write_bytes(b"abc")
    # SHA-256 of "abc": FIPS 180-2, appendix B.1
    found = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    assert refusal(checkout, NS2_TARBALL=str(doctored)) == f"{doctored}: SHA-256 is {found}, not {SHA256}"


def test_tarball__of_an_earlier_build_is_checked_again(checkout: Path) -> None:
    (checkout / "build").mkdir()
    kept = checkout / "build" / TARBALL.name
    kept.write_bytes(b"half a tarball")
    assert refusal(checkout, NS2_TARBALL="").startswith(f"{kept}: SHA-256 is ")


def test_tarball__that_is_not_there_is_refused(checkout: Path, tmp_path: Path) -> None:
    missing = tmp_path / "no such.tar.xz"
    assert refusal(checkout, NS2_TARBALL=str(missing)) == f"NS2_TARBALL={missing}: no such file"


@pytest.mark.parametrize("tool", PACKAGES)
def test_missing_tool__is_named_with_its_package(checkout: Path, tmp_path: Path, tool: str) -> None:
    programs = tmp_path / "bin"
    programs.mkdir()
    for other in PACKAGES.keys() - {tool}:
        (programs / other).symlink_to(found_program(other))
    expected = f"{tool} is missing: install Debian's package {PACKAGES[tool]}"
    assert refusal(checkout, PATH=str(programs)) == expected


def found_program(name: str) -> str:
    path = shutil.which(name)
    assert path is not None, f"{name} is missing: run `make setup`"
    return path


def test_patch__that_does_not_apply_is_named_and_leaves_no_stamp(built: Path) -> None:
    patch = built / "patches" / "0000-of-another-version.patch"
    patch.write_text("--- a/VERSION\n+++ b/VERSION\n@@ -1 +1 @@\n-2.36\n+2.36.clift\n")
    assert refusal(built, NS2_TARBALL=kept_tarball()) == f"{patch}: does not apply to ns-2.35"
    assert not (built / "build" / "unpacked").exists()
    assert not (built / "build" / "ns-2.35").exists()


def test_build__ends_with_the_compiler_s_first_complaint(checkout: Path, tmp_path: Path) -> None:
    """Unpacks, patches and configures for real, from nothing; only the compilation of ns is played."""
    programs = tmp_path / "bin"
    programs.mkdir()
    ninja = programs / "ninja"
    ninja.write_text(FAILING_NINJA.format(ninja=found_program("ninja")))
    ninja.chmod(0o755)
    log = checkout / "build" / "ninja.log"
    line = refusal(
        checkout, NS2_TARBALL=kept_tarball(), PATH=os.pathsep.join((str(programs), os.environ["PATH"]))
    )
    assert line == f"compiling failed: b.cc:2:3: error: first (all of it: {log})"
    assert (checkout / "build" / "ns-2.35" / "common" / "packet.h").is_file()
    assert not (checkout / "build" / "unpacked").exists()
    assert log.read_text().count("error: ") == 2


def test_build__that_is_interrupted_says_so(checkout: Path, tmp_path: Path) -> None:
    programs = tmp_path / "bin"
    programs.mkdir()
    patch = programs / "patch"
    patch.write_text("#!/bin/sh\nkill -INT $PPID\nsleep 10\n")
    patch.chmod(0o755)
    path = os.pathsep.join((str(programs), os.environ["PATH"]))
    assert refusal(checkout, NS2_TARBALL=kept_tarball(), PATH=path) == "interrupted"


def kept_tarball() -> str:
    """The tarball that the checkout's own build has used."""
    tarball = os.environ.get("NS2_TARBALL") or str(TARBALL)
    assert Path(tarball).is_file(), "no tarball to unpack: run `make setup`, or set NS2_TARBALL"
    return tarball


def test_simulator__that_is_up_to_date_is_left_alone(built: Path) -> None:
    before = {path.name: path.stat().st_mtime_ns for path in (built / "build").iterdir()}
    # A build would need this tarball, and fail: then the checkout's own simulator is older than its sources.
    result = build(built, NS2_TARBALL="/nonexistent")
    assert (result.returncode, result.stdout, result.stderr) == (0, "clift-ns2: ns is up to date\n", "")
    after = {path.name: path.stat().st_mtime_ns for path in (built / "build").iterdir()}
    assert {name: after[name] for name in before} == before


@pytest.mark.parametrize(
    "source",
    [
        "CMakeLists.txt",
        "unity.cmake",
        "core/time.h",
        "core/tcp/congestion/reno.cc",
        "ns2/clift.tcl",
        "patches/0002-let-a-queue-carry-its-packets.patch",
    ],
)
def test_simulator__is_stale_when_one_of_its_sources_changes(built: Path, source: str) -> None:
    with (built / source).open("a") as file:
        file.write("\n")
    assert refusal(built, NS2_TARBALL="/nonexistent") == "NS2_TARBALL=/nonexistent: no such file"


@pytest.mark.parametrize("name", ["ns", "clift-emulate"])
def test_program_compiled_without_the_script__is_stale(built: Path, name: str) -> None:
    """Its stamp names the hash of the program that was built; ninja alone writes none."""
    with (built / "build" / name).open("ab") as program:
        program.write(b"compiled by ninja")
    result = build(built, NS2_TARBALL="/nonexistent")
    assert (result.returncode, result.stderr) == (1, "clift-ns2: NS2_TARBALL=/nonexistent: no such file\n")


def test_emulator__that_changes_leaves_the_simulator_s_stamp_as_it_is(built: Path) -> None:
    with (built / "emulate" / "main.cc").open("a") as file:
        file.write("\n")
    result = build(built, NS2_TARBALL="/nonexistent")
    assert (result.returncode, result.stderr) == (1, "clift-ns2: NS2_TARBALL=/nonexistent: no such file\n")
    assert (built / "build" / "stamp").exists()
    assert not (built / "build" / "emulate-stamp").exists()
