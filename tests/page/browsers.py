"""Chromium, Firefox and WebKitGTK without a window, where they are there, and Node."""

import json
import os
import shutil
import socket
import subprocess
from base64 import b64decode
from contextlib import ExitStack, closing, contextmanager
from functools import cache
from http.client import HTTPConnection
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic, sleep

import pytest

from boidsgen.webpage.writer import script_json

BROWSERS = {
    "chromium": shutil.which("chromium") or shutil.which("google-chrome"),
    "firefox": shutil.which("firefox") or shutil.which("firefox-esr"),
    "webkit": shutil.which("Xvfb") and shutil.which("WebKitWebDriver"),
}
"""Programs by engine; `just prove pages` requires all, any other run skips those that are missing."""
OPTIONS = ("--no-sandbox", "--disable-gpu", "--disable-quic", "--process-per-site")
"""Pages of one context share a process, which starts once and compiles their kernel once."""
WITHOUT_LANES = "--js-flags=--no-enable-sse4-1"
"""Option of Chromium that takes SIMD128 from WebAssembly, on x86 alone."""
MAX_ASKED = 20_000  # Times until a condition that does not hold is one that never will
STILL = {"ui.prefersReducedMotion": 1}  # as a context of playwright asks for in Chromium
STILL_GTK = "[Settings]\ngtk-enable-animations=0\n"
"""The same in WebKitGTK, whose driver gets no turn while a page that plays takes longer than its frames last."""


def program_of(name):
    """The program of an engine; without one the test is skipped, or fails where all engines are required."""
    if program := BROWSERS[name]:
        return program
    if os.environ.get("BOIDSGEN_BROWSERS") == "all":
        pytest.fail(f"needs {name}")
    pytest.skip(f"needs {name}")


def leave_out(engine, reason):
    """Skip what CI does in Chromium alone; `just prove pages` does it in the other engines, too."""
    if engine != "chromium" and os.environ.get("BOIDSGEN_BROWSERS") != "all":
        pytest.skip(f"{reason} in Chromium, and by `just prove pages` elsewhere")


@contextmanager
def node(name):
    """A function that gives a job to a program of this folder, and returns its answer."""
    command = [shutil.which("node"), Path(__file__).with_name(f"{name}.mjs")]
    assert command[0], "pages are tested in Node, which is missing"
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:

        def answer(**job):
            process.stdin.write(script_json(job) + "\n")
            process.stdin.flush()
            found = json.loads(process.stdout.readline())
            assert "error" not in found, found["error"]
            return found

        yield answer
        process.stdin.close()


@contextmanager
def launching():
    """A function that gives Chromium, with options besides, or Firefox, driven by playwright; each is started once."""
    playwright = pytest.importorskip("playwright.sync_api")
    with playwright.sync_playwright() as driver, ExitStack() as started:

        @cache
        def launch(name, *options):
            program = program_of(name)
            if name == "chromium":
                browser = driver.chromium.launch(executable_path=program, args=[*OPTIONS, *options])
            else:
                browser = driver.firefox.launch(
                    executable_path=program, channel="moz-firefox", firefox_user_prefs=STILL
                )
            started.callback(browser.close)
            return browser

        yield launch


@contextmanager
def launched(name):
    """A browser that `launching` gives."""
    with launching() as launch:
        yield launch(name)


def until(page, condition):
    """Wait until a condition holds in a page, whose policy lets no text become code later; fail with its error."""
    page.evaluate(f"""new Promise((done, fail) => {{
        let asked = 0;
        const ask = () => {{
            const error = document.getElementById("error")?.textContent;
            if ({condition}) done();
            else if (error || ++asked > {MAX_ASKED}) fail(new Error(error || "still not so: " + {condition!r}));
            else setTimeout(ask, 5);
        }};
        ask();
    }})""")


def pass_until(page, condition):
    """Let frames pass, without the pictures of most, until a condition holds in a page."""
    page.evaluate(f"""(async () => {{
        for (let last = boidsgen.frame + 4000; !({condition});) {{
            if (boidsgen.frame > last) throw new Error("still not so: " + {condition!r});
            boidsgen.seek(boidsgen.frame + 10);
            await new Promise((done) => setTimeout(done));
        }}
    }})()""")


@contextmanager
def only_page(name):
    """The only page of an engine, with those methods of playwright's that `_WebKitPage` has."""
    if name != "webkit":
        with launched(name) as browser:
            yield browser.new_page(reduced_motion="reduce")
        return
    program, (reader, writer) = program_of(name), os.pipe()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    screen = [shutil.which("Xvfb"), "-displayfd", str(writer)]
    with TemporaryDirectory() as folder, _running(screen, pass_fds=[writer], stderr=subprocess.DEVNULL):
        (settings := Path(folder, "gtk-3.0", "settings.ini")).parent.mkdir()
        settings.write_text(STILL_GTK, "utf-8")
        os.close(writer)
        with os.fdopen(reader) as told:
            number = told.readline().strip()
        with _running(
            [program, f"--port={port}"], env={**os.environ, "DISPLAY": f":{number}", "XDG_CONFIG_HOME": folder}
        ):
            page = _WebKitPage(port)
            yield page
            page.close()


@contextmanager
def _running(command, **options):
    with subprocess.Popen(command, **options) as process:
        try:
            yield
        finally:
            process.terminate()


class _WebKitPage:
    """A page of WebKitGTK, which speaks the WebDriver protocol of the W3C."""

    def __init__(self, port):
        self._port, self._session = port, ""
        self._session = f"/{self._begun()['sessionId']}"
        self._call("POST", "/timeouts", script=600_000)

    def _begun(self):
        end = monotonic() + 30
        while True:
            try:
                return self._call("POST", "", capabilities={"alwaysMatch": {}})
            except ConnectionRefusedError:  # it has just been started
                if monotonic() > end:
                    raise
                sleep(0.05)

    def _call(self, method, path, **values):
        body = json.dumps(values) if method == "POST" else None
        with closing(HTTPConnection("127.0.0.1", self._port)) as driver:  # which serves a connection only once
            driver.request(method, f"/session{self._session}{path}", body)
            answer = driver.getresponse()
            value = json.load(answer)["value"]
        assert answer.status == 200, value
        return value

    def goto(self, address):
        """Open an address."""
        self._call("POST", "/url", url=address)

    def set_viewport_size(self, size):
        """Give what is inside of the borders of the window a size."""
        for _ in range(2):  # they are known only once the window is there
            wide, high = self.evaluate("[outerWidth - innerWidth, outerHeight - innerHeight]")
            self._call("POST", "/window/rect", width=size["width"] + wide, height=size["height"] + high)

    def evaluate(self, expression):
        """The value of an expression, or that of its promise."""
        made = f"Promise.resolve().then(() => ({expression})).then((value) => [value ?? null], (error) => `${{error}}`)"
        value = self._call("POST", "/execute/async", script=f"{made}.then(arguments[0])", args=[])
        assert isinstance(value, list), value
        return value[0]

    def screenshot(self):
        """What the window shows, as PNG."""
        return b64decode(self._call("GET", "/screenshot"))

    def close(self):
        """End the session, and the browser with it."""
        self._call("DELETE", "")
