"""Rules for the whole repository: links, commands, the site, style, types and the direction of imports."""

import ast
import re
import sys
from graphlib import TopologicalSorter
from pathlib import Path

import furo
import pytest
import yaml
from processes import execute
from site_search import read_index, search

import tmt

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted(
    [
        *ROOT.glob("*.md"),
        *(ROOT / "docs").rglob("*.md"),
        *(ROOT / "traces").glob("*.md"),
        *(ROOT / ".github").glob("*.md"),
        *(ROOT / "packaging").rglob("*.md"),
    ]
)
WORKFLOWS = sorted((ROOT / ".github" / "workflows").iterdir())


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_page__links_to_files_that_exist(page: Path) -> None:
    targets = re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", page.read_text())
    local = [target for target in targets if "://" not in target and not target.startswith("mailto:")]
    assert [target for target in local if not (page.parent / target).exists()] == []


def test_pages__are_reachable_from_the_readme() -> None:
    reached, waiting = set(), [ROOT / "README.md"]
    while waiting:
        page = waiting.pop()
        reached.add(page)
        targets = re.findall(r"\]\(([^)#\s]+\.md)", page.read_text())
        linked = {(page.parent / target).resolve() for target in targets if "://" not in target}
        waiting += linked - reached
    assert set((ROOT / "docs").rglob("*.md")) <= reached


def test_readme__names_only_targets_that_make_has() -> None:
    named = set(re.findall(r"(?:^|`)make ([a-z]+)", (ROOT / "README.md").read_text(), re.MULTILINE))
    assert {"run", "test"} <= named <= _targets()


def test_api_page__has_every_name_of_the_package() -> None:
    page = (ROOT / "docs/api.md").read_text(encoding="utf-8")
    assert set(re.findall(r"auto\w+:: (\w+)", page)) == set(tmt.__all__)


def test_root__holds_nothing_that_a_program_has_left() -> None:
    found = {
        line.partition("/")[0]
        for line in execute("git", "ls-files", cwd=ROOT, check=True).stdout.splitlines()
    }
    files = {
        ".gitignore",
        "CHANGELOG.md",
        "CITATION.cff",
        "CONTRIBUTING.md",
        "LICENSE",
        "Makefile",
        "README.md",
    }
    files |= {"constraints.txt", "constraints-dev.txt", "pyproject.toml"}
    folders = {"tmt", "clift-ns2", "clift-linux", "clift-quic", "traces", "scenarios", "analysis"}
    assert found <= files | folders | {".ci", ".github", "benchmarks", "docs", "packaging", "tests", "tools"}


def _targets() -> set[str]:
    listing = execute("make", "help", cwd=ROOT, check=True).stdout
    return {line.split()[1] for line in listing.splitlines() if line.startswith("make ")}


def test_workflows__are_tests_wheel_site_and_container() -> None:
    assert {path.name for path in WORKFLOWS} == {"tests.yml", "wheel.yml", "site.yml", "container.yml"}


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_workflow__calls_targets_that_make_has(path: Path) -> None:
    workflow = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert workflow["name"] == path.stem
    assert workflow[True]  # YAML 1.1 reads the key `on` as true
    assert "contents" in workflow["permissions"]
    called = set()
    for job in workflow["jobs"].values():
        if "uses" in job:
            assert (ROOT / job["uses"]).is_file()
            continue
        assert job["runs-on"] == "ubuntu-latest"
        for step in job["steps"]:
            assert ("run" in step) != ("uses" in step)
            assert re.fullmatch(r"actions/[\w-]+@v\d+", step.get("uses", "actions/checkout@v4"))
            called |= set(re.findall(r"^make ([\w-]+)", step.get("run", ""), re.MULTILINE))
    assert called
    assert called <= _targets()


@pytest.mark.parametrize(
    "command",
    [["ruff", "check", "."], ["ruff", "format", "--check", "."], ["mypy"], ["lint-imports"]],
    ids=lambda command: "-".join(command[:2]),
)
def test_checker__is_content(command: list[str]) -> None:
    program = Path(sys.executable).with_name(command[0])
    result = execute(program, *command[1:], cwd=ROOT)
    assert result.returncode == 0, result.stdout + result.stderr


