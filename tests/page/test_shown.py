"""What a page shows after any change, against what Python shows of the exported scenario."""

import re
from collections import Counter
from functools import cache
from itertools import islice

import numpy as np
import pytest

from boidsgen import load_scenario, simulate
from boidsgen.drawing.animals import FlatPainter
from boidsgen.drawing.canvas import Canvas, Foreground
from boidsgen.drawing.overlays.readings import WHOLE_NUMBER_UNITS, measure_text
from boidsgen.drawing.renderer import Renderer
from boidsgen.drawing.vector import VectorCanvas
from boidsgen.scenario.sources import presets
from boidsgen.simulation.measures import measure, unit_of
from boidsgen.simulation.profiles import KERNEL_MEASURES
from boidsgen.tables import value_at
from boidsgen.webpage.document import numbered
from boidsgen.webpage.look import without_panels
from boidsgen.webpage.writer import page_data, page_text
from tests.page.browsers import launched, node, until
from tests.page.test_browser import _canvas

PRESETS = [preset.name for preset in presets()]
SLOW = pytest.mark.slow
LAST = 30  # Frame of a session; events of the scenario come earlier, too
ACTIONS = 12
CROWDS = {"murmuration-30000"}  # Steps take a second each
SEEN_IN_CI = {"concept-cohesion", "numpy-speed-colors", "trap-edges"}
SHORT = {"concept-cohesion", "food-chain", "numpy-speed-colors", "p5-never-reset", "species", "trap-edges"}


def sessions(name, number):
    """How many sessions of a preset there are, slow ones too."""
    marks = [] if name in SHORT and number < 1 else [pytest.mark.slow]
    return pytest.param(name, number, marks=marks, id=f"{name}-{number}")


def begun(name):
    """The scenario of a preset without warm-up, with its events early."""
    scenario = load_scenario(name, {"time.warmup": 0})
    part = LAST / max(scenario.time.frames, LAST + 1)
    events = [
        one.model_copy(update={"at": int(one.at * part), "over": int(one.over * part)}) for one in scenario.events
    ]
    return scenario.model_copy(update={"events": (*events,)})


@pytest.fixture(scope="module")
def page_of():
    """A function that gives the data of a preset's page, and what its ground has in letters."""

    @cache
    def data_of(name):
        with pytest.MonkeyPatch.context() as patched:
            words = heard(patched)
            data, _ = page_data(begun(name), seeds=1)
        return data, words

    return data_of


@pytest.fixture(scope="module")
def shown():
    """A function that gives what Node makes of a job, as `shown.mjs` says."""
    with node("shown") as answer:
        yield answer


def heard(patched):
    """The list to which all that is written into a picture of shapes is added from now on."""
    words, write = [], VectorCanvas.write
    assert write is not Canvas.write

    def hearing(self, text, *others, **more):
        words.append(text)
        return write(self, text, *others, **more)

    patched.setattr(VectorCanvas, "write", hearing)
    return words


def single(words):
    """Words by themselves, wherever lines end: a longer legend leaves less room."""
    return Counter(" ".join(words).split())


def drawn_actions(data, scenario, chance):
    """Sliders, switches and clicks at some frames, as they can be made on a page."""
    lesson = data["lesson"] or {"controls": []}
    controls = [*data["controls"], *lesson["controls"]]
    size = np.array(scenario.world.size)
    made = []
    for at in sorted(chance.integers(1, LAST, ACTIONS).tolist()):
        kind = chance.random()
        if kind < 0.15 and data["tools"]:
            tool = data["tools"][str(chance.choice([*data["tools"]]))]
            made += [[at, tool["place"], chance.uniform(0, size).tolist()], *([at, *one] for one in tool["there"])]
        elif controls:
            one = controls[chance.integers(len(controls))]
            steps = int((one["high"] - one["low"]) / one["step"] + 1e-9)
            value = one["low"] + one["step"] * int(chance.integers(0, steps + 1))
            off = one["key"].endswith(".weight") and kind < 0.4
            made.append([at, one["key"], 0 if off else float(f"{value:.9g}")])
            if one["step"] == 1:
                made[-1][2] = int(made[-1][2])
    return made


