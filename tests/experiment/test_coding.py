"""FECTCP's codes, and the table of their overheads against real decoders."""

from __future__ import annotations

import csv
from collections import defaultdict

import pytest
from tmt.spec.coding import RATELESS_CODES, Coding

from tmt.core.errors import UsageError
from tmt.spec import coding
from tmt.spec.tcp import HEADER_BYTES


def counts(text: str) -> dict[int, int]:
    return {int(symbols): int(blocks) for symbols, blocks in (pair.split(":") for pair in text.split(","))}


def mean(text: str) -> float:
    found = counts(text)
    return sum(symbols * blocks for symbols, blocks in found.items()) / sum(found.values())


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"code": "raptor"}, ["code", "'raptor'", "raptorq, lt", "100%"]),
        ({"code": "5"}, ["code", "'5'"]),
        ({"code": "-5%"}, ["code", "'-5%'"]),
        ({"code": "101%"}, ["code", "'101%'"]),
        ({"block_segments": 0}, ["block_segments is 0", "1 to 10000"]),
        ({"block_segments": 10_001}, ["block_segments is 10001"]),
    ],
)
def test_coding__refuses_a_value_by_name(changes: dict, words: list[str]) -> None:
    with pytest.raises(UsageError) as refusal:
        Coding(**changes)
    assert all(word in str(refusal.value) for word in words), str(refusal.value)


def test_largest_block__is_the_whole_transfer_or_an_even_part_of_it() -> None:
    payload = 1500 - HEADER_BYTES
    assert Coding().largest_block(None, 1500) == 256
    assert Coding(block_segments=40).largest_block(None, 1500) == 40
    assert Coding().largest_block(69 * payload, 1500) == 69
    assert Coding().largest_block(69 * payload + 1, 1500) == 70
    assert Coding().largest_block(10_001 * payload, 1500) == 5001
    assert Coding(block_segments=30).largest_block(100 * payload, 1500) == 25


def test_overhead__of_a_share_is_that_share() -> None:
    assert Coding(code="5%").overhead(1000) == "5%"
    assert Coding(code="2.5%").overhead(1) == "2.5%"


def test_overhead__keeps_its_proportion_between_the_sizes_that_were_measured() -> None:
    at_300, at_330 = (Coding(code="lt").overhead(symbols) for symbols in (300, 330))
    assert mean(at_330) == pytest.approx(1.1 * mean(at_300), rel=0.01)
    assert sum(counts(at_330).values()) == sum(counts(at_300).values())
    # One symbol more stays one symbol more, however large or small the block.
    assert set(counts(Coding().overhead(13))) >= {0, 1}


def test_table__holds_real_codes() -> None:
    with coding._MEASURED.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert {row["code"] for row in rows} == set(RATELESS_CODES)
    assert {row["made_by"].split()[0] for row in rows} == {"raptorq", "qrstream-headless"}
    blocks: dict[tuple[str, int], int] = defaultdict(int)
    for row in rows:
        blocks[row["code"], int(row["source_symbols"])] += int(row["blocks"])
    assert max(symbols for _, symbols in blocks) == coding.MAX_BLOCK_SEGMENTS
    # RaptorQ fails with exactly as many symbols as source symbols in less than 1 % of all blocks (RFC 6330
    # asks for no more), LT codes always need more, the less in proportion the larger the block (Luby 2002).
    for (code, symbols), total in blocks.items():
        found = counts(Coding(code=code).overhead(symbols))
        assert sum(found.values()) == total
        if code == "raptorq":
            assert found[0] / total > 0.99
    shares = [
        mean(Coding(code="lt").overhead(symbols)) / symbols
        for code, symbols in sorted(blocks)
        if code == "lt" and symbols >= 100
    ]
    assert shares == sorted(shares, reverse=True)
    assert 0.05 < shares[-1] < shares[0] < 0.4
