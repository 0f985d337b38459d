"""Pages in a real browser, where there is one."""

import json
import math
import re
import shutil
from base64 import b64decode
from functools import cache
from io import BytesIO
from itertools import islice
from pathlib import Path
from platform import machine

import numpy as np
import pytest
from PIL import Image

import boidsgen
from boidsgen import ScenarioError, load_scenario, simulate
from boidsgen.cli.main import run
from boidsgen.comparison import ablate, compare, comparison_of
from boidsgen.drawing.renderer import Renderer
from boidsgen.jobs import Here
from boidsgen.output.pictures import ClipWriter
from boidsgen.output.recording import SavedRun
from boidsgen.output.video import Webm
from boidsgen.replays import original, replay_file
from boidsgen.scenario.layers import Override
from boidsgen.scenario.reference import catalog
from boidsgen.scenario.sources import find
from boidsgen.simulation.measures import measure
from boidsgen.simulation.setup import Event
from boidsgen.studies.plan import SweepAxis, SweepOptions, plan_sweep
from boidsgen.studies.sweep import Study
from boidsgen.webpage.links import Assignment, entry_of, read_link, session
from boidsgen.webpage.outer import gallery_text
from boidsgen.webpage.writer import page_text
from tests.page.browsers import WITHOUT_LANES, leave_out, pass_until, until
from tests.page.test_links import COHESION, FORGED, fragment
from tests.running import in_this_process
from tests.shipped import lessons

SLOW = pytest.mark.slow
BOTH = pytest.mark.parametrize("browser", ["chromium", "firefox"], indirect=True)
BOTH_IN_FULL = pytest.mark.parametrize("browser", ["chromium", pytest.param("firefox", marks=SLOW)], indirect=True)
SESSION = """(async () => {
    const picture = document.getElementById("picture");
    const click = (selector) => document.querySelector(selector).click();
    const fill = (label, number, value) => {
        const inputs = document.querySelectorAll(`#rules [type=range][aria-label^="boids: "][aria-label$="${label}"]`);
        inputs[number].value = value;
        inputs[number].dispatchEvent(new Event("input", { bubbles: true }));
        inputs[number].dispatchEvent(new Event("change", { bubbles: true }));
    };
    const point = (kind, across, down) => {
        const { left, top, width, height } = picture.getBoundingClientRect();
        const place = { clientX: left + across * width, clientY: top + down * height };
        picture.dispatchEvent(new PointerEvent(kind, { ...place, pointerId: 1, button: 0 }));
    };
    picture.setPointerCapture = () => {}; // which refuses pointers that are not there
    click("#seed");
    for (const [number, weight] of [0.3, 1.7, 0].entries()) {
        boidsgen.seek(4 + 3 * number);
        fill("weight", number, weight);
    }
    boidsgen.seek(12);
    click("#rules [role=switch]");
    boidsgen.seek(14);
    click("#rules [role=switch]");
    click("[value=attract]");
    point("pointerdown", 0.3, 0.4);
    point("pointerup", 0.3, 0.4);
    boidsgen.seek(18);
    click("[value=predator]");
    point("pointerdown", 0.97, 0.97);
    point("pointermove", 0.8, 0.9);
    point("pointerup", 0.7, 0.9);
    boidsgen.seek(20);
    fill("boids", 0, 70);
    boidsgen.seek(23);
    fill("max speed", 0, 2.5);
    for (const frame of [26, 27, 28]) {
        boidsgen.seek(frame);
        boidsgen.set("flock.0.perception.radius", 40 + frame / 3);
    }
    boidsgen.seek(45);
    return boidsgen.toml();
})()"""
"""A seed, sliders, a switch, a point, a predator and more boids; what then is exported in frame 45."""
VISIT = {"reduced_motion": "reduce", "viewport": {"width": 1100, "height": 800}}


@pytest.fixture(scope="module")
def context(context_of):
    """The context that pages of all tests share: they store nothing, and one whose clock is set has its own."""
    shared = context_of(**VISIT)
    yield shared
    assert shared.cookies() == []
    assert shared.new_page().evaluate("/native code/.test(setTimeout)")


@pytest.fixture
def visited(browser, context):
    """A function that opens a file; what the console says, and requests for other files, fail the test."""
    said, pages = [], []

    def visiting(path, allowed=(), before="", *, clock=False):
        files = {path.as_uri(), *(one.as_uri() for one in allowed)}
        pages.append(page := browser.new_page(**VISIT) if clock else context.new_page())
        page.add_init_script(before)
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("request", lambda request: request.url in files or said.append(request.url[:200]))
        page.goto(path.as_uri())
        return page

    yield visiting
    for page in pages:
        page.close()
    # Firefox reports what its decompression throws, even though the page catches it.
    assert [line for line in said if not line.startswith("data:font/") and "reaching the stream end" not in line] == []


@cache
def plain_page(name):
    """The page of a preset as it is."""
    return page_text(load_scenario(name), name=name)


@pytest.fixture
def opened(visited, tmp_path):
    """A function that opens the page of a scenario."""

    def opening(name, keys=None, before="", *, clock=False, **options):
        path = tmp_path / "page.html"
        plain = not keys and not options and isinstance(name, str)
        text = plain_page(name) if plain else page_text(load_scenario(name, keys or {}), name=str(name), **options)
        path.write_text(text, "utf-8")
        page = visited(path, before=before, clock=clock)
        until(page, "window.boidsgen")
        page.evaluate("document.getElementById('settings').open = true")
        if clock:
            page.clock.install(time=0)
            page.clock.pause_at(1000)  # otherwise it goes on by itself, too
        return page

    return opening


def few(name):
    """Keys that leave a crowd few of its boids, where a page is looked at for something else."""
    return {"flock.0.count": 60} if name in {"murmuration", "couzin-torus"} else {}


def state_at(scenario, at):
    return next(state for state in simulate(scenario) if state.frame == at)


def assert_shown(page, state):
    """The page has the groups of a state, to the last bit; further ones are those of clicks."""
    groups = json.loads(page.evaluate("JSON.stringify(boidsgen.state())"))
    for group, other in zip(groups, (*state.flocks, *state.predators), strict=False):
        assert group["position"] == other.position.ravel().tolist()
        assert group["velocity"] == other.velocity.ravel().tolist()


def _rendered_again(page, frame):
    """The scenario of a session, which gives the states that the page has in this frame."""
    page.evaluate(f"boidsgen.seek({frame})")
    found = load_scenario(page.evaluate("boidsgen.toml()"))
    assert_shown(page, state_at(found, frame))
    return found


def _in_picture(page, across, down):
    """A place of the picture in the window, from shares of its width and height."""
    box = page.locator("#picture").bounding_box()
    return box["x"] + across * box["width"], box["y"] + down * box["height"]


def _canvas(page, frame):
    """The picture of a frame as the page saves it, in the size of the film."""
    page.evaluate(f"boidsgen.seek({frame})")
    return np.asarray(Image.open(BytesIO(_content(page, "#png"))).convert("RGB"), int)


@pytest.mark.parametrize(
    "name",
    # In CI those with predators and with obstacles; test_shown.py has two of the others there
    [
        *("hunt", "obstacles"),
        *(pytest.param(one, marks=SLOW) for one in ("numpy-canonical", "quickstart", "species", "numpy-speed-colors")),
    ],
)
def test_a_flat_picture_differs_from_the_film_by_little(opened, name):
    """The mean difference of a channel is below 2 of 255, and at most one pixel in twenty differs by more than 64."""
    scenario = load_scenario(name)
    found = _canvas(opened(name), 20)
    draw = Renderer(scenario, scenario.picture_size)
    frame = [draw(state) for state in islice(simulate(scenario), 21)][-1]
    wanted = frame.palette[frame.index].astype(float)
    away = np.abs(found - wanted)
    assert away.mean() < 2
    assert (away.max(axis=2) > 64).mean() < 0.05


@BOTH_IN_FULL
def test_the_page_of_the_lesson_has_the_keys_and_the_mouse_of_its_document(opened):
    """1, 2 and 3 switch rules, R brings them back, a click attracts, a right click repels, and S spawns a swarm."""
    page = opened("pygame-lesson")

    def weights():
        rules = ("separation", "alignment", "cohesion")
        return [page.evaluate(f"boidsgen.get('flock.0.{rule}.weight')") for rule in rules]

    def pressed(*keys):
        for key in keys:
            page.keyboard.press(key)
            page.keyboard.press("Period")
        return weights()

    assert page.locator("#keys kbd").all_inner_texts() == ["1", "2", "3", "R", "S"]
    assert pressed("1") == [0, 1, 1]
    assert pressed("2", "3") == [0, 0, 0]
    assert pressed("2") == [0, 1, 0]
    assert pressed("R") == [1.5, 1, 1]
    page.locator("#play").focus()
    assert pressed("1") == [1.5, 1, 1]
    page.get_by_label("Follow boid").click()
    page.keyboard.type("12")
    assert weights() == [1.5, 1, 1]
    assert page.locator("#follow").input_value().endswith("12")
    page.locator("#follow").evaluate("field => field.blur()")
    page.mouse.click(*_in_picture(page, 0.25, 0.5))
    assert page.evaluate("boidsgen.get('attractors.0.weight')") == 1
    page.keyboard.press("Period")
    page.evaluate("addEventListener('contextmenu', (event) => { window.menu = !event.defaultPrevented; })")
    page.mouse.click(*_in_picture(page, 0.75, 0.5), button="right")
    assert page.evaluate("window.menu") is False
    assert page.evaluate("boidsgen.get('attractors.0.weight')") == -1
    assert page.evaluate("boidsgen.get('attractors.0.point')")[0] == pytest.approx(576, abs=5)
    page.keyboard.press("s")
    assert page.evaluate("boidsgen.get('flock.0.start.center')")[0] == pytest.approx(576, abs=5)
    page.locator("#keys").get_by_text("Add boids: 30").click()
    pressed("1")
    assert page.evaluate("boidsgen.get('flock.0.separation.weight')") == 0
    assert page.evaluate("boidsgen.get('flock.0.start.layout')") == "uniform"
    found = _rendered_again(page, 60)
    assert [event.set["flock.0.count"] for event in found.events if "flock.0.count" in event.set] == [60, 90]


