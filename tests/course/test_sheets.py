"""The sheets of the course, which come with boidsgen as PDFs."""

import re
from collections import Counter

import pypdfium2
import pytest
from markdown_it import MarkdownIt

from boidsgen.cli.course import units_of
from docs.programs.sheets import FOLDER, pages, questions, solutions

UNITS = units_of(None)
KINDS = {"worksheet": questions, "solutions": solutions}


@pytest.fixture(scope="module")
def made():
    """The sheets as the program makes them now."""
    return dict(pages())


def shown(document):
    """The text of each page, in words, and its picture, as another program reads them."""
    with pypdfium2.PdfDocument(document) as opened:
        return [(one.get_textpage().get_text_bounded().split(), one.render().to_numpy().tobytes()) for one in opened]


def test_each_is_there_and_current(made):
    """`just docs` would make the same pages; what compresses and subsets fonts may give other bytes."""
    assert {*FOLDER.rglob("*.pdf")} == {*made}
    assert [path.name for path, content in made.items() if shown(path) != shown(content)] == []
    assert sum(path.stat().st_size for path in made) < 500_000


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_a_sheet_is_one_page_with_every_letter(unit, kind):
    """A sheet is one page, with every letter of what it takes from the unit, as often as that, and no other."""
    ((words, _),) = shown(FOLDER / unit.name / f"{kind}.pdf")
    html = MarkdownIt().enable("table").render(re.sub(r"^!.*$", "", KINDS[kind](unit.text), flags=re.MULTILINE))
    wanted = re.sub("<[^>]*>", "", re.sub("</(td|th|tr)>", " ", html))
    for sign, name in {"<": "lt", ">": "gt", '"': "quot", "&": "amp"}.items():
        wanted = wanted.replace(f"&{name};", sign)

    assert Counter("".join(words)) == Counter("".join([kind.capitalize(), *wanted.split()]))


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_answers_are_on_the_solutions_alone(unit):
    """A worksheet has the tasks and no answer or measured number, the solutions have all."""
    answers = re.findall(r"<details markdown>\n<summary>.*?</summary>\n\n(.*?)\n", unit.text)
    measured = re.findall(r"\d \[[\d., ]+\]", unit.text)
    asked, solved = questions(unit.text), solutions(unit.text)

    assert "**Goal.**" in asked
    assert unit.text.partition("## Hand in\n\n")[2].partition("\n")[0] in asked
    assert answers + measured
    assert [one for one in answers + measured if one in asked or one not in solved] == []
