"""A wheel with the simulator inside: what it holds, and that an installation gives a checkout's results.

`make test-wheel` names a wheel of `make wheel` in TMT_WHEEL. Without that the wheel is made here, of a copy
of the sources and of the checkout's own programs, which the same functions lay out. The wheel of the kernels
is made of the checkout's kernels, where it has them.
"""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import zipfile
from importlib import util
from pathlib import Path

import pytest
from processes import TMT, execute

pytestmark = pytest.mark.ns2

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "clift-ns2" / "build"
SOURCES = ("LICENSE", "README.md", "packaging", "pyproject.toml", "scenarios", "tmt", "traces")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if named := os.environ.get("TMT_WHEEL"):
        (found,) = (ROOT / named).glob("tmt_clift-*.whl")
        return found
    return _made_here(tmp_path_factory.mktemp("wheel"))


def _made_here(folder: Path) -> Path:
    for name in (*SOURCES, "clift-ns2/tcl"):
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__", "out"))
        else:
            shutil.copy(ROOT / name, folder)
    spec = util.spec_from_file_location("static_programs", ROOT / "packaging" / "static_programs.py")
    programs = util.module_from_spec(spec)
    spec.loader.exec_module(programs)
    programs.lay_out(BUILD, BUILD / "ns-2.35", folder / "clift-ns2" / "build-wheel" / "contents")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "--target", "wheel"],
        cwd=folder,
        env=os.environ | {"HATCH_BUILD_HOOK_ENABLE_CUSTOM": "true"},
        capture_output=True,
        check=True,
    )
    (found,) = (folder / "dist").glob("*.whl")
    return found


@pytest.fixture(scope="module")
def site(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel installed, without the packages that it needs: those are here already."""
    return _installed(tmp_path_factory.mktemp("site"), wheel)


@pytest.fixture(scope="module")
def site_with_kernels(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Both wheels installed."""
    if not (ROOT / "clift-linux" / "build" / "programs" / "linux").is_file():
        pytest.skip("no kernels: `make linux-kernel` builds them")
    made = tmp_path_factory.mktemp("kernels")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", made],
        cwd=ROOT / "packaging" / "linux",
        capture_output=True,
        check=True,
    )
    return _installed(tmp_path_factory.mktemp("site"), wheel, *made.glob("*.whl"))


def _installed(folder: Path, *wheels: Path) -> Path:
    words = ["install", "--quiet", "--offline", "--no-deps", "--target", folder, *wheels]
    subprocess.run([sys.executable, "-m", "uv", "pip", *words], check=True)
    return folder


def _tmt(site: Path, *arguments: str | Path, status: int = 0) -> str:
    """Run the installed `tmt` where no other program can be found; return its standard output."""
    result = execute(
        sys.executable,
        "-c",
        "from tmt.cli.main import main; main()",
        *map(str, arguments),
        cwd=site,
        env={"PYTHONPATH": str(site), "PATH": "/nowhere", "HOME": os.environ["HOME"]},
    )
    assert result.returncode == status, result.stderr
    return result.stdout


def test_wheel__names_the_machines_on_which_it_runs(wheel: Path) -> None:
    assert wheel.name.endswith(f"-py3-none-manylinux_2_17_{os.uname().machine}.whl")


