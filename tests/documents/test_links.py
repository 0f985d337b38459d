"""The pages of the repository: what they point to is there, and decisions have their four parts."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]
DECISIONS = sorted((ROOT / "docs" / "decisions").glob("[0-9]*.md"))
PARTS = ["Context", "Decision", "Evidence", "Consequences"]


def anchors(page):
    """What a link to a heading of this page may say behind the #."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading).strip().lower().replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page):
    """Every link within the repository leads to a file that is there, and to a heading that is in it."""
    for link in re.findall(r"\]\((?!https?://)([^)\s]+)\)", page.read_text(encoding="utf-8")):
        name, _, anchor = link.partition("#")
        target = (page.parent / name) if name else page

        assert target.exists(), link
        assert not anchor or anchor in anchors(target), link


@pytest.mark.parametrize("number", range(len(DECISIONS)))
def test_decisions_are_in_order_and_whole(number):
    """A decision has the number that follows, its title in the index, and context, decision, evidence, consequences."""
    page = DECISIONS[number]
    text = page.read_text(encoding="utf-8")
    title = re.match(rf"# {page.name[:4]} (.+)\n", text)

    assert int(page.name[:4]) == number + 1
    assert title
    assert re.findall(r"^\*\*(\w+)\.\*\*", text, re.MULTILINE) == PARTS
    assert f"| [{page.name[:4]}]({page.name}) | {title[1]} |" in (page.parent / "README.md").read_text(encoding="utf-8")
