"""Pages in Chromium, Firefox and WebKitGTK: the same states, sessions and pictures, and no barriers.

`just prove pages` runs all of it, and fails where one of the browsers is missing. In CI, Firefox and WebKitGTK have the
states, a session, one picture and the barriers of one kind of page.
"""

from functools import cache
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from boidsgen import load_scenario, simulate
from boidsgen.cli.main import run
from boidsgen.comparison import compare, comparison_of
from boidsgen.scenario.reference import catalog
from boidsgen.scenario.sources import find, presets
from boidsgen.simulation.run import neighbor_visits
from boidsgen.webpage.article import article_text
from boidsgen.webpage.outer import gallery_text
from boidsgen.webpage.writer import page_text
from docs.programs.lessons import ENGINES, outcome, pressed, stored
from tests.page.browsers import BROWSERS, leave_out, only_page, until
from tests.page.test_browser import SESSION, assert_shown, plain_page, state_at, swept
from tests.running import in_this_process
from tests.shipped import lessons

PICTURES = Path(__file__).with_name("pictures")
ARTICLE = Path(__file__).parents[2] / "docs" / "course" / "articles" / "rules.md"
AXE = Path(__file__).with_name("node_modules") / "axe-core" / "axe.min.js"
QUICK = {"quickstart"}
UNCHECKED = {"trap-edges"}
"""One of five lessons with a step that pages of 0.3.0 never checked off: groups had the radius of the start."""
MOST_VISITS = 10_000_000  # Neighbors that boids look at in a run, above which numpy takes minutes
PRESETS = [pytest.param(preset.name, marks=[] if preset.name in QUICK else pytest.mark.slow) for preset in presets()]


@pytest.fixture(scope="module", params=BROWSERS)
def browser(request):
    """The name of an engine."""
    return request.param


@pytest.fixture(scope="module")
def page(browser):
    """The page of an engine."""
    with only_page(browser) as opened:
        yield opened


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """A function that gives the file of a preset's page."""
    folder = tmp_path_factory.mktemp("pages")

    @cache
    def path_of(name):
        path = folder / f"{name}.html"
        path.write_text(plain_page(name), "utf-8")
        return path

    return path_of


def _visit(page, path, size=(1100, 800)):
    page.set_viewport_size(dict(zip(("width", "height"), size, strict=True)))
    page.goto(path.as_uri())  # which opens its settings where they have room
    until(page, "window.boidsgen")
    page.evaluate("boidsgen.pause()")


@cache
def _expected(name):
    """States of a preset in three frames, by numpy.

    Where that takes minutes they are the kernel's, which `tests.states` holds to those of numpy in every step.
    """
    scenario = load_scenario(name)
    last = scenario.time.frames - 1
    wanted = {min(60, last), 200 if last > 200 else max(last - 1, 0), last}
    engine = "numpy" if neighbor_visits(scenario) < MOST_VISITS else "native"
    return [state for state in simulate(scenario, engine=engine) if state.frame in wanted]


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_has_the_states_of_numpy(page, written, name):
    _visit(page, written(name))

    for state in _expected(name):
        page.evaluate(f"boidsgen.seek({state.frame})")
        assert_shown(page, state)


def test_a_session_is_rendered_with_the_states_that_were_shown(page, written, boidsgen, here):
    _visit(page, written("quickstart"))

    exported = page.evaluate(SESSION)
    (here / "session.toml").write_text(exported, "utf-8")
    ran = boidsgen("render", "session.toml", "-o", "session.gif")

    assert ran.code == 0
    assert exported.count("[[events]]") == 11
    assert_shown(page, state_at(load_scenario("session.gif"), 45))


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[] if name in UNCHECKED else pytest.mark.slow) for name in lessons()],
)
def test_a_page_checks_each_step_of_its_lesson_off(browser, page, written, name):
    """Whoever presses "Show me" sees "done" in the frame in which the engine reaches the condition, and its numbers."""
    if browser not in ENGINES:
        pytest.skip("lessons are measured in Chromium and Firefox")
    leave_out(browser, "lessons are done")

    found = pressed(page, written(name).as_uri(), lessons()[name])

    frames = [frame for frame, _ in found]
    assert frames == [step["pages"][browser] for step in stored()[name]]
    assert None not in frames
    steps = lessons()[name].page.try_
    assert [told for _, told in found] == [outcome(lessons()[name], *one) for one in zip(steps, frames, strict=True)]