def test_wheel__holds_licences_and_sources_and_no_results(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        readme = archive.read("clift-ns2/licenses/README").decode()
    parts = ("glibc", "libstdc++", "ns-2-COPYRIGHTS", "ns-2-LICENSES", "otcl", "tcl", "tclcl", "zlib")
    assert {f"clift-ns2/licenses/{name}" for name in parts} < names
    assert {"clift-ns2/source.tar.xz", "tmt/examples/traces/measured/LICENSE-LeoCC"} < names
    assert "a3a097194c87fedbf2a7d3c8520790dc8688874cad0373af2db0ed33e463d52e" in readme
    assert "tcl: tcl8.6 8.6" in readme
    assert not {name for name in names if "/out/" in name or "/contract/" in name or "__pycache__" in name}


def test_sources__are_those_of_the_simulator(site: Path, tmp_path: Path) -> None:
    shutil.unpack_archive(site / "clift-ns2" / "source.tar.xz", tmp_path, filter="data")
    for name in ("core/schema.h", "ns2/link_queue.cc", "CMakeLists.txt"):
        assert (tmp_path / "clift-ns2" / name).read_bytes() == (ROOT / "clift-ns2" / name).read_bytes()
    # A patched file, as the programs were compiled from it.
    assert (tmp_path / "ns-2.35" / "tcp" / "tcp-linux.cc").read_bytes() == (
        BUILD / "ns-2.35" / "tcp" / "tcp-linux.cc"
    ).read_bytes()


def test_stamp__is_that_of_the_program_itself(site: Path) -> None:
    build = site / "clift-ns2" / "build"
    stamp = hashlib.sha256((build / "ns").read_bytes()).hexdigest()
    assert (build / "stamp").read_text() == f"{stamp} {stamp}\n"
    assert stamp not in (BUILD / "stamp").read_text()


def test_version__tells_the_build_from_that_of_the_checkout(site: Path) -> None:
    ours = execute(TMT, "--version", check=True).stdout
    installed = _tmt(site, "--version")
    assert installed.split(", build ")[0] == ours.split(", build ")[0]
    assert installed != ours


def test_doctor__names_commands_that_help_without_a_checkout(site: Path) -> None:
    kernel = (
        f"{site / 'clift-linux' / 'build' / 'linux'}: stack linux needs its kernel; `pip install tmt_clift"
    )
    said = _tmt(site, "doctor")
    assert kernel in said
    assert "make" not in said
    build = site / "clift-ns2" / "build"
    for name in ("ns", "clift-emulate"):
        (build / name).rename(build / f"{name}-aside")
    said = _tmt(site, "doctor", status=1)
    for name in ("ns", "clift-emulate"):
        (build / f"{name}-aside").rename(build / name)
    assert said.count("`pip install --force-reinstall --no-deps WHEEL`") == 2
    assert "make" not in said


def test_replay__gives_the_figures_of_the_checkout(site: Path, tmp_path: Path) -> None:
    link = tmp_path / "link.csv"
    fates = (f"{slot % 7}000000,true" if slot % 50 else ",false" for slot in range(1000))
    rows = "".join(f"{slot}000000,{fate},1\n" for slot, fate in enumerate(fates))
    link.write_text(f"tx_time_ns,delay_ns,delivered,transmissions\n{rows}")
    words = [
        *("replay", "--forward", str(link), "--tcp", "cubic"),
        *("--rtt", "0.1", "--duration", "20", "--json"),
    ]
    here = subprocess.run([TMT, *words], capture_output=True, check=True, cwd=tmp_path)
    ours, installed = json.loads(here.stdout), json.loads(_tmt(site, *words))
    assert installed["command"].startswith(str(site / "clift-ns2" / "build" / "ns"))
    assert {key for key in ours if ours[key] != installed[key]} == {"command", "simulator", "wall_time_s"}


def test_kernels__are_those_of_the_checkout(site_with_kernels: Path, tmp_path: Path) -> None:
    site = site_with_kernels
    link = tmp_path / "link.csv"
    link.write_text("tx_time_ns,delay_ns,delivered,transmissions\n0,0,true,1\n1000000,0,true,1\n")
    words = ["replay", "--forward", link, "--rtt", "0.1", "--duration", "2", "--json"]
    for more in (["--stack", "linux"], ["--client", "echo hello"]):
        here = json.loads(execute(TMT, *words, *more, check=True).stdout)
        there = json.loads(_tmt(site, *words, *more))
        assert there["command"].startswith(str(site / "clift-linux" / "build"))
        assert {key for key in here if here[key] != there[key]} == {"command", "wall_time_s"}
    readme = (site / "clift-linux" / "README").read_text()
    assert "linux-source-6." in readme
    assert (site / "clift-linux" / "source" / "clift-linux" / "build.py").is_file()


def test_examples__are_the_same_from_a_wheel_and_from_a_checkout(site: Path, tmp_path: Path) -> None:
    _tmt(site, "examples", tmp_path / "wheel")
    subprocess.run([TMT, "examples", tmp_path / "ours"], check=True)
    ours, installed = (
        {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
        for folder in (tmp_path / "ours", tmp_path / "wheel")
    )
    assert ours == installed
    assert Path("scenarios/quickstart.toml") in ours


def test_examples__leave_a_folder_that_holds_something_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "notes").write_text("mine")
    words = [TMT, "examples", str(tmp_path)]
    result = execute(*words)
    assert result.returncode == 2
    assert result.stderr == f"{tmp_path}: is not empty; a copy of the examples needs a folder of its own\n"
    assert [path.name for path in tmp_path.iterdir()] == ["notes"]


@pytest.mark.skipif(
    "TMT_WHEEL" not in os.environ, reason="the checkout's programs are not static: make test-wheel"
)
def test_programs__need_no_shared_library(site: Path) -> None:
    for name in ("ns", "clift-emulate"):
        words = ["readelf", "--program-headers", str(site / "clift-ns2" / "build" / name)]
        assert "INTERP" not in execute(*words, check=True).stdout


@pytest.mark.skipif("TMT_WHEEL" not in os.environ, reason="fetches all packages: make test-wheel")
def test_quickstart__is_equal_in_an_environment_of_its_own(wheel: Path, tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "venv"], check=True)
    tmt = tmp_path / "venv" / "bin" / "tmt"
    words = ["install", "--quiet", "--constraint", _versions(tmp_path), str(wheel)]
    subprocess.run([tmt.with_name("pip"), *words], check=True)
    alone = {"PATH": "/nowhere", "HOME": str(tmp_path)}
    subprocess.run([tmt, "examples", tmp_path / "wheel"], env=alone, check=True)
    scenario = Path("scenarios", "quickstart.toml")
    subprocess.run([tmt, "run", tmp_path / "wheel" / scenario], env=alone, check=True)
    ours = TMT
    subprocess.run([ours, "run", ROOT / scenario, "--output", tmp_path / "ours"], check=True)
    compare = [ours, "compare", tmp_path / "ours", tmp_path / "wheel" / "scenarios" / "out" / "quickstart"]
    found = json.loads(subprocess.run([*compare, "--json"], capture_output=True, check=True).stdout)
    assert found["equal"] == found["pairs"] == 400


def _versions(folder: Path) -> Path:
    """The versions of `constraints.txt`, without hashes: the wheel itself has none there."""
    file = folder / "versions.txt"
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    file.write_text("\n".join(line.rstrip(" \\") for line in lines if "==" in line))
    return file
