"""Rules for every command: quick help with examples, documentation, and refusals in one line."""

import importlib
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import click
import in_process
import numpy as np
import pytest
from processes import TMT, execute
from waiting import PATIENCE_S, until

import tmt
from tmt.cli import doctor_command
from tmt.cli.command_line import COMMANDS
from tmt.cli.values import Values
from tmt.core.trace import PhyTrace
from tmt.io import write_trace

ROOT = Path(__file__).resolve().parents[2]


def _command(name: str) -> click.Command:
    command: click.Command = importlib.import_module(f"tmt.cli.{name}_command").command
    return command


def test_commands__are_exactly_the_files_beside_them() -> None:
    files = {path.stem.removesuffix("_command") for path in (ROOT / "tmt" / "cli").glob("*_command.py")}
    assert files == set(COMMANDS)


HEAVY = ("numba", "pandas", "scipy", "altair", "distributed")


def _modules(script: str, **settings: Any) -> set[str]:
    """Return the modules that a script has imported, in a process of its own."""
    shown = f"{script}\nimport json, sys; print(json.dumps(sorted(sys.modules)))"
    result = execute(sys.executable, "-c", shown, check=True, **settings)
    return set(json.loads(result.stdout.splitlines()[-1]))


def _modules_of_command(words: str, **settings: Any) -> set[str]:
    start = f"import sys; sys.argv = ['tmt', *{words.split()}]\nfrom tmt.cli.main import main\n"
    return _modules(f"{start}try: main()\nexcept SystemExit: pass", **settings)


@pytest.mark.parametrize("command", ["", "replay", "import", "convert", "run", "tune"])
def test_help__loads_no_heavy_library(command: str) -> None:
    modules = _modules_of_command(f"{command} --help")
    assert not modules & {*HEAVY, "pyarrow", "pydantic", "numpy._core"}


def test_commands__load_no_compiler_before_they_are_called() -> None:
    imports = ", ".join(f"tmt.cli.{name}_command" for name in COMMANDS)
    assert not _modules(f"import {imports}") & {*HEAVY, "pyarrow"}


@pytest.mark.parametrize("ending", ["npy", "parquet"])
@pytest.mark.parametrize("command", ["inspect phy.{0}", "convert phy.{0} link.{0} --scheme arq --rtt 0.5"])
def test_commands__load_only_what_they_need(tmp_path: Path, command: str, ending: str) -> None:
    settled_ns = np.where(np.arange(9) == 4, 0, 500_000)
    write_trace(tmp_path / f"phy.{ending}", PhyTrace(np.arange(9) * 1_000_000, settled_ns))
    modules = _modules_of_command(command.format(ending), cwd=tmp_path)
    assert not modules & {"pandas", "pyarrow.compute", "altair", "distributed"}


@pytest.mark.usefixtures("simulator")
def test_dry_run__loads_nothing_that_reads_or_shows_results() -> None:
    modules = _modules_of_command("run scenarios/quickstart.toml --dry-run", cwd=ROOT)
    assert "tmt.campaign.plan" in modules
    assert not modules & {"pandas", "scipy", "altair", "distributed"}


@pytest.mark.parametrize("name", COMMANDS)
def test_command__explains_itself_with_an_example(name: str) -> None:
    command = _command(name)
    assert command.help is not None
    assert f"tmt {name}" in command.help, "the help text shows no example"
    for parameter in command.get_params(click.Context(command)):
        if isinstance(parameter, click.Option):
            assert parameter.help, f"option {parameter.opts[0]} has no help"


@pytest.mark.parametrize("name", COMMANDS)
def test_command__explains_itself_within_80_columns(name: str) -> None:
    """Also without numbers in brackets of their own, as in ``[default: (0.001)]``."""
    command = _command(name)
    members = command.commands.values() if isinstance(command, click.Group) else ()
    for one in (command, *members):
        for chosen in _choices(one):
            settings = {"info_name": f"tmt {name}", "terminal_width": 80, "resilient_parsing": True}
            text = one.get_help(one.make_context(parent=None, args=chosen, **settings))
            assert [line for line in text.splitlines() if len(line) > 80] == []
            assert re.findall(r"default:\s+\([0-9].*", text) == []


