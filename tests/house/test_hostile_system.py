"""Commands on a system that refuses something: one line, the right exit status, and no waiting."""

import os
import re
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from answers import cases
from in_process import tmt
from machine import disk, preloaded
from processes import TMT, execute
from waiting import PATIENCE_S

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("command", ["inspect phy.txt", "convert phy.txt link.txt --scheme none"])
def test_threads__that_cannot_start_end_it_in_one_line(command: str, tmp_path: Path) -> None:
    """A library between the program and the system stands for a system that refuses a second thread."""
    limits = {"MOST_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    environment = preloaded(Path(__file__).with_name("no_threads.c"), tmp_path, **limits)
    (tmp_path / "phy.txt").write_text("0 1\n1 0\n")
    result = execute(TMT, *command.split(), cwd=tmp_path, env=environment, timeout=PATIENCE_S)
    line = "tmt: no more threads can be started; raise the limit of processes\n"
    assert (result.returncode, result.stderr) == (1, line)


def another_user() -> tuple[str, ...]:
    """Return words before a command: a user without an entry anywhere, with root's rights on files."""
    if os.geteuid() != 0:
        pytest.skip("changing the user needs root")
    rights = "-all,+dac_override,+dac_read_search"
    user = ("setpriv", f"--reuid={2**30 + os.getpid()}", "--clear-groups", f"--bounding-set={rights}")
    return (*user, f"--inh-caps={rights}", f"--ambient-caps={rights}")


@pytest.mark.parametrize("limit", [1, 2])
@pytest.mark.parametrize("command", ["inspect a.txt", "convert a.txt b.txt --scheme none", "run s.toml"])
def test_limit_of_processes__is_named_last(command: str, limit: int) -> None:
    """Root has no such limit."""
    words = (*another_user(), "prlimit", f"--nproc={limit}", TMT, *command.split())
    environment = {name: value for name, value in os.environ.items() if name != "OPENBLAS_NUM_THREADS"}
    with TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        Path(folder, "s.toml").write_text(CAMPAIGN, encoding="utf-8")
        Path(folder, "a.txt").write_text("0 1\n1 0\n")
        result = execute(*words, cwd=folder, env=environment, timeout=PATIENCE_S)
    # A command that starts workers may get a thread before, and then no process.
    assert result.returncode == 1
    assert result.stderr.splitlines()[-1].endswith("can be started; raise the limit of processes")
    assert "Traceback" not in result.stderr


def test_stderr__that_cannot_be_written_keeps_the_exit_status(tmp_path: Path) -> None:
    with Path("/dev/full").open("w") as full:
        status = subprocess.run([TMT, "inspect", tmp_path / "nofile"], stderr=full, check=False).returncode
        shown = subprocess.run([TMT, "nocommand"], stderr=full, check=False).returncode
    assert (status, shown) == (2, 2)


@cases(__file__, "failing_imports.txt")
def test_import__that_fails_ends_in_one_line(case: list[str], tmp_path: Path) -> None:
    """A module in place of pyarrow fails as the library does on a system without memory or permission."""
    *fault, line = case
    (tmp_path / "pyarrow.py").write_text("\n".join(fault) + "\n")
    (tmp_path / "a.parquet").write_bytes(b"PAR1")
    result = execute(
        TMT, "inspect", "a.parquet", cwd=tmp_path, env=os.environ | {"PYTHONPATH": str(tmp_path)}
    )
    assert (result.returncode, result.stderr) == (1, line + "\n")


def test_start__that_cannot_load_its_own_libraries_ends_in_one_line(tmp_path: Path) -> None:
    """`click` is imported before any command; here it is a file that fails as on a damaged disk."""
    (tmp_path / "click.py").write_text("raise OSError(5, 'Input/output error', 'globals.pyc')\n")
    environment = os.environ | {"PYTHONPATH": str(tmp_path)}
    result = execute(TMT, "--help", env=environment)
    line = "tmt: the library click cannot be loaded: globals.pyc: Input/output error\n"
    assert (result.returncode, result.stderr) == (1, line)


def test_reading__that_fails_is_no_fault_of_the_output(tmp_path: Path) -> None:
    """Reading one's own memory at address 0 fails with EIO, as a damaged disk does."""
    (tmp_path / "link.npy").symlink_to("/proc/self/mem")
    result = execute(TMT, "inspect", "link.npy", cwd=tmp_path)
    assert (result.returncode, result.stderr) == (2, "link.npy: cannot be read: Input/output error\n")


@pytest.mark.parametrize(
    "command",
    ["inspect NAME.npy", "convert NAME.npy link.npy --scheme none", "run NAME.toml --dry-run"],
)
def test_name__of_5000_bytes_is_refused_in_one_line(command: str, tmp_path: Path) -> None:
    """Linux takes names of up to 4096 bytes."""
    name = "/".join(["n" * 199] * 25)
    result = execute(TMT, *command.replace("NAME", name).split(), cwd=tmp_path)
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr.endswith("File name too long\n")
    assert result.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "command",
    [
        "run /dev/zero --dry-run",
        "run s.toml --dry-run",
        "generate --modes /dev/zero --symbol-rate 5e6 --duration 1 phy.parquet",
        "generate --channel snr --signal /dev/zero --duration 1 phy.parquet",
    ],
)
def test_device__without_an_end_is_not_read(command: str, tmp_path: Path) -> None:
    adapting = 'adaptation = { modes = "/dev/zero", symbol_rate = 1e6 }\n'
    (tmp_path / "s.toml").write_text(CAMPAIGN + adapting, encoding="utf-8")
    line = "/dev/zero: this is not a regular file; write its content into a file first\n"
    assert tmt(*command.split(), folder=tmp_path) == (2, "", line)


