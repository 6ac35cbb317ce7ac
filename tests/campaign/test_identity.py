"""The key of a run follows the sources that decide it, and nothing else."""

from __future__ import annotations

import ast
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

import grimp
import pytest
from processes import copied_programs

from tmt import Arq, Harq, NoScheme, Rlc
from tmt.core import identity
from tmt.core.channels import CHANNELS
from tmt.core.errors import ChangedProgramsError
from tmt.core.identity import PACKAGE, class_places, core_places, loaded_hash, model_places, source_hash
from tmt.core.schemes import SCHEMES
from tmt.run.experiment import FACTS
from tmt.spec.stacks import BACKENDS, VARIANTS

HOUSE = Path(__file__).resolve().parents[2]

SCENARIO = """
seeds = 1
path = {{ rtt = {rtt} }}
traffic = {{ duration = 3 }}
[[trace]]
file = "{phy}"
[[trace]]
channel = {{ name = "gilbert-elliott", alpha = 0.9, beta = 0.5 }}
length = 20
rate = 2_000_000
lldu_bytes = 1500
[[scheme]]
name = "fec"
data = 10
repair = 2
[[scheme]]
name = "arq"
[[scheme]]
name = "rlc"
below = {{ name = "arq" }}
"""
FEC, ARQ, RLC = "FEC(10/12)", "ARQ", "RLC-over-ARQ(AM)"


KEYS = """
import json, os, sys
from pathlib import Path
from tmt.campaign.plan import expand
from tmt.core import identity
from tmt.spec import toml
scenario, other = (toml.read(Path(name)).scenario for name in sys.argv[1:])
expand(other)  # imports all that is needed
for _ in sys.stdin:
    if os.fork() == 0:
        identity.LOADED = identity.versions(identity.PACKAGE)
        identity.source_hash.cache_clear()
        runs = expand(scenario)
        at = [(run.coordinates["trace"], run.coordinates["scheme"]) for run in runs]
        hashes = [(run.key, run.experiment, run.recipe.identity) for run in runs]
        print(json.dumps([(*one, *its) for one, its in zip(at, hashes)]), flush=True)
        os._exit(0)
    os.wait()
"""
"""Prints the keys of a scenario for each line of its input, each time as a process that has just started.

Another scenario's keys are of no use to it.
"""


@dataclass(frozen=True)
class Keys:
    """The keys of a scenario's runs: each has a trace, a scheme, and three hashes."""

    rows: list[list[str]]

    def differing(self, other: Keys) -> set[tuple[str, str, int]]:
        """Return trace, scheme and number of each hash that differs."""
        return {
            (mine[0], mine[1], number)
            for mine, theirs in zip(self.rows, other.rows, strict=True)
            for number in (2, 3, 4)
            if mine[number] != theirs[number]
        }


RUN, EXPERIMENT, TRACE = 2, 3, 4


class Copy:
    """A copy of the tree that tests change, one after the other."""

    def __init__(self, folder: Path, phy: Path, stack: ExitStack) -> None:
        self.package, self._stack = copied_programs(folder), stack
        self.scenarios = [folder / name for name in ("s.toml", "other.toml")]
        for path, rtt in zip(self.scenarios, (0.1, 0.2), strict=True):
            path.write_text(SCENARIO.format(phy=phy, rtt=rtt))
        self.load()
        self.keys = self._read()

    def load(self) -> None:
        """Start a process that imports the package as it is now."""
        self._stack.close()
        ns = HOUSE / "clift-ns2" / "build" / "ns"
        environment = os.environ | {"PYTHONPATH": str(self.package.parent), "CLIFT_NS": str(ns)}
        command, pipe = [sys.executable, "-c", KEYS, *self.scenarios], subprocess.PIPE
        process = subprocess.Popen(command, env=environment, cwd="/", stdin=pipe, stdout=pipe, text=True)
        self._process = self._stack.enter_context(process)

    def _read(self) -> Keys:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(file=self._process.stdin, flush=True)
        return Keys(json.loads(self._process.stdout.readline()))

    def changes(self) -> set[tuple[str, str, int]]:
        """Return what differs since the last call: trace, scheme and number of each hash."""
        before, self.keys = self.keys, self._read()
        return self.keys.differing(before)


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory, phy: Path) -> Iterator[Copy]:
    with ExitStack() as stack:
        yield Copy(tmp_path_factory.mktemp("copy"), phy, stack)