def _shot(page):
    """What a page shows once it shows the same twice, at half its size."""
    before = b""
    for _ in range(20):
        page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())))")
        shown = page.screenshot()
        if shown == before:
            break
        before = shown
    return Image.open(BytesIO(shown)).convert("RGB").reduce(2)


def _alike(one, other):
    """True if letters, lines and animals are where they are in another picture, whatever their edges look like."""
    away = np.abs(np.subtract(*(np.asarray(picture.reduce(2), int) for picture in (one, other)))).max(axis=2)
    return away.mean() < 3 and (away > 48).mean() < 0.002


@pytest.mark.parametrize(
    ("name", "size", "frame"),
    [("quickstart", (1100, 800), 60), ("hunt", (450, 900), 60), ("trefoil-hunt", (1024, 768), 20)],
)
def test_a_page_looks_as_it_did(browser, page, written, name, size, frame):
    """A picture that is missing is stored, to be looked at; the comparison tells two frames apart."""
    if name != "hunt":
        leave_out(browser, "this is looked at")
    _visit(page, written(name), size)
    page.evaluate(f"boidsgen.seek({2 * frame})")
    another = _shot(page)
    page.evaluate(f"boidsgen.seek({frame})")
    found, path = _shot(page), PICTURES / f"{name}-{browser}.webp"
    if not path.exists():
        found.save(path, quality=70)
        pytest.fail(f"{path} is stored now; look at it")
    with Image.open(path) as stored:
        assert _alike(found, stored)
        assert not _alike(another, stored)


@pytest.mark.skipif(not AXE.is_file(), reason="needs axe-core: npm ci in tests/page")
@pytest.mark.parametrize(
    ("kind", "wide"),
    [
        # In CI every other kind on a phone and the others on a screen; lit and translated pages are live ones, too
        pytest.param(kind, wide, marks=pytest.mark.slow if (number + at) % 2 or kind in {"lit", "translated"} else [])
        for number, kind in enumerate(
            ("live", "asking", "lit", "translated", "recorded", "compared", "swept", "map", "gallery", "article")
        )
        for at, wide in enumerate((390, 1280))
    ],
)
def test_axe_finds_no_barrier_on_any_kind_of_page(browser, page, tmp_path, monkeypatch, kind, wide):
    """On a phone and on a screen; WebKitGTK has no window as narrow as a phone."""
    if kind != "live":
        leave_out(browser, "barriers are sought")
    path = tmp_path / "page.html"
    short = {"time.frames": 3, "overlay.hud": True, "overlay.legend": True}
    if kind == "compared":
        compare(comparison_of([find("quickstart")], [], ablated=True), path)
    elif kind == "swept":
        swept(tmp_path, 3)
        path = tmp_path / "index.html"
    elif kind == "map":
        monkeypatch.chdir(tmp_path)
        in_this_process(monkeypatch)
        vary = ["--vary", "flock.cohesion.weight=0,1", "--vary", "flock.alignment.weight=0,1"]
        assert run(["sweep", "quickstart", *vary, "--frames", "3", "--measures-only", "-o", "runs"]) == 0
        assert run(["plot", "runs", "-o", "page.html"]) == 0
    elif kind == "gallery":
        path.write_text(gallery_text([next(catalog())]), "utf-8")
    elif kind == "article":
        path.write_text(article_text(ARTICLE.read_text("utf-8"), ARTICLE), "utf-8")
    else:
        keys = {
            "asking": ("quickstart", {}),
            "lit": ("murmuration", {"flock.count": 60}),
            "translated": ("quickstart", {"page.language": "de"}),
            "recorded": ("hunt", {"output.page": "recorded"}),
            "live": ("hunt", {"output.page": "live"}),
        }
        name, own = keys[kind]
        path.write_text(page_text(load_scenario(name, short | own)), "utf-8")
    page.goto(path.as_uri())
    page.set_viewport_size({"width": wide, "height": 800})
    page.evaluate(
        "document.querySelectorAll('details').forEach((one) => { one.removeAttribute('name'); one.open = true; })"
    )
    page.evaluate(f"(() => {{ {AXE.read_text('utf-8')} }})()")
    found = page.evaluate("axe.run()")["violations"]
    assert [(one["id"], [node["html"] for node in one["nodes"]]) for one in found] == []