CAMPAIGN = """
title = "Zürich → Orbit"
scheme = { name = "none" }
path = { rtt = 0.1 }
traffic = { duration = 2 }
[trace]
channel = { name = "bernoulli", probability = 0.02 }
rate = 1e6
length = 5
lldu_bytes = 500
"""


@pytest.mark.ns2
@pytest.mark.usefixtures("simulator")
@pytest.mark.parametrize(
    ("command", "line"),
    [
        ("convert phy.csv link.csv --scheme arq --rtt 0.001", "link.csv: ARQ: 4 slots = "),
        ("fit phy.csv", "phy.csv: holds 1 erasure bursts, a fit needs 5 or more"),
        ("run s.toml --dry-run", "1 runs: 0 done, 0 failed, 1 to execute"),
    ],
)
def test_home__that_nobody_knows_is_not_needed(command: str, line: str) -> None:
    known = {name: value for name, value in os.environ.items() if name not in ("HOME", "XDG_CACHE_HOME")}
    with TemporaryDirectory() as folder:
        Path(folder).chmod(0o777)
        Path(folder, "s.toml").write_text(CAMPAIGN, encoding="utf-8")
        rows = "".join(f"{slot}000000,{'0' if slot == 1 else 1000}\n" for slot in range(4))
        Path(folder, "phy.csv").write_text(f"tx_time_ns,decode_time_ns\n{rows}")
        result = execute(*another_user(), TMT, *command.split(), cwd=folder, env=known)
    said = result.stdout + result.stderr
    assert any(found.startswith(line) for found in said.splitlines()), said
    assert "Traceback" not in said
    assert "home" not in said.lower()


NO_SHARED_MEMORY = 'mount -t tmpfs -o ro none /dev/shm && exec "$0" "$@"'
"""Where the machine lets a program mount something of its own."""


