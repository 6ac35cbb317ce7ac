"""The commands and the code of every page run as printed, and tutorials; notebooks have tests of their own.

Blocks of a page run in their order, in a folder that has `traces`, `scenarios` and the files that the page
shows by name. TMT_CODE_BLOCKS=all runs the campaigns of minutes, too (`make test-blocks`).
"""

import gzip
import io
import os
import re
import shlex
import shutil
import struct
import sys
from contextlib import redirect_stdout
from pathlib import Path
from typing import NamedTuple

import pytest
from in_process import tmt
from processes import execute

from tmt.io import read_trace
from tmt.spec.toml import read

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
FENCE = re.compile(r"^```(\w*) ?([\w./-]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"^(?:\$ )?(?:tmt|clift|python3?|make|pip|dask|docker|ns) ", re.MULTILINE)

ELSEWHERE = {
    "emulation.md": "tests/emulate/test_emulation_page.py runs it",
    "install.md": "make test-wheel installs; containers and conda need programs and a network",
    "clusters.md": "several machines; tests/campaign/test_cluster.py runs schedulers and workers",
    "contributing.md": "make's targets",
    "compare.md": "tests/report/test_compare_command.py compares two campaigns",
}
"""Pages whose commands are not run here."""

LEFT_OUT = {
    r"apt-get download|tar --extract|wget |patch -d|KERNEL_TREE=": "a kernel's tree from the network",
    r"make ": "minutes, and builds of its own",
    r"(\.venv/bin/)?python -m analysis": "the papers' campaigns: make pages",
    r"NS2_TARBALL=": "a build of the simulator",
    r"tmt replay .*--stack (linux|quic)": "built on demand; tests/linux and tests/quic run it",
    r"tmt replay .*--client|tmt run (scenarios/programs|links)": "built on demand; tests/programs run it",
    r"tmt root ": "the distribution's archive; tests/programs make one of packages of their own",
    r"tmt tune |tmt run scenarios/(today|ntn|internet|quic)": "many minutes",
    r"tmt report scenarios/out/internet": "of a campaign of many minutes",
    r"pip install --target|cargo install|(CGO_ENABLED=0 )?go build": "packages of registries",
    r"git clone|\. \.venv": "the set-up that the tests stand in",
}
"""Commands that need more than this project's set-up, and why."""

MINUTES = re.compile(r"tmt (run|report|pack|course|compare) ")
"""Commands of campaigns."""


def _capture(delay_us: int) -> bytes:
    """Return a pcap of twenty UDP datagrams over raw IPv4."""
    out = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 101)
    for number in range(20):
        ends = b"\n\0\0\1\n\0\0\2"
        packet = struct.pack(">BBHHHBBH8s4H", 0x45, 0, 36, 7, 0, 64, 17, 0, ends, 1000, 2000, 16, 0)
        packet += struct.pack(">Q", number)
        out += struct.pack("<4I", 1, 10_000 * number + delay_us, len(packet), len(packet)) + packet
    return out


FILES = {
    "measured.csv": "tx_time,decode_time\n"
    + "".join(f"{number / 1000},{0.01 * (number % 9 > 0)}\n" for number in range(4000)),
    "log.csv": "sent,decoded\n"
    + "".join(f"{number / 1000},{number / 1000 + 0.01 if number % 9 else ''}\n" for number in range(4000)),
    "delay_example.txt": "20\n21\n",
    "satellites.tle": "SAMPLE-1\n"
    "1 90201U 26001A   26331.50000000  .00000000  00000-0  00000-0 0    15\n"
    "2 90201  53.0000 200.0000 0001000   0.0000  70.0000 15.06000000    04\n"
    "SAMPLE-2\n"
    "1 90220U 26001A   26331.50000000  .00000000  00000-0  00000-0 0    16\n"
    "2 90220  53.0000 200.0000 0001000   0.0000  52.0000 15.06000000    05\n",
    "Verizon-LTE-short.down": "0\n12\n12\n15\n",
    "sender.pcap": _capture(0),
    "receiver.pcap": _capture(30_000),
    "monitor.pcap": (ROOT / "tests/fuzz/corpus/radiotap/retries").read_bytes(),
    "download.pcap": gzip.decompress((ROOT / "tests/measured/captures/tcp-receiver.pcap.gz").read_bytes()),
}
"""Small files that stand for the reader's own."""

