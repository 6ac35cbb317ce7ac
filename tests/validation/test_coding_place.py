"""The comparison of coding in the transport and in the link: its scenario, its table, its figure."""

from itertools import product
from pathlib import Path

import pandas as pd

from analysis.botos.coding_place import SCHEMES, TCPS, draw, table
from tmt import Scenario

ROOT = Path(__file__).resolve().parents[2]
KBPS = 1000


def rows() -> pd.DataFrame:
    """Return two seeds 2 kbit/s apart around 100 kbit/s, 10 less per scheme, 1 less per variant."""
    found = [
        {
            "scheme": scheme,
            "tcp": tcp,
            "es_n0_db": level,
            "seed": seed,
            "goodput_bps": (100 - 10 * number - place + 2 * seed - 3) * KBPS,
            "capacity_bps": 150 * KBPS,
        }
        for (number, scheme), (place, tcp), level, seed in product(
            enumerate(SCHEMES), enumerate(TCPS), (5.0, 6.0), (1, 2)
        )
    ]
    return pd.DataFrame(found).sample(frac=1, random_state=1)


def test_scenario__has_what_the_table_shows() -> None:
    scenario = Scenario.read(ROOT / "scenarios" / "coding-place.toml")
    assert {one.tcp for one in scenario.traffic} == set(TCPS)
    assert [scheme.name for scheme in scenario.scheme] == ["none", "arq", "harq"]
    assert len(scenario.each_seed) >= 5


def test_table__compares_seed_by_seed() -> None:
    lines = table(rows()).splitlines()
    assert lines[0] == "| scheme | variant | 5 dB | 6 dB |"
    # Two values 2 apart: t(1, 97.5 %) = 12.706 times their standard error, 1.
    assert lines[2] == "| none | FECTCP | 100 ± 13 | 100 ± 13 |"
    assert lines[6] == "| ARQ | CUBIC | 89 ± 13 | 89 ± 13 |"
    # The seeds move all variants alike, so that differences are exact: CUBIC is 1 below FECTCP, 21 over HARQ.
    assert lines[11] == "| none, none | FECTCP minus best TCP | 1 ± 0 (CUBIC) | 1 ± 0 (CUBIC) |"
    assert lines[13] == "| none, HARQ(10/12) | FECTCP minus best TCP | 21 ± 0 (CUBIC) | 21 ± 0 (CUBIC) |"
    assert len(lines) == 14


def test_figure__is_drawn(tmp_path: Path) -> None:
    draw(rows(), tmp_path / "place.png")
    assert (tmp_path / "place.png").stat().st_size > 10_000