@pytest.mark.ns2
@pytest.mark.usefixtures("simulator")
def test_campaign__needs_no_locale_no_wide_terminal_no_shared_memory_few_files_and_no_other_users(
    tmp_path: Path,
) -> None:
    (tmp_path / "s.toml").write_text(CAMPAIGN, encoding="utf-8")
    environment = os.environ | {"LC_ALL": "C", "LANG": "C", "COLUMNS": "20"}
    private = ("unshare", "--user", "--map-root-user", "--mount", "sh", "-c", NO_SHARED_MEMORY)
    is_allowed = subprocess.run([*private, "true"], check=False, capture_output=True).returncode == 0
    few = ("sh", "-c", 'umask 077; ulimit -n 64; exec "$0" run s.toml --output out', TMT)
    words = (*private, *few) if is_allowed else few
    result = execute(*words, cwd=tmp_path, env=environment, encoding="utf-8")
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout.startswith("Zürich → Orbit\n")
    assert "1 runs done, 0\nfailed, 0 open\n" in result.stdout
    made = list((tmp_path / "out").rglob("*"))
    assert (tmp_path / "out" / "results.parquet") in made
    assert all(path.stat().st_mode & 0o077 == 0 for path in made)
    if not is_allowed:
        pytest.skip("namespaces of a user are not allowed here: shared memory was there")


def test_signal_of_ended_programs__that_a_parent_ignores_and_blocks_is_not_needed(tmp_path: Path) -> None:
    how = (
        "signal.signal(signal.SIGCHLD, signal.SIG_IGN); "
        "signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD, signal.SIGTERM})"
    )
    (tmp_path / "s.toml").write_text(CAMPAIGN)
    (tmp_path / "ns").write_text("#!/bin/sh\nexit 3\n")
    (tmp_path / "ns").chmod(0o755)
    start = f"import os, signal, sys; {how}; os.execv(sys.argv[1], sys.argv[1:])"
    environment = os.environ | {"CLIFT_NS": str(tmp_path / "ns")}
    result = execute(sys.executable, "-c", start, TMT, "run", "s.toml", cwd=tmp_path, env=environment)
    assert result.returncode == 1
    assert ", seed 1: exit status 3\n" in result.stdout + result.stderr


def test_memory__that_is_refused_ends_it_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "phy.txt").write_text("0 1\n1 0\n")
    words = f"ulimit -v 400000; exec {TMT} convert phy.txt link.txt --scheme arq --rtt 0.1"
    result = execute("sh", "-c", words, cwd=tmp_path, timeout=PATIENCE_S)
    assert (result.returncode, result.stderr.count("\n")) == (1, 1), result.stderr
    assert not (tmp_path / "link.txt").exists()


@pytest.mark.ns2
@pytest.mark.usefixtures("simulator")
@pytest.mark.parametrize(
    ("command", "line"),
    [
        (
            "convert phy.csv link.csv --scheme arq --rtt 0.1",
            "CACHE: cannot be written: No space left on device",
        ),
        ("run s.toml --output out", "CACHE: No space left on device"),
    ],
)
def test_compiled_code__that_finds_a_full_disk_is_named(command: str, line: str, tmp_path: Path) -> None:
    """Its folder may be on another disk than the results."""
    (tmp_path / "phy.csv").write_text("tx_time_ns,decode_time_ns\n0,1000\n1000000,0\n2000000,1000\n")
    (tmp_path / "s.toml").write_text(CAMPAIGN.replace('"none"', '"arq"'))
    with disk(tmp_path / "disk", "-o", "size=8k") as small:
        environment = os.environ | {"NUMBA_CACHE_DIR": str(small / "cache"), "NUMBA_DISABLE_JIT": "0"}
        result = execute(TMT, *command.split(), cwd=tmp_path, env=environment)
    assert result.returncode == 1
    assert re.sub(r"\S+/disk/cache/[^ :]+", "CACHE", result.stderr.splitlines()[-1]) == line
    assert not (tmp_path / "link.csv").exists()


