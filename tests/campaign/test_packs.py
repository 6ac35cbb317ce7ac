"""Packs: what they hold, that they repeat to the bit, and that hostile ones do nothing."""

import hashlib
import io
import json
import os
import shutil
import stat
import zipfile
from collections.abc import Callable
from contextlib import chdir
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from damage import damages
from in_process import tmt
from scenario_parts import over_a_signal

from tmt import Scenario, run_scenario
from tmt.campaign import pack_reader
from tmt.campaign.pack_reader import is_pack, unpacked
from tmt.campaign.pack_writer import write_pack
from tmt.core.errors import InputError, TmtError
from tmt.results.pairing import packed_rows

pytestmark = [pytest.mark.ns2, pytest.mark.usefixtures("simulator")]

Change = Callable[[dict[str, bytes]], dict[str, bytes]]
"""Makes a pack's files others."""

SCENARIO = """
title = "Two traces"
seeds = 2
records = [1]
scheme = { name = "arq" }
path = { rtt = 0.1 }
traffic = { duration = 2 }
[[trace]]
file = "../traces/phy.parquet"
[[trace]]
channel = { name = "bernoulli", probability = 0.02 }
rate = 1e6
length = 5
lldu_bytes = 500
"""


@pytest.fixture(scope="module")
def scenario(tmp_path_factory: pytest.TempPathFactory, phy: Path) -> Path:
    """A scenario of four runs, over a file and over a channel, with its results in `out/two`."""
    base = tmp_path_factory.mktemp("campaign")
    for name in ("scenarios", "traces"):
        (base / name).mkdir()
    (base / "traces" / "phy.parquet").write_bytes(phy.read_bytes())
    path = base / "scenarios" / "two.toml"
    path.write_text(SCENARIO)
    with chdir(base):
        run_scenario(path.relative_to(base), jobs=2)
    return path


@pytest.fixture(scope="module")
def pack(scenario: Path) -> Path:
    path = scenario.parent / "two.pack.zip"
    write_pack(Scenario.read(scenario), scenario.parent / "out" / "two", path)
    return path


