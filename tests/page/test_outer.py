"""Outer pages: one frame and one sheet for all, what the gallery shows first, and the others in a browser."""

import re
from importlib.resources import files

import pytest

from boidsgen.cli.author import Author, serving
from boidsgen.scenario.loading import load_scenario
from boidsgen.scenario.reference import catalog
from boidsgen.scenario.sources import Source, presets
from boidsgen.studies.plan import SweepAxis, SweepOptions, plan_sweep
from boidsgen.studies.reports import PAGE, write_page
from boidsgen.webpage.outer import FILTERS, LETTERS, SHOWPIECES, _card, _place, _title, _told_apart, gallery_text
from boidsgen.webpage.writer import words_of
from tests.page.browsers import until

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
    """Besides charts, whose letters have the size of their drawing, those on pictures, and what articles add."""
    sheet = PACKAGE.joinpath("webpage", "outer.css").read_text("utf-8")
    pages, _, articles = sheet.partition("/* Article:")
    sizes = {"large", "middle", "small"}
    colors = {"inherit", "#fff", "#000", "var(--ink)", "var(--quiet)", "var(--back)"}
    for text, more_sizes, more_colors in ((pages, (), ()), (articles, ("part",), ("var(--lead)", "var(--right)"))):
        found = set(re.findall(r"font-size: ([^;]*);", text))
        assert {size for size in found if not size.endswith("px")} <= {f"var(--{one})" for one in {*sizes, *more_sizes}}
        assert set(re.findall(r"(?<![-\w])color: ([^;]*);", text)) <= {*colors, *more_colors}


def test_the_showpieces_are_presets_and_none_is_twice():
    assert {*SHOWPIECES} <= {one.name for one in presets()}


def test_a_card_shows_the_poster_or_a_frame_near_the_middle(monkeypatch):
    monkeypatch.setattr("boidsgen.webpage.outer.poster", lambda _, states, **__: f"frame {len([*states]) - 1}")
    hunt = next(one for one in catalog() if one.preset.name == "hunt")
    scenario = load_scenario("hunt")
    shown = re.findall('src="([^"]*)"', _card(hunt, "Two hawks"))
    without = scenario.model_copy(update={"style": scenario.style.model_copy(update={"poster": None})})
    monkeypatch.setattr("boidsgen.webpage.outer.load_scenario", lambda _: without)

    assert shown == [f"frame {scenario.style.poster}"]
    assert re.findall('src="([^"]*)"', _card(hunt, "Two hawks")) == ["frame 120"]


def test_a_card_reads_its_preset_once(monkeypatch):
    loaded = []
    monkeypatch.setattr("boidsgen.webpage.outer.load_scenario", lambda name: loaded.append(name) or load_scenario(name))
    _card(next(one for one in catalog() if one.preset.name == "dorsogna"), "Mills")

    assert loaded == ["dorsogna"]


def test_cards_say_their_title_once(monkeypatch):
    """Not in their name, nor as the beginning of their subject; names that tell more stay."""
    monkeypatch.setattr("boidsgen.webpage.outer.poster", lambda *_, **__: "")
    entries = {one.preset.name: one for one in catalog()}
    texts = [
        re.findall(r'own">([^<]*)<', _card(entries[name], title))
        for name, title in {"concept-seek": "Seek", "quickstart": "Fifty boids"}.items()
    ]

    assert texts[0][0] == "Seek"
    assert texts[0][1].startswith("Steer toward a point")
    assert texts[1] == ["Fifty boids", "quickstart", "The scenario that all others vary."]


def test_no_two_presets_have_one_title():
    """Where scenarios have the same, the name tells them apart."""
    entries = [*catalog()]
    titles = [_title(one) for one in entries]
    shown = [
        _told_apart(title, one.preset.name) if titles.count(title) > 1 else title
        for title, one in zip(titles, entries, strict=True)
    ]

    assert len({*shown}) == len(shown)
    assert {"Murmuration", "Murmuration, 30,000"} <= {*shown}
    assert [one.preset.name for one in sorted(entries, key=_place)][:2] == ["quickstart", "hunt"]