def test_current_folder__says_nothing_about_compiled_code(tmp_path: Path) -> None:
    """Numba takes settings from a file there, and would unpickle an index in the folder that it names."""
    pytest.importorskip("yaml", reason="numba reads that file with PyYAML")
    (tmp_path / ".numba_config.yaml").write_text("cache_dir: strange\n")
    (tmp_path / "phy.csv").write_text("tx_time_ns,decode_time_ns\n0,1000\n1000000,0\n2000000,1000\n")
    own = {name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"}
    words = (TMT, "convert", "phy.csv", "link.csv", "--scheme", "arq", "--rtt", "0.001")
    said = subprocess.run(words, cwd=tmp_path, env=own, capture_output=True, text=True, check=False)
    assert said.returncode == 0, said.stderr
    assert not (tmp_path / "strange").exists()


def test_current_folder__says_nothing_about_the_papers_figures(tmp_path: Path) -> None:
    """Matplotlib takes settings from a file there."""
    draw = (
        "from analysis.figure_style import new_figure\n"
        "with new_figure() as figure:\n"
        "    figure.subplots().plot([1, 3, 2])\n"
        "    figure.savefig('figure.svg', metadata={'Date': None})\n"
    )
    drawn = []
    for name in ("own", "strange"):
        (tmp_path / name).mkdir()
        if name == "strange":
            (tmp_path / name / "matplotlibrc").write_text("axes.linewidth: 9\n")
        execute(
            *(sys.executable, "-c", draw),
            cwd=tmp_path / name,
            env=os.environ | {"PYTHONPATH": str(ROOT)},
            check=True,
        )
        drawn.append((tmp_path / name / "figure.svg").read_bytes())
    assert drawn[0] == drawn[1]


@pytest.mark.parametrize("command", ["run s.toml --dry-run", "run s.toml", "pack s.toml", "tune s.toml"])
def test_scenario__of_a_million_runs_is_refused_before_a_point_of_it_is_made(
    command: str, tmp_path: Path
) -> None:
    """A stranger's file does not raise the limit."""
    text = CAMPAIGN.replace('title = "Zürich → Orbit"', "max_runs = 1_000_000\nseeds = 1_000_000")
    (tmp_path / "s.toml").write_text(text)
    line = "has up to 1,000,000 runs; allowed: up to 100,000 runs; a higher limit is --max-runs of tmt run"
    assert tmt(*command.split(), folder=tmp_path) == (2, "", f"s.toml: {line}\n")


@pytest.mark.parametrize("other", ["x/A.txt", "x/a.txt"])
def test_names__that_a_file_system_may_take_for_one_are_refused(other: str, tmp_path: Path) -> None:
    """Where upper and lower case are the same, the second trace would overwrite the first."""
    (tmp_path / "x").mkdir()
    for name in ("a.txt", other):
        (tmp_path / name).write_text("0 1\n1 1\n2 0\n")
    shared = tmt("share", "a.txt", other, "--scheduler", "round-robin", "-o", "out", folder=tmp_path)
    assert shared == (2, "", f"{other}: another user's file has this name, too; give each its own\n")
    converted = tmt("convert", "a.txt", other, "--scheme", "none", "-o", "out", folder=tmp_path)
    line = "two PHY traces have the same name: their link traces would overwrite each other\n"
    assert converted == (2, "", line)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    "command",
    [
        "share a.txt short.txt --scheduler round-robin -o out",
        "share a.txt bad.txt --scheduler round-robin -o out",
        "share a.txt none.txt --scheduler round-robin -o out",
        "share a.txt short.txt --scheduler proportional-fair -o out",
        "convert bad.txt --scheme none -o out",
    ],
)
def test_command__that_fails_leaves_no_empty_folder(command: str, tmp_path: Path) -> None:
    for name, text in {"a": "0 1\n1 1\n", "short": "0 1\n", "bad": "0 1\nx 1\n"}.items():
        (tmp_path / f"{name}.txt").write_text(text)
    said = tmt(*command.split(), folder=tmp_path)
    assert (said.status, said.out, said.err.count("\n")) == (2, "", 1)
    assert not (tmp_path / "out").exists()