def test_modules__import_each_other_in_one_direction_only() -> None:
    modules = {}
    for path in (ROOT / "tmt").rglob("*.py"):
        parts = path.relative_to(ROOT).with_suffix("").parts
        modules[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    needs: dict[str, set[str]] = {module: set() for module in modules}
    for module, path in modules.items():
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                members = [f"{node.module}.{alias.name}" for alias in node.names]
                names = [one if one in modules else str(node.module) for one in members]
            else:
                continue
            # `tmt` itself imports its names only when they are used; others take the version from it.
            needs[module] |= {name for name in names if name in modules and name not in (module, "tmt")}
    TopologicalSorter(needs).prepare()  # raises CycleError, which names the modules


LOADED = re.compile(r"<(?:script|link|img|iframe)\b[^>]*\b(?:src|href)=\"(?:https?:)?//")


SEARCHED = {
    "import csv": "questions",
    "more traces like mine": "fit",
    "adaptive coding modulation": "adaptation",
    "handover 15 seconds": "questions",
    "starlink reconfiguration": "motion",
    "two users": "questions",
    "cubic or bbr": "questions",
    "which bbr": "congestion-controls",
    "congestion control c++": "tutorials/new-congestion-control",
    "own congestion control kernel": "tutorials/new-congestion-control",
    "ebpf": "questions",
    "kernel patches": "linux",
    "quic binary": "questions",
    "aqm ecn": "queue",
    "page load video": "questions",
    "tle satellite": "motion",
    "harq feedback off": "ntn",
    "best scheme bbr": "questions",
    "10,000 runs slurm": "clusters",
    "interval": "statistics",
    "confidence interval": "statistics",
    "how many seeds": "questions",
    "trust real link": "questions",
    "validation": "validation",
    "continuous integration": "continuous-integration",
    "macos": "install",
    "windows fedora": "install",
    "rtt milliseconds": "questions",
    "cite": "cli/cite",
    "doi": "questions",
    "publish": "packs",
    "how large a queue": "queue-length",
    "csv without sizes": "questions",
    "trace too short": "questions",
    "plot goodput over time": "questions",
    "load results pandas": "python",
    "save figure pdf": "paper",
    "campaign faster": "questions",
    "same result another computer": "questions",
    "timestamp epoch milliseconds": "questions",
    "unsettled": "formats",
    "import harq log": "import/cellular",
    "bler per second": "questions",
    "99th percentile delay": "metrics",
    "confidential trace": "questions",
    "voip": "questions",
    "slow return link": "replay",
    "rain fade": "questions",
    "pep": "questions",
    "snr log": "questions",
    "cwnd over time": "questions",
    "fairness": "metrics",
    "initial window": "questions",
    "pcap of a run": "questions",
    "mptcp": "programs",
    "flow completion time": "questions",
    "compare two versions": "compare",
    "dvb modcod log": "adaptation",
    "link margin": "questions",
    "modify tcp_cubic": "questions",
    "struct_ops": "questions",
    "quic ci thresholds": "continuous-integration",
    "several traces": "questions",
    "reordering buffer": "questions",
    "irregular ping gaps": "import/probes",
    "search slow start": "questions",
    "packet size mtu": "questions",
    "weather attenuation": "questions",
    "resume interrupted campaign": "questions",
    "use all cores": "questions",
    "quic server certificate": "programs",
    "real application over link": "questions",
    "webrtc": "questions",
}
"""Words that people type, and the page that answers."""


def test_site__builds_without_a_warning_works_offline_and_finds_answers(tmp_path: Path) -> None:
    """One test, because the build takes long. The search's first three results hold the answer.

    The theme itself takes a third of the time, to list all pages on each; its templates are read instead.
    """
    build = [sys.executable, "-m", "sphinx", "--quiet", "--fail-on-warning", "--nitpicky"]
    built = execute(*build, "-D", "html_theme=basic", "docs", str(tmp_path), cwd=ROOT)
    assert built.returncode == 0, built.stderr
    pages = sorted(tmp_path.rglob("*.html"))
    assert len(pages) > len(list((ROOT / "docs").glob("*.md")))
    pages += Path(furo.__file__).parent.rglob("*.html")
    assert [page.name for page in pages if LOADED.search(page.read_text(encoding="utf-8"))] == []

    index = read_index(tmp_path)
    questions = re.findall(
        r"^### (.+)$", (ROOT / "docs/questions.md").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert len(questions) > 24
    for words, answer in (SEARCHED | dict.fromkeys(questions, "questions")).items():
        assert answer in search(index, words)[:3], words