@pytest.mark.parametrize("width", [1440, 390])
def test_later_groups_of_the_gallery_are_folded_until_a_filter_or_a_link_opens_them(browser, tmp_path, width):
    """The first is open; each heading has its number; the button that closes a page stands at its right edge."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("boidsgen.webpage.outer.poster", lambda *_, **__: "data:,")
        patch.setattr("boidsgen.webpage.outer._page", lambda _: ("", ""))
        wanted = re.compile("quickstart|species|trap-|concept-(seek|flee)|word")
        (tmp_path / "gallery.html").write_text(gallery_text(one for one in catalog() if wanted.match(one.preset.name)))
    page = browser.new_page(viewport={"width": width, "height": 800})
    page.goto((tmp_path / "gallery.html").as_uri())
    groups = page.locator("details")
    opened = "all => all.map(({ open }) => open)"

    assert groups.locator("summary").all_inner_texts() == [
        "Start here\n2",
        "Concepts, one behavior each\n2",
        "Common errors\n3",
    ]
    assert groups.evaluate_all(opened) == [True, False, False]
    page.get_by_role("button", name="one behavior each").click()
    assert page.locator("li:visible").count() == 2
    page.get_by_role("button", name="one behavior each").click()
    assert groups.evaluate_all(opened) == [True, False, False]
    page.goto((tmp_path / "gallery.html").as_uri() + "#concept-seek")
    page.reload()
    assert groups.evaluate_all(opened) == [True, True, False]
    page.get_by_role("button", name="Seek").click()
    close = page.get_by_role("button", name="Close").bounding_box()
    assert width - 40 < close["x"] + close["width"] <= width
    page.close()


def test_filters_are_words_and_each_chooses_some_presets():
    """No number of a document among them, and no word that shows all or none."""
    entries = [{one.group.level, one.group.heading, *one.tags} for one in catalog()]

    assert [words for words in FILTERS if re.search(r"\d{2}|,", words)] == []
    for words, tag in FILTERS.items():
        assert 0 < sum(tag in entry for entry in entries) < len(entries), words


def test_pictures_of_the_gallery_come_before_its_scripts_and_load_when_they_are_seen(gallery):
    """Those of showpieces at once; each name stands there once, after its title."""
    images = re.findall(r"<img ([^>]*?) src=", gallery)

    assert gallery.rindex("<img ") < gallery.index("<script")
    assert re.findall('<li id="([^"]*)"', gallery) == ["couzin-torus", "quickstart", "concept-seek"]
    assert [("lazy" in one) for one in images] == [False, True, True]
    assert gallery.count('class="group"') == 1  # quickstart alone would leave a row empty
    assert gallery[: gallery.index("<script")].count(">quickstart<") == 1
    assert '>Fifty boids</button> <code class="own">quickstart</code>' in gallery


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


@pytest.fixture
def matrix(context_of, tmp_path):
    """A function that opens the index of six runs in three columns, whose pictures have a size."""

    def opening(width, height, locale="en", counts=(10, 20, 40), speeds=(1.0, 2.0), more="", number=0.25, seeds=None):
        axes = (SweepAxis("flock.max_speed", speeds, ""), SweepAxis("flock.count", counts, ""))
        size = "" if more else f"[output]\nsize = [{width}, {height}]\n"
        text = f"{more}[time]\nframes = 2\n{size}"
        plan = plan_sweep(Source("tiny.toml", "tiny", text), [], SweepOptions(axes, seeds=seeds))
        keys = [axis.key for axis in axes]
        rows = [
            {
                "run": run.name,
                "file": run.file,
                "status": "done",
                "seed": run.seed,
                "seed_number": run.number,
                "frames": 2,
                "seconds": 0.5,
            }
            | {"parameters": dict(zip(keys, run.values, strict=True)), "mean": {"polarization": number}}
            for run in plan.runs
        ]
        write_page(tmp_path, plan, lambda: iter(rows))
        page = context_of(viewport={"width": 1440, "height": 900}, locale=locale).new_page()
        page.goto((tmp_path / PAGE).as_uri())
        return page

    return opening


@pytest.mark.parametrize("size", [pytest.param((1200, 800), marks=pytest.mark.slow), (800, 1000), (150, 100)])
def test_a_matrix_of_runs_is_near_one_screen_and_no_picture_is_wider_than_its_pixels(matrix, size):
    """Three columns and two rows, each with its heading beside it; where wide cells need it, 1.2 screens."""
    page = matrix(*size)
    boxes = [one.bounding_box() for one in page.locator("article").all()]
    pictures = [one.bounding_box()["width"] for one in page.locator("article .picture").all()]

    assert len(boxes) == len(pictures) == 6
    assert [len({round(one[side]) for one in boxes}) for side in ("x", "y")] == [3, 2]
    assert max(one["y"] + one["height"] for one in boxes) <= 1.2 * 900
    assert max(one["x"] + one["width"] for one in boxes) <= 1440
    assert max(pictures) <= size[0]
    assert page.locator(".heads h2").all_text_contents() == ["count 10", "count 20", "count 40"]
    assert page.locator("h2.down").all_text_contents() == ["max speed 1", "max speed 2"]
    assert page.locator("#summary").text_content().startswith("The runs differ in max speed and count. ")
    assert page.locator(".heads b").text_content() == "mean polarization"  # and in no cell
    assert (
        page.locator("dt").evaluate_all("all => all.map(one => getComputedStyle(one).clipPath)") == ["inset(50%)"] * 6
    )
    page.close()


def test_seeds_of_the_same_values_are_side_by_side_under_one_heading(matrix):
    """Closer to each other than to others, and all nine pairs of runs on one screen."""
    page = matrix(400, 400, counts=(10, 20, 40), speeds=(1.0, 2.0, 3.0), seeds=2)
    boxes = [one.bounding_box() for one in page.locator("article").all()]
    heads = [one.bounding_box() for one in page.locator(".heads h2").all()]

    assert page.locator(".heads h2").all_text_contents() == ["count 10", "count 20", "count 40"]
    assert page.locator("dt").all_text_contents() == ["seed 1", "seed 2"] * 9
    first, second, third = boxes[:3]
    assert second["x"] - first["x"] < third["x"] - second["x"]
    assert [heads[0]["x"], heads[1]["x"]] == pytest.approx([first["x"], third["x"]])
    assert heads[0]["x"] + heads[0]["width"] == pytest.approx(second["x"] + second["width"])
    assert max(one["y"] + one["height"] for one in boxes) <= 900
    page.close()


def test_the_title_of_a_sweep_stands_once_and_numbers_have_two_places(matrix):
    """Pictures begin below their title; a measure has the places that one would say."""
    page = matrix(400, 400, more='title = "Fifty"\nworld.size = [400, 400]\n', number=0.1748)
    shown, whole = (page.locator(f"article .picture{one}").first.bounding_box() for one in ("", " canvas"))

    assert page.locator("article dd").last.text_content() == "0.17"
    assert page.locator("article dd").last.get_attribute("title") == "0.1748"
    assert whole["height"] > 1.05 * shown["height"]
    assert whole["y"] + whole["height"] == pytest.approx(shown["y"] + shown["height"], abs=1)
    page.close()


def test_a_matrix_on_a_phone_keeps_its_columns_below_headings_of_its_rows(matrix):
    """Nothing is cut; the measure is named once, and each heading stands above its row."""
    page = matrix(400, 400, speeds=(1.0, 2.0, 3.0))
    page.set_viewport_size({"width": 390, "height": 844})
    page.locator("article").nth(8).wait_for()
    boxes = [one.bounding_box() for one in page.locator("article").all()]

    assert page.evaluate("document.documentElement.scrollWidth") == 390
    assert [len({round(one[side]) for one in boxes}) for side in ("x", "y")] == [3, 3]
    for row, head in enumerate(page.locator("h2.down").all()):
        box = head.bounding_box()
        assert box["y"] + box["height"] <= boxes[3 * row]["y"] + 1
    assert page.locator(".heads b").text_content() == "mean polarization"
    cut = page.locator(".heads :is(h2, b), h2.down, dd").evaluate_all(
        "all => all.filter((one) => one.scrollWidth > one.clientWidth + 1).map((one) => one.textContent)"
    )
    assert cut == []
    assert page.evaluate("document.documentElement.scrollHeight") < 1100
    page.close()


def test_the_figure_stands_beside_a_matrix_that_leaves_it_room(matrix):
    page = matrix(400, 400, speeds=(1.0, 2.0, 3.0))
    figure = page.locator("#figure svg").bounding_box()
    boxes = [one.bounding_box() for one in page.locator("article").all()]

    assert max(one["x"] + one["width"] for one in boxes) < figure["x"]
    assert figure["x"] + figure["width"] <= 1440
    assert figure["y"] < boxes[-1]["y"]
    page.close()


def test_a_matrix_of_more_rows_than_columns_lies_as_the_window_does(matrix):
    """Its rows become columns, with their headings, and use the width."""
    page = matrix(600, 600, counts=(10, 20), speeds=(1.0, 2.0, 3.0))
    boxes = [one.bounding_box() for one in page.locator("article").all()]

    assert page.locator(".heads h2").all_text_contents() == ["max speed 1", "max speed 2", "max speed 3"]
    assert page.locator("h2.down").all_text_contents() == ["count 10", "count 20"]
    assert max(one["y"] + one["height"] for one in boxes) <= 1.2 * 900
    assert max(one["x"] + one["width"] for one in boxes) > 1440 / 2
    places = {(round(one["x"]), round(one["y"])) for one in boxes}
    assert [len({*side}) for side in zip(*places, strict=True)] == [3, 2]
    page.close()


def test_headings_of_a_matrix_stay_in_sight(matrix):
    """Below the controls, over the pictures, at the end of a page that is longer than the window."""
    page = matrix(1200, 1200, speeds=(1.0, 2.0, 3.0))
    page.set_viewport_size({"width": 1440, "height": 560})
    page.evaluate("scrollTo(0, 1e6)")
    controls, heads = (page.locator(one).bounding_box() for one in ("#controls", ".heads"))

    assert page.evaluate("scrollY") > 0
    assert (controls["y"], heads["y"]) == (0, controls["height"])
    seen = """[...document.querySelectorAll(".heads h2")].map((one) => {
        const { x, y, width, height } = one.getBoundingClientRect();
        return document.elementFromPoint(x + width / 2, y + height / 2) === one;
    })"""
    assert page.evaluate(seen) == [True] * 3
    page.close()


def test_the_index_of_a_sweep_speaks_the_language_of_the_browser(matrix):
    """In its controls and sentences, the names of measures, and numbers; no English text is left."""
    page, words = matrix(300, 200, "de"), words_of("de")["page"] | words_of("de")["outer"]
    texts = page.locator("body :not(script, .own)").evaluate_all(
        "all => all.flatMap(one => [...one.childNodes].map(node => (node.nodeType === 3 ? node.data.trim() : '')))"
    )

    assert page.locator("html").get_attribute("lang") == "de"
    assert page.locator("#count").text_content() == words["Runs: {all}"].format(all=6)
    assert page.locator("dt").last.text_content() == words["mean {measure}"].format(measure=words["polarization"])
    assert page.locator("article dd").last.text_content() == "0,25"
    assert {words["Sort by"], words["Figure"], words["Table"]} <= {*texts}
    assert ({*texts} & words.keys()) - {*words.values()} == set()
    page.close()


@pytest.mark.parametrize("locale", [pytest.param("en", marks=pytest.mark.slow), "fr"])
def test_the_page_of_live_follows_its_file(browser, tmp_path, monkeypatch, locale):
    """It shows the page of the scenario, its name and state, an error, and writes what is moved to the file."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "flock.toml"
    path.write_text("[time]\nframes = 20\n[flock]\ncount = 5\n", "utf-8")
    author = Author(path.name)
    author.read()
    words = words_of(locale)["outer"] if locale != "en" else {}

    def say(english):
        return words.get(english, english).format(name="flock.toml")

    with serving(author, 0) as address:
        page, said = browser.new_page(locale=locale), []
        page.on("pageerror", lambda error: said.append(str(error)))
        page.goto(address)
        until(page, "document.getElementById('page').contentWindow.boidsgen")
        page.get_by_text(say("as saved")).wait_for()
        assert page.locator("#name").text_content() == "flock.toml"
        assert page.locator("iframe").get_attribute("title") == say("The page of {name}")
        assert page.locator("iframe").bounding_box()["height"] > 400
        page.frames[1].evaluate("boidsgen.set('flock.0.cohesion.weight', 0.25)")
        with page.expect_response(lambda response: response.url.endswith("write")) as answer:
            page.get_by_role("button", name=say("Write slider values to {name}")).click()
        assert (answer.value.status, "weight = 0.25" in path.read_text("utf-8")) == (200, True)
        path.write_text("[flock]\ncoun = 5\n", "utf-8")
        author.read()
        page.get_by_text(say("has an error; this is its last valid version")).wait_for()
        assert page.locator("#error").text_content().startswith("flock.toml:2: flock.coun: unknown key")
        assert said == []
        page.close()
