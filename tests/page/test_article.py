"""Articles: what becomes of Markdown, and their flocks in a browser."""

import json
import re
from pathlib import Path

import pytest
from PIL import Image

from boidsgen import load_scenario, simulate
from boidsgen.webpage.article import article_text
from tests.page.browsers import launched, until

ARTICLES = Path(__file__).parents[2] / "docs" / "course" / "articles"
TEXT = """# One *flock*

```boidsgen
quickstart
```

Polarization is {polarization:.2f}, cohesion is {flock.cohesion.weight:.1f}, and there is `{no} number`.

```boidsgen hunted
extends = "hunt"
height = 300
controls = ["flock.separation.weight"]
```

```question
Who *flees*?

- [ ] The falcon
- [x] The others

They see it, at polarization {hunted.polarization}.
```

```boidsgen
vicsek
```
"""
BLOCK = "words\n\n```boidsgen\nextends = 'quickstart'\n{}\n```\n"
QUESTION = "words\n\n```question\nWhy?\n{}\n```\n"
WRONG = {
    "```boidsgen\nquickstar\n```": "a.md:2: extends: quickstar: neither a file nor a shipped preset (did you",
    BLOCK.format("flock.coun = 3"): "a.md:5: flock.coun: unknown key (did you mean 'count'?)",
    BLOCK.format("flock.count = -3"): "a.md:5: flock.count: must be at least 0, not -3",
    BLOCK.format("height = 3"): "a.md:5: height: must be a whole number of pixels from 100 to 1200",
    BLOCK.format("controls = ['flock.start.layout']"): "a.md:5: page.controls.0: ",
    BLOCK.format("[output]\npage = 'recorded'\n[flock]\ncount = 60_000"): "a.md:4: A browser takes too long",
    "```boidsgen flock\nhunt\n```": "a.md:1: flock: cannot be the name of a flock",
    "```boidsgen one\nhunt\n```\n```boidsgen one\nhunt\n```": "a.md:4: one: cannot be the name of a flock",
    "words\nand {polarization}": "a.md:2: {polarization}: there is no flock above it",
    "```boidsgen\nhunt\n```\nSo\n{polarisation}": "a.md:5: {polarisation} is neither a measure of pages nor a",
    "```boidsgen\nhunt\n```\n{1, 2}": "a.md:4: {1, 2} must be a name",
    QUESTION.format("- [ ] one\n- [ ] two"): "a.md:3: question: 2 answers, 0 of them right",
    QUESTION.format("- [x] one"): "a.md:3: question: 1 answers, 1 of them right",
    QUESTION.format("- [x] one\nmore\n- [ ] two"): "a.md:6: question: each answer must be a single line",
    QUESTION.format("- [x] one\n- [ ] two\n\nSee\n{groups}"): "a.md:9: {groups}: there is no flock above it",
    "````question\n- [x] a\n- [ ] b\n\n```boidsgen\nhunt\n```\n````": "a.md:5: question: has no blocks within",
    "[a](../b.md)": "a.md:1: link to ../b.md: must begin with https://, http:// or mailto:",
    "so\n![a](https://example.org/a.png)": "a.md:2: image https://example.org/a.png: an article works offline",
    "![a](none.png)": "a.md:1: image none.png: No such file or directory",
    "![a](a.md)": "a.md:1: image a.md: must be a png, jpeg, gif or webp",
}
"""Articles, and how the line of their error begins."""


@pytest.mark.parametrize("text", WRONG)
def test_an_error_is_one_line_with_the_line_of_the_article(text, boidsgen, here):
    (here / "a.md").write_text(text, "utf-8")
    ran = boidsgen("page", "a.md", "-o", "a.html")

    assert (ran.code, len(ran.lines)) == (3, 1), ran
    assert ran.lines[0].startswith(WRONG[text]), ran
    assert not (here / "a.html").exists()


def test_a_block_that_is_no_toml_shows_its_line(boidsgen, here):
    """Below the one line is the place, as for any scenario."""
    (here / "a.md").write_text(BLOCK.format("flock.count: 3"), "utf-8")
    ran = boidsgen("page", "a.md", "-o", "a.html")

    assert ran.code == 3
    assert ran.lines[0].startswith("a.md:5:12: not TOML: write = between a key and its value: flock.count = 3")
    assert ran.lines[1] == "  5 | flock.count: 3"