def test_a_key_in_the_first_frame_counts_from_the_second_on_and_a_rule_comes_back_with_its_last_weight(opened):
    page = opened("pygame-toggles")
    page.keyboard.press("2")
    assert page.evaluate("boidsgen.frame") == 1
    assert page.evaluate("boidsgen.get('flock.0.alignment.weight')") == 0
    page.locator("#rules").get_by_label("boids: separation weight").fill("2.5")
    page.locator("#rules input[type=range]").nth(0).evaluate("slider => slider.blur()")
    for weight in (0, 2.5):
        for key in ("Period", "Period", "Comma", "1"):
            page.keyboard.press(key)
        assert page.evaluate("boidsgen.get('flock.0.separation.weight')") == weight
    for key in ("Control+1", "Alt+1", "Meta+1"):
        page.keyboard.press(key)
    assert page.evaluate("boidsgen.get('flock.0.separation.weight')") == 2.5
    page.keyboard.down("1")
    page.keyboard.down("1")  # is held
    assert page.evaluate("boidsgen.get('flock.0.separation.weight')") == 0
    found = _rendered_again(page, 20)
    assert [event.at for event in found.events if event.set][:3] == [150, 300, 450]


def test_a_boid_that_is_clicked_is_followed_with_its_forces(opened):
    page = opened("quickstart")
    page.evaluate("boidsgen.seek(20)")
    x, y = page.evaluate("boidsgen.state()[0].position.slice(0, 2)")
    width, height = load_scenario("quickstart").world.size
    page.mouse.click(*_in_picture(page, x / width, 1 - y / height))
    assert page.locator("#follow").input_value() == "0"
    page.locator("#forces").get_by_text("cohesion").wait_for()
    assert page.locator("#forces").get_by_text("attractors").count() == 0


def test_a_page_of_tracks_with_gaps_shows_who_was_seen(opened, tmp_path):
    """In each frame a page has the animals of the recording, where they were, to a tenth of a pixel."""
    generator, table = np.random.default_rng(1), simulate("quickstart", frames=20, flock__count=9).to_pandas()
    table = table[generator.random(len(table)) > 0.2]
    table.to_csv(tmp_path / "fish.csv", index=False)
    boidsgen.tracks(tmp_path / "fish.csv", tmp_path / "fish.npz", columns="frame,number,x,y", fps=25, fill=1)
    scenario = load_scenario(tmp_path / "fish.npz")
    states = list(SavedRun(tmp_path / "fish.npz", scenario))
    page = opened(tmp_path / "fish.npz", states=states)
    step = 0.1 * max(scenario.world.size) / max(scenario.picture_size)
    for state in states:
        page.evaluate(f"boidsgen.seek({state.frame})")
        (group,) = page.evaluate("boidsgen.state()")[:1]
        found = np.array(group["position"]).reshape(-1, 2)
        assert found.shape == state.flocks[0].position.shape
        assert np.abs(found - state.flocks[0].position).max() <= step
    assert page.locator("#rules").is_hidden()
    assert "recording" in page.locator("#notice").inner_text()


def test_a_notebook_shows_a_page_in_a_frame(browser):
    page = browser.new_page()
    page.set_content(boidsgen.page("quickstart", flock__count=20)._repr_html_())
    frame = page.frames[1]
    until(frame, "window.boidsgen")
    assert len(frame.evaluate("boidsgen.state()")[0]["position"]) == 40
    page.close()


def _in_step(page, count, frame):
    """Positions of all pages within a page, when all have drawn this frame."""
    cells = []
    page.locator("iframe").nth(count - 1).wait_for(state="attached")
    for cell in page.locator("iframe").all()[:count]:
        cells.append(cell.element_handle().content_frame())
        until(cells[-1], f"window.boidsgen?.frame === {frame}")
    assert len(cells) == count
    return [cell.evaluate("boidsgen.state()[0].position") for cell in cells]


def test_a_slider_of_a_comparison_changes_all_simulations_but_where_its_key_was_taken_away(visited, tmp_path):
    """Titles say what each page measures and which rules were switched, in the colors of the curves."""
    path = tmp_path / "rules.html"
    scenarios = ablate(load_scenario("quickstart"))
    compare(comparison_of([find("quickstart")], [], ablated=True, measure="mean_speed"), path)
    page = visited(path)
    page.locator("#panel > summary").click()
    _in_step(page, 3, 0)
    page.evaluate("boidsgen.seek(10)")
    page.locator("#rules").get_by_label("boids: cohesion weight").fill("2")
    page.get_by_label("boids: max speed").fill("3")
    page.get_by_label("boids: rule separation").uncheck()
    page.evaluate("boidsgen.seek(25)")
    changed = {"flock.max_speed": 3.0, "flock.cohesion.weight": 2.0, "flock.separation.weight": 0.0}
    for found, (label, scenario) in zip(
        [page.evaluate("boidsgen.state()[0].position"), *_in_step(page, 3, 25)], scenarios.items(), strict=True
    ):
        kept = {key: value for key, value in changed.items() if key.split(".")[1] not in label}
        event = Event.model_validate({"at": 10, "set": kept})
        state = state_at(scenario.model_copy(update={"events": (event,)}), 25)
        assert found == state.flocks[0].position.ravel().tolist(), label
        reading = f"{measure(state, ['mean_speed'])['mean_speed']:.2f}"
        switched = "" if label == "no separation" else ", minus separation"
        title = f"figcaption[data-reading='{reading}'][data-switched='{switched}']"
        page.locator(title, has_text=label).wait_for()
    page.locator("#chart circle").nth(3).wait_for()
    inks = page.locator("figure").evaluate_all("all => all.map(one => one.style.getPropertyValue('--own'))")
    assert page.locator("#chart circle").evaluate_all("all => all.map(one => one.getAttribute('fill'))") == inks
    assert len({*inks}) == 4
    lines = page.locator("#chart text[fill]").all_text_contents()
    assert sorted(lines) == sorted([*scenarios, *["minus separation"] * 3])


def test_a_page_asks_for_repaints_only_while_it_plays(opened):
    page = opened("quickstart")
    counted = """new Promise((done) => {
        const plain = requestAnimationFrame;
        let asked = 0;
        window.requestAnimationFrame = (called) => plain(called, (asked += 1));
        plain(() => plain(() => plain(() => done(asked, (window.requestAnimationFrame = plain)))));
    })"""
    page.evaluate("boidsgen.seek(5)")
    page.evaluate(counted)
    assert page.evaluate(counted) == 0
    page.evaluate("boidsgen.play()")
    assert page.evaluate(counted) > 0


def test_the_dot_of_the_chart_lies_where_its_axes_say(opened):
    """An axis begins at 0, with a line of dots for its end where all of its values are far from there."""
    page = opened("quickstart")
    for measured, whole in (("polarization", True), ("mean_speed", False)):
        page.locator("#measure").select_option(measured)
        page.evaluate("boidsgen.seek(50)")
        _, *numbers = page.locator("#chart text[text-anchor=end]").all_text_contents()  # behind the clock
        lowest, highest = float(numbers[0]), float(numbers[-1])
        assert (lowest == 0) == whole
        assert page.locator("#chart .cut").count() == (not whole)
        paths = page.locator("#chart .grid").evaluate_all("all => all.map(one => one.getAttribute('d'))")
        bottom, *_, top = (float(path.split()[1].split("H")[0]) for path in paths)
        dot = float(page.locator("#chart circle").get_attribute("cy"))
        read = lowest + (bottom - dot) / (bottom - top) * (highest - lowest)
        assert read == pytest.approx(float(page.locator("#value").inner_text().split()[0]), abs=0.006)


@pytest.mark.parametrize("deep", [False, True])
def test_all_text_can_be_read_on_a_phone_without_scrolling_sideways(opened, deep):
    """Letters have at least 11 pixels, in the picture or beside it."""
    cube = {"world.size": (200.0, 200.0, 200.0), "overlay.hud": True, "overlay.legend": True}
    page = opened("quickstart", cube if deep else {})
    page.set_viewport_size({"width": 390, "height": 844})
    page.evaluate("boidsgen.seek(3)")
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    sizes = page.evaluate(
        """() => [...document.querySelectorAll("body *")]
            .filter((one) => one.checkVisibility() && [...one.childNodes].some((part) => part.nodeValue?.trim()))
            .map((one) => parseFloat(getComputedStyle(one).fontSize))"""
    )
    assert min(sizes) >= 11
    page.evaluate("document.getElementById('panel').open = false")  # which hides them while a step is open
    assert page.locator("#numbers").is_visible() == deep


CUT = """() => [...document.querySelectorAll("body *")].filter((one) => {
    const texts = [...one.childNodes].filter((part) => part.nodeValue?.trim());
    const { overflowX, clipPath } = getComputedStyle(one);
    if (!texts.length || !one.checkVisibility() || clipPath !== "none") return false;
    if (overflowX !== "visible" && one.scrollWidth > one.clientWidth + 1) return true;
    const around = (one.ownerSVGElement ?? document.documentElement).getBoundingClientRect();
    const scrolls = one.closest("[id=tags], pre, .progress, #chart-second");
    return !scrolls && texts.some((text) => {
        const range = document.createRange();
        range.selectNodeContents(text);
        const { left, right } = range.getBoundingClientRect();
        return left < around.left - 1 || right > around.right + 1;
    });
}).map((one) => one.textContent.slice(0, 40))"""
"""Whatever has words that are cut off, by its own edges, by those of its chart, or by the window."""


SIZES = """() => [...document.querySelectorAll("main *")]
    .filter((one) => one.checkVisibility() && [...one.childNodes].some((part) => part.nodeValue?.trim()))
    .map((one) => [one.id || one.textContent.slice(0, 40), parseFloat(getComputedStyle(one).fontSize)])"""
"""Whatever has letters that are seen, and their height in pixels."""


def test_lecture_mode_is_the_same_page_in_larger_letters(opened):
    """With three sizes of letters in both, and all that is seen in one is seen in the other."""
    page = opened("quickstart")
    page.set_viewport_size({"width": 1024, "height": 768})
    plain = page.evaluate(SIZES)
    page.keyboard.press("l")
    large = page.evaluate(SIZES)
    page.keyboard.press("l")

    assert len({size for _, size in plain}) == len({size for _, size in large}) == 3
    assert {one for one, _ in plain} == {one for one, _ in large}
    assert all(much > 1.3 * little for (_, little), (_, much) in zip(plain, large, strict=True) if little < 30)
    assert max(size for _, size in large) >= 768 / 20
    assert page.evaluate(SIZES) == plain