def _contents(pack: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(pack) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_pack__holds_scenario_traces_results_and_what_made_them(scenario: Path, pack: Path) -> None:
    contents = _contents(pack)
    assert list(contents) == [
        *("README.txt", "pack.json", "campaign/phy.parquet", "campaign/scenario.toml"),
        "results.parquet",
    ]
    assert 'file = "phy.parquet"' in contents["campaign/scenario.toml"].decode()
    manifest = json.loads(contents["pack.json"])
    assert manifest["runs"] == {"planned": 4, "done": 4, "failed": 0}
    rows = pd.read_parquet(scenario.parent / "out" / "two" / "results.parquet")
    assert manifest["made_by"]["simulator"] == [rows["simulator"].iloc[0]]
    assert manifest["made_by"]["sources"] == sorted(rows["sources"].unique())
    file, channel = manifest["traces"]
    assert file["file"] == "campaign/phy.parquet"
    assert file["made"]["generator"]["channel"] == "gilbert-elliott"
    assert (channel["channel"], channel["length"]) == ({"name": "bernoulli", "probability": 0.02}, 5)
    assert {one["sha256"] for one in manifest["link_traces"]} == set(rows["forward_sha256"])
    for name, told in manifest["files"].items():
        assert told == {"bytes": len(contents[name]), "sha256": hashlib.sha256(contents[name]).hexdigest()}
    packed = pd.read_parquet(io.BytesIO(contents["results.parquet"])).set_index("key")
    same = ["goodput_bps", "finished_at", "seed", "forward_offset_s"]
    assert packed[same].sort_index().equals(rows.set_index("key")[same].sort_index())
    assert packed["records"].isna().all()


def test_pack__of_one_campaign_is_the_same_to_the_byte(scenario: Path, pack: Path, tmp_path: Path) -> None:
    again = tmp_path / "again.zip"
    summary = json.loads(tmt("pack", scenario, "-o", again, "--json", folder=tmp_path).out)
    assert (summary["runs"], summary["done"], summary["files"]) == (4, 4, 5)
    assert summary["bytes"] == again.stat().st_size
    assert again.read_bytes() == pack.read_bytes()


def test_pack__is_cited_like_its_scenario(scenario: Path, pack: Path, tmp_path: Path) -> None:
    found = tmt("cite", pack, folder=tmp_path)
    assert found == tmt("cite", scenario.name, folder=scenario.parent)
    assert found.status == 0


def test_pack__takes_records_if_asked(scenario: Path, tmp_path: Path) -> None:
    write_pack(Scenario.read(scenario), scenario.parent / "out" / "two", tmp_path / "a.zip", records=True)
    names = [name for name in _contents(tmp_path / "a.zip") if name.startswith("records/")]
    assert len(names) == 6  # two runs of seed 1, three files each
    with unpacked(tmp_path / "a.zip") as found:
        kept = found.results.column("records").to_pylist()
        assert {name.rsplit("/", 1)[0] for name in names} == {name for name in kept if name}


def test_run_of_a_pack__repeats_it_and_says_that_the_results_are_equal(pack: Path, tmp_path: Path) -> None:
    said = tmt("run", pack, "--output", "out", folder=tmp_path)
    assert (said.status, said.err) == (0, "")
    assert said.out.splitlines()[-1] == f"{pack}: all 4 results are equal bit by bit"
    rows = pd.read_parquet(tmp_path / "out" / "results.parquet")
    assert (rows["status"] == "done").all()

    kept = (tmp_path / "out/scenario.toml").read_text()
    assert f'file = "{os.path.relpath(pack, tmp_path / "out")}/campaign/phy.parquet"' in kept

    said = tmt("compare", pack, "out", folder=tmp_path)
    assert (said.status, said.err) == (0, "")
    assert said.out.endswith("All pairs are equal in everything that they measured, bit by bit.\n")

    # One digit of one result, and the simulator's hash, are others in this pack.
    contents = _contents(pack)
    results = pq.read_table(io.BytesIO(contents["results.parquet"])).to_pandas()
    results.loc[2, "goodput_bps"] += 1e-6
    results["simulator"] = "f" * 64
    contents["results.parquet"] = results.to_parquet()
    _write(tmp_path / "other.zip", _listed(contents))
    said = tmt("run", "other.zip", "--output", "out", "--quiet", folder=tmp_path)
    assert (said.status, said.out) == (1, "")
    assert said.err.splitlines() == [
        "other.zip: 3 of 4 results are equal bit by bit, 1 differ, 0 are missing here",
        "columns that differ, with the number of results: goodput_bps (1)",
        f"made by another simulator: {'f' * 16} in the pack, {rows['simulator'].iloc[0][:16]} here",
        "how much they differ: tmt compare other.zip out",
    ]

    # This pack leaves out a run.
    contents["results.parquet"] = rows.iloc[1:].to_parquet()
    _write(tmp_path / "fewer.zip", _listed(contents))
    said = tmt("run", "fewer.zip", "--output", "out", folder=tmp_path)
    assert (said.status, said.err) == (0, "")
    equal = "fewer.zip: all 3 results are equal bit by bit; it has no result of 1 of 4 runs"
    assert said.out.splitlines()[-1] == equal


def _counted(pack: Path, folder: Path, *options: object) -> list[int]:
    """Return the numbers of runs, done runs and link traces to make, by a dry run."""
    said = tmt("run", pack, "--output", folder, "--dry-run", "--json", *options, folder=folder.parent)
    assert (said.status, said.err) == (0, "")
    return [json.loads(said.out)[key] for key in ("runs", "done", "to_convert")]


def test_dry_run_of_a_pack__without_results_unpacks_no_trace(pack: Path, tmp_path: Path) -> None:
    """Trace and results of this pack are not those of its manifest, which is seen when they are unpacked."""
    contents = _contents(pack)
    contents |= dict.fromkeys(("campaign/phy.parquet", "results.parquet"), b"PAR1")
    _write(tmp_path / "bad.zip", contents)
    # Two traces with two seeds; the file is one link trace, each seed of the channel another.
    assert _counted(tmp_path / "bad.zip", tmp_path / "out") == [4, 0, 1 + 2]
    assert [path.name for path in tmp_path.iterdir()] == ["bad.zip"]
    said = tmt("run", tmp_path / "bad.zip", folder=tmp_path)
    assert (said.status, said.out) == (2, "")
    assert "phy.parquet is not the file that pack.json lists" in said.err


def test_dry_run_of_a_pack__counts_links_by_its_signals_and_tables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two margins and two seeds over one signal, with a table of modes of one's own."""
    (tmp_path / "own").mkdir()
    (tmp_path / "own/fade.txt").write_text("0 9\n2 12\n")
    (tmp_path / "own/modem.csv").write_text("efficiency,es_n0_db\n0.5,-1\n2,7.5\n")
    adaptation = 'adaptation = { modes = "modem.csv", resource_blocks = 10, margin = [0, 1] }'
    (tmp_path / "own/fades.toml").write_text(over_a_signal("fade.txt", adaptation))
    for words in (("run", "own/fades.toml", "--quiet"), ("pack", "own/fades.toml")):
        assert tmt(*words, folder=tmp_path).status == 0
    shutil.rmtree(tmp_path / "own")
    assert _counted(tmp_path / "fades.pack.zip", tmp_path / "out") == [4, 0, 4]
    monkeypatch.setattr(pack_reader, "MOST_TABLES_BYTES", 400)
    said = tmt("run", "fades.pack.zip", "--dry-run", folder=tmp_path)
    assert said.status == 2
    assert said.err.endswith("bytes; a dry run unpacks up to 400\n")


def test_dry_run_of_a_pack__with_results_says_what_is_missing(
    scenario: Path, pack: Path, tmp_path: Path
) -> None:
    shutil.copytree(scenario.parent / "out" / "two", tmp_path / "out")
    assert _counted(pack, tmp_path / "out") == [4, 4, 0]


def test_dry_run_of_a_pack__with_many_runs_counts_them_within_the_limit_of_the_user(
    pack: Path, tmp_path: Path
) -> None:
    many = _with_scenario("seeds = 2", "seeds = 500000\nmax_runs = 2000000000")
    _write(tmp_path / "many.zip", many(_contents(pack)))
    said = tmt("run", tmp_path / "many.zip", "--dry-run", folder=tmp_path)
    assert (said.status, said.out) == (2, "")
    limit = "has up to 1,000,000 runs; allowed: up to 100,000 runs; a higher limit is --max-runs of tmt run\n"
    assert said.err == f"{tmp_path / 'many.zip'}: campaign/scenario.toml: {limit}"
    counted = _counted(tmp_path / "many.zip", tmp_path / "out", "--max-runs", 10**6)
    assert counted == [10**6, 0, 1 + 500_000]


def test_pack__that_the_disk_has_no_room_for_is_not_unpacked(
    pack: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=1000))
    size = sum(len(content) for content in _contents(pack).values())
    said = tmt("run", pack, "--output", "out", folder=tmp_path)
    assert (said.status, said.out) == (1, "")
    assert f"unpacks to {size:,} bytes, and " in said.err
    assert said.err.endswith("has room for 1,000; the variable TMPDIR names another folder\n")
    assert list(tmp_path.iterdir()) == []