CODE = "\nADDED = 1\n"
UNUSED = [
    *("core/schemes/harq/kernel.py", "core/schemes/__init__.py", "core/channels/memoryless.py"),
    *("core/channels/lms/kernel.py", "core/sharing/kernel.py", "core/sharing/__init__.py"),
    *("run/linux/kernel.py", "run/emulate/results.py"),
]
"""Sources that no run of the scenario takes."""


def test_keys__do_not_follow_what_decides_no_run(copy: Copy) -> None:
    package = copy.package
    for folder in ("show", "io", "importers", "campaign", "results", "cli", "theory", "api", "core/words"):
        for file in (package / folder).rglob("*.py"):
            file.write_text(file.read_text() + CODE)
    (package / "core" / "schemes" / "added").mkdir()
    (package / "core" / "schemes" / "added" / "__init__.py").write_text(CODE)
    for name in ("kernel.py~", ".kernel.py.swp"):
        (package / "core" / "schemes" / "arq" / name).write_text("left by an editor")
    for place in ("core/schemes/arq/kernel.py", "core/convert.py", "run/setup.py"):
        file = package / place
        text = file.read_text()
        file.write_text("# a comment\n" + text.replace('"""', '"""More words. ', 1))
    assert copy.changes() == set()


@pytest.mark.parametrize(
    ("places", "traces", "schemes", "numbers"),
    [
        (["core/schemes/arq/kernel.py"], 2, (ARQ, RLC), (RUN, EXPERIMENT, TRACE)),
        (["core/schemes/fec/__init__.py"], 2, (FEC,), (RUN, EXPERIMENT, TRACE)),
        (["core/schemes/rlc/receiver.py"], 2, (RLC,), (RUN, EXPERIMENT, TRACE)),
        (["core/channels/gilbert_elliott/kernel.py"], 1, (FEC, ARQ, RLC), (RUN, EXPERIMENT, TRACE)),
        (["core/converter.py"], 2, (FEC, ARQ, RLC), (RUN, EXPERIMENT, TRACE)),
        (["core/measure/transport.py"], 2, (FEC, ARQ, RLC), (RUN, EXPERIMENT, TRACE)),
        (["run/measure.py"], 2, (FEC, ARQ, RLC), (RUN, EXPERIMENT)),
        (["run/ns2/__init__.py"], 2, (FEC, ARQ, RLC), (RUN, EXPERIMENT)),
        (["run/ns2/table.csv"], 2, (FEC, ARQ, RLC), (RUN, EXPERIMENT)),
        (["../clift-ns2/tcl/flows.tcl"], 2, (FEC, ARQ, RLC), (RUN, EXPERIMENT)),
        (UNUSED, 2, (), ()),
    ],
)
def test_keys__follow_the_sources_that_decide_a_run(
    places: list[str],
    traces: int,
    schemes: tuple[str, ...],
    numbers: tuple[int, ...],
    copy: Copy,
) -> None:
    """By folders: the core decides all, a scheme, a channel and a backend only what they take part in."""
    for place in places:
        file = copy.package / place
        with file.open("a") as changed:
            changed.write("\nset added 1\n" if file.suffix == ".tcl" else CODE)
    labels = dict.fromkeys(row[0] for row in copy.keys.rows)
    expected = {
        (label, scheme, number)
        for label in list(labels)[-traces:]
        for scheme in schemes
        for number in numbers
    }
    assert copy.changes() == expected


