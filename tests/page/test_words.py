"""The languages of pages."""

import re
from html import unescape
from importlib.resources import files
from itertools import chain
from pathlib import Path

import pytest

from boidsgen import load_scenario
from boidsgen.drawing.overlays.readings import OUR_WORDS
from boidsgen.scenario.reference import catalog
from boidsgen.scenario.sources import presets
from boidsgen.simulation.measures import MEASURES
from boidsgen.simulation.profiles import KERNEL_MEASURES
from boidsgen.studies.reports import KINDS_OF_PAGE, OF_RUNS
from boidsgen.studies.results import SPREADS
from boidsgen.tables import Table, keys_of
from boidsgen.variants import EACH_CHANGE, EACH_RULE, LABEL_WORDS
from boidsgen.webpage.article import article_text
from boidsgen.webpage.controls import MOTION, RIGHT_CLICKS, shortcuts, sliders, tools, with_numbered
from boidsgen.webpage.document import LATE, TOO_MANY, UNCHANGING, UNSUPPORTED
from boidsgen.webpage.outer import FILTERS, FIRST
from boidsgen.webpage.writer import FAILED, INTERPOLATED, LANGUAGES, OF_SAVED_RUN, RECORDED, page_text, words_of
from tests.page.browsers import node, until
from tests.page.test_browser import few
from tests.shipped import shipped

SOURCES, STUDIES = files("boidsgen.webpage"), files("boidsgen.studies")
OUTER = {"article", "gallery", "live", "outer"}  # Pages around others
TABLES = [{"de": {"Step {number}": "Schritt {number}", "near": "nah"}, "es": {}}, {"de": {"near": "nahe"}}]
SENTENCES = [["Step {number}", {"number": "1.5"}], ["near", {}], ["constructor", {}], ["{name:.2f} {name}", {}]]
SENTENCES += [["0.25"], ["version 0.3"]]
TRANSLATED = ("quickstart", "hunt", "couzin-torus", "murmuration")  # Besides all concept-* presets
STRING = r'"(?:[^"\\\n]|\\.)*"'
SUM = re.compile(rf"{STRING}(?:\s*\+\s*{STRING})*")
PHRASE = re.compile(rf"\bphrase\(((?:{STRING}|[^\",()]|\([^()]*\))*)")  # its first argument
ERROR = re.compile(rf"Error\(\s*(?:[\w.]+ \|\| )?({STRING})")  # what a page shows of it, see `reason`
EVERY = pytest.mark.parametrize("language", LANGUAGES)


def of_document(page, others="h1|code"):
    """The texts of a body that words.js translates: those with a word in them, and of three attributes."""
    page = re.sub(rf"<({others})\b.*?</\1>|<\w+ [^>]*\bown\b[^>]*>[^<]*", "<>", page, flags=re.DOTALL)
    texts = re.findall(r">([^<]+)<", page) + re.findall(r' (?:aria-label|title|placeholder)="([^"]+)"', page)
    return {unescape(text).strip() for text in texts if re.search("[A-Za-z]{2}", text) and "@" not in text}


def strings(text):
    """The strings of a piece of JavaScript, those that are added as one."""
    sums = (re.findall(STRING, found) for found in SUM.findall(text))
    return {"".join(one[1:-1] for one in parts) for parts in sums}


def texts_of(ending, *, outer):
    """The sources of pages, or of those around them, with this ending."""
    inner = {path.name: path.read_text("utf-8") for path in SOURCES.iterdir() if path.name.endswith(ending)}
    around = {path.name: path.read_text("utf-8") for path in STUDIES.iterdir() if path.name.endswith(ending)}
    around |= {name: text for name, text in inner.items() if name.partition(".")[0] in OUTER}
    return [text for name, text in {**inner, **around}.items() if (name in around) == outer]