def test_what_is_no_article_is_refused_in_one_line(boidsgen, here):
    (here / "a.html").write_bytes(b"# caf\xe9")
    for line in ("page none.md -o b.html", "page a.html -o a.html", "page a.html -o b.gif", "page a.html -o b.html"):
        ran = boidsgen(*line.split())
        assert ran.code in {2, 3, 5}, ran
        assert len(ran.lines) == 1, ran
    assert [one.name for one in here.glob("*.html")] == ["a.html"]


def body_of(text, path=Path("a.md")):
    """What stands in the page of an article."""
    return re.search(r"<main>\n(.*)</main>", article_text(text, path), re.DOTALL)[1]


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "so <b onclick='alert(1)'>it</b> is <!-- not --> <img src=x onerror=alert(1)>",
        "[a](javascript:alert\\(1\\)) ![a](javascript:alert\\(1\\)) <javascript:alert(1)>",
        "[a](data:text/html,<script>alert(1)</script>)",
        "```html\n<script>alert(1)</script>\n```",
        "```question\n<script>a</script>\n- [x] <script>b</script>\n- [ ] c\n\n<script>d</script>\n```",
        "# <style id=\"style\"></style><script id='script'></script>",
    ],
)
def test_nothing_in_the_text_runs(text):
    """HTML and addresses of scripts are shown as text."""
    tags = {*re.findall(r"<(\w+)", body_of(text))}

    assert tags <= {"p", "h1", "a", "pre", "code", "div", "button"}
    assert not re.search(r"<[^>]*(javascript:|data:text|onclick|onerror)", body_of(text))


def test_images_become_data(tmp_path):
    Image.new("RGB", (2, 3)).save(tmp_path / "a b.png")
    body = body_of("![two by three](a%20b.png)", tmp_path / "a.md")

    assert re.fullmatch(r'<p><img src="data:image/png;base64,[\w+/=]+" alt="two by three" /></p>\n', body)


def test_flocks_of_one_page_share_what_they_have_in_common():
    """Three of them fit into 450 kB, and one more takes its picture, its start and its style alone."""
    one = article_text("```boidsgen\nquickstart\n```", Path("a.md"))
    three = article_text(TEXT, Path("a.md"))

    assert len(three) <= 450_000
    assert len(three) - len(one) <= 100_000
    assert "default-src 'none'; script-src 'sha256-" in three


@pytest.mark.parametrize("path", sorted(ARTICLES.glob("*.md")), ids=lambda path: path.stem)
def test_articles_of_the_course(path):
    """Each can be made, and has a question and numbers of flocks."""
    page = article_text(path.read_text("utf-8"), path)

    assert len(page) <= 450_000
    assert all(f'class="{name}"' in page for name in ("flock", "question", "drag"))


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """An article whose flocks wait to be played."""
    path = tmp_path_factory.mktemp("article") / "article.html"
    path.write_text(article_text(TEXT, Path("a.md")), "utf-8")
    with launched("chromium") as browser:
        yield lambda motion: _visited(browser.new_page(reduced_motion=motion), path)


def _visited(page, path):
    """The article in a browser, whose requests for other files and messages it keeps in `said`."""
    page.said = []
    page.on("console", lambda message: page.said.append(message.text))
    page.on("pageerror", lambda error: page.said.append(str(error)))
    page.on("request", lambda request: request.url == path.as_uri() or page.said.append(request.url))
    page.goto(path.as_uri())
    page.wait_for_selector(".flock.alive")
    return page


def _flock(page, number):
    """The page of a flock, once it is in sight and alive."""
    figure = page.locator(".flock").nth(number)
    figure.scroll_into_view_if_needed()
    figure.locator("xpath=self::*[contains(@class, 'alive')]").wait_for()
    return figure.locator("iframe").element_handle().content_frame()