def shown_by_python(scenario, frames, ground):
    """What Python shows of a scenario in some frames: measures, words besides those of the ground, and colors."""
    plain = without_panels(scenario)
    layers = [layer for layer in plain.layers if isinstance(layer, Foreground) and not layer.in_world]
    draw, found = Renderer(plain, plain.picture_size, VectorCanvas, layers, FlatPainter), []
    for state in simulate(scenario, engine="auto"):
        draw.note(state)
        if state.frame in frames:
            scene = draw._scene(state)
            with pytest.MonkeyPatch.context() as patched:
                words = heard(patched)
                draw.painter.canvas.begin()
                for layer in layers:
                    layer.draw(*draw.painter.surface(layer, scene), state)
            colors = [
                plain.coloring.pick(state, number, scene.projection(group.position)).tolist()
                for number, group in enumerate(state.flocks)
            ]
            values = dict.fromkeys(KERNEL_MEASURES) | measure(state, KERNEL_MEASURES)
            read = ["-" if values[name] is None else measure_text(name, values[name]) for name in KERNEL_MEASURES]
            found.append({"values": values, "read": read, "words": single(words) - ground, "colors": colors})
        if state.frame == max(frames):
            return found
    raise AssertionError("the scenario is shorter than the session")


HEARD = """
    window.written = [];
    const fill = CanvasRenderingContext2D.prototype.fillText;
    CanvasRenderingContext2D.prototype.fillText = function (text, ...others) {
        window.written.push(text);
        return fill.call(this, text, ...others);
    };
"""
SEEN = """(frame) => {
    const [choice, told] = [document.getElementById("measure"), {}];
    boidsgen.seek(frame);
    window.written = [];
    URL.createObjectURL = () => "#";
    document.getElementById("png").click();
    const words = [...window.written];
    const around = ["#caption", "#numbers li"].flatMap((one) => [...document.querySelectorAll(one)]);
    for (const { value: name } of choice.options) {
        choice.value = name;
        boidsgen.seek(frame);
        const label = document.getElementById("chart").ariaLabel;
        told[name] = [document.getElementById("value").value, label.split(" ").at(-1), boidsgen.measure(name)];
    }
    const sliders = [...document.querySelectorAll("#rules [type=range]")];
    return {
        words,
        around: around.map((one) => one.textContent),
        told,
        settings: sliders.map(({ name, nextElementSibling }) => [name, nextElementSibling.value]),
        sentence: [...document.querySelectorAll("#told b")].map((one) => one.textContent),
    };
}"""
MOVED = """([frame, key, value]) => {
    boidsgen.seek(frame);
    const slider = document.querySelector(`#rules [type=range][name="${key}"]`);
    slider.value = value;
    for (const kind of ["input", "change"]) slider.dispatchEvent(new Event(kind, { bubbles: true }));
}"""


@pytest.fixture(scope="module")
def chromium():
    """A function that opens a file in Chromium."""
    with launched("chromium") as browser:
        page = browser.new_page(reduced_motion="reduce", viewport={"width": 1400, "height": 1000})
        page.add_init_script(HEARD)

        def opened(path):
            page.set_viewport_size({"width": 1400, "height": 1000})
            page.goto(path.as_uri())
            until(page, "window.boidsgen")
            page.evaluate("boidsgen.pause()")
            page.evaluate("document.getElementById('settings').open = true")
            page.locator("#follow").fill("")
            page.locator("#follow").dispatch_event("change")
            return page

        yield opened


def as_slider(value):
    """A number as it stands beside a slider."""
    return "∞" if value == np.inf else f"{float(f'{value:.4g}'):.10g}"