def labels_of(table, path=()):
    """The names of all rules of a group and the labels of all of its numbers, any of which may get a slider."""
    for name in keys_of(type(table)):
        value, rest = getattr(table, {"from": "from_"}.get(name, name)), (*path, name)
        if isinstance(value, Table):
            yield from labels_of(value, rest)
        elif isinstance(value, int | float) and not isinstance(value, bool):
            rule = rest[0] if len(rest) == 2 and rest[0] != "perception" else ""
            yield from (rule, rest[-1] if rule else MOTION.get(".".join(rest), " ".join(rest)))


def of_python():
    """The words that Python puts into pages of all presets: of measures, rules, keys, tools, and notices."""
    loaded = shipped().values()
    groups = [group for scenario in loaded for group in (*scenario.flock, *scenario.predators)]
    found = {*OUR_WORDS, *KERNEL_MEASURES, *(label for group in groups for label in labels_of(group))}
    found |= {one[part] for scenario in loaded for one in sliders(scenario) for part in ("label", "rule")}
    found |= {MEASURES[name].unit for name in KERNEL_MEASURES} | {"boids", "predators"}  # usual names of groups
    offered = [(name, tool) for scenario in loaded for name, tool in tools(scenario).items()]
    found |= {name.capitalize() for name, _ in offered if name != "right click"} | {tool["hint"] for _, tool in offered}
    found |= {*RIGHT_CLICKS}
    found |= {one["label"] for scenario in loaded for one in shortcuts(scenario)} | {"{rule} of {group} on or off"}
    found |= {*LABEL_WORDS, EACH_RULE, EACH_CHANGE}
    found |= {RECORDED, OF_SAVED_RUN, INTERPOLATED, TOO_MANY, LATE, UNCHANGING}
    engine = files("boidsgen.simulation")
    for module in ("native.py", "records.py"):
        unknown = re.findall(r'UnknownToKernelError\("([^"]*)"', (engine / module).read_text("utf-8"))
        found |= {f"{UNSUPPORTED} {words}." for words in unknown}
    return {text.replace("_", " ") for text in found} - {""}


def of_sources():
    """The phrases in the sources of pages, and the errors that they show."""
    body = (SOURCES / "page.html").read_text("utf-8").partition("<main>")[2]
    return of_document(body) | said_in(*texts_of(".js", outer=False), FAILED)


def of_outer_sources():
    """The same of outer pages, and the words that Python puts into them."""
    bodies = (of_document(body, "noscript") for body in texts_of(".html", outer=True))
    found = said_in(*texts_of(".js", outer=True)).union(*bodies)
    headings = {entry.group.heading for entry in catalog() if ": " not in entry.group.heading}  # others name a source
    found |= {"Restart", "Answers", FIRST, *FILTERS, *headings}
    found |= {*KINDS_OF_PAGE.values(), *chain(*OF_RUNS.values()), *(words for words, _ in SPREADS.values())}
    return found


def said_in(*texts):
    """The phrases of scripts, and the errors that they show."""
    found = set()
    for text in texts:
        pieces = PHRASE.findall(text) + ERROR.findall(text)
        for name in re.findall(r"\bphrase\((\w+)[\[,)]", text):  # a constant, whose strings are said
            pieces += re.findall(rf"\bconst {name} = ([^;]*);", text)
        found |= {one for piece in pieces for one in strings(piece)}
    return {text for text in found if re.search("[a-z]", text)}


def texts_of_presets():
    """The texts of the presets that are translated: titles, captions and lessons."""
    for name in [*TRANSLATED, *(one.name for one in presets() if one.name.startswith("concept-"))]:
        scenario = shipped()[name]
        page = scenario.page
        yield from (scenario.title, scenario.overlay.caption, *(event.caption for event in scenario.events))
        yield from (page.question, page.words)
        for step in page.try_:
            yield from (step.do, *step.predict, step.then, step.hint)


def places(text):
    """The names in braces, and the marks of Markdown."""
    return sorted(re.findall(r"\{[^{}]*\}|\*+|`", text))