def test_a_number_that_is_dragged_gives_the_states_of_python(page):
    """So does a slider; the text shows the new values, and restarting keeps them."""
    page = page("reduce")
    first, number = _flock(page, 0), page.locator(".drag")
    assert first.evaluate("[boidsgen.frame, boidsgen.playing]") == [0, False]
    first.evaluate("boidsgen.seek(12)")
    number.scroll_into_view_if_needed()
    box = number.bounding_box()
    page.mouse.move(box["x"] + 5, box["y"] + 10)
    page.mouse.down()
    page.mouse.move(box["x"] - 75, box["y"] + 10)
    page.mouse.up()
    first.evaluate("boidsgen.seek(60)")
    value = 1 - 20 * json.loads(number.get_attribute("data-control"))["step"]
    until(page, f"document.querySelector('.drag').textContent === '{value:.1f}'")
    run = [*simulate(load_scenario(first.evaluate("boidsgen.toml()")))]
    assert load_scenario(first.evaluate("boidsgen.toml()")).events[-1].set == {"flock.0.cohesion.weight": value}
    assert first.evaluate("boidsgen.state()[0].position") == run[60].flocks[0].position.ravel().tolist()
    shown = f"{first.evaluate('boidsgen.measure(`polarization`)'):.2f}"
    until(page, f"document.querySelector('[data-measure]').textContent === '{shown}'")

    page.locator(".again").first.click()
    until(page, "document.querySelector('.flock').matches('.playing')")
    page.locator(".play").first.click()
    assert first.evaluate("[boidsgen.get('flock.0.cohesion.weight'), boidsgen.frame < 60]") == [value, True]

    second = _flock(page, 1)
    second.evaluate("boidsgen.seek(3)")
    page.get_by_role("slider", name="separation").fill("0")
    second.evaluate("boidsgen.seek(20)")
    run = [*simulate(load_scenario("hunt", {"events": [{"at": 3, "set": {"flock.separation.weight": 0.0}}]}))]
    assert second.evaluate("boidsgen.state()[0].velocity") == run[20].flocks[0].velocity.ravel().tolist()
    assert page.said == []


def test_a_flock_plays_in_sight_and_rests_out_of_it(page):
    """It goes on when it comes back, unless it was paused; nothing is drawn meanwhile."""
    page = page("no-preference")
    first = _flock(page, 0)
    until(page, "document.querySelector('.flock').matches('.playing')")
    page.evaluate("scrollTo(0, 1e6)")
    until(page, "!document.querySelector('.flock').matches('.playing')")
    frame = first.evaluate("boidsgen.frame")
    drawn = "new Promise((done) => { let n = 0; boidsgen.listen(() => n++); setTimeout(() => done(n), 500); })"
    assert first.evaluate(drawn) == 0
    assert first.evaluate("[boidsgen.frame, boidsgen.playing]") == [frame, False]
    page.evaluate("scrollTo(0, 0)")
    until(page, "document.querySelector('.flock').matches('.playing')")
    page.locator(".play").first.click()
    page.evaluate("scrollTo(0, 1e6)")
    until(page, "document.querySelectorAll('.flock')[2].matches('.playing')")
    page.evaluate("scrollTo(0, 0)")
    until(page, "document.querySelectorAll('.playing').length === 0")
    assert not first.evaluate("boidsgen.playing")


def test_an_answer_shows_the_right_one_and_why(page):
    page = page("reduce")
    outcome = page.locator(".outcome")
    assert not outcome.get_by_text("They see it").is_visible()
    page.get_by_role("button", name="The falcon").click()
    assert outcome.get_by_text("They see it").is_visible()
    assert page.locator(".answered [data-right=True]").text_content() == "The others"
    assert page.locator("[aria-pressed=true]").text_content() == "The falcon"


def test_the_text_has_one_column_and_fits_every_screen(page):
    """About 65 letters a line, and nothing is wider than the window."""
    page = page("reduce")
    for width in (1440, 390):
        page.set_viewport_size({"width": width, "height": 844})
        assert page.evaluate("document.documentElement.scrollWidth") == width
    page.set_viewport_size({"width": 1440, "height": 900})
    letters = page.evaluate("""(() => {
        const [line] = document.querySelectorAll("main > p");
        line.textContent = "Whoever reads this counts how many letters stand in a line of it. ";
        line.style.width = "max-content";
        const column = line.parentElement.querySelector("h1").clientWidth;
        return (column / line.clientWidth) * line.textContent.length;
    })()""")
    assert 58 <= letters <= 72
