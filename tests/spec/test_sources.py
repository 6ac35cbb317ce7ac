"""Every name that a scenario can have leads to its sources, and the entries are whole."""

import re
import tomllib
from pathlib import Path
from typing import get_args

import pytest
import yaml
from in_process import tmt

from tmt import __version__
from tmt.core.channels import CHANNELS, ErrorFree
from tmt.core.schemes import SCHEMES, Arq, HarqProcesses, Rlc, SlidingWindow
from tmt.core.schemes.scheme import Scheme
from tmt.importers import FORMATS
from tmt.spec import sources
from tmt.spec.path import Path as LinkPath, Proxy, Wired
from tmt.spec.programs import Program
from tmt.spec.queue import DISCIPLINES, CoDel
from tmt.spec.scenario import Scenario
from tmt.spec.stacks import BACKENDS, STACKS, VARIANTS, Ecn
from tmt.spec.trace import Trace
from tmt.spec.traffic import RATELESS_CODES, Flow, Traffic

ROOT = Path(__file__).resolve().parents[2]
BIB = (ROOT / "tmt/spec/sources.bib").read_text(encoding="utf-8")
SCENARIOS = sorted((ROOT / "scenarios").glob("*.toml"))

NAMES = {
    "scheme": SCHEMES,
    "channel": CHANNELS,
    "queue": DISCIPLINES,
    "tcp": VARIANTS,
    "stack": STACKS,
    "backend": (*BACKENDS, "programs"),
    "importer": FORMATS,
    "ecn": get_args(Ecn),
    "slow_start": ("standard", "hystart", "search"),
    "combining": ("none", "chase", "incremental"),
    "qdisc": ("cake", "codel", "dualpi2", "fq", "fq_codel", "fq_pie", "pfifo", "pie", "sfq"),
    "ack_thinning": ("none", "filter", "decimate"),
    "code": RATELESS_CODES,
}
"""The names of each table of `sources.toml` that users type."""


ARQ, PATH, TCP = Arq(), LinkPath(rtt=0.1), Traffic("newreno", stack="2009", duration=5)
CLEAR = Trace(channel=ErrorFree(), rate=1e6, lldu_bytes=500, length=10)


def said(scheme: Scheme = ARQ, path: LinkPath = PATH, traffic: Traffic = TCP, seeds: int = 1) -> set[str]:
    """Return the keys of a small scenario."""
    return set(sources.sources_of(Scenario(CLEAR, scheme, path, traffic, seeds=seeds)).keys)


@pytest.mark.parametrize("table", NAMES)
def test_name__has_sources_or_is_our_own(table: str) -> None:
    assert set(sources.known()[table]) == set(NAMES[table])


def test_entries__are_those_that_campaigns_or_the_paper_name() -> None:
    defined = re.findall(r"^@(?!comment)\w+\{(.*),$", BIB, re.MULTILINE)
    assert len(defined) == len(set(defined))
    assert list(sources.entries()) == defined
    named = {key for table in sources.known().values() for keys in table.values() for key in keys}
    paper = (ROOT / "packaging/joss/paper.md").read_text(encoding="utf-8")
    assert named | set(re.findall(r"@([a-z][\w-]*\w)", paper)) == set(defined)


def test_entries__are_whole() -> None:
    for key, entry in sources.entries().items():
        fields = dict(re.findall(r"^  (\w+) = \{(.*)\},$", entry, re.MULTILINE))
        assert len(fields) == len(entry.splitlines()) - 2, key
        assert entry.count("{") == entry.count("}"), key
        assert entry.isascii(), key
        assert {"author", "title"} <= set(fields), key
        assert fields.keys() & {"journal", "booktitle", "institution", "howpublished", "url"}, key
        assert fields.keys() & {"year", "note", "url", "howpublished"}, key
        assert re.fullmatch(r"10\.\d{4,5}/\S+", fields.get("doi", "10.1000/1")), key
        if key.startswith("rfc"):
            number = key.removeprefix("rfc")
            assert (fields["number"], fields["doi"]) == (number, f"10.17487/RFC{number}")


def test_modern_stack__names_the_rfcs_of_its_page() -> None:
    """Apart from those of settings that have sources of their own."""
    page = (ROOT / "docs/tcp-modern.md").read_text(encoding="utf-8")
    parts = page[page.index("| part | from |") : page.index("**Connection.**")]
    numbers = {f"rfc{number}" for number in re.findall(r"(?:RFC |, )(\d{4})\b", parts)}
    modern = set(sources.known()["stack"]["modern"]) - {"sarolahti2002"}
    assert modern == numbers - {"rfc9406", "rfc9959"}


@pytest.mark.parametrize("file", SCENARIOS, ids=lambda file: file.stem)
def test_scenario__is_cited_whole(file: Path) -> None:
    status, out, err = tmt("cite", file, folder=ROOT)
    assert (status, err) == (0, "")
    keys = re.findall(r"^@\w+\{(.*),$", out, re.MULTILINE)
    assert keys[:2] == ["tmt-clift", "kuhn2014"]
    text = file.read_text(encoding="utf-8")
    for word, key in {
        '"cubic"': "rfc9438",
        "starlink.parquet": "lai2025",
        "nr-phone.parquet": "raca2020",
        "gnss-drive.parquet": "gps-measurement-tools",
        "att-lte-driving.up.parquet": "mahimahi-traces",
        "lte-uplink.parquet": "mobileinsight-core",
        '"gilbert-elliott"': "gilbert1960",
        '"linux"': "linux",
        "resume": "rfc9959",
    }.items():
        assert word not in text or key in keys, f"{word} without {key}"
    assert ("linux" in keys) == any(word in text for word in ('"linux"', '"kernel"', "[[program]]"))