@EVERY
def test_a_language_has_the_words_of_all_pages_and_no_others(language):
    """Each sentence of the sources, each word that Python puts into a page, and nothing that stands nowhere."""
    wanted, known = of_sources() | of_python(), words_of(language)["page"].keys()
    around, outer = of_outer_sources(), words_of(language)["outer"].keys()

    assert wanted - known == set()
    assert known - wanted - {one for text in texts_of(".js", outer=False) for one in strings(text)} == set()
    assert around - known - outer == set()
    assert outer - around == set()
    assert outer & known == set()


@EVERY
def test_a_language_has_the_texts_of_the_presets_and_no_others(language):
    wanted = {with_numbered(text) for text in texts_of_presets() if text}

    assert words_of(language)["presets"].keys() == wanted


@EVERY
def test_a_translation_has_the_places_and_marks_of_the_english_text(language):
    tables = words_of(language)
    pairs = [pair for table in tables.values() for pair in table.items()]

    assert [(english, text) for english, text in pairs if places(english) != places(text) or not text] == []


COUNTED = re.compile(r"\{(?:groups|count|all|[\w.]+\.count|[\w.]*angl\w*|[\w.]*noise)\} +(?!of |von |sur |de )\w+")


@pytest.mark.parametrize("language", ["en", *LANGUAGES])
def test_no_noun_follows_a_number_that_may_be_one(language):
    """A page never says "1 groups": what is counted is named before its number, or has a sign."""
    if language == "en":
        texts = [*of_sources(), *of_python(), *of_outer_sources()]
        texts += [scenario.page.words or "" for scenario in shipped().values()]
    else:
        texts = [text for table in words_of(language).values() for text in table.values()]

    assert [text for text in texts if COUNTED.search(text) and "{most}" not in text] == []  # which are many


@pytest.mark.parametrize(
    ("wanted", "language", "texts"),
    [
        (["en-GB", "de"], "en", ["Step 1.5", "near", "constructor", "{name:.2f} {name}", "0.25", "version 0.3"]),
        (["it", "de-AT"], "de", ["Schritt 1,5", "nahe", "constructor", "{name:.2f} {name}", "0,25", "version 0.3"]),
        (["es-MX"], "es", ["Step 1.5", "near", "constructor", "{name:.2f} {name}", "0.25", "version 0.3"]),
        ([], "en", ["Step 1.5", "near", "constructor", "{name:.2f} {name}", "0.25", "version 0.3"]),
    ],
)
def test_a_sentence_is_that_of_the_last_table_or_english(wanted, language, texts):
    """The first language that is known counts, and its decimal sign; names without a value stay as they are."""
    with node("words") as said:
        assert said(wanted=wanted, tables=TABLES, sentences=SENTENCES) == [language, *texts]


@pytest.fixture
def spoken(context_of, tmp_path):
    """A function that opens a page in a browser of a language."""
    pages = []

    def opening(language, keys=(), fragment="", name="quickstart"):
        pages.append(page := context_of(locale=language, reduced_motion="reduce").new_page())
        path = tmp_path / f"{len(pages)}.html"
        path.write_text(page_text(load_scenario(name, dict(keys))), "utf-8")
        page.goto(f"{path.as_uri()}{fragment}")
        until(page, "window.boidsgen")
        return page

    yield opening
    for page in pages:
        page.close()


