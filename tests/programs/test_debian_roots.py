"""Roots of packages, by apt from an archive of our own: the files in them, and the same file each time."""

import hashlib
import shutil
import subprocess
import tarfile
from pathlib import Path

import pytest
from in_process import tmt

from tmt.run.programs.debian import ALWAYS, TIME_S, merged

pytestmark = pytest.mark.skipif(
    any(shutil.which(name) is None for name in ("apt-get", "dpkg-deb")),
    reason="apt-get and dpkg-deb are not installed",
)

PACKAGES = dict.fromkeys(ALWAYS, ("1", "")) | {
    "hello": ("1:2.0-1", "Depends: words\nRecommends: phantom\n"),
    "words": ("3", ""),
}
"""Packages of the archive with version and relations; no package has the name phantom."""

FILES = {
    "base-passwd": {"usr/share/base-passwd/passwd.master": "root:x:0:0::/root:/bin/sh\n"},
    "hello": {
        "bin/hello": "#!/bin/sh\necho hello\n",
        "usr/share/doc/hello/news": "none\n",
        "usr/share/docutils/writer": "words\n",
    },
    "words": {"usr/share/words": "a\n"},
}

APT_CONFIG = """\
Dir::Etc::sourcelist "{folder}/sources.list";
Dir::Etc::sourceparts "-";
Dir::State::lists "{folder}/lists";
Dir::Cache "{folder}/cache";
APT::Sandbox::User "root";
"""


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The configuration with which apt knows no archive but a folder of packages."""
    folder = tmp_path_factory.mktemp("archive")
    index = "".join(package(folder, name) for name in PACKAGES)
    (folder / "Packages").write_text(index)
    (folder / "sources.list").write_text(f"deb [trusted=yes] file:{folder} ./\n")
    config = folder / "apt.conf"
    config.write_text(APT_CONFIG.format(folder=folder))
    for name in ("lists", "cache"):
        (folder / name).mkdir()
    command = ["apt-get", "update"]
    environment = {"APT_CONFIG": str(config), "PATH": "/usr/sbin:/usr/bin:/sbin:/bin"}
    subprocess.run(command, env=environment, check=True, capture_output=True)
    return config


def package(folder: Path, name: str) -> str:
    """Build a package; return its paragraph of the archive's index."""
    version, relations = PACKAGES[name]
    tree = folder / name
    for file, text in FILES.get(name, {}).items():
        (tree / file).parent.mkdir(parents=True, exist_ok=True)
        (tree / file).write_text(text)
    if name == "hello":
        (tree / "bin" / "hello").chmod(0o755)
        (tree / "bin" / "near").symlink_to("hello")
        (tree / "bin" / "far").symlink_to("../usr/share/words")
        (tree / "usr" / "bin").mkdir()
        (tree / "usr" / "bin" / "library").symlink_to("../../lib/one")
    about = f"Package: {name}\nVersion: {version}\nArchitecture: all\nMaintainer: A <a@b>\n{relations}"
    (tree / "DEBIAN").mkdir(parents=True)
    (tree / "DEBIAN" / "control").write_text(f"{about}Description: d\n")
    built = folder / f"{name}.deb"
    subprocess.run(["dpkg-deb", "--build", str(tree), str(built)], check=True, capture_output=True)
    content = built.read_bytes()
    place = f"Filename: ./{built.name}\nSize: {len(content)}\nSHA256: {hashlib.sha256(content).hexdigest()}\n"
    return f"{about}{place}Description: d\n\n"


@pytest.fixture
def folder(archive: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for roots of the archive's packages."""
    monkeypatch.setenv("APT_CONFIG", str(archive))
    return tmp_path


def test_root__has_the_packages_files_below_usr_and_no_documents(folder: Path) -> None:
    said = tmt("root", "debian", "--with", "hello", "-o", "one.tar", "--quiet", folder=folder)
    assert (said.status, said.err) == (0, "")
    assert said.out.startswith("one.tar: 7 packages, 0 MB, SHA-256 ")
    with tarfile.open(folder / "one.tar") as root:
        members = {member.name: member for member in root}
        files = {name: root.extractfile(name).read() for name, one in members.items() if one.isreg()}  # type: ignore[union-attr]
    assert members["bin"].linkname == "usr/bin"
    assert members["usr/bin/hello"].mode == 0o755
    assert members["usr/bin/near"].linkname == "/usr/bin/hello"
    assert members["usr/bin/far"].linkname == "/usr/share/words"
    assert members["usr/bin/library"].linkname == "../../lib/one"
    assert files["usr/bin/hello"] == b"#!/bin/sh\necho hello\n"
    assert files["etc/passwd"] == files["usr/share/base-passwd/passwd.master"]
    versions = (
        "base-files=1",
        "base-passwd=1",
        "coreutils=1",
        "dash=1",
        "hello=1:2.0-1",
        "netbase=1",
        "words=3",
    )
    assert files["etc/tmt-packages"].decode().split() == [*versions]
    assert not any(f"{name}/".startswith("usr/share/doc/") for name in members)
    assert files["usr/share/docutils/writer"] == b"words\n"
    assert {one.mtime for one in members.values()} == {TIME_S}


def test_root__of_equal_packages_is_equal(folder: Path) -> None:
    for name in ("one.tar", "two.tar"):
        assert tmt("root", "debian", "--with", "hello,hello", "-o", name, folder=folder).status == 0
    assert (folder / "one.tar").read_bytes() == (folder / "two.tar").read_bytes()


NAMES = "`apt-get update` renews the lists, `apt-cache search` finds names\n"


@pytest.mark.parametrize(
    ("names", "line"),
    [
        ("no-such", f"--with: Unable to locate package no-such; {NAMES}"),
        ("hello=9", f"--with: Version '9' for 'hello' was not found; {NAMES}"),
        ("phantom", f"--with: Package 'phantom' has no installation candidate; {NAMES}"),
        ("--option", "--with: '--option' is not allowed; allowed: names of packages, such as curl\n"),
    ],
)
def test_name__that_is_none_is_refused(folder: Path, names: str, line: str) -> None:
    said = tmt("root", "debian", f"--with={names}", "-o", "one.tar", "--quiet", folder=folder)
    assert said == (2, "", line)
    assert not (folder / "one.tar").exists()


def test_paths__are_merged_as_debian_has_them() -> None:
    assert [merged(name) for name in ("./bin/sh", "./usr/bin/sh", "lib64/x", "./etc", "./")] == [
        *("usr/bin/sh", "usr/bin/sh", "usr/lib64/x", "etc", ""),
    ]
