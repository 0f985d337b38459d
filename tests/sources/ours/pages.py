"""Whether a page says what a claim teaches: one paragraph, or one row of a table, has all of its words."""

import re
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[3]
PAGES = {"course": "docs/course.md", "formulas": "docs/reference/formulas.md"}


@cache
def paragraphs(page):
    """The paragraphs of a page, each on one line; minus signs are hyphens."""
    text = (ROOT / PAGES[page]).read_text("utf-8").replace("−", "-")  # noqa: RUF001  the page has minus signs
    return [" ".join(block.split()) for block in re.split(r"\n\s*\n|\n(?=\|)", text)]


def says(page, words):
    """Whether some paragraph has all these patterns."""
    return any(all(re.search(word, paragraph, re.IGNORECASE) for word in words) for paragraph in paragraphs(page))