@pytest.mark.parametrize(
    ("browsers", "chosen", "language"),
    [
        ("de-AT", "", "de"),
        ("en-GB", "fr", "fr"),
        ("de", "en", "en"),
        *(pytest.param(*one, marks=pytest.mark.slow) for one in (("it", "", "en"), ("en", "es", "es"))),
    ],
)
def test_a_page_speaks_the_language_of_its_scenario_or_of_the_browser(spoken, browsers, chosen, language):
    """Its own texts, the title, the picture's description and the lesson of a preset, and numbers."""
    page = spoken(browsers, {"page.language": chosen})
    words = words_of(language) if language != "en" else {"page": {}, "presets": {}}
    question = load_scenario("quickstart").page.question

    assert page.locator("html").get_attribute("lang") == language
    assert page.locator("#question").text_content() == words["presets"].get(question, question)
    title = words["presets"].get("Fifty boids", "Fifty boids")
    alt = load_scenario("quickstart").alt if language == "en" else f"{title}: Boids (50)."
    assert page.title() == page.locator("h1").text_content() == title
    assert page.locator("#picture").get_attribute("aria-label").replace(" :", ":").lower() == alt.lower()
    assert page.get_by_text(words["page"].get("All settings", "All settings"), exact=True).count() == 1
    assert page.get_by_label(words["page"].get("Full screen", "Full screen")).count() == 1
    assert ("," in page.locator("#told b").first.text_content()) == (language != "en")


def test_words_of_a_teacher_stay_as_they_are(spoken):
    own = {
        "page.question": "Warum?",
        "title": "Save",
        "page.try": [{"do": "Switch **cohesion** off.", "until": "frame > 1"}],
    }
    page = spoken("de", own)

    assert page.locator("#question").text_content() == "Warum?"
    assert page.locator("h1").text_content() == "Save"
    assert page.get_by_text("Switch cohesion off.").count() == 1


def test_a_recording_says_why_in_the_language_of_its_page(spoken):
    page = spoken("de", {"output.page": "recorded"}, name="hunt")

    assert page.locator("#caption").text_content().startswith("Der Schwarm teilt sich")
    assert page.locator("#notice").text_content() == words_of("de")["page"][RECORDED]


def test_a_page_tells_nothing_twice(spoken):
    """Numbers of the sentence and of the timeline are not among the others, and what is counted has no unit."""
    page = spoken("en", few("couzin-torus"), name="couzin-torus")
    page.evaluate("boidsgen.seek(3)")
    names = page.locator("#numbers b").all_text_contents()
    page.locator("#measure").select_option("groups")
    page.evaluate("boidsgen.seek(4)")

    assert [name.strip() for name in names] == ["time", "boids"]
    assert page.locator("#value").text_content().isdecimal()


def in_turn(*names):
    """Presets and languages: in CI each of the more in turn with the fewer, on demand all with all."""
    languages = ("en", *LANGUAGES)
    fewer = min(len(names), len(languages))
    return [
        pytest.param(name, language, marks=[] if (number - at) % fewer == 0 else pytest.mark.slow)
        for number, name in enumerate(names)
        for at, language in enumerate(languages)
    ]


CUT_OFF = """[...document.querySelectorAll("main *")].filter((one) => {
    if (!one.checkVisibility() || one.matches(".hidden, .hidden *, svg *, .asking #panel > summary span")) return false;
    const { left, right } = one.getBoundingClientRect();
    if (one instanceof HTMLSelectElement) {
        const whole = one.cloneNode(true);
        whole.value = one.value;
        whole.style.cssText = "max-width: none; position: absolute";
        one.after(whole);
        const wanted = whole.getBoundingClientRect().width;
        whole.remove();
        return wanted > right - left + 1;
    }
    const clips = getComputedStyle(one).overflowX !== "visible" && one.scrollWidth > one.clientWidth + 1;
    return clips || left < -1 || right > innerWidth + 1;
}).map((one) => one.outerHTML.slice(0, 90))"""
"""What has words that do not fit."""