def in_words(scenario, state, values):
    """The numbers of the sentence below the picture, by plain loops."""
    for braced in re.findall(r"\{([^}]*)\}", scenario.page.words or ""):
        name, _, form = braced.partition(":")
        value = values.get(name) if name in values else None
        if name == "neighbors":
            found = []
            for group, table in zip(state.flocks, state.setup.flock, strict=True):
                for place in group.position:
                    away = np.sqrt((state.setup.world.shortest(group.position - place) ** 2).sum(axis=1))
                    found.append(int((away < table.perception.radius).sum()) - 1)
            value = float(np.mean(found)) if found else None
        elif name not in values:
            value = value_at(state.setup, numbered(name).split("."))
        if value is None:
            yield "-"
        else:
            yield format(value, form) if form else f"{float(f'{value:.3g}'):.10g}"


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[] if name in SEEN_IN_CI else pytest.mark.slow)
        for name in PRESETS
        if name not in CROWDS
    ],
)
def test_the_page_itself_shows_what_python_shows(chromium, tmp_path, page_of, name):
    """Chart, sliders, sentence, words in and around the picture, and colors of a flat one, after sliders moved."""
    (data, ground), chance = page_of(name), np.random.default_rng(PRESETS.index(name))
    (tmp_path / "page.html").write_text(page_text(begun(name)), "utf-8")
    page = chromium(tmp_path / "page.html")
    keys = [one for one in data["controls"] if one["key"].endswith((".radius", "_speed", ".weight", ".count"))]
    for at in (3, 5, 8, 12):
        one = keys[chance.integers(len(keys))] if keys else None
        if one and not one["key"].endswith("min_speed"):
            page.evaluate(MOVED, [at, one["key"], float(chance.uniform(one["low"], one["high"]))])
    frames = [9, 15, 20]

    seen = [page.evaluate(SEEN, frame) for frame in frames]

    exported = load_scenario(page.evaluate("boidsgen.toml()"))
    states = {state.frame: state for state in islice(simulate(exported), frames[-1] + 1)}
    for frame, found, wanted in zip(frames, seen, shown_by_python(exported, frames, single(ground)), strict=True):
        state = states[frame]
        for number, measure_name in enumerate(KERNEL_MEASURES):
            read = wanted["read"][number]
            unit = unit_of(measure_name)  # what is counted is named by the measure
            told = read if unit in {"", *WHOLE_NUMBER_UNITS} else f"{read} {unit}", read, wanted["values"][measure_name]
            assert found["told"][measure_name] == [*told], (frame, measure_name)
        assert single(found["words"]) == wanted["words"], frame
        assert single(found["around"]) <= wanted["words"], frame
        for key, text in found["settings"]:
            assert text == as_slider(value_at(state.setup, key.split("."))), (frame, key)
        assert found["sentence"] == [*in_words(exported, state, wanted["values"])], frame
    if not data["look"]["lit"] and exported.world.dimension == 2:
        plain = without_panels(exported)
        picture = _canvas(page, frames[-1])
        draw = Renderer(plain, plain.picture_size)
        frame = [draw(state) for state in states.values()][-1]
        away = np.abs(picture - frame.palette[frame.index].astype(float))
        assert away.mean() < 4
        assert (away.max(axis=2) > 64).mean() < 0.08


@pytest.mark.parametrize(
    "shape",
    # In CI wings, a body that bends, and legs; bodies that are stiff are on most pages
    [
        *("bird", "fish", "fox"),
        *(pytest.param(one, marks=SLOW) for one in ("dart", "hawk", "mouse", "pigeon", "rabbit", "shark")),
    ],
)
def test_large_animals_are_the_same_on_a_page(chromium, tmp_path, shape):
    """Animals of 60 pixels differ in their rims alone; each tone covers as much."""
    large = {"style.shape": shape, "style.size": 60, "style.trails": 0, "flock.count": 9, "flock.max_force": 0}
    plain = {"title": "", "overlay.hud": False, "overlay.legend": False, "output.size": [960, 640], "time.warmup": 0}
    scenario = load_scenario("quickstart", {"style.theme": "paper", "style.color_by": "flock"} | large | plain)
    (tmp_path / "page.html").write_text(page_text(scenario), "utf-8")
    found = _canvas(chromium(tmp_path / "page.html"), 6)
    draw = Renderer(scenario, scenario.picture_size)
    frame = [draw(state) for state in islice(simulate(scenario), 7)][-1]
    wanted = frame.palette[frame.index].astype(float)
    tones = np.argsort(-np.bincount(frame.index.ravel(), minlength=len(frame.palette)))[1 : 2 if shape == "dart" else 3]

    assert np.abs(found - wanted).mean() < min(2, 0.3 * (255 - wanted).mean())
    for tone in tones:
        before, after = (
            (np.abs(picture - frame.palette[tone]).max(axis=2) < 4).mean() for picture in (wanted, found[..., :3])
        )
        assert after == pytest.approx(before, rel=0.15)


@pytest.mark.parametrize(
    ("name", "number"),
    [sessions(name, number) for name in PRESETS for number in range(20 if name not in CROWDS else 1)],
)
def test_a_session_shows_what_python_shows(shown, page_of, name, number):
    """Measures, numbers, legends and colors of every preset, after sliders, switches, clicks and events."""
    (data, words), scenario = page_of(name), begun(name)
    chance = np.random.default_rng([number, PRESETS.index(name)])
    actions = drawn_actions(data, scenario, chance)
    frames = sorted({int(chance.integers(0, 10)), int(chance.integers(10, LAST)), LAST})

    result = shown(
        data={key: data[key] for key in ("document", "look", "units", "text", "spare")}, actions=actions, shown=frames
    )

    exported = load_scenario(result["toml"])
    # Who came by a click has an entry in the legend of a clip alone.
    came = [table.name for table in exported.predators[len(scenario.predators) :] if exported.overlay.legend is True]
    expected = shown_by_python(exported, frames, single([*words, *came]))
    for frame, found, wanted in zip(frames, result["shown"], expected, strict=True):
        assert found["values"] == wanted["values"], frame
        assert found["read"] == wanted["read"], frame
        assert single(found["words"]) == wanted["words"], frame
        assert found["colors"] == wanted["colors"], frame