@pytest.mark.parametrize(
    ("old", "new", "differs"),
    [
        ('"modern": 4', '"modern": 5', True),
        ("CUBIC", "Cubic", False),
    ],
)
def test_tcp_name__is_part_of_a_key(old: str, new: str, differs: bool, copy: Copy) -> None:
    file = copy.package / "spec" / "stacks.py"
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))
    copy.load()
    keys = {(label, scheme, number) for label, scheme, *_ in copy.keys.rows for number in (RUN, EXPERIMENT)}
    assert copy.changes() == (keys if differs else set())


def test_sources__import_only_what_is_counted() -> None:
    """Otherwise an edit elsewhere would change a result under the same key."""
    graph = grimp.build_graph("tmt", exclude_type_checking_imports=True)

    def modules(*places: Path) -> set[str]:
        names = [".".join(("tmt", *place.relative_to(PACKAGE).with_suffix("").parts)) for place in places]
        return {
            module
            for module in graph.modules
            for name, place in zip(names, places, strict=True)
            if module == name.removesuffix(".__init__") or (place.is_dir() and module.startswith(f"{name}."))
        }

    core = modules(*core_places(), PACKAGE / identity.KEYS)
    words_and_values = modules(*(PACKAGE / place for place in ("core/words", "spec", "io", "__init__.py")))

    def check(own: set[str], also: set[str]) -> None:
        for module in own:
            others = graph.find_modules_directly_imported_by(module) - own - core - words_and_values - also
            assert not others, module

    check(core, set())
    usually_below = modules(*class_places(NoScheme.__mro__))
    for kind in (*CHANNELS.values(), *SCHEMES.values()):
        # RLC names the scheme that is usually below it; that which is below counts.
        check(modules(*class_places(kind.__mro__)), usually_below if kind is Rlc else set())
    shared = modules(*(PACKAGE / "run").glob("*.py"))
    for backend in BACKENDS:  # each run counts a scheme, and so the base of schemes
        check(shared | modules(PACKAGE / "run" / backend), {"tmt.core.schemes.scheme"})


def test_run__takes_no_value_from_spec_that_its_key_does_not_hold() -> None:
    """Settings are hashed by value, other files of `tmt.spec` are not hashed."""
    columns = {"RUN_RESULTS", "SETTINGS", "GROUP_RESULTS", "GROUP_SETTINGS"}
    bounds_columns_and_names = {"MAX_PACKETS", "MOST_RATE_BPS", "FECTCP", "STDOUT", "STDERR", *columns}
    taken = {
        name.name: getattr(import_module(statement.module), name.name)
        for file in (PACKAGE / "run").rglob("*.py")
        for statement in ast.walk(ast.parse(file.read_text()))
        if isinstance(statement, ast.ImportFrom) and (statement.module or "").startswith("tmt.spec")
        for name in statement.names
        if name.name.isupper()
    }
    assert len(taken) > 8
    hashed = [*FACTS, VARIANTS, *BACKENDS, "programs"]  # names of backends are folders
    assert not {name for name, value in taken.items() if value not in hashed} - bounds_columns_and_names


def test_nested_models__count_too() -> None:
    names = {place.name for place in model_places(Rlc(below=Harq(10, 2)), Arq())}
    assert names == {"arq", "harq", "rlc", "scheme.py"}


def _hash_of(text: str, folder: Path) -> str:
    source_hash.cache_clear()
    (folder / "made.py").write_text(text)
    return source_hash(folder, root=folder)


