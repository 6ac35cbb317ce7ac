"""Rules for every importer: options, metadata, recognition, hints."""

import gzip
import re
from pathlib import Path
from typing import Any

import in_process
import pytest

import tmt
from tests.fuzz import readers
from tests.measured.imports import import_trace, written
from tmt.core.declaration import declared
from tmt.core.errors import InputError
from tmt.core.provenance import file_sha256
from tmt.importers import all_importers
from tmt.importers.importer import Importer, recognised
from tmt.io import read_phy

PAGES = sorted((Path(__file__).resolve().parents[2] / "docs" / "import").glob("*.md"))


IMPORTERS = all_importers()

WITHOUT_A_HEAD = ("bler", "table", "irtt")
"""Formats without a sign of their own in what the documentation shows: numbers, any table, part of a JSON."""


@pytest.mark.parametrize(("name", "importer"), IMPORTERS.items())
def test_importer__is_a_name_of_the_package_with_its_parameters(name: str, importer: type[Importer]) -> None:
    assert importer.name == name
    assert getattr(tmt.importers, importer.__name__) is importer
    code = Path(tmt.importers.__file__).read_text(encoding="utf-8")
    assert f" {importer.__name__} as {importer.__name__}" in code, "type checkers do not see it"
    assert all(field.meaning for field in declared(importer).values())


@pytest.mark.parametrize("importer", IMPORTERS.values(), ids=lambda importer: importer.name)
def test_importer__has_a_section_in_the_documentation(importer: type[Importer]) -> None:
    assert any(f"## `{importer.name}`" in page.read_text(encoding="utf-8") for page in PAGES)


@pytest.mark.parametrize("importer", IMPORTERS.values(), ids=lambda importer: importer.name)
def test_importer__gets_damaged_and_random_inputs(importer: type[Importer], tmp_path: Path) -> None:
    assert importer.name in readers.IMPORTERS, (
        f"no test gives damaged or random inputs to the importer {importer.name}: "
        "add a tiny file of its format to LOGS or PROBES of tests/measured/excerpts.py"
    )
    refusals = []
    for content in readers.seeds(importer.name):
        (tmp_path / "known").write_bytes(content)
        refusals.append(readers.read(importer.name, tmp_path / "known"))
    assert "" in refusals, f"{importer.name} reads none of its known inputs: random changes test little of it"


