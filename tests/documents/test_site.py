"""The site made of the documents, in a real browser: what it loads is there, and it can be read and searched."""

import shutil
import subprocess
import sys
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from itertools import product
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]
PHONE = {"width": 390, "height": 844}
HEAVIEST = 3_000_000
"""Bytes that one page may load with its pictures."""
PATIENCE = 120_000
"""Milliseconds that a page may take to open, on a machine that does other things as well."""
DESK = {"width": 1280, "height": 800}
KINDS = ["index", "tutorial", "course", "gallery/index", "how-to/slides", "reference/scenario", "reference/commands"]
"""A page of each kind."""

# What a reader sees of each element that has text of its own, with the color that lies behind it. Colors are drawn on
# a canvas, so that whatever the style sheet calls them, they are numbers in the end.
CONTRASTS = """() => {
  const pen = Object.assign(document.createElement("canvas"), {width: 1, height: 1}).getContext("2d",
    {willReadFrequently: true});
  const known = new Map();
  const parsed = (color) => {
    if (!known.has(color)) {
      pen.clearRect(0, 0, 1, 1);
      pen.fillStyle = color;
      pen.fillRect(0, 0, 1, 1);
      known.set(color, [...pen.getImageData(0, 0, 1, 1).data].map((part) => part / 255));
    }
    return known.get(color);
  };
  const over = (top, below) => [0, 1, 2].map((n) => top[n] * top[3] + below[n] * (1 - top[3])).concat(1);
  const behind = (one) => one
    ? over(parsed(getComputedStyle(one).backgroundColor), behind(one.parentElement))
    : [1, 1, 1, 1];
  const linear = (part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  const luminance = (color) => 0.2126 * linear(color[0]) + 0.7152 * linear(color[1]) + 0.0722 * linear(color[2]);
  const contrast = (one) => {
    const ground = behind(one);
    const [low, high] = [luminance(over(parsed(getComputedStyle(one).color), ground)), luminance(ground)].sort(
      (a, b) => a - b);
    return (high + 0.05) / (low + 0.05);
  };
  const least = (one) => {
    const {fontSize, fontWeight} = getComputedStyle(one);
    return parseFloat(fontSize) >= (fontWeight >= 700 ? 18.66 : 24) ? 3 : 4.5;
  };
  const written = (one) => [...one.childNodes].some((node) => node.nodeType === 3 && /\\w/.test(node.data));
  const seen = (one) => one.checkVisibility({checkOpacity: true, checkVisibilityCSS: true});
  return [...document.querySelectorAll("body *")]
    .filter((one) => written(one) && seen(one) && contrast(one) < least(one))
    .map((one) => `${contrast(one).toFixed(2)} ${one.tagName}.${one.className}: ${one.textContent.trim()}`);
}"""

# What Lighthouse asks of every page besides.
LACKING = """() => Object.entries({
  language: document.documentElement.lang,
  title: document.title,
  viewport: document.querySelector("meta[name=viewport]"),
  description: document.querySelector("meta[name=description]")?.content,
  "one first heading": document.querySelectorAll("h1").length === 1,
  "names of links": [...document.querySelectorAll("a[href]")].every(
    (one) => one.textContent.trim() || one.ariaLabel || one.title || one.querySelector("img[alt]")),
  "names of buttons": [...document.querySelectorAll("button")].every(
    (one) => one.textContent.trim() || one.ariaLabel || one.title),
  "labels of inputs": [...document.querySelectorAll("input:not([type=hidden])")].every(
    (one) => one.ariaLabel || one.labels.length || one.placeholder || one.ariaHidden),
}).filter(([, there]) => !there).map(([name]) => name)"""

pytest.importorskip("zensical", reason="the site is built by zensical")
playwright = pytest.importorskip("playwright.sync_api", reason="the browser is driven by playwright")
pytestmark = pytest.mark.skipif(not CHROMIUM, reason="needs chromium")


