"""Outer pages as text: one frame and one sheet for all, and what the gallery shows first."""

import re
from importlib.resources import files

import pytest

from boidsgen.scenario.reference import catalog
from boidsgen.scenario.sources import presets
from boidsgen.webpage.outer import FILTERS, LETTERS, SHOWPIECES, gallery_text

PACKAGE = files("boidsgen")


@pytest.fixture(scope="module")
def gallery():
    """The gallery of a showpiece and of two others."""
    wanted = {"quickstart", "couzin-torus", "concept-seek"}
    return gallery_text(one for one in catalog() if one.preset.name in wanted)


def test_outer_pages_have_one_sheet_and_one_frame():
    """A body begins no document and has no style of its own."""
    bodies = [*PACKAGE.joinpath("studies").iterdir(), *PACKAGE.joinpath("webpage").iterdir()]
    texts = {path.name: path.read_text("utf-8") for path in bodies if path.suffix == ".html"}
    inner = {"page.html", "outer.html"}

    assert texts.keys() > inner
    assert [name for name in texts.keys() - inner if re.search("<html|<style|style=", texts[name])] == []
    assert {path.name for path in bodies if path.suffix == ".css"} == {"page.css", "outer.css"}


def test_the_sheet_has_three_sizes_of_type_and_the_colors_of_a_theme():
    """Besides charts, whose letters have the size of their drawing, white on pictures, and what articles add."""
    sheet = PACKAGE.joinpath("webpage", "outer.css").read_text("utf-8")
    pages, _, articles = sheet.partition("/* Article:")
    sizes, colors = {"large", "middle", "small"}, {"inherit", "#fff", "var(--ink)", "var(--quiet)", "var(--back)"}
    for text, more_sizes, more_colors in ((pages, (), ()), (articles, ("part",), ("var(--lead)", "var(--right)"))):
        found = set(re.findall(r"font-size: ([^;]*);", text))
        assert {size for size in found if not size.endswith("px")} <= {f"var(--{one})" for one in {*sizes, *more_sizes}}
        assert set(re.findall(r"(?<![-\w])color: ([^;]*);", text)) <= {*colors, *more_colors}


def test_the_showpieces_are_presets_and_none_is_twice():
    assert {*SHOWPIECES} <= {one.name for one in presets()}


def test_filters_are_words_and_each_chooses_some_presets():
    """No number of a document among them, and no word that shows all or none."""
    entries = [{one.group.level, one.group.heading, *one.tags} for one in catalog()]

    assert [words for words in FILTERS if re.search(r"\d{2}|,", words)] == []
    for words, tag in FILTERS.items():
        assert 0 < sum(tag in entry for entry in entries) < len(entries), words


def test_pictures_of_the_gallery_come_before_its_scripts_and_load_when_they_are_seen(gallery):
    """Those of showpieces at once; each name stands there once."""
    images = re.findall(r"<img ([^>]*?) src=", gallery)

    assert gallery.rindex("<img ") < gallery.index("<script")
    assert re.findall('<li id="([^"]*)"', gallery) == ["couzin-torus", "quickstart", "concept-seek"]
    assert [("lazy" in one) for one in images] == [False, True, True]
    assert gallery[: gallery.index("<script")].count(">quickstart<") == 1


def test_letters_of_outer_pages_are_in_their_font():
    """What their bodies and scripts write is no box, and no letter of another typeface."""
    texts = [
        path.read_text("utf-8")
        for folder in ("studies", "webpage")
        for path in PACKAGE.joinpath(folder).iterdir()
        if path.name in {"index.html", "index.js", "map.html", "map.js", "gallery.html", "live.html", "page_chart.js"}
    ]
    assert texts
    assert {*"".join(texts)} - {*LETTERS, "\n"} == set()
