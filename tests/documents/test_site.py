"""The site made of the documents, in a real browser: what it loads is there, and it can be searched."""

import shutil
import subprocess
import sys
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
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


def test_search_finds_a_key(browser, address):
    """Who searches for a key of a scenario is led to the page that explains it."""
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    page.goto(f"{address}/index.html", wait_until="networkidle", timeout=PATIENCE)
    page.keyboard.press("/")
    page.keyboard.type("field_of_view", delay=20)
    page.wait_for_selector("a[href*='reference/scenario']:visible", timeout=15_000)