@BOTH_IN_FULL
def test_space_plays_and_pauses_whatever_was_clicked_before(opened):
    """In lecture mode as well; what was clicked stays as the click left it, and the keyboard alone still uses it."""
    page = opened("quickstart")
    kept = "[...document.querySelectorAll('input, details')].map((one) => [one.id, one.checked, one.open])"
    clicked = ("#rules [role=switch]", ".tools label >> nth=1", "#ghosts", "#seed", "#rules [type=range]", "#restart")
    for mode in ("", "l"):
        if mode:
            page.keyboard.press(mode)
        for one in (*clicked, "#settings > summary", "#settings > summary"):
            page.locator(one).first.click()
            page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
            before = page.evaluate(kept)
            for playing in (True, False):
                page.keyboard.press("Space")
                assert page.evaluate("boidsgen.playing") is playing, one
            assert page.evaluate(kept) == before, one
    page.locator("#rules [role=switch]").first.focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Space")
    assert not page.evaluate("boidsgen.playing")
    assert page.evaluate(kept) != before


COVERED = """() => {
    const marks = [...document.querySelectorAll("#chart text, #chart .guess")].map((one) => {
        const { left, right, top, bottom } = one.getBoundingClientRect();
        const spare = one.matches("text") ? (bottom - top) / 4 : 1; // above and below letters
        return [one.textContent, left, right, top + spare, bottom - spare];
    });
    return marks.flatMap(([one, left, right, top, bottom], number) => marks.slice(number + 1).filter(
        (it) => left < it[2] && it[1] < right && top < it[4] && it[3] < bottom).map(([other]) => [one, other]));
}"""
"""Texts and guesses of the chart that lie on one another."""


@pytest.mark.parametrize(("width", "told"), [(1440, 3), (1024, 3), (390, 1)])
def test_marks_of_the_chart_say_what_they_stand_for_where_there_is_room(opened, width, told):
    page = opened("quickstart")
    page.set_viewport_size({"width": width, "height": 844})
    page.evaluate("boidsgen.seek(100)")
    page.locator("#card .answer").first.click()
    page.locator("#card [role=switch]").first.click()
    page.evaluate("boidsgen.seek(150)")
    page.evaluate("boidsgen.set('flock.perception.radius', 20)")
    page.evaluate("boidsgen.seek(160)")
    page.evaluate("document.getElementById('panel').open = innerWidth > 640")  # on a phone it takes the chart's room
    page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")

    texts = page.locator("#chart text").all_text_contents()
    assert len({"Your guess", "cohesion 0", "perception 20"} & {*texts}) >= told
    assert page.evaluate(COVERED) == []
    assert page.evaluate(CUT) == []


def test_a_lesson_shows_no_caption_that_answers_it(opened):
    """That of the whole clip would; that of an event holds in the run of the clip alone."""
    page = opened("concept-alignment")
    caption = page.locator("#caption")
    assert caption.text_content() == ""
    page.evaluate("boidsgen.seek(70)")
    assert caption.text_content() == load_scenario("concept-alignment").events[0].caption
    page.evaluate("boidsgen.set('flock.angular_noise', 90)")
    until(page, "document.getElementById('caption').textContent === ''")
    plain = opened("numpy-lanes")
    assert plain.locator("#caption").text_content() == load_scenario("numpy-lanes").overlay.caption


@pytest.mark.parametrize("width", [1440, 1024, 390])
def test_a_sentence_of_the_question_begins_a_line(opened, width):
    """Unless both stand in one."""
    page = opened("hunt")
    page.set_viewport_size({"width": width, "height": 844})
    tops = "[...document.querySelectorAll('#question span')].map((one) => [one.offsetTop, one.offsetLeft])"
    (first, left), (second, other) = page.evaluate(tops)

    assert second > first
    assert other == left