class Quiet(SimpleHTTPRequestHandler):
    """Serves files, and tells nobody."""

    def log_message(self, *_):
        """Keep still."""


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The folder of the site, built strictly: a dead link or a missing picture would end it."""
    copy = tmp_path_factory.mktemp("project")
    for name in ("docs", "boidsgen"):
        shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / ".mkdocs.yml", copy)
    command = [sys.executable, "-m", "zensical", "build", "--strict", "--clean", "-f", ".mkdocs.yml"]
    built = subprocess.run(command, cwd=copy, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stdout + built.stderr
    return copy / "build" / "site"


@pytest.fixture(scope="module")
def address(site):
    """Where the site is served."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(site)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="module")
def browser():
    """A browser without a window."""
    with playwright.sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield opened
        opened.close()


@pytest.fixture
def visit(browser, address):
    """Opens a page as a phone does, and gives it with what went wrong and what each answer weighed."""
    context = browser.new_context(viewport=PHONE)

    def visited(name):
        page = context.new_page()
        page.complaints, page.weights = [], []
        page.on("console", lambda message: page.complaints.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: page.complaints.append(str(error)))
        page.on("response", lambda answer: _note(page, answer))
        page.goto(f"{address}/{name}", wait_until="networkidle", timeout=PATIENCE)
        return page

    yield visited
    context.close()


def _note(page, answer):
    if answer.status >= 400:
        page.complaints.append(f"{answer.status}: {answer.url}")
    page.weights.append(int(answer.headers.get("content-length", 0)))


def names():
    """Every page, by its place in the site."""
    return [path.relative_to(ROOT / "docs").with_suffix(".html").as_posix() for path in (ROOT / "docs").rglob("*.md")]


@pytest.mark.parametrize("name", [name.replace("README.html", "index.html") for name in sorted(names())])
def test_pages_open(visit, name):
    """A page opens without a complaint, every picture is shown and described, it fits a phone and is not heavy."""
    page = visit(name)

    assert page.complaints == []
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    assert sum(page.weights) <= HEAVIEST
    pictures = "[...document.querySelectorAll('article img')]"
    assert page.evaluate(f"{pictures}.every(one => one.alt)")
    page.evaluate(f"{pictures}.forEach(one => one.loading = 'eager')")
    page.wait_for_function(f"{pictures}.every(one => one.complete)")
    assert page.evaluate(f"{pictures}.every(one => one.naturalWidth > 0)")


@pytest.fixture(scope="module", params=product(KINDS, ["light", "dark"]), ids="-".join)
def read(request, browser, address):
    """A page of each kind as it is read at a desk, by day and by night."""
    kind, scheme = request.param
    page = browser.new_page(viewport=DESK, color_scheme=scheme)
    page.goto(f"{address}/{kind}.html", wait_until="load", timeout=PATIENCE)
    yield page
    page.close()


def test_everything_can_be_read(read):
    """Text has a contrast of 4.5 to 1 to what is behind it, large text 3 to 1 (WCAG 2, AA)."""
    assert read.evaluate(CONTRASTS) == []


def test_pages_say_what_they_are(read):
    """Language, title and description are given, and whatever can be clicked or filled in has a name."""
    assert read.evaluate(LACKING) == []


def test_night_is_dark(browser, address):
    """Who prefers dark pages gets them, so that both are looked at above."""
    schemes = []
    for preferred in ("light", "dark"):
        page = browser.new_page(color_scheme=preferred)
        page.goto(f"{address}/index.html", wait_until="load", timeout=PATIENCE)
        schemes.append(page.evaluate("document.body.dataset.mdColorScheme"))
        page.close()

    assert schemes == ["default", "slate"]


def test_what_cannot_be_read_is_noticed(browser):
    """Gray on gray is found, so that nothing found means something."""
    page = browser.new_page()
    page.set_content("<p style='color: #999; background: #aaa'>gray</p><p style='color: #000'>black</p>")

    found = page.evaluate(CONTRASTS)
    page.close()

    assert len(found) == 1
    assert found[0].endswith(": gray")


def test_search_finds_a_key(browser, address):
    """Who searches for a key of a scenario is led to the page that explains it."""
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    page.goto(f"{address}/index.html", wait_until="networkidle", timeout=PATIENCE)
    page.keyboard.press("/")
    page.keyboard.type("field_of_view", delay=20)
    page.wait_for_selector("a[href*='reference/scenario']:visible", timeout=15_000)