@pytest.mark.parametrize(("name", "language"), in_turn("quickstart", "hunt"))
def test_nothing_is_cut_off_on_a_phone(spoken, language, name):
    """With any measure chosen, the settings open and in lecture mode, in every language."""
    page = spoken("en", {"page.language": language}, name=name)
    page.set_viewport_size({"width": 390, "height": 844})
    page.evaluate("boidsgen.seek(30); for (const one of document.querySelectorAll('details')) one.open = true")
    for measured in page.locator("#measure option:not([hidden])").evaluate_all("all => all.map((one) => one.value)"):
        page.locator("#measure").select_option(measured)
        assert page.evaluate(CUT_OFF) == [], measured
    page.keyboard.press("l")
    assert page.evaluate(CUT_OFF) == []


@pytest.mark.parametrize(
    ("name", "language"), in_turn("quickstart", "hunt", "concept-cohesion", "couzin-torus", "murmuration")
)
def test_a_lecture_shows_all_answers_without_scrolling(spoken, language, name):
    """On a projector of 1024 by 768 pixels, in every step and language."""
    page = spoken("en", {"page.language": language, "time.warmup": 0, **few(name)}, name=name)
    page.set_viewport_size({"width": 1024, "height": 768})
    page.keyboard.press("l")
    for mark in page.locator(".progress button").all():
        mark.click()
        seen = page.locator(".answer").evaluate_all("""all => all.map((one) => {
            const { left, top, bottom } = one.getBoundingClientRect();
            return [top + 2, bottom - 2].every((y) => document.elementFromPoint(left + 30, y) === one);
        })""")
        assert len(seen) > 1
        assert seen == [True] * len(seen)


def test_a_link_of_a_page_opens_one_in_another_language_and_a_bad_one_says_so_in_its_own(spoken):
    english = spoken("en")
    english.evaluate("boidsgen.seek(3)")
    english.evaluate("boidsgen.set('flock.0.cohesion.weight', 0)")
    english.evaluate("boidsgen.seek(7)")
    fragment = english.evaluate("boidsgen.link()").partition("#")[2]
    french = spoken("en", {"page.language": "fr"}, f"#{fragment}")
    until(french, "boidsgen.frame === 7")

    assert french.evaluate("boidsgen.get('flock.0.cohesion.weight')") == 0
    assert french.locator("#error").text_content() == ""
    bad = spoken("fr", {}, f"#{fragment[:-9]}")
    bad.locator("#error:not(:empty)").wait_for()
    assert bad.locator("#error").text_content() == "Ce lien ne peut pas être ouvert : il est coupé ou modifié."


ARTICLE = """```boidsgen
extends = "quickstart"
{}
controls = ["flock.separation.weight", "flock.separation.radius"]
```

Play

```question
Why?
- [ ] Play
- [x] Restart
```
"""


@pytest.mark.parametrize(
    ("locale", "chosen", "language"), [("de-AT", "", "de"), ("it", "es", "es"), ("de", "en", "en")]
)
def test_an_article_speaks_in_its_controls_and_leaves_the_text_to_its_author(
    browser, tmp_path, locale, chosen, language
):
    """Its flocks choose the language, or the browser; an answer is a word of the author."""
    path = tmp_path / "a.html"
    path.write_text(
        article_text(ARTICLE.format(f'page.language = "{chosen}"' if chosen else ""), Path("a.md")), "utf-8"
    )
    page = browser.new_page(locale=locale, reduced_motion="reduce")
    page.goto(path.as_uri())
    page.wait_for_selector(".flock.alive")
    words = words_of(language)["page"] | words_of(language)["outer"] if language != "en" else {}

    assert page.locator("html").get_attribute("lang") == (chosen or "en")
    assert page.locator(".play").get_attribute("aria-label") == words.get("Play", "Play")
    assert page.locator(".again").get_attribute("aria-label") == words.get("Restart", "Restart")
    assert page.locator(".answers").get_attribute("aria-label") == words.get("Answers", "Answers")
    label = " ".join(words.get(word, word) for word in ("separation", "radius"))
    assert page.locator("label > span").all_text_contents() == [words.get("separation", "separation"), label]
    assert page.locator("main > p, .answer").all_text_contents() == ["Play", "Play", "Restart"]
    page.close()