@pytest.mark.parametrize(
    ("words", "shown"), [("fit", "--generate 1..10000"), ("model arq", "--error-bad 0..1")]
)
def test_help__shows_near_bounds_of_numbers(words: str, shown: str, tmp_path: Path) -> None:
    assert f"  {shown} " in in_process.tmt(*words.split(), "--help", folder=tmp_path).out


def _choices(command: click.Command) -> list[list[str]]:
    """Return arguments that choose a class, for each class of which a command shows the options."""
    parts = [part for part in command.parts if part.is_choice] if isinstance(command, Values) else []
    return [[], *([part.flag, word] for part in parts for word in part.choices)]


def test_help__of_all_commands_is_within_80_columns() -> None:
    done = execute(TMT, "--help", check=True, env={**os.environ, "COLUMNS": "80"})
    assert [line for line in done.stdout.splitlines() if len(line) > 80] == []


@pytest.mark.parametrize("name", COMMANDS)
def test_command__refuses_an_unknown_option_with_status_2(name: str, tmp_path: Path) -> None:
    said = in_process.tmt(name, "--no-such-option", folder=tmp_path)
    assert said.status == 2
    assert "--no-such-option" in said.err


def _said(*arguments: str, **settings: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(TMT), *arguments], stderr=subprocess.PIPE, text=True, check=False, timeout=PATIENCE_S, **settings
    )


@pytest.mark.parametrize(
    "arguments", [("--help",), ("model", "arq", "--alpha", "0.9", "--beta", "0.5", "--rtt", "1")]
)
def test_output__that_cannot_be_written_ends_in_one_line(arguments: tuple[str, ...]) -> None:
    with Path("/dev/full").open("w") as full:
        result = _said(*arguments, stdout=full)
    assert result.returncode == 1
    assert result.stderr == "tmt: standard output cannot be written: No space left on device\n"


CLOSED = "tmt: standard output cannot be written: Bad file descriptor\n"


@pytest.mark.parametrize(
    ("words", "ended"),
    [
        ("doctor --json >&-", (1, "", CLOSED)),
        ("--version >&-", (1, "", CLOSED)),
        ("inspect phy.txt >&-", (1, "", CLOSED)),
        ("export phy.txt phy.npy >&-", (0, "", "")),  # has no result on stdout
        ("inspect --json phy.txt 2>&-", (0, '"rows": 2', "")),
    ],
)
def test_stream__that_is_closed_is_a_fault_only_of_a_result(
    words: str, ended: tuple[int, str, str], tmp_path: Path
) -> None:
    (tmp_path / "phy.txt").write_text("0 0.1\n1 0\n")
    result = execute("sh", "-c", f"{TMT} {words}", cwd=tmp_path)
    status, out, err = ended
    assert (result.returncode, result.stderr) == (status, err)
    assert out in result.stdout


def test_output__shows_names_that_its_encoding_lacks(tmp_path: Path) -> None:
    path = tmp_path / "größe.txt"
    path.write_text("0 0.1\n1 0\n")
    ascii_only = os.environ | {"PYTHONIOENCODING": "ascii", "COLUMNS": "300"}
    result = _said("inspect", path.name, stdout=subprocess.PIPE, env=ascii_only, cwd=tmp_path)
    assert (result.returncode, result.stderr) == (0, "")
    assert r"gr\xf6\xdfe.txt: PHY trace" in result.stdout


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_signal__ends_a_command_and_what_it_has_half_written(number: signal.Signals, tmp_path: Path) -> None:
    forever = "generate --channel bernoulli --probability 0.5 --slot-interval 1e-9 --duration 1000 phy.npy"
    with subprocess.Popen([TMT, *forever.split()], cwd=tmp_path, stderr=subprocess.PIPE) as process:
        until(lambda: list(tmp_path.iterdir()), process)
        process.send_signal(number)
        try:
            assert process.wait(timeout=PATIENCE_S) == 128 + number
        finally:
            process.kill()
        assert process.stderr.read() == b""
    assert list(tmp_path.iterdir()) == []


@pytest.mark.ns2
def test_reference__is_current(simulator: Path) -> None:
    assert simulator
    # In a process of its own: click keeps of each command with which words it was asked for help first.
    script = "import cli_reference, json; print(json.dumps(cli_reference.reference()))"
    utf8 = os.environ | {"PYTHONIOENCODING": "utf-8"}
    done = execute(sys.executable, "-c", script, cwd=ROOT / "tools", check=True, encoding="utf-8", env=utf8)
    found = [ROOT / "docs" / "cli.md", *(ROOT / "docs" / "cli").iterdir()]
    pages = {str(page.relative_to(ROOT / "docs")): page.read_text(encoding="utf-8") for page in found}
    assert pages == json.loads(done.stdout), "run `python tools/cli_reference.py`; remove other pages"


