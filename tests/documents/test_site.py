"""The site made of the documents, in a real browser: what it loads is there, and it can be searched."""

import re
import shutil
import subprocess
import sys
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tests.page.browsers import until
from tests.running import made_once

ROOT = Path(__file__).parents[2]
ELSEWHERE = ("articles", "entries", "paper.md")  # of the course, of the benchmarks of others, and of a journal
PAGES = [page for page in sorted((ROOT / "docs").rglob("*.md")) if not {page.parent.name, page.name} & {*ELSEWHERE}]
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]
PHONE = {"width": 390, "height": 844}
HEAVIEST = 3_000_000  # Bytes that one page may load with its pictures
PATIENCE = 120_000  # Milliseconds that a page may take to open, on a machine that does other things as well
PICTURES = "[...document.querySelectorAll('article img')]"

pytest.importorskip("zensical", reason="the site is built by zensical")


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    """The folder of the site, built strictly: a dead link or a missing picture would end it."""
    return made_once(tmp_path_factory, "project", _build) / "build" / "site"


def _build(copy):
    for name in ("docs", "boidsgen", "configs"):
        shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"), dirs_exist_ok=True)
    shutil.copy(ROOT / ".mkdocs.yml", copy)
    command = [sys.executable, "-m", "zensical", "build", "--strict", "--clean", "-f", ".mkdocs.yml"]
    built = subprocess.run(command, cwd=copy, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stdout + built.stderr
    subprocess.run(
        [sys.executable, "docs/pictures/live.py", copy / "build" / "site"], cwd=copy, capture_output=True, check=True
    )


@pytest.fixture(scope="module")
def address(site):
    """Where the site is served."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(SimpleHTTPRequestHandler, directory=site))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="module")
def browser():
    """A browser without a window."""
    playwright = pytest.importorskip("playwright.sync_api", reason="the browser is driven by playwright")
    if not CHROMIUM:
        pytest.skip("needs chromium")
    with playwright.sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield opened
        opened.close()


def path_of(page):
    """Where the site has a page."""
    return page.relative_to(ROOT / "docs").with_suffix(".html").as_posix().replace("README.html", "index.html")


def test_site_has_every_page(site):
    """The site is built without a warning, with or without a browser to look at it."""
    assert [page for page in PAGES if not (site / path_of(page)).is_file()] == []


SEEN = [page for page in PAGES if not page.match("decisions/0*")]  # those are text alone, and all alike


@pytest.fixture(scope="module")
def phone(browser):
    """A page of the size of a phone, its complaints, and the weights of what it has loaded."""
    complaints, weights = [], []
    context = browser.new_context(viewport=PHONE, reduced_motion="reduce")
    opened = context.new_page()
    opened.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    opened.on("pageerror", lambda error: complaints.append(str(error)))
    opened.on("response", lambda answer: complaints.append(answer.url) if answer.status >= 400 else None)
    opened.on("response", lambda answer: weights.append(int(answer.headers.get("content-length", 0))))
    yield opened, complaints, weights
    context.close()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT / "docs").as_posix())
def test_a_page_names_its_pictures_and_columns(page, site):
    """As it is delivered: each picture has words instead, and each column a heading."""
    (article,) = re.findall(r"(?s)<article\b.*?</article>", (site / path_of(page)).read_text("utf-8"))

    assert [one for one in re.findall(r"<img\b[^>]*>", article) if not re.search(r'\balt="[^"]', one)] == []
    assert [one for one in re.findall(r"(?s)<th\b[^>]*>(.*?)</th>", article) if not one.strip()] == []


OPENED = {"index.md", "models.md", "gallery/index.md", "course/rules.md", "how-to/page.md", "reference/picture.md"}
"""In CI pages of each folder: with live pages, pictures, wide tables, and much code."""


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, marks=[] if name in OPENED else pytest.mark.slow, id=name)
        for page in SEEN
        for name in [page.relative_to(ROOT / "docs").as_posix()]
    ],
)
def test_pages_open(page, phone, address):
    """A page opens without a complaint, its pictures are there, it fits a phone and is not heavy."""
    opened, complaints, weights = phone
    opened.goto("about:blank")  # the one before may load something yet
    complaints.clear()
    weights.clear()
    opened.goto(f"{address}/{path_of(page)}", wait_until="networkidle", timeout=PATIENCE)

    assert complaints == []
    assert opened.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    assert sum(weights) <= HEAVIEST
    opened.evaluate(f"{PICTURES}.forEach(one => one.loading = 'eager')")
    opened.wait_for_function(f"{PICTURES}.every(one => one.complete)")
    assert opened.evaluate(f"{PICTURES}.every(one => one.naturalWidth > 0)")


LIVE = [page for page in PAGES if "data-page=" in page.read_text("utf-8")]
PLAYED = {"docs/index.md"}  # The others have the same program
IN_VIEW = [
    pytest.param(page, marks=[] if name in PLAYED else pytest.mark.slow, id=name)
    for page in LIVE
    for name in [page.relative_to(ROOT).as_posix()]
]


def test_every_live_page_that_a_document_names_is_there(site):
    """Beside the site, as a page, from wherever the document is."""
    named = {page: re.findall('data-page="(.+?)"', (site / path_of(page)).read_text("utf-8")) for page in LIVE}

    assert [page for page, names in named.items() if not names] == []
    for name in {name for names in named.values() for name in names}:
        assert 'id="kernel"' in (site / "live" / f"{name}.html").read_text("utf-8"), name


@pytest.mark.parametrize("page", IN_VIEW)
def test_pictures_become_live_pages_in_view_and_stay_pictures_without_javascript(page, browser, site):
    """From a folder, without a server; a page that is in view plays, and all that it holds."""
    path = (site / path_of(page)).as_uri()
    context = browser.new_context(reduced_motion="no-preference", bypass_csp=True)  # waiting evaluates text
    opened = context.new_page()
    opened.goto(path)
    opened.locator("iframe.live, img[data-page]").first.scroll_into_view_if_needed()
    opened.wait_for_selector("iframe.live")
    for live in opened.locator("iframe.live").all():
        live.scroll_into_view_if_needed()
        live.content_frame.get_by_role("button", name="Pause").wait_for()
        until(live.element_handle().content_frame(), "window.boidsgen?.frame > 1")
    context.close()
    context = browser.new_context(java_script_enabled=False)
    still = context.new_page()
    still.goto(path)
    assert still.locator("img[data-page]").count() >= 1
    assert still.locator("iframe").count() == 0
    context.close()


SOUGHT = {
    "font": "reference/picture.html#style.font",
    "file size": "how-to/slides.html#file-size",
    "predator": "reference/surroundings.html#predators",
    "color": "reference/picture.html#style.color_by",
    "seed": "reference/scenario.html#top.seed",
    "obstacle": "reference/surroundings.html#obstacles",
    "speed": "reference/flock.html#speed",
    "install": "how-to/install.html",
    "loop": "reference/output.html#output.loop_seam",
    "csv": "reference/formats.html#csv-parquet-and-other-tables",
    "max_speed": "reference/flock.html#flock.max_speed",
    "transparent": "how-to/slides.html#transparent-background",
}
"""Words that a reader types, and the place that should be found first."""


def test_search_finds_first_what_one_means(browser, site):
    """The site is searched from its folder, without server or network; a click leads to the first place found."""
    context = browser.new_context(viewport={"width": 1280, "height": 800}, offline=True)
    page = context.new_page()
    page.goto((site / "reference" / "exit-codes.html").as_uri())
    page.keyboard.press("/")
    found, places = {}, page.locator("dialog a")
    for words in SOUGHT:
        page.get_by_role("combobox").fill(words)
        places.locator("mark").filter(has_text=re.compile(words[:3], re.IGNORECASE)).first.wait_for(timeout=PATIENCE)
        found[words] = re.sub(r"[?]h=[^#]*", "", places.first.evaluate("link => link.href"))

    assert found == {words: f"{site.as_uri()}/{place}" for words, place in SOUGHT.items()}
    places.first.click()
    page.wait_for_url(lambda url: "slides.html" in url, timeout=PATIENCE)
    context.close()
