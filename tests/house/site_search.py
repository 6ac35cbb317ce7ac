"""The search of the built site: the scoring of Sphinx's own search, over the same index."""

import json
import re
from pathlib import Path
from typing import Any

from sphinx.search.en import SearchEnglish

TITLE, PART_OF_TITLE, TERM, PART_OF_TERM = 15, 7, 5, 2


def read_index(site: Path) -> dict[str, Any]:
    text = (site / "searchindex.js").read_text(encoding="utf-8")
    return json.loads(text[text.index("(") + 1 : text.rindex(")")])


def search(index: dict[str, Any], query: str) -> list[str]:
    """Return the pages of the results, the first one first; a page and its sections are results of their own.

    Names of Python's functions, which the site finds too, are left out.
    """
    titles, query = index["titles"], query.lower()
    found: dict[tuple[str, int], int] = {}
    for title, places in index["alltitles"].items():
        if query in title.lower() and len(query) >= len(title) / 2:
            for page, _ in places:
                is_page = titles[page] == title
                shown = title if is_page else f"{titles[page]} > {title}"
                found[shown, page] = int(TITLE * len(query) / len(title) + 0.5) + is_page
    english = SearchEnglish({})
    words = {word for word in re.findall(r"\w+", query) if not (word in english.stopwords or word.isdigit())}
    scores = {stem: _scores(index, stem) for stem in map(english.stem, words)}
    needed = [of for stem, of in scores.items() if len(stem) > 2] or list(scores.values())
    for page in set(needed[0]).intersection(*needed) if needed else ():
        best = max(of.get(page, 0) for of in scores.values())
        found[titles[page], page] = max(best, found.get((titles[page], page), 0))
    ordered = sorted(found, key=lambda one: (-found[one], one[0].lower()))
    return [index["docnames"][page] for _, page in ordered]


def _scores(index: dict[str, Any], stem: str) -> dict[int, int]:
    """Return the score of each page that has a word in its text, or in a title."""
    scores: dict[int, int] = {}
    for part, whole, partial in (("terms", TERM, PART_OF_TERM), ("titleterms", TITLE, PART_OF_TITLE)):
        terms = index[part]
        near = [] if stem in terms or len(stem) < 3 else [term for term in terms if stem in term]
        for term in [stem] if stem in terms else near:
            pages = terms[term]
            score = whole if term == stem else partial
            scores |= dict.fromkeys(pages if isinstance(pages, list) else [pages], score)
    return scores
