"""What counts as up to date for `clift-linux/build.py` and `clift-quic/build.py`; nothing is compiled."""

import dataclasses
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from processes import execute

from tests.ns2.sanitized_programs import ROOT, build_script


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A kernel tree, as far as its hash goes."""
    folder = tmp_path / "tree"
    (folder / "arch" / "um").mkdir(parents=True)
    (folder / "net").mkdir()
    (folder / "net" / "tcp.c").write_text("int rto = 200;\n")
    (folder / "dts").symlink_to("arch")
    return folder


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)


def _link(path: Path, target: str) -> None:
    path.unlink()
    path.symlink_to(target)


@pytest.mark.parametrize(
    ("change", "is_another"),
    [
        (lambda tree: _write(tree / "net" / "tcp.c", "int rto = 300;\n"), True),
        (lambda tree: (tree / "net" / "tcp.c").rename(tree / "net" / "udp.c"), True),
        (lambda tree: _write(tree / "net" / "Kconfig", ""), True),
        (lambda tree: _link(tree / "dts", "net"), True),
        (lambda tree: os.utime(tree / "net" / "tcp.c", (0, 0)), False),
        (lambda tree: _write(tree / ".git" / "index", "x"), False),
        (lambda tree: _write(tree / "net" / "tcp.o", "x"), False),
    ],
)
def test_kernel_tree__is_another_when_its_files_are(
    tree: Path, change: Callable[[Path], object], is_another: bool
) -> None:
    script = build_script("clift-linux")
    before = script.source_of(str(tree))
    change(tree)
    assert (script.source_of(str(tree)) != before) == is_another


def test_kernel_tree__is_the_same_at_another_path(tree: Path, tmp_path: Path) -> None:
    script = build_script("clift-linux")
    copy = shutil.copytree(tree, tmp_path / "a=copy", symlinks=True)
    assert script.source_of(str(copy)) == script.source_of(str(tree))


def test_build__looks_at_the_kernel_that_is_asked_for(
    tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is up to date until its tree is edited; the patches do not fit this tree, which ends the build."""
    for name in ("clift-linux", "clift-ns2/core", "clift-ns2/emulate", "clift-ns2/ns2"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("build"))
    script = build_script("clift-linux", tmp_path)
    try:
        script.check_machine()
    except script.BuildError as error:
        pytest.skip(f"{error}")
    monkeypatch.setenv("KERNEL_TREE", str(tree))
    kernel, other = (
        script.Variant(name, name, ("config",), ("driver",), tmp_path / name) for name in ("kernel", "other")
    )
    kernel.home.mkdir()
    kernel.program.write_text("the kernel")
    sources = script.source_hash(script.source_of(script.kernel_origin()), kernel)
    (kernel.home / "stamp").write_text(script.stamp(sources, kernel.program))
    script.build(kernel)
    assert capsys.readouterr().out.endswith("up to date\n")
    with pytest.raises(script.BuildError, match=f"does not apply to {tree}"):
        script.build(other)
    _write(tree / "net" / "tcp.c", "int rto = 300;\n")
    with pytest.raises(script.BuildError, match=f"does not apply to {tree}"):
        script.build(kernel)


def test_kernel__is_another_with_flags_of_its_own() -> None:
    script = build_script("clift-linux")
    flagged = dataclasses.replace(script.FLOWS, flags=("-fsanitize=undefined",))
    assert script.source_hash("source", flagged) != script.source_hash("source", script.FLOWS)


def _compiled(*sources: Path) -> set[Path]:
    """Return the sources and the headers that they include."""
    folders = [f"-I{ROOT / name}" for name in ("clift-ns2", "clift-linux/driver", "clift-linux/programs")]
    rules = execute("g++", "-MM", "-std=c++17", *folders, *sources, check=True).stdout
    return {Path(word).resolve() for word in rules.split() if word.endswith((".cc", ".h"))}


def test_kernels__are_others_when_a_file_is_that_they_link() -> None:
    script = build_script("clift-linux")
    for variant in (script.FLOWS, script.PROGRAMS):
        own = [path for path in script.files_of(variant.sources) if path.suffix == ".cc"]
        linked = _compiled(*own, *(script.CORE / name for name in script.HOST_SOURCES))
        assert len(linked) > 50
        assert linked <= set(variant.inputs())


def test_quic__is_another_when_a_file_is_that_it_links_and_no_other() -> None:
    script = build_script("clift-quic")
    core = [path for pattern in ("core/*.cc", "core/aqm/*.cc") for path in script.CORE.glob(pattern)]
    driver = [script.DRIVER / name for name in script.DRIVER_FILES if name.endswith(".cc")]
    linked = _compiled(*core, *(script.CORE / name for name in script.LINKED), *driver)
    assert len(linked) > 50
    assert linked <= set(script.inputs())
    assert {path for path in script.inputs() if path.suffix == ".cc"} <= linked