@pytest.mark.parametrize("name", ["hunt", pytest.param("quickstart", marks=SLOW)])
def test_the_scrubber_lies_in_the_chart_where_its_frames_are(opened, name):
    """Its thumb is on the dot of the curve, in windows of any width, and changes have marks at their frames."""
    page = opened(name)
    page.evaluate("boidsgen.seek(60); boidsgen.seek(30); boidsgen.set('flock.0.cohesion.weight', 0)")
    length = load_scenario(name).time.frames
    for width, height in ((1440, 900), (1024, 768), (390, 844)):
        page.set_viewport_size({"width": width, "height": height})
        for frame in (0, 30, length // 2, length - 1):
            page.evaluate(f"boidsgen.seek({frame})")
            box = page.locator("#scrubber").bounding_box()
            thumb = box["x"] + 12 + (box["width"] - 24) * frame / (length - 1)
            dot = page.locator("#chart circle").first.bounding_box()
            assert thumb == pytest.approx(dot["x"] + dot["width"] / 2, abs=1), (width, frame)
            mark = page.locator("#chart .event").bounding_box()
            assert mark["x"] < thumb or frame <= 30
            assert box["y"] < dot["y"] + dot["height"] / 2 < box["y"] + box["height"]
        assert page.locator("#chart .before").count() == 1


def test_a_square_world_has_the_height_of_a_wide_window(opened):
    page = opened("quickstart")
    page.evaluate("document.getElementById('settings').open = false")
    for width, height in ((1440, 900), (1920, 1080), (1280, 720)):
        page.set_viewport_size({"width": width, "height": height})
        page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        assert page.locator("#picture").bounding_box()["height"] > 0.7 * height


@pytest.mark.parametrize("name", ["quickstart", pytest.param("hunt", marks=SLOW)])
def test_a_phone_shows_the_picture_as_wide_as_the_window_with_all_of_a_step(opened, name):
    """Question, answers, switches and buttons; once it is done the picture is as large, and the answer in sight."""
    page = opened(name)
    page.evaluate("document.getElementById('settings').open = false")
    page.set_viewport_size({"width": 390, "height": 844})
    page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    parts = [*page.locator("#card").locator(".do, .answer, .switch, .bar button:enabled").all()]
    for part in (*parts, *map(page.locator, ("#question", "#picture", "#play"))):
        box = part.bounding_box()
        assert 0 <= box["y"] < box["y"] + box["height"] <= 844, part
    size = page.locator("#picture").bounding_box()
    assert size["width"] > 0.85 * 390
    page.locator("#card").get_by_role("button", name="Show me").click()
    pass_until(page, "boidsgen.steps()[0].done")
    page.locator("#card .outcome").wait_for()
    page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    assert page.locator("#picture").bounding_box()["width"] >= size["width"] - 1
    assert not page.locator("#now").is_visible()


def test_a_world_of_4_to_3_has_its_title_and_its_card_in_one_column_beside_it(opened):
    """The three begin at the top, and the words are between title and card."""
    page = opened("concept-cohesion")
    page.set_viewport_size({"width": 1440, "height": 900})
    page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    parts = ("#picture", "header", "#now", "#panel")
    picture, title, words, card = (page.locator(one).bounding_box() for one in parts)
    assert {title["x"], words["x"], card["x"]} == {title["x"]}
    assert 0 < title["x"] - picture["x"] - picture["width"] < 48
    assert title["y"] < words["y"] < card["y"]
    assert abs(title["y"] - picture["y"]) < 4


@pytest.mark.parametrize("name", [pytest.param("quickstart", marks=SLOW), "murmuration", "concept-cohesion"])
def test_nothing_overlaps_and_the_picture_is_always_seen(opened, name):
    """In windows of any ratio, with the card folded, open, and with all settings, in lecture mode as well."""
    page = opened(name, {"time.warmup": 0, **few(name)})
    page.evaluate("boidsgen.seek(3)")
    boxes = """["header", "#picture", "#now", "#foot", "#panel"].map((one) => {
        const { left, right, top, bottom } = document.querySelector(one).getBoundingClientRect();
        return [left, right, top, bottom];
    })"""
    for width, height in ((1440, 900), (1024, 768), (390, 844), (844, 390), (2560, 1080), (600, 1200)):
        page.set_viewport_size({"width": width, "height": height})
        for settings, panel, lecture in ((False, True, False), (True, True, False), (False, False, False)) + (
            ((False, True, True),) if height > 700 else ()
        ):
            page.evaluate(f"document.getElementById('settings').open = {str(settings).lower()}")
            page.evaluate(f"document.getElementById('panel').open = {str(panel).lower()}")
            page.evaluate(f"document.documentElement.classList.toggle('lecture', {str(lecture).lower()})")
            found, where = page.evaluate(boxes), (width, height, settings, panel, lecture)
            assert page.evaluate("document.documentElement.scrollWidth") == width, where
            page.evaluate("boidsgen.seek(3)")
            assert page.evaluate(CUT) == [], where
            for left, right, top, bottom in found:
                assert left >= -1, where
                assert right <= width + 1, where
                assert top >= -1, where
                assert bottom <= height + 1, where
            for number, (left, right, top, bottom) in enumerate(found):
                for a, b, c, d in found[:number]:
                    assert min(right, b) - max(left, a) < 1 or min(bottom, d) - max(top, c) < 1, where
            (left, right, top, bottom) = found[1]
            assert (right - left) * (bottom - top) > width * height / 30, where
            assert page.locator("#play").is_visible()


@BOTH_IN_FULL
def test_no_live_region_chatters_while_a_page_plays(opened):
    page = opened("quickstart", {"overlay.hud": True})
    changes = page.evaluate("""new Promise((done) => {
        const live = [...document.querySelectorAll("[aria-live], [role=status], [role=alert], output")].filter(
            (one) => one.getAttribute("aria-live") !== "off");
        let changes = 0;
        const watch = new MutationObserver((all) => { changes += all.length; });
        for (const one of live) watch.observe(one, { childList: true, characterData: true, subtree: true });
        boidsgen.play();
        const ask = () => (boidsgen.frame > 20 ? done([live.length, changes]) : setTimeout(ask, 20));
        ask();
    })""")
    assert changes == [2, 0]


def test_targets_are_large_enough_for_fingers(browser, opened, tmp_path):
    """Of at least 44 pixels, on a phone and on a tablet."""
    opened("quickstart")
    for width, height in ((390, 844), (1024, 768)):
        context = browser.new_context(reduced_motion="reduce", has_touch=True, is_mobile=True)
        page = context.new_page()
        page.set_viewport_size({"width": width, "height": height})
        page.goto((tmp_path / "page.html").as_uri())
        until(page, "window.boidsgen")
        page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
        sizes = page.evaluate("""[...document.querySelectorAll(
            "button, select, summary, .switch, .tools span, input[type=range], input[type=number]")]
            .filter((one) => one.checkVisibility())
            .map((one) => [one.id || one.outerHTML.slice(0, 60), one.getBoundingClientRect()])
            .filter(([, { width, height }]) => width < 43.9 || height < 43.9)
            .map(([one, { width, height }]) => [one, width, height])""")
        assert sizes == []
        context.close()


def test_keys_and_clicks_on_a_comparison_act_on_every_scenario(visited, tmp_path):
    path = tmp_path / "two.html"
    compare(comparison_of([find("pygame-lesson"), find("hunt")], []), path)
    page = visited(path)
    page.locator("#panel > summary").click()
    _in_step(page, 1, 0)
    page.mouse.move(*_in_picture(page, 0.5, 0.5))
    page.keyboard.press("s")
    page.mouse.click(*_in_picture(page, 0.2, 0.5), button="right")
    page.get_by_text("Predator", exact=True).click()
    page.mouse.click(*_in_picture(page, 0.45, 0.62))
    page.evaluate("boidsgen.seek(5)")
    (follower,) = _in_step(page, 1, 5)
    assert len(follower) == len(page.evaluate("boidsgen.state()[0].position")) == 120
    assert page.frames[1].evaluate("boidsgen.get('attractors.0.weight')") == -1
    (clicked,), (hawks, bird) = (
        [group["position"] for group in one.evaluate("boidsgen.state()") if group["kind"] == "predators"]
        for one in page.frames
    )
    assert bird == clicked != []
    assert len(hawks) == 4


def swept(directory, frames):
    """The plan of a sweep whose pages are in a directory."""
    axes = [SweepAxis("flock.cohesion.weight", (0.0, 3.0), ""), SweepAxis("flock.count", (20, 30), "")]
    short = [Override(key, value, "") for key, value in {"output.format": "html", "time.frames": frames}.items()]
    plan = plan_sweep(find("quickstart"), short, SweepOptions(tuple(axes)))
    with Study(plan, directory) as study:
        assert study.run(Here()) == []
    return plan


def test_the_scrubber_of_a_sweep_seeks_all_cells_and_its_sliders_stay_at_the_frame(visited, tmp_path):
    plan = swept(tmp_path, 20)
    page = visited(tmp_path / "index.html", [tmp_path / run.file for run in plan.runs])
    page.set_viewport_size({"width": 1100, "height": 3000})
    until(page, "document.querySelectorAll('iframe').length === 5")
    page.get_by_label("frame").fill("15")
    chosen, *cells = _in_step(page, 5, 15)
    positions = [state_at(plan.scenario(run), 15).flocks[0].position.ravel().tolist() for run in plan.runs]
    assert cells == positions
    assert chosen == positions[0]
    page.get_by_label("cohesion weight", exact=True).fill("1")
    assert _in_step(page, 2, 15)[1] == positions[2]


def test_a_predator_is_placed_and_the_camera_turned_by_the_keyboard_alone(opened):
    """What a click does, Enter does where the cross is; the mouse turns the camera as well."""
    page = opened("quickstart", {"flock.count": 1})
    page.get_by_role("radio", name="Predator").focus()
    page.keyboard.press("Space")
    page.locator("#picture").focus()
    places = []
    for keys in (["ArrowLeft"], ["ArrowRight", "Shift+ArrowDown"]):
        for key in (*keys, "Enter"):
            page.keyboard.press(key)
        assert page.evaluate("boidsgen.get('predators.0.count')") == 1
        places.append(page.evaluate("boidsgen.get('predators.0.path.center')"))
        page.keyboard.press("Enter")
        assert page.evaluate("boidsgen.get('predators.0.count')") == 0
    assert places[0][0] == pytest.approx(190)
    assert np.abs(np.subtract(*places)) == pytest.approx([10, 1])
    page = opened("trefoil-hunt")
    page.evaluate("boidsgen.seek(1)")
    seen = [page.screenshot()]
    page.locator("#picture").focus()
    for _ in range(5):
        page.keyboard.press("ArrowLeft")
    seen.append(page.screenshot())
    page.mouse.move(*_in_picture(page, 0.4, 0.5))
    page.mouse.down()
    page.mouse.move(*_in_picture(page, 0.6, 0.6))
    page.mouse.up()
    assert len({*seen, page.screenshot()}) == 3


@pytest.fixture(scope="module")
def gallery(tmp_path_factory):
    """The gallery of four presets, of which one has too many boids to be alive there."""
    path, wanted = tmp_path_factory.mktemp("gallery") / "gallery.html", {"quickstart", "hunt", "couzin-torus", "vicsek"}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("boidsgen.webpage.outer.MAX_ALIVE", 250)
        path.write_text(gallery_text(one for one in catalog() if one.preset.name in wanted), "utf-8")
    return path


def test_a_click_in_the_gallery_starts_a_flock_that_has_the_states_of_the_film(visited, gallery):
    """In the whole window, one at a time; by the keyboard alone as well, and by it closed."""
    page = visited(gallery)
    for name, closed_by in (("quickstart", "Close"), ("couzin-torus", "")):
        title = load_scenario(name).title
        page.get_by_role("button", name=title, exact=True).focus()
        page.keyboard.press("Enter")
        page.locator("dialog iframe").wait_for()
        assert page.locator("#name").text_content() == title
        (inside,) = page.frames[1:]
        until(inside, "window.boidsgen")
        inside.evaluate("boidsgen.seek(5)")
        (flock,) = state_at(load_scenario(name), 5).flocks
        assert inside.evaluate("boidsgen.state()[0].position") == flock.position.ravel().tolist()
        if closed_by:
            page.get_by_role("button", name=closed_by).click()
        else:
            page.get_by_role("button", name="Close").focus()
            page.keyboard.press("Escape")
        page.locator("iframe").wait_for(state="detached")


def test_the_gallery_is_searched_by_words_and_copies_commands_and_scenarios(visited, gallery):
    page = visited(gallery, before="navigator.clipboard.writeText = async (text) => { window.copied = text; };")
    cards = page.locator("li:visible")
    assert page.get_by_role("status").text_content() == "Presets: 4 of 4"
    page.get_by_role("button", name="with predators").click()
    assert cards.evaluate_all("cards => cards.map(({ id }) => id)") == ["hunt"]
    lead, picture = (cards.locator(one).bounding_box() for one in ("div", "img"))
    assert lead == picture  # alone, it is as high as its picture, and its words lie on no button above
    page.get_by_role("button", name="with predators").click()
    for words, found in (("two HAWKS", ["hunt"]), ("couzin-torus", ["couzin-torus"])):
        page.get_by_label("Search").fill(words)
        assert cards.evaluate_all("cards => cards.map(({ id }) => id)") == found
    page.get_by_label("Search").fill("VICSEK")
    assert cards.evaluate_all("cards => cards.map(({ id }) => id)") == ["vicsek"]
    page.get_by_role("button", name="Vicsek").click()
    page.get_by_text("boidsgen render vicsek -o vicsek.html").wait_for()
    page.get_by_role("button", name="Copy command").click()
    assert page.evaluate("copied") == "boidsgen render vicsek -o vicsek.gif"
    page.get_by_role("button", name="Copy TOML").click()
    until(page, "copied.includes('\\n')")
    assert page.evaluate("copied") == find("vicsek").text


@pytest.mark.parametrize(("wide", "across"), [(1440, 4), (390, 2)])
def test_the_gallery_begins_with_its_showpieces_in_pictures_of_one_shape(visited, gallery, wide, across):
    """Every picture fills its frame of 3 to 2, and nothing is wider than the window."""
    page = visited(gallery)
    page.set_viewport_size({"width": wide, "height": 900})
    first = page.locator("li").first
    images = page.locator("li img").evaluate_all(
        "all => all.map(one => [one.clientWidth / one.clientHeight, getComputedStyle(one).objectFit])"
    )

    assert first.get_attribute("id") == "hunt"
    assert first.bounding_box()["y"] + first.bounding_box()["height"] <= 900
    assert [fit for _, fit in images] == ["cover"] * 4
    assert [ratio for ratio, _ in images[1:]] == pytest.approx([1.5] * 3, abs=0.02)
    assert page.evaluate("document.documentElement.scrollWidth") == wide
    assert page.evaluate(CUT) == []
    columns = "getComputedStyle(document.querySelector('.showpieces ul')).gridTemplateColumns.split(' ').length"
    assert page.evaluate(columns) == across


@pytest.mark.slow
def test_the_gallery_of_all_presets_has_at_most_4_megabytes(boidsgen):
    assert boidsgen("gallery", "-o", "gallery.html").code == 0
    assert Path("gallery.html").stat().st_size <= 4_000_000


MEMORY = """const { grow } = WebAssembly.Memory.prototype;
WebAssembly.Memory.prototype.grow = function (pages) {
    if (window.exhausted) throw new RangeError("refused");
    return grow.call(this, pages);
};"""
"""A browser that has memory as long as `exhausted` is false."""


@pytest.mark.parametrize(
    ("before", "part", "edited", "why"),
    [
        ("delete window.WebAssembly", "", "", ""),
        ("delete window.DecompressionStream", "", "", ""),
        (f"{MEMORY} window.exhausted = true;", "", "", ""),
        ("", '(?<=<script id="kernel" type="text/plain">).{1000}', "", ""),
        *(
            pytest.param("", '"frames":20', f'"frames":{clock}', "its clock was edited", marks=[] if alone else SLOW)
            for clock, alone in {"null": True, "-1": False, '"x"': False, "1e999": False}.items()
        ),
    ],
)
def test_a_page_that_cannot_run_says_so_and_shows_a_picture(browser, tmp_path, before, part, edited, why):
    """Without WebAssembly, with a part of the file missing or a clock that never ends, a page has a sentence."""
    text = page_text(load_scenario("quickstart", {"time.frames": 20}))
    path = tmp_path / "page.html"
    path.write_text(re.sub(part, edited, text) if part else text, "utf-8")

    assert_not_run(browser, path, why, before)


@pytest.mark.skipif(machine().lower() not in {"x86_64", "amd64"}, reason="Chromium can do without SIMD on x86 alone")
@pytest.mark.parametrize("browser", [f"chromium {WITHOUT_LANES}"], indirect=True)
def test_a_browser_without_lanes_says_so_and_shows_a_picture(browser, tmp_path):
    """The kernel is built for SIMD128, which browsers have had since 2023."""
    path = tmp_path / "page.html"
    path.write_text(page_text(load_scenario("quickstart", {"time.frames": 20})), "utf-8")

    assert_not_run(browser, path, "WebAssembly.compile(): Wasm SIMD unsupported")


def assert_not_run(browser, path, why, before=""):
    """A page shows a sentence that begins with the reason, and its poster, and throws nothing."""
    page, errors = browser.new_page(), []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.add_init_script(before)
    page.goto(path.as_uri())
    until(page, "document.getElementById('error').textContent")

    assert page.locator("#error").text_content().startswith(f"This page cannot run here: {why}")
    assert page.locator("#poster").is_visible()
    assert errors == []
    page.close()


def test_a_page_that_runs_out_of_memory_says_so_and_shows_a_picture(opened):
    page = opened("trefoil-hunt", before=MEMORY)
    page.evaluate("window.exhausted = true")
    page.evaluate("boidsgen.play()")
    page.get_by_text("This page has stopped: there is not enough memory. Reload it.").wait_for()

    assert page.locator("#poster").is_visible()


def test_a_page_goes_on_where_it_was_after_an_hour_in_the_background(opened):
    page = opened("quickstart", clock=True)
    page.evaluate("boidsgen.play()")
    page.clock.run_for(200)
    before = page.evaluate("boidsgen.frame")
    page.clock.fast_forward("01:00:00")
    page.clock.run_for(200)

    assert 0 < before < page.evaluate("boidsgen.frame") < before + 30


def _content(page, button):
    """A file that a button saves; Firefox tells its driver nothing about downloads of a page on a disk."""
    content = page.evaluate(
        """(button) => new Promise((done) => {
            const reader = new FileReader();
            reader.onload = () => done(reader.result.split(",")[1]);
            URL.createObjectURL = (blob) => (reader.readAsDataURL(blob), "#");
            document.querySelector(button).click();
        })""",
        button,
    )
    return b64decode(content)


def _saved(page, button, path):
    """The path of a file that a button saves."""
    path.write_bytes(_content(page, button))
    return path


SHOWN_BEHIND = """() => {
    const [behind, picture] = ["around", "picture"].map((id) => document.getElementById(id));
    const { left, top, right, bottom } = picture.getBoundingClientRect();
    return [behind, picture].map((one) => one.toDataURL().split(",")[1]).concat(left, top, right, bottom);
}"""


@pytest.mark.parametrize(
    ("name", "keys"),
    [
        ("murmuration", {"camera.orbit": 0}),
        ("couzin-torus", {}),
        ("trefoil", {"predators.0.count": 0}),
        ("p5-fish-school", {}),
    ],
)
@pytest.mark.parametrize(("wide", "high"), [(1440, 900), pytest.param(390, 844, marks=SLOW)])
def test_a_lit_ground_has_no_edges(browser, opened, name, keys, wide, high):
    """Behind the picture lies the same ground, which goes on to the edges of the window as smoothly as within.

    Animals do not go on: the ground is the same in all frames while the camera stands still.
    """
    leave_out(browser.browser_type.name, "grounds are continued")
    page = opened(name, {"time.frames": 4, "flock.0.count": 2, "style.trails": 0, **keys})
    page.set_viewport_size({"width": wide, "height": high})
    found = []
    for frame in (1, 3):
        page.evaluate(f"boidsgen.seek({frame})")
        *data, left, top, right, bottom = page.evaluate(SHOWN_BEHIND)
        images = [Image.open(BytesIO(b64decode(one))).convert("RGB") for one in data]
        found.append([np.asarray(images[0].resize((wide, high), Image.Resampling.BILINEAR), float), images[1]])
    (behind, picture), (later, _) = found
    box = np.s_[math.ceil(top) : math.floor(bottom), math.ceil(left) : math.floor(right)]
    assert (behind == later).all()
    size = box[1].stop - box[1].start, box[0].stop - box[0].start
    within = np.asarray(picture.resize(size, Image.Resampling.BOX), float)
    assert np.median(np.abs(behind[box] - within)) <= 1
    assert np.abs((behind[box] - within).mean(axis=(0, 1))).max() < 2
    for lines, first, last in ((behind, box[0].start, box[0].stop), (behind.swapaxes(0, 1), box[1].start, box[1].stop)):
        steps = np.abs(np.diff(lines, axis=0)).mean(axis=(1, 2))
        for edge in (first, last):
            near = [*steps[max(edge - 8, 0) : edge - 2], *steps[edge + 2 : edge + 8]]
            if near and edge < len(steps):
                assert steps[max(edge - 2, 0) : edge + 2].max() < 1.5 * max(near) + 0.2


@BOTH
@pytest.mark.parametrize(
    ("name", "keys", "pictures"),
    [
        ("quickstart", {"time.frames": 10}, 10),
        pytest.param("species", {"time.frames": 6, "output.loop": 3}, 6, marks=SLOW),
        ("quickstart", {"time.frames": 8, "output.page": "recorded", "seed": 0}, 8),
        ("pygame-lesson", {"time.frames": 9, "output.loop": 3}, 5),
        ("couzin-swarm", {"time.frames": 2, "output.size": [480, 320]}, 2),
    ],
)
def test_a_gif_has_the_pictures_of_the_page(browser, opened, tmp_path, name, keys, pictures):
    """Size, durations, repetitions and pictures, but for colors that the palette lacks; at most 50 a second.

    A channel of a pixel is off by less than 64 of 255, and in the mean by less than 0.1. A lit picture has more colors
    than a palette, so that those of its pixels are off by less than 4 in the mean, and that of many by less than 1.
    """
    if pictures != 10:
        leave_out(browser.browser_type.name, "other clips are saved")
    scenario, page = load_scenario(name, keys), opened(name, keys)
    path = _saved(page, "#gif", tmp_path / "page.gif")
    every = -(-scenario.time.frames // pictures)
    with Image.open(path) as image:
        assert (image.size, image.n_frames) == (scenario.picture_size, pictures)
        times = scenario.output.loop or 0
        assert image.info.get("loop") == (None if times == 1 else max(times - 1, 0))  # once needs no extension
        durations = [image.seek(number) or image.info["duration"] for number in range(pictures)]
    assert sum(durations) == pytest.approx(1000 * every * pictures / scenario.output.fps, abs=5)
    for number, found in enumerate(ClipWriter.pictures(path)):
        shown = _canvas(page, every * number)
        assert np.abs(found - shown).max() < 64
        lit = scenario.style.colors.light
        assert np.abs(found - shown).mean() < (4 if lit else 0.1)
        assert not lit or np.abs((found - shown).mean(axis=(0, 1))).max() < 1


@BOTH_IN_FULL
def test_a_gif_embeds_what_was_done_on_the_page(opened, tmp_path):
    """Its scenario has the states of the page, up to the frame that was chosen, and replays without a verdict."""
    page = opened("quickstart")
    page.locator("#seed").click()
    page.evaluate("boidsgen.seek(5)")
    page.locator("#rules").get_by_label("boids: cohesion weight").fill("2.5")
    page.mouse.click(*_in_picture(page, 0.5, 0.5))
    page.evaluate("boidsgen.seek(30)")
    page.locator("#rules").get_by_label("boids: max speed").fill("2")
    page.evaluate("boidsgen.seek(12)")
    page.get_by_label("to frame").evaluate(
        "field => { field.value = '20'; field.dispatchEvent(new Event('input', { bubbles: true })); }"
    )
    path = _saved(page, "#gif", tmp_path / "page.gif")
    one = original(path)
    assert one.content == load_scenario(path)
    assert (one.frames, {event.at for event in one.content.events}) == (21, {5})
    for frame in (4, 12, 20):
        page.evaluate(f"boidsgen.seek({frame})")
        assert_shown(page, state_at(one.content, frame))
    assert replay_file(one, str(tmp_path / "again.gif")).identical is None
    assert len([*ClipWriter.pictures(tmp_path / "again.gif")]) == 21


def test_a_gif_that_is_canceled_is_not_saved_and_the_next_one_is(opened, tmp_path):
    page = opened("quickstart", {"time.frames": 5})
    page.locator("#gif").evaluate("button => { button.click(); button.click(); }")
    page.locator("#status", has_text="No clip is saved.").wait_for(state="attached")
    page.get_by_label("to frame").fill("4")
    page.evaluate("boidsgen.play()")
    with page.expect_download() as download:
        page.locator("#gif").click()
    download.value.save_as(tmp_path / "page.gif")
    assert len([*ClipWriter.pictures(tmp_path / "page.gif")]) == 5
    assert page.locator("#gif").inner_text() == "Clip GIF"


@BOTH
def test_a_recording_of_the_canvas_ends_by_itself_and_embeds_no_scenario(opened, tmp_path):
    page = opened("quickstart", {"time.frames": 20})
    path = _saved(page, "#webm", tmp_path / "page.webm")
    assert page.evaluate("boidsgen.frame") == 19
    assert Webm.count(path) >= 1
    with pytest.raises(ScenarioError, match="embeds no scenario"):
        load_scenario(path)


@BOTH
def test_a_link_shows_the_same_states_elsewhere_and_to_collect(opened, browser, tmp_path):
    """To the last bit, in a copy of the page in another folder, in another context; with less than 2,000 characters."""
    page = opened("quickstart")
    page.evaluate(SESSION)
    link, shown = page.evaluate("boidsgen.link()"), page.evaluate("boidsgen.state()")
    copy = tmp_path / "else where" / "kopie.html"
    copy.parent.mkdir()
    shutil.copy(tmp_path / "page.html", copy)
    context = browser.new_context(reduced_motion="reduce")
    other = context.new_page()
    other.goto(f"{copy.as_uri()}#{link.partition('#')[2]}")
    until(other, "window.boidsgen?.frame === 45")
    quickstart = load_scenario("quickstart")
    entry = entry_of("a", link, Assignment(quickstart))
    said = read_link(link, quickstart)

    assert len(link) < 2000
    assert len(said.actions) >= 12
    assert other.evaluate("boidsgen.state()") == shown
    assert (entry.same, entry.frame, entry.note) == (True, 45, "")
    assert_shown(other, state_at(session(said, quickstart), 45))
    assert other.evaluate("boidsgen.toml()") == page.evaluate("boidsgen.toml()")
    context.close()


@BOTH_IN_FULL
def test_a_forged_link_is_one_sentence_and_nothing_else(opened):
    """The page then is as it was when it opened, in the first frame, and asks nobody for anything."""
    page = opened("quickstart")
    first = page.evaluate("boidsgen.state()")
    known = "[Object.prototype, Array.prototype, Function.prototype].flatMap(Reflect.ownKeys).map(String)"
    before = page.evaluate(known)
    for name, forged in FORGED.items():
        if not forged:
            continue
        page.evaluate("document.getElementById('error').textContent = ''")
        page.evaluate("(fragment) => { location.hash = fragment; }", forged)
        until(page, "document.getElementById('error').textContent")
        said = page.locator("#error").text_content()
        assert re.fullmatch(r"This link cannot be opened: .{,170}\.", said), name
        assert page.evaluate("boidsgen.frame") == 0, name
        assert page.evaluate("boidsgen.state()") == first, name
    assert page.evaluate(known) == before
    assert page.locator("#error *").count() == 0


def test_the_embed_code_shows_the_page_within_another(opened, visited, tmp_path):
    """The element that is copied opens the link, its title is text, and no QR code has an address on a disk."""
    title = """</script><script>document.title='no'</script>A "flock" <b>&amp;"""
    page = opened("quickstart", {"title": title})
    assert page.title() == title
    assert page.locator("#qr").is_hidden()
    page.evaluate("boidsgen.seek(7)")
    page.evaluate("navigator.clipboard.writeText = async (text) => { window.copied = text; }")
    page.locator("#embed").click()
    until(page, "window.copied")
    outer = tmp_path / "lesson.html"
    outer.write_text(f"<!doctype html><title>Lesson</title>{page.evaluate('copied')}", "utf-8")
    lesson = visited(outer, [tmp_path / "page.html"])
    frame = lesson.locator("iframe").element_handle().content_frame()
    until(frame, "window.boidsgen?.frame === 7")

    assert frame.evaluate("boidsgen.state()") == page.evaluate("boidsgen.state()")
    assert lesson.locator("iframe").get_attribute("title") == title


def test_a_page_of_a_web_site_shows_its_link_to_the_room(browser):
    """As a QR code, which a click closes; what was guessed goes with the link."""
    text, address = page_text(load_scenario("quickstart")), "http://flock.test/a.html"
    guesses = [(2, 1, 0), (0, 0, 1), (0, 0, 0)]
    page = browser.new_page(reduced_motion="reduce")
    page.route("**", lambda route: route.fulfill(body=text, content_type="text/html"))
    page.goto(f"{address}#{fragment([5, COHESION, 0.0], steps=guesses)}")
    until(page, "window.boidsgen?.frame === 20")
    page.locator("#settings > summary").click()
    page.locator("#qr").click()
    page.locator("#code").wait_for()
    _, _, size, _ = map(int, page.locator("#code svg").get_attribute("viewBox").split())
    box = page.locator("#code svg").bounding_box()

    link = page.evaluate("boidsgen.link()")
    assert link.startswith(f"{address}#2.")
    assert [
        (one.first, one.last, one.shown) for one in read_link(link, load_scenario("quickstart")).attempts
    ] == guesses
    assert (size - 8 - 17) % 4 == 0
    assert box["width"] == box["height"] > 0.8 * page.viewport_size["height"]
    assert page.locator("#code path").get_attribute("d").startswith("M0 0h1v1h-1z")
    page.locator("#code").click()
    assert page.locator("#code").is_hidden()
    page.close()


def test_the_lesson_of_quickstart_is_done_by_its_words_alone(visited, tmp_path):
    """Each step is ticked off by what it asks for, and stays so; its prediction goes with the link."""
    scenario, path = load_scenario("quickstart"), tmp_path / "lesson.html"
    path.write_text(page_text(scenario), "utf-8")
    page = visited(path)
    until(page, "window.boidsgen")
    assert page.get_by_text(scenario.page.question).is_visible()
    assert not page.locator("#rules").is_visible()
    page.locator("#settings > summary").click()
    page.locator("#speed").select_option("4")
    page.locator("#settings > summary").click()
    page.get_by_role("button", name="Play").click()
    until(page, "boidsgen.frame > 20")
    pass_until(page, "boidsgen.frame > 200")
    before, card = None, page.locator("#card")
    for number, rule in enumerate(("cohesion", "alignment", "separation")):
        assert f"switch {rule} off" in card.locator(".do").inner_text()
        if before:
            card.get_by_role("switch", name=before).check()
        step = scenario.page.try_[number]
        for guess in (step.predict[0], step.answer):
            card.get_by_role("button", name=guess).click()
        assert [one["done"] for one in page.evaluate("boidsgen.steps()")] == [n < number for n in range(3)]
        card.get_by_role("switch", name=rule).uncheck()
        pass_until(page, f"boidsgen.steps()[{number}].done")
        card.get_by_role("button", name=f"Step {number + 1}, done").wait_for()
        assert card.get_by_role("button", name=step.predict[0]).is_disabled()
        told = [f"You guessed: {step.predict[0]}.", f"What happens: {step.answer}."]
        lines = card.locator(".outcome p").all_inner_texts()
        assert lines[:2] == told
        reached = page.evaluate(f"boidsgen.steps()[{number}].reached")
        assert f" in frame {reached}: " in lines[2]
        marks = card.locator(".answer").evaluate_all("all => all.map((one) => one.dataset.mark)")
        assert marks == [{step.answer: "✓ Right", step.predict[0]: "Your guess"}.get(one, "") for one in step.predict]
        before = rule
        if number < 2:
            card.get_by_role("button", name="Next").click()
    page.evaluate("boidsgen.seek(3)")

    steps = page.evaluate("boidsgen.steps()")
    assert [one["done"] for one in steps] == [True] * 3
    assert [(one["first"], one["last"]) for one in steps] == [
        (step.predict[0], step.answer) for step in scenario.page.try_
    ]
    assert [(one.first, one.last) for one in read_link(page.evaluate("boidsgen.link()"), scenario).attempts] == [
        (1, 2)
    ] * 3


def test_a_lesson_waits_for_the_guess_where_its_first_step_needs_nothing_else():
    """A page that plays by itself would do such a step before anybody has guessed."""
    pages = {name: scenario.page for name, scenario in lessons().items()}
    alone = {name for name, page in pages.items() if not re.search(r"[a-z]\.", page.try_[0].until)}

    assert alone == {"concept-alignment", "concept-cohesion", "concept-separation"}
    assert [name for name in alone if pages[name].autoplay] == []


MOVES = {
    "hunt": (("flee off",), ("flee on", "perception 20"), ("perception 60", "alignment off")),
    "couzin-torus": (("orientation 10",), ("orientation 2",), ("orientation 0", "they swarm", "orientation 2")),
    "murmuration": (("alignment off",), ("alignment on", "separation off")),
}
"""What the words of each step ask for, besides a guess."""
SWARMING = "boidsgen.measure('polarization') < 0.3 && boidsgen.measure('rotation') < 0.4"


def moved(page, word, value, hand):
    """Set a switch or a slider of the card by the mouse, or by the keyboard as its reader would."""
    one = page.locator("#card").get_by_role("switch" if value in {"on", "off"} else "slider", name=word)
    if value in {"on", "off"}:
        if one.is_checked() != (value == "on"):
            one.click() if hand == "mouse" else one.press("Space")
        assert one.is_checked() == (value == "on")
        return
    low, high, step, now = (one.evaluate(f"one => Number(one.{name})") for name in ("min", "max", "step", "value"))
    if hand == "mouse":
        one.scroll_into_view_if_needed()
        box = one.bounding_box()
        places = [box["x"] + 8 + (box["width"] - 16) * (at - low) / (high - low) for at in (now, float(value))]
        page.mouse.move(places[0], box["y"] + box["height"] / 2)
        page.mouse.down()
        page.mouse.move(places[1], box["y"] + box["height"] / 2, steps=6)
        page.mouse.up()
    else:
        for key in ("Home", *["ArrowRight"] * round((float(value) - low) / step)):
            one.press(key)
    assert float(one.input_value()) == pytest.approx(float(value), abs=1.01 * step)


@pytest.mark.slow  # In CI the lesson of quickstart by the mouse, above, and one by the keyboard alone, below
@pytest.mark.parametrize("hand", ["mouse", "keyboard"])
@pytest.mark.parametrize("name", MOVES)
def test_a_wrong_guess_is_answered_truly_in_each_step(visited, tmp_path, name, hand):
    """Whoever guesses wrong and does what the words ask for reads what was guessed and what happens."""
    scenario, path = load_scenario(name), tmp_path / "lesson.html"
    path.write_text(page_text(scenario), "utf-8")
    page = visited(path)
    until(page, "window.boidsgen")
    card = page.locator("#card")
    page.evaluate("document.getElementById('settings').open = true")
    page.locator("#speed").select_option("4")
    page.evaluate("document.getElementById('settings').open = false")
    page.locator("#play").click() if hand == "mouse" else page.keyboard.press("Space")
    until(page, "boidsgen.frame > 60")
    for number, (step, moves) in enumerate(zip(scenario.page.try_, MOVES[name], strict=True)):
        wrong = next(guess for guess in step.predict if guess != step.answer)
        answer = card.get_by_role("button", name=wrong, exact=True)
        answer.click() if hand == "mouse" else answer.press("Enter")
        for move in moves:
            if move == "they swarm":
                until(page, SWARMING)
            else:
                moved(page, *move.split(), hand)
        until(page, f"boidsgen.steps()[{number}].done")
        card.locator(".outcome", has_text=f"You guessed: {wrong}.What happens: {step.answer}.").wait_for()
        if number + 1 < len(MOVES[name]):
            following = card.get_by_role("button", name="Next")
            following.click() if hand == "mouse" else following.press("Enter")


def test_a_lesson_is_done_by_the_keyboard_alone(visited, tmp_path):
    """Guesses, switches, a slider, a restart and the way to the next step, in the order of the page."""
    scenario, path = load_scenario("concept-cohesion"), tmp_path / "lesson.html"
    path.write_text(page_text(scenario), "utf-8")
    page = visited(path)
    until(page, "window.boidsgen")
    card = page.locator("#card")

    def pressed(locator, *keys):
        for _ in range(60):
            if locator.evaluate("one => one === document.activeElement"):
                break
            page.keyboard.press("Tab")
        for key in keys:
            page.keyboard.press(key)

    pressed(page.locator("#settings > summary"), "Enter")
    pressed(page.locator("#speed"), "4")
    for number, step in enumerate(scenario.page.try_):
        wrong = next(guess for guess in step.predict if guess != step.answer)
        pressed(card.get_by_role("button", name=wrong, exact=True), "Enter")
        if number == 1:
            pressed(card.get_by_role("switch", name="alignment"), "Space")
        if number == 2:
            pressed(page.locator("#restart"), "Enter")
            pressed(card.get_by_role("slider", name="perception"), "Home", *["ArrowRight"] * 3)
        if not page.evaluate("boidsgen.playing"):
            pressed(page.locator("#play"), "Enter")
        assert page.evaluate("boidsgen.playing")
        pass_until(page, f"boidsgen.steps()[{number}].done")
        card.locator(".outcome", has_text=f"You guessed: {wrong}.What happens: {step.answer}.").wait_for()
        if number < 2:
            pressed(card.get_by_role("button", name="Next"), "Enter")


def test_a_lesson_is_done_by_touch_and_what_comes_next_is_in_sight(browser, tmp_path):
    """On a phone: after a guess the switches of its step, once it is done what came of it, then the next step."""
    scenario, path = load_scenario("quickstart"), tmp_path / "lesson.html"
    path.write_text(page_text(scenario), "utf-8")
    context = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    page = context.new_page()
    page.goto(path.as_uri())
    until(page, "window.boidsgen")
    card, before = page.locator("#card"), None

    def assert_in_sight(locator):
        top, bottom = page.evaluate("""(() => {
            const [panel, bar] = ["#panel", "#card .bar"].map(
                (one) => document.querySelector(one).getBoundingClientRect());
            return [bar.bottom, panel.bottom];
        })()""")
        box = locator.bounding_box()
        assert top - 1 <= box["y"] < box["y"] + box["height"] <= bottom + 1

    until(page, "boidsgen.frame > 20")
    pass_until(page, "boidsgen.frame > 100")
    for number, rule in enumerate(("cohesion", "alignment", "separation")):
        step = scenario.page.try_[number]
        for part in card.locator(".do, .answer, .switch").all():
            assert_in_sight(part)
        card.get_by_role("button", name=step.predict[0]).tap()
        assert_in_sight(card.locator(".switch").last)
        if before:
            card.get_by_role("switch", name=before).tap()
        card.get_by_role("switch", name=rule).tap()
        before = rule
        pass_until(page, f"boidsgen.steps()[{number}].done")
        card.locator(".outcome", has_text=step.answer).wait_for()
        for mark in ("Your guess", "✓ Right"):
            assert_in_sight(card.locator(f'[data-mark="{mark}"]'))
        assert_in_sight(card.locator(".outcome p:visible").first)
        if number < 2:
            card.get_by_role("button", name="Next").tap()
    context.close()


def test_what_is_spoken_has_no_marks_and_a_step_that_was_shown_has_an_answer_that_nobody_guessed(opened):
    """Live regions, names and titles are plain text; numbers now and before have the same decimals."""
    marked = "*one* **two** `three`"
    step = {"do": f"Do {marked}.", "predict": (f"A {marked}", "B"), "answer": f"A {marked}", "then": f"So {marked}."}
    step |= {"until": "not flock.cohesion.weight > 0 and polarization >= 0"}
    step |= {"show": ({"at": 5, "key": "flock.cohesion.weight", "value": 0.0},), "keys": ("flock.cohesion.weight",)}
    page = opened("quickstart", {"page.question": f"Why {marked}?", "page.words": marked, "page.try": (step,)})
    page.get_by_role("button", name="Show me").click()
    until(page, "boidsgen.steps()[0].done")
    page.get_by_role("button", name="Step 1, shown").wait_for()

    heard = page.evaluate("""[...document.querySelectorAll("[aria-live], [role], [aria-label], [title], [alt]")]
        .flatMap((one) => [one.ariaLive ? one.textContent : "", one.ariaLabel ?? "", one.title ?? ""])""")
    assert [text for text in heard if re.search(r"[*`]", text)] == []
    news = page.locator("#status").text_content()
    assert re.search(r"A one two three\. Polarization in frame \d+: 0\.\d\d, 0\.\d\d before\. So one two three", news)
    assert page.locator(".answer").evaluate_all("all => all.map((one) => one.dataset.mark)") == ["Answer", ""]
    assert page.evaluate("boidsgen.steps()[0].shown")


@pytest.mark.parametrize("shown", [5, pytest.param(70, marks=SLOW)])
def test_gif_toml_and_link_of_a_session_have_the_same_steps_and_predictions(opened, tmp_path, shown):
    """A session goes beyond the film; what was reached in it stays so, whatever is shown at its end."""
    untils = ("flock.cohesion.weight == 0 and frame > 50", "flock.alignment.weight == 0", "frame > 65")
    steps = [{"do": "Act.", "predict": ('One "way"', "Another"), "until": until} for until in untils]
    keys = {"time.frames": 40, "page.try": (*steps,)}
    page, task = opened("quickstart", keys), Assignment(load_scenario("quickstart", keys))
    assert page.locator("#until").input_value() == "39"
    page.locator("#card").get_by_role("button", name="Another").click()
    for frame, rule in ((45, "cohesion"), (62, "alignment")):
        page.evaluate(f"boidsgen.seek({frame})")
        page.locator("#rules").get_by_label(f"boids: rule {rule}").uncheck()
    page.evaluate("boidsgen.seek(70)")
    page.evaluate(f"boidsgen.seek({shown})")
    (tmp_path / "session.toml").write_text(page.evaluate("boidsgen.toml()"), "utf-8")
    clip = _saved(page, "#gif", tmp_path / "session.gif")

    entries = [entry_of("link", page.evaluate("boidsgen.link()"), task)]
    entries += [entry_of(str(path), None, task) for path in (tmp_path / "session.toml", clip)]

    assert page.locator("#until").input_value() == str(max(shown, 62))
    assert {one.steps for one in entries} == {(True, True, True)}
    assert {one.frame for one in entries} == {max(shown, 62)}
    assert {one.guesses for one in entries} == {(("Another", "Another"), ("", ""), ("", ""))}
    changed = ("cohesion weight 0, from frame 45", "alignment weight 0, from frame 62")
    assert {one.changed for one in entries} == {changed}
    again = opened(tmp_path / "session.toml")
    assert again.evaluate("boidsgen.steps()[0].first") == "Another"
    assert load_scenario(again.evaluate("boidsgen.toml()")).page.session.attempts[0].first == 2


def test_a_page_without_a_predator_offers_no_distance_from_one_until_it_has_one(opened):
    page = opened("quickstart", {"flock.count": 1})
    hidden = "document.querySelector('#measure [value=predator_distance]').hidden"
    assert page.evaluate(hidden)
    page.evaluate("boidsgen.seek(3)")
    page.get_by_text("Predator", exact=True).click()
    page.mouse.click(*_in_picture(page, 0.1, 0.1))
    page.evaluate("boidsgen.seek(5)")
    assert not page.evaluate(hidden)
    assert page.evaluate("boidsgen.measure('predator_distance')") > 0


def test_a_lesson_shows_a_step_and_its_numbers_are_sliders_of_the_keyboard(opened):
    """The run before a change stays in the chart, from the same start, and its flock as ghosts."""
    words = "**Cohesion** {flock.cohesion.weight:.2f} <b>of</b> {neighbors:.1f}"
    step = {"do": "Switch it off.", "until": "not flock.cohesion.weight > 0", "hint": "Press the switch."}
    acts = {"show": ({"at": 5, "key": "flock.cohesion.weight", "value": 0.0},)}
    page = opened("quickstart", {"page.words": words, "page.try": ({**step, **acts},)})
    page.evaluate("boidsgen.seek(40)")
    number = page.locator("#told").get_by_role("slider", name="boids: cohesion weight")
    number.press("ArrowLeft")
    assert page.evaluate("boidsgen.get('flock.0.cohesion.weight')") == pytest.approx(0.95)
    page.locator("#told b", has_text="0.95").wait_for()
    box = number.bounding_box()
    page.mouse.move(box["x"] + 4, box["y"] + 4)
    page.mouse.down()
    page.mouse.move(box["x"] + 24, box["y"] + 4)
    page.mouse.up()
    assert page.evaluate("boidsgen.get('flock.0.cohesion.weight')") == pytest.approx(1.2)
    assert "<b>of</b>" in page.locator("#told").inner_text()
    page.get_by_label("Ghosts of the previous run").check()
    page.evaluate("boidsgen.seek(60)")
    untouched = next(state for state in simulate(load_scenario("quickstart")) if state.frame == 60)
    known = measure(untouched, ["polarization"])["polarization"]
    assert page.locator("#chart").get_attribute("aria-label").endswith(f"before {known:.2f}")
    page.get_by_label("Ghosts of the previous run").uncheck()
    page.get_by_role("button", name="Show me").click()
    until(page, "boidsgen.steps()[0].done")
    page.evaluate("boidsgen.seek(30)")
    assert {event.at for event in load_scenario(page.evaluate("boidsgen.toml()")).events} == {5}
    assert page.locator("#chart").get_by_text("before").is_visible()
    plain = _canvas(page, 30)
    page.get_by_label("Ghosts of the previous run").check()

    assert (_canvas(page, 30) != plain).any()


def test_a_change_after_restart_begins_another_run(opened):
    """Played again, the changes of the run before happen again; with a change in frame 0 they are forgotten."""
    page = opened("quickstart")
    weight = "boidsgen.get('flock.0.cohesion.weight')"
    for frame in (1, 9):
        page.evaluate(f"boidsgen.seek({frame}); boidsgen.set('flock.0.cohesion.weight', {frame + 1})")
    page.get_by_role("button", name="Restart").click()
    page.evaluate("boidsgen.seek(12)")
    assert page.evaluate(weight) == 10
    page.get_by_role("button", name="Restart").click()
    page.locator("#rules").get_by_label("boids: rule alignment").uncheck()
    page.evaluate("boidsgen.seek(12)")

    assert page.evaluate(weight) == 1
    assert {*load_scenario(page.evaluate("boidsgen.toml()")).events[0].set} == {"flock.0.alignment.weight"}


def test_all_pictures_of_a_comparison_and_its_curves_are_in_sight_also_on_a_phone(visited, tmp_path):
    """The measure has a unit, the page a question, and each rule the color of the picture that lacks it."""
    path = tmp_path / "rules.html"
    compare(comparison_of([find("quickstart")], [], ablated=True), path)
    page = visited(path)
    page.set_viewport_size({"width": 1440, "height": 900})
    figures = page.locator("figure")
    page.get_by_label("Measure", exact=True).select_option("nearest_neighbor_distance")
    until(page, "[...document.querySelectorAll('figcaption')].every(one => one.dataset.reading?.includes('.'))")
    assert page.locator("#value").text_content() == "world units"
    borders = figures.evaluate_all("all => all.map(one => getComputedStyle(one.lastElementChild).borderColor)")
    places = "all => all.map((one) => Object.values(one.getBoundingClientRect().toJSON()).slice(4))"
    for top, right, bottom, left in figures.evaluate_all(places):
        assert 0 <= left < right <= 1440
        assert 0 <= top < bottom <= 900
    panel, pill = (page.locator(one).bounding_box() for one in ("#panel", "#panel > summary"))
    assert panel["y"] <= pill["y"] < pill["y"] + pill["height"] <= panel["y"] + panel["height"] + 0.5
    assert page.locator("#panel").evaluate("(one) => one.scrollHeight <= one.clientHeight")
    buttons, chart = (page.locator(one).bounding_box() for one in ("#play", "#chart"))
    assert buttons["y"] + buttons["height"] <= chart["y"] + 1
    assert chart["width"] > 0.9 * 1440
    page.evaluate("boidsgen.seek(100)")
    counted = "[...document.querySelectorAll('#chart .now')].map((one) => one.getAttribute('d').split(/[ML]/).length)"
    until(page, f"{counted}.every((count) => count === 102)")
    assert page.title() == "Fifty boids"
    assert page.locator("#question").text_content() == "What does each rule do?"
    assert page.evaluate(CUT) == []
    colors = page.locator("#rules i").evaluate_all("all => all.map(({ title, style }) => [title, style.background])")
    own = figures.evaluate_all("all => all.map(one => one.style.getPropertyValue('--own'))")
    labels = figures.evaluate_all("all => all.map(one => one.querySelector('figcaption').title)")
    inks = {label: tuple(int(ink[at : at + 2], 16) for at in (1, 3, 5)) for label, ink in zip(labels, own, strict=True)}
    assert [(title, color) for title, color in colors] == [
        (label, f"rgb{inks[label]}") for label in ("no separation", "no alignment", "no cohesion")
    ]
    assert borders == [f"rgb{inks[label]}" for label in labels]
    assert "a dot" in page.locator("#rules > p").text_content()
    page.set_viewport_size({"width": 390, "height": 844})
    until(page, "new Set([...document.querySelectorAll('figure')].map((one) => one.offsetTop)).size === 2")
    seen = [*figures.evaluate_all(places), *page.locator("#play, #chart").evaluate_all(places)]
    assert all(0 <= left < right <= 390 and 0 <= top < bottom <= 844 for top, right, bottom, left in seen)
    assert {round(right - left) > 150 for _, right, _, left in figures.evaluate_all(places)} == {True}
    plot = "document.getElementById('chart').parentElement"
    until(page, f"parseFloat({plot}.style.getPropertyValue('--right')) < 20")  # names stand above pictures alone


def test_twelve_models_side_by_side_can_be_told_apart_and_take_at_most_two_megabytes(visited, tmp_path):
    """Titles are whole, pictures of one height fill the rows, and what pages have in common is stored once."""
    names = [*("netlogo", "mesa", "agents-jl", "mason", "opensteer", "nature-of-code"), "ben-eater", "lague", "rougier"]
    names += ["parker", "cucker-smale", "dorsogna"]
    path = tmp_path / "models.html"
    compare(comparison_of([find(name) for name in names], []), path)
    text = path.read_text("utf-8")

    assert len(text) <= 2_000_000
    assert text.count("@sheet@") >= len(names) - 1
    page = visited(path)
    places = "all => all.map((one) => Object.values(one.getBoundingClientRect().toJSON()).slice(4))"
    for width, height, rows in ((1440, 900, 2), (390, 844, 6)):
        page.set_viewport_size({"width": width, "height": height})
        until(page, f"new Set([...document.querySelectorAll('figure')].map((one) => one.offsetTop)).size >= {rows}")
        until(page, f"!({CUT})().length")  # the chart is drawn anew once every flock has its frame
        pictures = page.locator("figure > :last-child").evaluate_all(places)
        bottoms = {round(bottom) for _, _, bottom, _ in pictures}
        assert len(bottoms) == rows
        for bottom in bottoms:
            row = [(left, right, bottom - top) for top, right, end, left in pictures if round(end) == bottom]
            assert max(high for *_, high in row) - min(high for *_, high in row) < 3
            assert max(right for _, right, _ in row) - min(left for left, *_ in row) > 0.85 * (width - 80)
    marks = page.locator("figcaption").evaluate_all(
        "all => all.map((one) => [one.classList.contains('again'), one.parentElement.style.getPropertyValue('--own')])"
    )
    assert len({tuple(mark) for mark in marks}) == len(names)


def test_a_map_and_its_flock_have_one_theme_one_typeface_and_no_lesson(visited, tmp_path, monkeypatch):
    """The theme is that of the scenario, or the one that is asked for; the color bar says what a cell is."""
    monkeypatch.chdir(tmp_path)
    in_this_process(monkeypatch)
    vary = ["--vary", "flock.cohesion.weight=0,1", "--vary", "flock.alignment.weight=0,1"]
    assert run(["sweep", "quickstart", *vary, "--frames", "9", "--seeds", "2", "--measures-only", "-o", "runs"]) == 0
    look = "(({ backgroundColor, color }) => [backgroundColor, color])(getComputedStyle(%s))"
    grounds = []
    for number, options in enumerate(([], ["--theme", "paper"])):
        assert run(["plot", "runs", "-o", f"map{number}.html", *options]) == 0
        page = visited(tmp_path / f"map{number}.html")
        frame = page.locator("#stage iframe").element_handle().content_frame()
        until(frame, "window.boidsgen")
        grounds.append(page.evaluate(look % "document.body"))
        assert grounds[-1] == frame.evaluate(look % "document.documentElement")
        assert page.evaluate("document.fonts.check('1em Outer') && document.fonts.size") == 1
        assert frame.evaluate("document.documentElement.classList.contains('asking')") is False
        assert page.locator("h1").inner_text() == "Polarization"
        assert page.locator("#of").text_content() == "average over all frames of 2 runs"
        assert page.evaluate(CUT) == []
        ticks = [float(text) for text in page.locator("#bar text:not(#of)").all_text_contents()]
        cells = [float(text) for text in page.locator("#map .value").all_text_contents()]
        assert len(ticks) >= 2
        assert min(cells) - 0.01 <= ticks[0] < ticks[-1] <= max(cells) + 0.01
    assert grounds[0] != grounds[1]


def test_a_map_of_one_run_each_says_its_value_alone(visited, tmp_path, monkeypatch):
    """Without a mean, and without a spread that a single run does not have."""
    monkeypatch.chdir(tmp_path)
    in_this_process(monkeypatch)
    vary = ["--vary", "flock.cohesion.weight=0,1", "--vary", "flock.alignment.weight=0,1"]
    assert run(["sweep", "quickstart", *vary, "--frames", "9", "--seeds", "1", "--measures-only", "-o", "runs"]) == 0
    assert run(["plot", "runs", "-o", "map.html"]) == 0
    page = visited(tmp_path / "map.html")

    assert page.locator("#of").text_content() == "average over all frames of one run"
    assert re.fullmatch(r"cohesion weight 1, alignment weight 1: 0\.\d+", page.locator("#found").inner_text())


def test_a_map_runs_the_point_that_is_clicked(visited, tmp_path, monkeypatch):
    """Of a run or between runs: its states, and those of its saved scenario, are those of the point."""
    monkeypatch.chdir(tmp_path)
    in_this_process(monkeypatch)
    keys = ("flock.cohesion.weight", "flock.perception.radius")
    vary = ["--vary", f"{keys[0]}=0,1,2", "--vary", f"{keys[1]}=30,60"]
    assert run(["sweep", "quickstart", *vary, "--frames", "20", "--seeds", "2", "--measures-only", "-o", "runs"]) == 0
    assert run(["plot", "runs", "-o", "map.html"]) == 0
    page = visited(tmp_path / "map.html")
    box = page.locator("#map").bounding_box()
    scale = box["width"] / 560

    for across, up, found in ((0.5, 0.75, "(mean and standard error)"), (0.68, 0.4, "between runs with 0.")):
        page.mouse.click(box["x"] + (70 + 480 * across) * scale, box["y"] + 400 * (1 - up) * scale)
        frame = page.locator("#stage iframe").element_handle().content_frame()
        until(frame, "window.boidsgen")
        frame.evaluate("boidsgen.seek(15)")
        values = [float(text) for text in page.locator("label output").all_inner_texts()]
        assert found in page.locator("#found").inner_text()
        where = page.locator("#found").inner_text().partition(":")[0]
        assert page.evaluate("(text) => document.querySelector('iframe').srcdoc.includes(text)", where)
        shown = page.locator("#run", has_text="The run shown, over the same frames: ")
        shown.wait_for()
        run_of = load_scenario("quickstart", {**dict(zip(keys, values, strict=True)), "time.frames": 20})
        whole = [measure(state, ["polarization"])["polarization"] for state in simulate(run_of)]
        assert float(shown.inner_text().rpartition(" ")[2]) == pytest.approx(sum(whole) / 20, abs=0.006)
        ring = page.locator("#dot").bounding_box()
        if "with" not in found:  # around its number
            assert ring["width"] >= 480 * scale / 3
        else:
            assert ring["width"] < 25
        (flock, *_), text = frame.evaluate("boidsgen.state()"), frame.evaluate("boidsgen.toml()")
        for scenario in (load_scenario("quickstart", dict(zip(keys, values, strict=True))), load_scenario(text)):
            assert flock["position"] == state_at(scenario, 15).flocks[0].position.ravel().tolist()
    assert values[0] not in {0, 1, 2}
    assert values[1] not in {30, 60}


def test_a_hint_comes_after_half_a_minute_of_playing(opened):
    step = {"do": "Wait.", "until": "groups < 0", "hint": "Think of *cohesion*."}
    page = opened("quickstart", {"page.try": (step,)}, clock=True)
    page.get_by_role("button", name="Play").click()
    for seconds in (29, 3):
        assert page.get_by_text("Think of").is_hidden()
        for _ in range(4 * seconds):  # at so few pictures a second as a page catches up with
            page.clock.fast_forward(250)

    assert page.get_by_text("Think of").is_visible()