@pytest.mark.parametrize(
    ("text", "changed", "differs"),
    [
        ("x = 1\n", "# why\nx = (\n    1\n)\n", False),
        ("x = 1\n", "x = 2\n", True),
        ("x = 1\n", "x = 1.0\n", True),
        ('def f():\n    """Say."""\n    return 1\n', 'def f():\n    """Tell."""\n    return 1\n', False),
        ('x = 1\n"""Of this."""\n', 'x = 1\n"""Of that."""\n', False),
        ('x = "a"\n', 'x = "b"\n', True),
        ('raise ValueError("bad")\n', 'raise ValueError("is wrong")\n', False),
        ('raise ValueError(f"{y} is bad")\n', 'raise ValueError(f"wrong: {y!r}")\n', False),
        ('raise ValueError("bad")\n', 'raise KeyError("bad")\n', True),
        ("if TYPE_CHECKING:\n    import tmt.other\n", "if TYPE_CHECKING:\n    import json\n", False),
        ("x = 1\n", "x = 1\nimport tmt.other\n", True),
        ('x: Annotated[int, "size", Note(1)] = 3\n', 'x: Annotated[int, "length", Note(2)] = 3\n', False),
        ('x: Annotated[int, "size"] = 3\n', 'x: Annotated[int, "size"] = 4\n', True),
        ('x: Annotated[int, "size"] = 3\n', 'x: Annotated[float, "size"] = 3\n', True),
        ('__all__ = ["x"]\nx = 1\n', '__all__ = ["x", "other.py"]\nx = 1\n', False),
        ('__all__ = ["x"]\nx = 1\n', "x = 1\n", False),
        ('__all__ = ["x"]\nx = 1\n', '__all__ = ["x"]\nx = 2\n', True),
        ('__all__ = ["x"]\nx = 1\n', '__all__ = x = ["x"]\nx = 1\n', True),
    ],
)
def test_wording__is_not_part_of_a_hash(tmp_path: Path, text: str, changed: str, differs: bool) -> None:
    assert (_hash_of(text, tmp_path) != _hash_of(changed, tmp_path)) is differs


def test_names_and_other_files__are_part_of_a_hash(tmp_path: Path) -> None:
    found = [_hash_of("x = 1\n", tmp_path)]
    for name, content in (
        ("table.csv", "1\n"),
        ("table.csv", "2\n"),
        ("other.py", ""),
        ("deep/other.py", ""),
    ):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(content)
        found.append(_hash_of("x = 1\n", tmp_path))
    assert len(set(found)) == len(found)


@pytest.fixture
def cache_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Return the folder of the cache of another package, which is empty."""
    monkeypatch.setattr(identity, "PACKAGE", tmp_path / "another")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home"))
    source_hash.cache_clear()
    yield tmp_path / "another" / "__pycache__"
    source_hash.cache_clear()


def test_cache__is_not_believed_when_it_is_damaged(cache_folder: Path, tmp_path: Path) -> None:
    (tmp_path / "sources").mkdir()
    before = _hash_of("x = 1\n", tmp_path / "sources")
    (cached,) = cache_folder.glob("identity-*.json")
    for content in (b"", b"[1", b"\xff", b"[]", b"7"):
        cached.write_bytes(content)
        assert _hash_of("x = 1\n", tmp_path / "sources") == before


def test_sources__are_cached(cache_folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Parsing all of TMT takes more than a second."""
    before = source_hash(PACKAGE / "io")
    source_hash.cache_clear()
    monkeypatch.setattr(ast, "parse", None)
    assert source_hash(PACKAGE / "io") == before


def test_process__does_not_vouch_for_changed_sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not even where a file has its old content and modification time again: it may have been imported."""
    file = PACKAGE / "core" / "units.py"
    assert loaded_hash(file) == source_hash(file)
    copy = tmp_path / "units.py"
    shutil.copy2(file, copy)
    monkeypatch.setattr(identity, "LOADED", {str(copy): identity.file_version(copy)})
    monkeypatch.setattr(identity, "source_hash", lambda *_: "hash")
    assert loaded_hash(copy) == "hash"
    copy.write_text("another")
    shutil.copy2(file, copy)
    assert (copy.read_bytes(), copy.stat().st_mtime_ns) == (file.read_bytes(), file.stat().st_mtime_ns)
    for change in (lambda: None, copy.unlink, lambda: shutil.copy2(file, copy)):
        change()
        with pytest.raises(ChangedProgramsError, match=r"units\.py: was changed after tmt had started"):
            loaded_hash(tmp_path)
