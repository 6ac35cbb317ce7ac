"""The page about metrics agrees with the declarations."""

import importlib.util
from pathlib import Path

from tmt.spec.columns import RUN_RESULTS

ROOT = Path(__file__).resolve().parents[2]


def test_metrics_page__is_current() -> None:
    spec = importlib.util.spec_from_file_location(
        "metrics_reference", ROOT / "tools" / "metrics_reference.py"
    )
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert (ROOT / "docs" / "metrics.md").read_text() == module.reference(), (
        "run `python tools/metrics_reference.py`"
    )


def test_result_columns__say_what_they_count() -> None:
    measured = [c for c in RUN_RESULTS if c.group in {"delivery", "delay", "recovery", "window"}]
    # The number of flows is the one figure there that counts neither bytes nor packets.
    assert [c.name for c in measured if not c.counts] == ["flows_completed"]
