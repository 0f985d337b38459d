"""What a page shows after any change, against what Python shows of the exported scenario."""

from collections import Counter
from functools import cache

import numpy as np
import pytest

from boidsgen import load_scenario, simulate
from boidsgen.drawing.canvas import Canvas
from boidsgen.drawing.overlays.readings import measure_text
from boidsgen.drawing.renderer import Renderer
from boidsgen.drawing.scene import Foreground
from boidsgen.drawing.vector import VectorCanvas, VectorPainter
from boidsgen.scenario.sources import presets
from boidsgen.simulation.measures import measure
from boidsgen.simulation.native_measures import NAMES
from boidsgen.webpage.look import without_panels
from boidsgen.webpage.writer import page_data
from tests.page.browsers import node

PRESETS = [preset.name for preset in presets()]
LAST = 30  # Frame of a session; events of the scenario come earlier, too
ACTIONS = 12
CROWDS = {"murmuration-30000"}  # Steps take a second each
SHORT = {"concept-cohesion", "food-chain", "numpy-speed-colors", "p5-never-reset", "species", "trap-edges"}


def sessions(name, number):
    """How many sessions of a preset there are, slow ones too."""
    marks = [] if name in SHORT and number < 2 else [pytest.mark.slow]
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
    draw, found = Renderer(plain, plain.picture_size, VectorPainter, layers), []
    for state in simulate(scenario, engine="auto"):
        draw.note(state)
        if state.frame in frames:
            scene = draw._scene(state)
            with pytest.MonkeyPatch.context() as patched:
                words = heard(patched)
                draw.painter.begin()
                for layer in layers:
                    canvas, seen = draw.painter.surface(layer, scene)
                    layer.draw(canvas, seen, state)
            colors = [
                plain.coloring.pick(state, number, scene.projection(group.position)).tolist()
                for number, group in enumerate(state.flocks)
            ]
            values = dict.fromkeys(NAMES) | measure(state, NAMES)
            read = ["-" if values[name] is None else measure_text(name, values[name]) for name in NAMES]
            found.append({"values": values, "read": read, "words": single(words) - ground, "colors": colors})
        if state.frame == max(frames):
            return found
    raise AssertionError("the scenario is shorter than the session")


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