def test_pack__counts_no_results_of_a_trace_that_has_changed(scenario: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(scenario.parent.parent, copy)
    trace = copy / "traces" / "phy.parquet"
    pq.write_table(pq.read_table(trace).slice(1), trace)
    said = tmt("pack", "scenarios/two.toml", "-o", "a.zip", folder=copy)
    assert (said.status, said.err) == (0, "")
    assert said.out.startswith("a.zip: results of 2 of 4 runs, 0 failed, 2 missing; 5 files, ")


def test_pack__holds_names_that_differ_only_in_case_or_form_apart(tmp_path: Path) -> None:
    """A file system may take these three names for two: they are unpacked into one folder."""
    names = ["Ré.csv", "ré.csv", "Re\u0301.csv"]
    for number, name in enumerate(names):
        rows = "".join(f"{slot * 10**6},{int(slot != number)}\n" for slot in range(1, 1000))
        (tmp_path / name).write_text(f"tx_time_ns,decode_time_ns\n{rows}")
    traces = "".join(
        f'[[trace]]\nfile = "{name}"\nlldu_bytes = 500\nlabel = "{at}"\n' for at, name in enumerate(names)
    )
    text = 'scheme = { name = "none" }\npath = { rtt = 0.1 }\ntraffic = { duration = 1 }\n'
    (tmp_path / "s.toml").write_text(text + traces)
    run_scenario(tmp_path / "s.toml", jobs=2)
    write_pack(Scenario.read(tmp_path / "s.toml"), tmp_path / "out" / "s", tmp_path / "s.zip")
    inside = [name for name in _contents(tmp_path / "s.zip") if name.endswith(".csv")]
    assert sorted(inside) == sorted(["campaign/Ré.csv", "campaign/2-ré.csv", "campaign/3-Re\u0301.csv"])


def test_pack__refuses_another_scenario(scenario: Path, tmp_path: Path) -> None:
    other = replace(Scenario.read(scenario), seeds=3)
    with pytest.raises(InputError, match="holds no results of this scenario as it is; call `tmt run` first"):
        write_pack(other, scenario.parent / "out" / "two", tmp_path / "a.zip")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("file", ["two.toml", "../traces/phy.parquet", "out/two/campaign.sqlite"])
def test_pack__does_not_overwrite_what_it_packs(file: str, scenario: Path, tmp_path: Path) -> None:
    victim = scenario.parent / file
    before = victim.read_bytes()
    result = tmt("pack", scenario, "--output", victim, folder=tmp_path)
    assert (result.status, result.err.count("\n")) == (2, 1)
    assert result.err.endswith("itself, which would be overwritten\n")
    assert victim.read_bytes() == before


def _listed(contents: dict[str, bytes], **more: Any) -> dict[str, bytes]:
    """Return the files with a manifest that lists them; `more` changes the manifest."""
    files = {
        name: {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
        for name, content in contents.items()
        if name != "pack.json"
    }
    manifest = json.loads(contents["pack.json"]) | {"files": files} | more
    return contents | {"pack.json": json.dumps(manifest).encode()}


def _write(path: Path, contents: dict[str, bytes], **entry: Any) -> None:
    """Write an archive; `entry` changes the attributes of its last file."""
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in contents.items():
            info = zipfile.ZipInfo("placeholder")
            info.filename = name
            if name == list(contents)[-1]:
                for attribute, value in entry.items():
                    setattr(info, attribute, value)
            archive.writestr(info, content, zipfile.ZIP_DEFLATED if len(content) > 1 << 20 else None)


def _with_file(name: str, content: bytes = b"x") -> Change:
    return lambda contents: _listed(contents | {name: content})


def _with_scenario(old: str, new: str) -> Change:
    name = "campaign/scenario.toml"

    def change(contents: dict[str, bytes]) -> dict[str, bytes]:
        text = contents[name].decode()
        assert old in text
        return _listed(contents | {name: text.replace(old, new).encode()})

    return change


def _with_row(column: str, value: Any) -> Change:
    def change(contents: dict[str, bytes]) -> dict[str, bytes]:
        rows = pq.read_table(io.BytesIO(contents["results.parquet"])).to_pandas()
        rows.loc[0, column] = value
        return _listed(contents | {"results.parquet": rows.to_parquet()})

    return change


def _with_text(column: str, text: bytes) -> Change:
    """Put a text that need not be UTF-8 into all rows."""

    def change(contents: dict[str, bytes]) -> dict[str, bytes]:
        table = pq.read_table(io.BytesIO(contents["results.parquet"]))
        texts = pa.array([text] * len(table), pa.binary()).view(pa.string())
        changed = table.set_column(table.column_names.index(column), column, texts)
        return _listed(contents | {"results.parquet": _parquet(changed)})

    return change


def _with_empty_rows(count: int) -> Change:
    rows = pa.table({"key": pa.nulls(count, pa.string())})
    return lambda contents: _listed(contents | {"results.parquet": _parquet(rows)})


def _parquet(table: pa.Table) -> bytes:
    buffer = io.BytesIO()
    pq.write_table(table, buffer)
    return buffer.getvalue()


def _without(name: str) -> Change:
    return lambda contents: {key: content for key, content in contents.items() if key != name}


HOSTILE: dict[str, tuple[Change, str]] = {
    "climbs": (_with_file("../../escaped"), "leads outside the pack"),
    "climbs inside": (_with_file("campaign/../../escaped"), "leads outside the pack"),
    "absolute": (_with_file("/tmp/escaped"), "leads outside the pack"),
    "backslash": (_with_file("..\\escaped"), "leads outside the pack"),
    "drive": (_with_file("C:escaped"), "leads outside the pack"),
    "line break": (_with_file("a\nb"), "leads outside the pack, or is not a plain relative path"),
    "long name": (_with_file("n" * 300), "not a plain relative path"),
    "folder": (_with_file("campaign/deep/"), "leads outside the pack, or is not a plain relative path"),
    "file as folder": (_with_file("results.parquet/x"), "is a file and a folder in it"),
    "bomb": (_with_file("bomb", bytes(8 << 20)), "hold 8,388,608; that is refused"),
    "wrong hash": (
        lambda contents: contents | {"README.txt": b"changed"},
        "README.txt is not the file that pack",
    ),
    "not listed": (
        lambda contents: contents | {"more": b"x"},
        "more is not both in the pack and in pack.json",
    ),
    "missing": (_without("campaign/phy.parquet"), "phy.parquet is not both in the pack"),
    "no manifest": (_without("pack.json"), "is not a pack: it holds no pack.json"),
    "no object": (lambda contents: contents | {"pack.json": b"[" * 100_000}, "pack.json does not say so"),
    "later version": (
        lambda contents: _listed(contents, format_version=99),
        "of version 99; this program reads 1",
    ),
    "scenario elsewhere": (
        lambda contents: _listed(contents, scenario="README.txt"),
        "or the scenario is missing",
    ),
    "trace outside": (_with_scenario("phy.parquet", "../../../../../etc/passwd"), "not in the pack"),
    "absolute trace": (_with_scenario("phy.parquet", "/etc/passwd"), "etc/passwd, which is not in"),
    "series outside": (
        _with_scenario("rtt = 0.1", 'rtt = 0.1\nrtt_series = "/etc/passwd"'),
        "etc/passwd, which is not in",
    ),
    "programs": (
        _with_scenario("[[path]]", '[[program]]\nclient = "true"\n\n[[path]]'),
        "its scenario runs programs, which a pack does not hold",
    ),
    "results": (_with_file("results.parquet", b"PAR1 garbage PAR1"), "results.parquet is damaged"),
    "many rows": (
        _with_empty_rows(10_000_001),
        "results.parquet is damaged: 10,000,001 rows; up to 10,000,000 are allowed",
    ),
    "no UTF-8": (_with_text("message", b"\xff"), "results.parquet is damaged: "),
    "no seed": (_with_row("seed", None), "is damaged: a finished run has no seed"),
    "parameters": (_with_row("trace_parameters", "[1]"), "trace_parameters is [1]; a JSON object is needed"),
    "measures": (
        _with_row("measures", '{"page_s": 1}'),
        "an object of objects of value, unit and better is needed",
    ),
    "groups": (
        _with_row("groups", "{"),
        "groups is {; a list of an object for each group of flows is needed",
    ),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_run__of_a_hostile_pack_ends_in_one_line(name: str, pack: Path, tmp_path: Path) -> None:
    change, reason = HOSTILE[name]
    _write(tmp_path / "bad.zip", change(_contents(pack)))
    _refuses(tmp_path, reason)


@pytest.mark.parametrize(
    ("entry", "reason"),
    [
        ({"external_attr": (stat.S_IFLNK | 0o777) << 16}, "is not a plain file: links and folders are not"),
        ({"external_attr": (stat.S_IFIFO | 0o777) << 16}, "is not a plain file"),
        ({"compress_type": zipfile.ZIP_LZMA}, "compressed in an unknown way; deflate is allowed"),
    ],
    ids=["link", "pipe", "lzma"],
)
def test_run__refuses_special_files(entry: dict[str, int], reason: str, pack: Path, tmp_path: Path) -> None:
    _write(tmp_path / "bad.zip", _listed(_contents(pack) | {"odd": b"/etc/passwd"}), **entry)
    _refuses(tmp_path, reason)


@pytest.mark.parametrize("keep", [10, 1000, -1])
def test_run__of_a_pack_that_was_cut_ends_in_one_line(keep: int, pack: Path, tmp_path: Path) -> None:
    (tmp_path / "bad.zip").write_bytes(pack.read_bytes()[:keep])
    _refuses(tmp_path, "is damaged: ")


def test_pack__with_an_inverted_byte_is_refused_or_holds_what_was_packed(pack: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.zip"
    copy.write_bytes(pack.read_bytes())

    def content() -> tuple[str, pa.Table, list[bytes]]:
        with unpacked(copy) as found:
            traces = sorted(found.scenario.parent.rglob("*.parquet"))
            return found.scenario.read_text(), found.results, [path.read_bytes() for path in traces]

    expected = content()
    refused = 0
    for place in damages(copy):
        try:
            assert content() == expected, place
        except TmtError:
            refused += 1
    assert refused


def test_run__refuses_a_file_that_is_in_a_pack_twice(pack: Path, tmp_path: Path) -> None:
    contents = _contents(pack)
    _write(tmp_path / "bad.zip", contents)
    with zipfile.ZipFile(tmp_path / "bad.zip", "a") as archive, pytest.warns(UserWarning, match="Duplicate"):
        archive.writestr("README.txt", b"x")
    _refuses(tmp_path, "README.txt is in it twice")


def _refuses(folder: Path, reason: str) -> None:
    """Have `tmt run` refuse `bad.zip` in one line, with nothing written beside it or above."""
    above = sorted(folder.parent.iterdir())
    assert is_pack(folder / "bad.zip")
    with pytest.raises(InputError) as refused, unpacked(folder / "bad.zip") as found:
        packed_rows(found, folder / "bad.zip")
    assert reason in str(refused.value)
    assert str(refused.value).startswith(f"{folder / 'bad.zip'}: ")
    assert "\n" not in str(refused.value)
    assert refused.value.exit_status == 2
    assert [path.name for path in folder.iterdir()] == ["bad.zip"]
    assert sorted(folder.parent.iterdir()) == above