def test_files__that_are_no_traces_are_not_read() -> None:
    moving = LinkPath(rtt=0.1, rtt_series="absent.csv")
    programs = Program(client="true", files=("absent",), root="absent.tar")
    assert "linux" in sources.sources_of(Scenario(CLEAR, ARQ, moving, program=programs)).keys


@pytest.mark.parametrize("trace", sorted((ROOT / "traces").rglob("*.parquet")), ids=lambda path: path.stem)
def test_shipped_trace__says_where_it_comes_from(trace: Path) -> None:
    if "contract" in trace.parts:
        return
    scenario = Scenario(Trace(str(trace)), ARQ, PATH, TCP)
    found = sources.sources_of(scenario)
    assert found.notes == ()
    if "measured" in trace.parts:
        readme = (ROOT / "traces/measured/README.md").read_text(encoding="utf-8")
        commits = re.findall(r"commit (\w+)", sources.bibtex(found.keys))
        assert commits
        assert all(f"commit {commit}" in readme for commit in commits)


def test_scenario_titles__are_those_of_scenarios() -> None:
    titles = {tomllib.loads(file.read_text(encoding="utf-8"))["title"] for file in SCENARIOS}
    assert set(sources.known()["scenario"]) <= titles


def test_setting__brings_its_own_sources() -> None:
    base = said()
    assert base == {
        *("tmt-clift", "kuhn2014", "harris2020", "lam2015", "virtanen2020"),
        *("ns2", "wei2006", "rfc5681", "rfc6582", "rfc3465"),
    }
    assert "chase1985" in said(HarqProcesses(combining="chase", combining_threshold_db=2))
    assert "rfc8289" in said(path=LinkPath(rtt=0.1, queue=CoDel()))
    split = LinkPath(rtt=0.1, wired=Wired(1e6), proxy=Proxy("bbr", "modern"))
    assert {"bakre1997", "cardwell2017"} <= said(path=split)
    groups = Traffic(duration=5, flow=(Flow("cubic"), Flow("newreno")))
    assert {"ware2019", "jain1984", "rfc9438"} <= said(traffic=groups)
    assert {"rfc6330", "botos-fectcp"} <= said(traffic=Traffic("fectcp", duration=5))
    assert "luby2002" in said(traffic=Traffic("fectcp", code="lt", duration=5))
    assert {"3gpp-rlc-nr", "rfc8681"} <= said(Rlc(below=SlidingWindow(4, 2)))
    assert {"student1908", "holm1979"} == said(seeds=2) - base


def test_own_measurement_and_control__give_notes(tmp_path: Path) -> None:
    (tmp_path / "rates.csv").write_text("time_s,rate_bps\n0,1e6\n1,2e6\n2,1e6\n")
    tmt("import", "rates", "rates.csv", "own.parquet", "--as", "phy", folder=tmp_path)
    (tmp_path / "plain.csv").write_text("tx_time,decode_time\n0,0.1\n1,0.1\n")
    (tmp_path / "values.csv").write_text(
        "column,tcp,scheme,value,error,source\ngoodput_bps,cubic,ARQ,1,0,Own 2026\n"
    )
    (tmp_path / "s.toml").write_text(
        'published = "values.csv"\n'
        '[[trace]]\nfile = "own.parquet"\n[[trace]]\nfile = "plain.csv"\nlldu_bytes = 500\n'
        '[[scheme]]\nname = "arq"\n[path]\nrtt = 0.1\n'
        '[[traffic]]\ntcp = "mine"\nstack = "linux"\nduration = 5\n'
    )
    status, _, err = tmt("cite", "s.toml", folder=tmp_path)
    assert status == 0
    assert err.splitlines() == [
        "note: own.parquet is made of rates.csv, which has no entry here: cite its source, too",
        "note: plain.csv does not say what it is made of: cite its source, too",
        "note: the congestion control mine has no entry here: cite its source, too",
        "note: values.csv: the source 'Own 2026' has no entry here: cite it, too",
    ]


def test_folder_of_results__is_cited_like_its_scenario(tmp_path: Path) -> None:
    Scenario.read(ROOT / "scenarios/quickstart.toml").write(tmp_path / "scenario.toml")
    found = tmt("cite", tmp_path, folder=ROOT)
    assert found == tmt("cite", "scenarios/quickstart.toml", folder=ROOT)


def test_folder_of_results_without_its_trace__names_the_scenario_instead(tmp_path: Path) -> None:
    """Such as that of a pack, whose files were unpacked for the runs only."""
    (tmp_path / "scenario.toml").write_text(
        'trace = { file = "gone.csv" }\nscheme = { name = "arq" }\npath = { rtt = 0.1 }\ntraffic = {}\n'
    )
    status, out, err = tmt("cite", ".", folder=tmp_path)
    assert (status, out) == (2, "")
    assert err == (
        "scenario.toml: gone.csv: cannot be read: No such file or directory; name the scenario itself, or "
        "its pack\n"
    )


def test_citation_file__agrees_with_entry_package_and_changes() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    entry = sources.entries()["tmt-clift"]
    released = re.search(r"^## (\S+) \((\d{4}-\d\d-\d\d)\)$", changes, re.MULTILINE)
    assert released is not None
    assert (citation["version"], str(citation["date-released"])) == released.groups()
    assert citation["version"] == project["version"] == __version__
    for key, value in {
        "version": citation["version"],
        "year": str(citation["date-released"])[:4],
        "url": citation["repository-code"],
        "title": f"{{{citation['title']}}}",
        "author": f"{{{citation['authors'][0]['name']}}}",
    }.items():
        assert f"  {key} = {{{value}}},\n" in entry
    assert project["urls"]["Repository"] == citation["repository-code"]
    assert [one["doi"] for one in citation["references"] if "doi" in one and one["doi"] not in BIB] == []
