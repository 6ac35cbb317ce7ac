"""Questions of a reader who knows TCP but not this project: each answer is two clicks away.

The first click leads from `docs/index.md` to a door, the second from the door to the page. The words that
answer the question stand on that page.
"""

import re
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"
QUESTIONS = [
    ("What does my trace have to look like?", "reference.md", "formats.md", "tx_time_ns"),
    ("How do I read a log of srsRAN?", "how-to.md", "import/README.md", "srsran"),
    (
        "My log has columns of its own; what then?",
        "tutorials/index.md",
        "tutorials/measured-trace.md",
        "tmt import table",
    ),
    ("Is there a measured satellite link that I can try?", "how-to.md", "measured.md", "Starlink"),
    ("How do I make a channel with bursts?", "how-to.md", "channels.md", "gilbert-elliott"),
    ("Which channel model fits my trace?", "how-to.md", "fit.md", "tmt fit"),
    ("What exactly does HARQ do with a block that fails?", "reference.md", "schemes.md", "repair"),
    ("How much capacity does ARQ cost, without simulating?", "reference.md", "models.md", "efficiency"),
    ("How do I run one CUBIC flow over my trace?", "how-to.md", "replay.md", "--tcp cubic"),
    ("How do I compare five variants with ten seeds?", "how-to.md", "scenarios.md", "seeds"),
    ("My campaign was interrupted; what now?", "how-to.md", "campaigns.md", "Ctrl-C"),
    ("Can several machines share a campaign?", "how-to.md", "clusters.md", "machines"),
    ("Which column is the goodput, and what does it count?", "reference.md", "metrics.md", "goodput_bps"),
    ("Are two variants really different?", "explanation.md", "statistics.md", "Holm"),
    ("How do I get a figure for my paper?", "how-to.md", "report.md", "PDF"),
    ("Can I use the TCP of a real Linux kernel?", "how-to.md", "linux.md", "--stack"),
    ("Can I run my own program over the trace?", "how-to.md", "emulation.md", "tmt emulate"),
    ("From which round trip on should HARQ feedback be off?", "explanation.md", "ntn.md", "RLC AM"),
    ("How close is ns-2's TCP to a kernel's?", "explanation.md", "kernel.md", "kernel"),
    ("How do I give my link to mahimahi or tc?", "how-to.md", "export.md", "mahimahi"),
    ("Can others repeat my campaign to the bit?", "how-to.md", "packs.md", "bit by bit"),
    ("How do I install it without a compiler?", "how-to.md", "install.md", "pip install"),
    ("What is an LLDU?", "reference.md", "glossary.md", "link-layer data unit"),
    ("Which conclusions of Kuhn 2014 hold for the TCP of today?", "papers.md", "kuhn2014-today.md", "HARQ"),
    ("How do I do all this from a notebook?", "how-to.md", "python.md", "notebooks"),
    ("How do I cite this?", "index.md", "papers.md", "CITATION.cff"),
]
"""Question, door, page, words of the answer."""


def links(page: str) -> set[str]:
    targets = re.findall(r"\]\(([^)#\s]+\.md)", (DOCS / page).read_text(encoding="utf-8"))
    inside = [(DOCS / page).parent.joinpath(target).resolve() for target in targets if "://" not in target]
    return {str(target.relative_to(DOCS)) for target in inside if target.is_relative_to(DOCS)}


@pytest.mark.parametrize(("question", "door", "page", "words"), QUESTIONS)
def test_question__is_answered_two_clicks_from_the_first_page(
    question: str, door: str, page: str, words: str
) -> None:
    assert door == "index.md" or door in links("index.md"), question
    assert page in links(door), question
    assert words in (DOCS / page).read_text(encoding="utf-8"), question
