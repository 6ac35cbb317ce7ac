"""Contract files: every reader accepts the good ones and refuses the bad ones with the agreed messages."""

import importlib.util
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tmt.core.errors import InputError
from tmt.core.schema import LINK_TRACE, PHY_TRACE
from tmt.core.words.refusals import REFUSALS
from tmt.io import read_trace

CONTRACT = Path(__file__).resolve().parents[2] / "traces" / "contract"
TABLES = {"phy": PHY_TRACE, "link": LINK_TRACE}


def _expected() -> list[tuple[str, str, str, str]]:
    lines = (CONTRACT / "expected.tsv").read_text(encoding="utf-8").splitlines()
    assert lines[0] == "file\tkind\tplace\treason"
    return [tuple(line.split("\t")) for line in lines[1:]]


EXPECTED = _expected()


@pytest.fixture(scope="module")
def maker() -> Any:
    spec = importlib.util.spec_from_file_location("make_contract", CONTRACT / "make_contract.py")
    module = importlib.util.module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "make_contract", module)
        spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(("name", "kind"), [(n, k) for n, k, _, reason in EXPECTED if not reason])
def test_good_file__holds_the_rows_that_were_written_down(name: str, kind: str, maker: Any) -> None:
    rows = maker.PHY_ROWS if kind == "phy" else maker.LINK_ROWS
    trace = read_trace(CONTRACT / name, TABLES[kind])
    assert read_trace(CONTRACT / name).table is TABLES[kind]
    if "sizes" in name:
        sizes = maker.PHY_SIZES if kind == "phy" else maker.LINK_SIZES
        assert trace.size_bytes.dtype == np.uint32
        np.testing.assert_array_equal(trace.size_bytes, sizes)
    else:
        assert trace.size_bytes is None
    if "es-n0" in name:
        assert trace.es_n0_mdb.dtype == np.int32
        np.testing.assert_array_equal(trace.es_n0_mdb, maker.ES_N0_MDB)
    else:
        assert getattr(trace, "es_n0_mdb", None) is None
    for column in TABLES[kind].columns:
        values = getattr(trace, column.name)
        assert values.dtype == column.dtype
        np.testing.assert_array_equal(values, rows[column.name])


@pytest.mark.parametrize(("name", "kind", "place", "reason"), [line for line in EXPECTED if line[3]])
def test_bad_file__is_refused_with_place_and_reason(name: str, kind: str, place: str, reason: str) -> None:
    path = CONTRACT / name
    with pytest.raises(InputError) as refused:
        read_trace(path, TABLES[kind])
    message = str(refused.value)
    expected = f"{path}:{place}: {reason}" if place else f"{path}: {reason}"
    if reason.endswith("..."):
        assert message.startswith(expected.removesuffix("..."))
    else:
        assert message == expected
    assert len(message.splitlines()) == 1


def test_contract__fires_every_refusal_there_is() -> None:
    reasons = [reason for *_, reason in EXPECTED]
    for key, template in REFUSALS.items():
        pattern = re.sub(r"\\\{\w+\\\}", ".+", re.escape(template))
        assert any(re.fullmatch(pattern, reason) for reason in reasons), key


def test_contract__is_what_its_maker_makes(maker: Any, tmp_path: Path) -> None:
    maker.main(tmp_path)
    made = sorted(path.name for path in tmp_path.iterdir())
    kept = sorted(path.name for path in CONTRACT.iterdir() if path.is_file() and path.suffix != ".py")
    assert made == kept
    for name in made:
        if ".parquet" not in name and not name.endswith(".gz"):  # those depend on the libraries' versions
            assert (tmp_path / name).read_bytes() == (CONTRACT / name).read_bytes(), name
