"""Measurements with pieces replaced, other line ends, or cut: one line of refusal, or a good trace."""

from pathlib import Path

import numpy as np
import pytest
from answers import blocks
from hypothesis import given, settings, strategies as st

from tests.fuzz import readers
from tests.measured.excerpts import EXCERPTS, LOGS, PROBES
from tests.measured.imports import DAMAGE, Damage, check, damaged, import_trace, read
from tmt import Snr
from tmt.core.errors import InputError, TmtError
from tmt.core.generate import Line
from tmt.importers.importer import recognised
from tmt.io.generation import generate


@pytest.mark.parametrize("name", PROBES)
def test_excerpt__is_read_as_it_is(name: str, tmp_path: Path) -> None:
    excerpt = PROBES[name]
    (tmp_path / "whole").write_text(excerpt.text)
    assert len(import_trace(excerpt.importer, tmp_path / "whole", **excerpt.options)) >= 2


WITHOUT_A_SIGN = ("table", "outcomes", "sequence", "numbers")
"""First words of excerpts of numbers and of any table: nothing tells their format."""

MANY = settings(max_examples=40)
"""Of each format; `make fuzz` looks for more."""


@pytest.mark.parametrize("name", EXCERPTS)
@MANY
@given(damage=DAMAGE, reading=st.sampled_from(["phy", "link"]))
def test_excerpt__that_is_damaged_is_refused_or_makes_a_good_trace(
    name: str, damage: Damage, reading: str, tmp_path: Path
) -> None:
    """Pieces of the text are replaced; the outcome is one line, or rows that a trace may have."""
    excerpt = EXCERPTS[name]
    (tmp_path / "damaged").write_text(damaged(excerpt.text, damage), encoding="utf-8")
    as_ = {"as_": reading} if name in LOGS else {}
    check(excerpt.importer, tmp_path / "damaged", **as_, **excerpt.options)


@pytest.mark.parametrize("name", readers.CAPTURES)
@MANY
@given(data=st.data())
def test_capture__that_is_damaged_is_refused_or_makes_a_good_trace(
    name: str, data: st.DataObject, tmp_path: Path
) -> None:
    content = data.draw(st.sampled_from(sorted(readers.seeds(name))))
    damage = st.lists(st.tuples(st.floats(0, 1), st.integers(0, 6), st.binary(max_size=6)), max_size=5)
    for place, length, piece in data.draw(damage):
        at = 4 + int(place * (len(content) - 4))
        content = content[:at] + piece + content[at + length :]
    (tmp_path / "damaged").write_bytes(content)
    check(name, tmp_path / "damaged")


@MANY
@given(series=DAMAGE, table=DAMAGE)
def test_signal__that_is_damaged_is_refused_or_makes_a_good_trace(
    series: list[tuple[float, int, str]], table: list[tuple[float, int, str]], tmp_path: Path
) -> None:
    (tmp_path / "s").write_text(damaged("t attenuation\n0 1.5\n1 2\n5 0\n", series), encoding="utf-8")
    (tmp_path / "t").write_text(damaged("es_n0_db,bler\n-2,0.9\n3,0.001\n4,0\n", table), encoding="utf-8")
    said = ""
    try:
        channel = Snr(str(tmp_path / "s"), str(tmp_path / "t"), 5.0)
        generate(tmp_path / "p.npy", channel, Line.at_rate(8000, 100, 1000), duration_ns=10**9, seed=1)
    except TmtError as refused:
        said = str(refused)
    assert len(said.splitlines()) <= 1


@pytest.mark.parametrize("text", ['{"round_trips": ' + "9" * 5000 + "}", "[" * 100_000, "\xff", "{"])
def test_json__that_cannot_be_parsed_is_refused_in_one_line(text: str, tmp_path: Path) -> None:
    (tmp_path / "log.json").write_text(text, encoding="latin-1")
    check("irtt", tmp_path / "log.json")
    with pytest.raises(InputError, match=r"this is not a (whole )?JSON document"):
        import_trace("irtt", tmp_path / "log.json")


CASES = blocks(Path(__file__).with_name("refusals.txt"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case[0]} {case[-1]}")
def test_measurement__is_refused_with_line_and_reason(case: list[str], tmp_path: Path) -> None:
    importer, *lines, answer = case
    end = "" if lines and lines[-1].startswith("\\") else "\n"
    text = "\n".join(line.removeprefix("|").removeprefix(" ") for line in lines if line.startswith("|"))
    file = tmp_path / "file.txt"
    file.write_text(text + end if lines else "")
    with pytest.raises(TmtError) as refused:
        read(importer, file)
    assert str(refused.value) == answer.replace("FILE", str(file), 1)


@pytest.mark.parametrize("name", LOGS)
def test_excerpt__reads_alike_with_other_line_ends_and_blank_lines(name: str, tmp_path: Path) -> None:
    log = LOGS[name]
    (tmp_path / "plain").write_text(log.text)
    plain = import_trace(log.importer, tmp_path / "plain", **log.options)
    assert len(plain) == 3
    assert (plain.decode_time_ns == 0).tolist() == [True, False, False]
    forms = {
        "DOS line ends": log.text.replace("\n", "\r\n"),
        "blank lines": log.header + log.rows.replace("\n", "\n\n") + "\n  \n",
        "comments": log.header + "# by hand\n" + log.rows + "# end\n",
        "a byte-order mark": "\ufeff" + log.text,
    }
    for form, text in forms.items():
        (tmp_path / "other").write_bytes(text.encode())
        other = import_trace(log.importer, tmp_path / "other", **log.options)
        for column in (*plain.table.names, "size_bytes"):
            np.testing.assert_array_equal(getattr(other, column), getattr(plain, column), err_msg=form)


@pytest.mark.parametrize("name", LOGS)
def test_excerpt__that_ends_in_the_middle_of_a_line_loses_that_line(name: str, tmp_path: Path) -> None:
    log = LOGS[name]
    cut = log.rows.rstrip().rfind("\n")
    (tmp_path / "cut").write_text(log.header + log.rows[: cut + 1 + (len(log.rows) - cut) // 4])
    assert len(import_trace(log.importer, tmp_path / "cut", **log.options)) == 2


@pytest.mark.parametrize("name", [name for name in EXCERPTS if name.split()[0] not in WITHOUT_A_SIGN])
def test_excerpt__is_recognised(name: str, tmp_path: Path) -> None:
    (tmp_path / "log").write_text(EXCERPTS[name].text)
    assert recognised(str(tmp_path / "log")).name == EXCERPTS[name].importer