def test_doctor__names_what_is_missing_and_the_command_that_mends_it(tmp_path: Path) -> None:
    environment = os.environ | dict.fromkeys(("CLIFT_LINUX", "CLIFT_PROGRAMS"), str(tmp_path / "none"))
    done = execute(TMT, "doctor", "--json", env=environment)
    findings = {finding["what"]: finding for finding in json.loads(done.stdout)["findings"]}
    assert findings["tmt"]["present"]
    assert findings["tmt"]["found"].startswith(f"{tmt.__version__},")
    assert findings["kernel of stack linux"] == {
        "what": "kernel of stack linux",
        "present": False,
        "found": f"{tmp_path / 'none'}: CLIFT_LINUX names no program",
    }
    assert findings["kernel for programs"]["found"] == f"{tmp_path / 'none'}: CLIFT_PROGRAMS names no program"
    assert done.returncode == (0 if findings["simulator"]["present"] else 1)


def test_doctor__names_a_library_that_is_missing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    installed = doctor_command.LIBRARIES
    monkeypatch.setattr(doctor_command, "LIBRARIES", {"no-such-library": "tmt-clift"} | installed)
    said = in_process.tmt("doctor", folder=tmp_path).out
    assert re.search('missing  no-such-library +pip install "tmt-clift"\n', said)


def test_version__names_the_build_of_the_simulator(tmp_path: Path) -> None:
    environment = os.environ | {"CLIFT_NS": str(tmp_path / "none")}
    done = execute(TMT, "--version", check=True, env=environment)
    assert done.stdout == f"tmt {tmt.__version__}, no simulator\n"


@pytest.mark.parametrize(
    ("words", "completions"),
    [
        ("tmt conv", "convert"),
        ("tmt convert --scheme arq --det", "--detection-delay"),
        ("tmt convert --scheme ha", "harq harq-processes"),
    ],
)
def test_bash__completes_commands_options_and_values(words: str, completions: str) -> None:
    """The first line is that of docs/install.md."""
    script = (
        'eval "$(_TMT_COMPLETE=bash_source tmt)"\n'
        f"COMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); _tmt_completion tmt\n"
        'echo "${COMPREPLY[*]}"\n'
    )
    environment = os.environ | {"PATH": f"{TMT.parent}:{os.environ['PATH']}"}
    shell = ["bash", "--norc", "-c", script]
    result = execute(*shell, env=environment, check=True)
    assert (result.stdout, result.stderr) == (f"{completions}\n", "")


def test_output__of_a_file_whose_name_commands_the_terminal_commands_nothing(tmp_path: Path) -> None:
    """ESC and the one-byte CSI (U+009B) begin such commands; the name also holds a turn of direction."""
    name = "a\x1b[2J\x9b31m\u202eb"
    rows = "tx_time_ns,decode_time_ns\n0,1000\n1000000,0\n2000000,1000\n"
    (tmp_path / f"{name}.csv").write_text(rows)
    for words in (
        ("inspect", f"{name}.csv"),
        ("inspect", f"{name}.npy"),
        ("convert", f"{name}.csv", f"{name}.npy", "--scheme", "none"),
        ("export", f"{name}.csv", f"{name}.parquet"),
        ("import", "auto", f"{name}.csv", f"{name}.parquet"),
        ("fit", f"{name}.csv", "--json"),
        ("run", f"{name}.csv"),
    ):
        said = in_process.tmt(*words, folder=tmp_path)
        assert not {"\x1b", "\x9b", "\u202e"} & set(said.out + said.err), words


def test_commands__print_through_one_function() -> None:
    printing = re.compile(r"\bprint\(|click\.s?echo\(|\.print\(")
    found = {
        path.name: len(printing.findall(path.read_text(encoding="utf-8")))
        for path in (ROOT / "tmt" / "cli").glob("*.py")
    }
    # `say`, the two ends of `print_parts`, help, messages before and after all, and the screens of progress.
    allowed = {"progress.py", "tables.py", "lazy.py", "main.py"}
    assert {name for name, count in found.items() if count} <= allowed
