"""Roots of Debian's packages: which files they have, where, and that equal packages give equal files."""

import os
import shutil
import subprocess
import tarfile
from pathlib import Path

import pytest
from in_process import tmt

from tmt.run.programs.debian import TIME_S, merged

pytestmark = pytest.mark.skipif(shutil.which("dpkg-deb") is None, reason="dpkg-deb is not installed")

APT = """\
#!/bin/sh
# Stands for apt-get: an archive of two packages, of which hello needs the other one.
case "$*" in
*no-such*) echo "E: Unable to locate package no-such" >&2; exit 100 ;;
install*) echo "Inst base-passwd (1 Debian:12 [all])"; echo "Inst hello (2.0-1 Debian:12 [all])" ;;
download*) cp {folder}/*.deb . ;;
esac
"""


@pytest.fixture
def archive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An archive of two packages, and a command that stands for apt-get."""
    packages = {
        "base-passwd": {"usr/share/base-passwd/passwd.master": "root:x:0:0::/root:/bin/sh\n"},
        "hello": {"bin/hello": "#!/bin/sh\necho hello\n", "usr/share/doc/hello/news": "none\n"},
    }
    for name, files in packages.items():
        tree = tmp_path / name
        for file, text in files.items():
            (tree / file).parent.mkdir(parents=True, exist_ok=True)
            (tree / file).write_text(text)
        if name == "hello":
            (tree / "bin" / "hello").chmod(0o755)
            (tree / "bin" / "near").symlink_to("hello")
            (tree / "bin" / "far").symlink_to("../usr/share/words")
            (tree / "usr" / "bin").mkdir()
            (tree / "usr" / "bin" / "library").symlink_to("../../lib/one")
        (tree / "DEBIAN").mkdir()
        about = f"Package: {name}\nVersion: 1\nArchitecture: all\nMaintainer: A <a@b>\nDescription: d\n"
        (tree / "DEBIAN" / "control").write_text(about)
        subprocess.run(["dpkg-deb", "--build", str(tree), str(tmp_path)], check=True, capture_output=True)
    stand_in = tmp_path / "path" / "apt-get"
    stand_in.parent.mkdir()
    stand_in.write_text(APT.format(folder=tmp_path))
    stand_in.chmod(0o755)
    monkeypatch.setenv("PATH", f"{stand_in.parent}{os.pathsep}{os.environ['PATH']}")
    return tmp_path


def test_root__has_the_packages_files_below_usr_and_no_documents(archive: Path) -> None:
    said = tmt("root", "debian", "--with", "hello", "-o", "one.tar", "--quiet", folder=archive)
    assert said.out.startswith("one.tar: 2 packages, 0 MB, SHA-256 ")
    with tarfile.open(archive / "one.tar") as root:
        members = {member.name: member for member in root}
        files = {name: root.extractfile(name).read() for name, one in members.items() if one.isreg()}  # type: ignore[union-attr]
    assert members["bin"].linkname == "usr/bin"
    assert members["usr/bin/hello"].mode == 0o755
    assert members["usr/bin/near"].linkname == "/usr/bin/hello"
    assert members["usr/bin/far"].linkname == "/usr/share/words"
    assert members["usr/bin/library"].linkname == "../../lib/one"
    assert files["usr/bin/hello"] == b"#!/bin/sh\necho hello\n"
    assert files["etc/passwd"] == files["usr/share/base-passwd/passwd.master"]
    assert files["etc/tmt-packages"] == b"base-passwd=1\nhello=2.0-1\n"
    assert not any(name.startswith("usr/share/doc") for name in members)
    assert {one.mtime for one in members.values()} == {TIME_S}


def test_root__of_equal_packages_is_equal(archive: Path) -> None:
    for name in ("one.tar", "two.tar"):
        assert tmt("root", "debian", "--with", "hello,hello", "-o", name, folder=archive).status == 0
    assert (archive / "one.tar").read_bytes() == (archive / "two.tar").read_bytes()


@pytest.mark.parametrize(
    ("names", "line"),
    [
        ("no-such", "--with: Unable to locate package no-such; "),
        ("--option", "--with: '--option' is not allowed; allowed: names of packages, such as curl"),
    ],
)
def test_name__that_is_none_is_refused(archive: Path, names: str, line: str) -> None:
    said = tmt("root", "debian", f"--with={names}", "-o", "one.tar", "--quiet", folder=archive)
    assert (said.status, said.out) == (2, "")
    assert said.err.startswith(line)
    assert not (archive / "one.tar").exists()


def test_paths__are_merged_as_debian_has_them() -> None:
    assert [merged(name) for name in ("./bin/sh", "./usr/bin/sh", "lib64/x", "./etc", "./")] == [
        *("usr/bin/sh", "usr/bin/sh", "usr/lib64/x", "etc", ""),
    ]