def _excerpts() -> list[tuple[str, str]]:
    """Return the formats whose section of the documentation shows a file, with the file's text."""
    found = []
    for page in PAGES:
        for section in page.read_text(encoding="utf-8").split("\n## `")[1:]:
            shown = re.search(r"^```(?:text|json)[^\n]*\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)
            if shown:
                found.append((section.partition("`")[0], shown[1]))
    return found


@pytest.mark.parametrize(("name", "text"), _excerpts(), ids=lambda value: value[:12])
def test_documentation__shows_files_that_can_be_imported(name: str, text: str, tmp_path: Path) -> None:
    (tmp_path / "shown").write_text(text)
    needed: dict[str, Any] = {
        "bler": {"slot_interval": 0.001},
        "flent": {"series": "TCP download"},
        "table": {"time": "Time:s", "bad": "corrupt=1", "size": "tbSize", "where": "direction=DL"},
    }
    trace = import_trace(name, str(tmp_path / "shown"), **needed.get(name, {}))
    assert len(trace) > 0


@pytest.mark.parametrize(("name", "text"), _excerpts(), ids=lambda value: value[:12])
def test_auto__recognises_the_files_of_the_documentation(name: str, text: str, tmp_path: Path) -> None:
    (tmp_path / "shown").write_text(text)
    if name not in WITHOUT_A_HEAD:
        assert recognised(str(tmp_path / "shown")).name == name
        return
    with pytest.raises(InputError, match="tells no format"):
        recognised(str(tmp_path / "shown"))


def test_parameters__of_one_name_have_one_meaning() -> None:
    meanings: dict[str, tuple[str, str]] = {}
    for importer in IMPORTERS.values():
        for key, field in declared(importer).items():
            own = field.meaning, field.param.unit
            assert meanings.setdefault(key, own) == own


def test_import__records_where_the_trace_comes_from(tmp_path: Path) -> None:
    source = written(tmp_path, "1\n2\n")
    import_trace("mahimahi", source, tmp_path / "phy.parquet", decode_time=0.002)
    metadata = read_phy(tmp_path / "phy.parquet").metadata
    assert metadata["kind"] == "phy"
    assert metadata["lldu_bytes"] == 1500
    assert metadata["importer"] == "mahimahi"
    assert metadata["decode_time_ns"] == 2_000_000
    assert metadata["source"] == {"name": "log", "sha256": file_sha256(source)}
    assert metadata["packing"] == "packed"
    assert metadata["notes"] == []


def test_import__takes_a_part_of_the_time(tmp_path: Path) -> None:
    """Rows at 1, 3, 5 and 8 ms; from 2 ms until 7 ms leaves two, which count from 2 ms, and 5 ms of time."""
    source = written(tmp_path, "1\n3\n5\n8\n9\n")
    trace = import_trace("mahimahi", source, from_=0.002, until=0.007)
    assert trace.tx_time_ns.tolist() == [1_000_000, 3_000_000]
    assert trace.metadata["from_ns"] == 2_000_000
    assert (trace.metadata["begin_ns"], trace.metadata["length_ns"]) == (0, 5_000_000)
    with pytest.raises(InputError, match=r"no row lies between --from and --until; rows lie from 0\.001 s"):
        import_trace("mahimahi", source, from_=0.009)


def test_import__takes_an_importer_or_its_name_and_parameters(tmp_path: Path) -> None:
    source = written(tmp_path, "1\n3\n5\n8\n")
    by_value = tmt.import_trace(source, tmt.importers.Mahimahi(decode_time=0.002, from_=0.003))
    by_name = tmt.import_trace(source, "mahimahi", decode_time=0.002, from_=0.003)
    assert by_value.metadata == by_name.metadata
    assert by_value.decode_time_ns.tolist() == by_name.decode_time_ns.tolist() == [2_000_000] * 3
    assert tmt.importers.Mahimahi(0.002, until=8) == tmt.importers.Mahimahi(decode_time=0.002, until=8)


def test_import__takes_old_keywords_with_a_warning(tmp_path: Path) -> None:
    (tmp_path / "log.csv").write_text("log_ms,sfn,subframe,attempt\n0,0,0,1\n8,0,8,2\n9,0,9,1\n")
    with pytest.warns(DeprecationWarning, match="reading is called as_ now"):
        trace = tmt.import_trace(tmp_path / "log.csv", reading="link")
    assert len(trace) == 2


def test_command__takes_the_options_of_the_format_that_it_detects(tmp_path: Path) -> None:
    (tmp_path / "s").write_text("1\n3\n")
    result = in_process.tmt("import", "auto", "s", "o.npy", "--decode-time", "0.002", folder=tmp_path)
    assert (result.status, result.err) == (0, "")
    assert read_phy(tmp_path / "o.npy").decode_time_ns.tolist() == [2_000_000] * 2


@pytest.mark.parametrize("command", [["inspect"], ["convert", "--scheme", "none", "--", "FILE", "out.npy"]])
@pytest.mark.parametrize("name", ["log.csv", "log.log", "log.txt"])
def test_commands__name_the_import_of_a_raw_file(command: list[str], name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text("log_ms,sfn,subframe,attempt\n0,0,0,1\n")
    arguments = [name if word == "FILE" else word for word in command]
    if name not in arguments:
        arguments.append(name)
    result = in_process.tmt(*arguments, folder=tmp_path)
    assert result.status == 2
    assert len(result.err.splitlines()) == 1
    assert result.err.endswith(f"; it holds a measurement: tmt import lte-harq {name} OUT.parquet\n")


@pytest.mark.parametrize(
    ("sample", "name"),
    [
        ("formats/ns3mmwave_RxPacketTrace.txt.gz", "ns3-nr"),
        ("formats/ns3nr_RxPacketTrace.txt", "ns3-nr"),
        ("formats/ns3nr_NrDlMacStats.txt", "ns3-nr"),
        ("formats/ns3lte_DlRxPhyStats_head.txt", "ns3-lte"),
        ("formats/srsran_gnb.log.gz", "srsran"),
        ("formats/srsran_gnb_phy_lines.txt", "srsran"),
        ("formats/nrscope_5g_dci/t_mobile1_ueactivity_night_3.csv.gz", "nr-scope"),
        ("formats/irtt_own_over_emulate.json.gz", "irtt"),
        ("formats/ping_D_O_own_over_emulate.txt.gz", "ping"),
        ("formats/udp_own.pcap.gz", "pcap"),
        ("formats/ucc5g_example.csv.gz", "rates"),
        ("formats/starlink_get_history.json.gz", "rates"),
        ("mobileinsight_lte/lte_ul_pusch_harq.csv", "lte-harq"),
        ("mahimahi_cellular/ATT-LTE-driving-2016.up", "mahimahi"),
    ],
)
def test_auto__recognises_the_samples(sample: str, name: str, measured_data: Path) -> None:
    assert recognised(str(measured_data / sample)).name == name


def test_scenario__with_a_raw_file_names_the_import(tmp_path: Path) -> None:
    (tmp_path / "log.csv").write_text("log_ms,sfn,subframe,attempt\n0,0,0,1\n")
    (tmp_path / "raw.toml").write_text(
        'title = "A raw file"\n[[trace]]\nfile = "log.csv"\n'
        '[[scheme]]\nname = "none"\n[path]\nrtt = 0.5\n[[traffic]]\nduration = 5\n'
    )
    result = in_process.tmt("run", "raw.toml", folder=tmp_path)
    assert result.status == 2
    assert result.err.splitlines()[-1].endswith("log.csv OUT.parquet")
    assert "; it holds a measurement: tmt import lte-harq " in result.err


def test_gzip__that_is_cut_in_a_line_is_refused_with_it(tmp_path: Path) -> None:
    lines = [f"{23 + i}\t1\t1\t4\t0\t0\t5\t{i * i % 9973 + 1}\t0\t1\t1\t0\n" for i in range(5000)]
    names = "% time\tcellId\tIMSI\tRNTI\ttxMode\tlayer\tmcs\tsize\trv\tndi\tcorrect\tccId\n"
    whole = gzip.compress((names + "".join(lines)).encode())
    (tmp_path / "cut.txt.gz").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(InputError, match=r"cut\.txt\.gz:[0-9]{3,4}: the gzip data is cut short"):
        import_trace("ns3-lte", tmp_path / "cut.txt.gz")


def test_link_reading__tells_how_many_slots_its_rows_took(tmp_path: Path) -> None:
    (tmp_path / "log.csv").write_text("log_ms,sfn,subframe,attempt\n0,0,0,1\n8,0,8,2\n9,0,9,1\n")
    whole = import_trace("lte-harq", tmp_path / "log.csv", as_="link")
    assert whole.metadata["slots"] == 3
    part = import_trace("lte-harq", tmp_path / "log.csv", as_="link", until=0.005)
    assert "slots" not in part.metadata