_ALL = os.environ.get("TMT_CODE_BLOCKS") == "all"


class Block(NamedTuple):
    """A fenced block: its language, its file's name or nothing, its text."""

    language: str
    file: str
    text: str


def blocks(page: Path) -> list[Block]:
    return [Block(*found) for found in FENCE.findall(page.read_text(encoding="utf-8"))]


PAGES = [
    page
    for page in sorted([ROOT / "README.md", *DOCS.glob("*.md"), *(DOCS / "import").glob("*.md")])
    if page.name not in ELSEWHERE and {"sh", "python"} & {block.language for block in blocks(page)}
]


@pytest.mark.parametrize("page", sorted(DOCS.rglob("*.md")), ids=lambda page: page.stem)
def test_page__marks_its_commands(page: Path) -> None:
    """A command that stands in a block without a language would not be run."""
    text = page.read_text(encoding="utf-8")
    if page.parent.name in ("cli", "tutorials") or page.name in ELSEWHERE:
        return
    indented = re.findall(r"(?:^|\n)\n((?:    .*\n)+)", FENCE.sub("", text))
    unmarked = [block.text for block in blocks(page) if block.language in ("", "text")]
    plain = [re.sub("^    ", "", found, flags=re.MULTILINE) for found in indented] + unmarked
    commands = [found for found in plain if COMMAND.search(found)]
    assert [found for found in commands if not re.search(r"KEY VALUE|^\$ tmt", found)] == []


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with traces, scenarios, and a PHY and a link trace."""
    for name in ("traces", "scenarios"):
        left_out = shutil.ignore_patterns("out", "contract")
        shutil.copytree(ROOT / name, tmp_path / name, ignore=left_out)
    for name in ("clift-ns2", "analysis"):
        (tmp_path / name).symlink_to(ROOT / name)
    line = "--rate-bps 263000 --lldu-bytes 33 --duration 60"
    for words in (
        f"generate --channel gilbert-elliott --alpha 0.99 --beta 0.9 {line} phy.parquet",
        "convert phy.parquet link.parquet --scheme arq --rtt 0.5",
        "export link.parquet link.npy",
    ):
        assert tmt(*words.split(), folder=tmp_path).status == 0
    return tmp_path


@pytest.mark.ns2
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_page__runs_as_printed(page: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    for name, text in FILES.items():
        Path(name).write_bytes(text.encode() if isinstance(text, str) else text)
    shown = blocks(page)
    for block in shown:
        if block.file and block.language != "python":
            Path(block.file).write_text(block.text, encoding="utf-8")
    printed: list[str] = []
    names: dict[str, object] = {"frame": read_trace("phy.parquet").to_frame()}
    for block in shown:
        if block.language == "sh":
            for command in block.text.replace("\\\n", " ").splitlines():
                printed += _run(command.partition(" #")[0].strip(), folder)
        elif block.language == "python":
            if "tmt.tune_trace(" in block.text and not _ALL:  # minutes
                continue
            with redirect_stdout(io.StringIO()):
                exec(compile(block.text, page.name, "exec"), names)
        elif not block.language:  # what the commands before it print, "..." where lines are left out
            assert set(_lines(block.text)) - {"", "..."} <= set(printed)


def _run(command: str, folder: Path, *, minutes: bool = _ALL) -> list[str]:
    """Run a command, and return the lines that it prints; those that may take minutes only where asked."""
    too_long = MINUTES.match(command) and not minutes
    if not command or too_long or any(re.match(pattern, command) for pattern in LEFT_OUT):
        return []
    words = shlex.split(command)
    if words[0] == "tmt":
        said = tmt(*words[1:], folder=folder)
        assert said.status == 0, f"{command}\n{said.err}"
        assert " now\n" not in said.err, f"{command}\n{said.err}"  # of an old name
        return _lines(said.out)
    ended = execute("sh", "-euc", command)
    assert ended.returncode == 0, f"{command}\n{ended.stderr}"
    return _lines(ended.stdout)


def _lines(text: str) -> list[str]:
    """Return the lines of a text; columns may have other widths."""
    return [" ".join(line.split()).strip("─ ") for line in text.splitlines()]


def _of_language(language: str) -> list[object]:
    return [
        pytest.param(block.text, id=f"{page.stem}-{number}")
        for page in sorted(DOCS.glob("*.md"))
        for number, block in enumerate(blocks(page))
        if block.language == language
    ]


@pytest.mark.parametrize("text", _of_language("toml"))
def test_toml__is_a_scenario_or_a_part_of_one(text: str, tmp_path: Path) -> None:
    (tmp_path / "traces").symlink_to(ROOT / "traces")
    place = tmp_path / "scenarios" / "shown.toml"
    place.parent.mkdir()
    if "[[trace]]" not in text:
        text = (
            '[[trace]]\nfile = "../traces/sample.parquet"\n'
            f'[[scheme]]\nname = "none"\n[path]\nrtt = 0.5\n{text}'
        )
    place.write_text(text, encoding="utf-8")
    found = read(place)
    assert found.scenario.trace
    assert not found.notes


@pytest.mark.ns2
@pytest.mark.parametrize("text", _of_language("tcl"))
def test_tcl__is_accepted_by_the_simulator(text: str, simulator: Path, folder: Path) -> None:
    script = folder / "shown.tcl"
    script.write_text(text + "\nputs whole\nexit 0\n", encoding="utf-8")
    ended = execute(simulator, script, cwd=folder)
    assert (ended.returncode, ended.stdout.splitlines()[-1:]) == (0, ["whole"]), ended.stderr


TUTORIALS = sorted(page for page in (ROOT / "docs" / "tutorials").glob("*.md") if page.stem != "index")
SED = re.compile(r"^sed -i ((?:-e '[^']*'[\s\\]*)+)(\S+)$", re.MULTILINE)
BLOCK = re.compile(r"^```(\w+) ?([\w./-]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.mark.ns2
@pytest.mark.parametrize("page", TUTORIALS, ids=lambda page: page.stem)
def test_tutorial__runs_as_printed(page: Path, tmp_path: Path) -> None:
    blocks = BLOCK.findall(page.read_text(encoding="utf-8"))
    (tmp_path / "traces").symlink_to(ROOT / "traces")
    environment = os.environ | {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    is_changed = any(re.search(r"\btmt/\w", file + text) for _, file, text in blocks)
    if is_changed:  # the page changes the program
        shutil.copytree(ROOT / "tmt", tmp_path / "tmt", ignore=shutil.ignore_patterns("__pycache__"))
        environment["PYTHONPATH"] = str(tmp_path)
    if any(file.startswith("clift-ns2/") for _, file, _ in blocks):
        for name in ("core", "tcl", "make_variants.py"):
            own = tmp_path / "clift-ns2" / name
            (shutil.copytree if not own.suffix else shutil.copy)(ROOT / "clift-ns2" / name, own)

    commands = 0
    for language, file, text in blocks:
        if file:
            (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / file).write_text(text, encoding="utf-8")
        elif language == "sh":
            for edits, edited in SED.findall(text):
                for edit in re.findall(r"-e ('[^']*')", edits):
                    same = execute("sh", "-c", f"sed -e {edit} {edited} | cmp -s - {edited}", cwd=tmp_path)
                    assert same.returncode == 1, f"{edit} finds nothing in {edited}"
            lines = [line.partition(" #")[0] for line in text.replace("\\\n", " ").splitlines()]
            if is_changed or any(re.search(r"^(?!tmt )|[|><;&$*`]", line) for line in lines):
                ended = execute("sh", "-euc", text, cwd=tmp_path, env=environment)
                assert ended.returncode == 0, f"{text}\n{ended.stderr}"
            else:
                for line in lines:
                    _run(line, tmp_path, minutes=True)
            commands += 1
    assert commands
