"""Drawing by the kernel and by numpy: to the last bit the same."""

from itertools import islice

import numpy as np
import pytest

from boidsgen import load_scenario
from boidsgen.drawing import animals, canvas, glow, shapes
from boidsgen.drawing.renderer import Renderer
from boidsgen.drawing.shapes import FEW, SHAPES, Sprites
from boidsgen.kernel import library
from boidsgen.output import pictures as pictures_of
from boidsgen.output import video
from boidsgen.scenario.sources import presets
from boidsgen.simulation.run import simulate
from tests.drawing.drawables import drawable
from tests.fallback import numpy_alone

pytestmark = pytest.mark.skipif(bool(library.missing()), reason="there is no kernel")

NAMES = [preset.name for preset in presets()]
OTHER = {False: "deep", True: "paper"}  # Theme to draw, by whether the preset's own is lit
SIZES = {"16:9": (256, 144), "odd": (163, 97), "tall": (90, 160), "wide": (334, 62)}

DEEP = {"world": {"size": (100.0, 80.0, 60.0)}}
BALL = {"kind": "circle", "center": (50.0, 40.0, 30.0), "radius": 22.0, "solid": False}
BODIES = DEEP | {"obstacles": (BALL,)}
LOOKS = {
    "flat": ({}, {"style": {"trails": 6}}),
    "flat, camera turning": (DEEP, {"style": {"trails": 6}, "camera": {"orbit": 3.0}}),
    "flat, among bodies": (BODIES, {"style": {"trails": 6}}),
    "deep, among bodies": (BODIES, {"style": {"theme": "deep", "color_by": "heading", "trails": 5}}),
    "deep, among bodies, camera turning": (BODIES, {"style": {"theme": "deep", "trails": 5}, "camera": {"orbit": 3.0}}),
    "dusk": (DEEP, {"style": {"theme": "dusk", "shape": "bird"}, "camera": {"follow": "flock"}}),
    "dusk, nearest hue": (DEEP, {"style": {"theme": "dusk", "color_by": "heading"}}),
    "deep, one hue": (DEEP, {"style": {"theme": "deep", "trails": 5}}),
    "deep, hues mixed": (DEEP, {"style": {"theme": "deep", "color_by": "speed", "trails": 5}}),
    "deep, nearest hue": (DEEP, {"style": {"theme": "deep", "color_by": "heading", "trails": 5}}),
    "reef": (DEEP, {"style": {"theme": "reef"}}),
    "reef, among bodies": (BODIES, {"style": {"theme": "reef", "color_by": "heading"}}),
    "dusk, camera turning": (DEEP, {"style": {"theme": "dusk"}, "camera": {"orbit": 3.0}}),
    "deep, camera turning": (DEEP, {"style": {"theme": "deep", "trails": 5}, "camera": {"orbit": 3.0}}),
}
KNOT = {"kind": "trefoil", "mode": "position", "scale": 30.0, "period": 40.0, "phase": 120.0}


@pytest.fixture
def both():
    """What a function returns by numpy alone, and by the kernel."""

    def run(function, *arguments):
        with numpy_alone():
            alone = function(*arguments)
        return alone, function(*arguments)

    return run


def pictures(scenario, size, states):
    """The frames of some states, in full color too, and their planes where the size allows them, one array each."""
    draw, found = Renderer(scenario, size), []
    planes = None if any(side % 2 for side in size) else video.Yuv420(size, transparent=scenario.style.transparent)
    for state in states:
        frame = draw(state)
        colors = [frame.full().reshape(-1)] if frame.full else []
        found.append(np.concatenate([frame.index.reshape(-1), *colors, planes.of(frame).reshape(-1) if planes else []]))
    return found


@pytest.mark.parametrize(
    ("name", "lit"),
    [
        # In CI every sixth preset in its theme and every twelfth in another; test_every_look has all kinds of pictures
        pytest.param(name, lit, marks=() if number % (12 if lit else 6) == 1 else pytest.mark.slow)
        for number, name in enumerate(NAMES)
        for lit in (False, True)
    ],
)
def test_every_preset(both, name, lit):
    """The first frames of every preset, in its theme and in one of the other look."""
    given = {"time.warmup": 0}
    if lit:
        given["style.theme"] = OTHER[load_scenario(name).style.colors.light is not None]
    scenario = load_scenario(name)
    size = tuple(2 * round(80 * side / min(scenario.picture_size)) for side in scenario.picture_size)
    scenario = load_scenario(name, {**given, "output.size": size})
    states = list(islice(simulate(scenario), 4))

    np.testing.assert_array_equal(*both(pictures, scenario, size, states))


@pytest.mark.parametrize(
    ("look", "size"),
    [
        # In CI every kind of picture in one kind of size
        pytest.param(look, size, marks=() if (number + at) % 4 == 0 else pytest.mark.slow, id=f"{look}-{kind}")
        for number, look in enumerate(LOOKS)
        for at, (kind, size) in enumerate(SIZES.items())
    ],
)
def test_every_look(both, setup, look, size):
    """Every kind of picture, frame by frame, in every kind of size."""
    tables, style = LOOKS[look]
    made = setup(**tables, flock=({"count": 90},), predators=({"count": 3, "path": KNOT},), time={"frames": 9})
    scenario, states = drawable(made, {**style, "overlay": {"paths": True}}), list(simulate(made, "numpy"))

    np.testing.assert_array_equal(*both(pictures, scenario, size, states))


GROUNDS = {
    "reef from aside": (DEEP, {"style": {"theme": "reef"}}),
    "reef from low": (DEEP, {"style": {"theme": "reef"}, "camera": {"elevation": 2.0}}),
    "reef from above": ({}, {"style": {"theme": "reef"}}),
    "marsh": ({}, {"style": {"theme": "dusk"}}),
    "marsh to the right": (DEEP, {"style": {"theme": "dusk"}, "camera": {"orbit": 9.0}}),
    "marsh to the left": (DEEP, {"style": {"theme": "dusk"}, "camera": {"orbit": -9.0}}),
}


@pytest.mark.parametrize("lanes", library.load(library.FOLDER).available if not library.missing() else ())
@pytest.mark.parametrize("look", GROUNDS)
def test_every_ground(setup, monkeypatch, look, lanes):
    """What is painted once, in every number of lanes, in pictures that are wider and narrower than those."""
    tables, style = GROUNDS[look]
    scenario = drawable(setup(**tables, time={"frames": 30}), style)

    def ground(size):
        found = Renderer(scenario, size).painter.background
        return np.concatenate([part.reshape(-1) for part in (found.light(), found.codes(), found.tones)])

    for size in SIZES.values():
        with numpy_alone():
            alone = ground(size)
        with monkeypatch.context() as patched:
            kernel = library.load(library.FOLDER)
            patched.setattr(library, "_entry", library._entry.__wrapped__)
            patched.setattr(library, "entry", lambda name, kernel=kernel: getattr(kernel.library, f"{name}_{lanes}"))
            np.testing.assert_array_equal(ground(size), alone)


@pytest.mark.parametrize("width", [0.4, 1.0, 7.5, np.array([0.8, 3.0, 12.0])], ids=["thin", "1", "thick", "each"])
def test_strokes(both, width):
    """Lines of all directions and lengths, and points."""
    random = np.random.default_rng(3)
    start, end = random.uniform(20, 80, (2, 3, 2))
    end[1], end[2, 0] = start[1], start[2, 0]

    def pixels(*lines):
        trace = shapes.strokes(*lines)
        return np.stack(trace)[:, np.lexsort(trace)]

    np.testing.assert_array_equal(*both(pixels, start, end, width, 100, 0))


@pytest.mark.parametrize("most", [8, 256])
@pytest.mark.parametrize("shape", [(3, 7), (9, 41)])
def test_little_light(both, shape, most):
    """Light here and there and a cloud over a part of it, with a grain that alone makes no level, or does."""
    random, (rows, columns) = np.random.default_rng(7), shape
    drawn = random.integers(0, 60, (rows + 4, columns + 4)) * (random.random((rows + 4, columns + 4)) < 0.1)
    cloud = random.integers(0, 60, (rows - 2, columns - 3)) * (random.random((rows - 2, columns - 3)) < 0.1)
    planes = drawn.astype(np.uint8), cloud.astype(np.uint8), random.integers(0, most, shape).astype(np.uint8)

    def lit():
        codes = np.full(shape, 500, np.uint16)
        glow.add_glow(codes, *planes, (1, 2, columns - 3), columns, 2, 100)
        return codes

    np.testing.assert_array_equal(*both(lit))


@pytest.mark.parametrize("colors", [1, 2, 60, 256])
@pytest.mark.parametrize("shape", [(1, 1), (1, 2), (61, 63), (120, 170)])
def test_packed(both, shape, colors):
    """The image data of a GIF as Pillow's encoder makes them: of noise, and of little on a plain ground."""
    random = np.random.default_rng(4)
    noise, little = random.integers(0, colors, shape), random.random(shape) < 0.04

    def packed(pixels):
        found = np.zeros(2 * pixels.size + 16, np.uint8)
        return found[: pictures_of.pack(found, pixels, np.empty(8192, np.uint32))]

    for pixels in (noise, noise * little):
        np.testing.assert_array_equal(*both(packed, pixels.astype(np.uint8)))


class Rake(shapes.Shape):
    """Blocks on a hair, which is too thin to be seen."""

    def outline(self):
        """Blocks side by side."""
        hair = [(0.5, 1e-4), (-0.5, 1e-4)]
        blocks = [
            corner for x in (-0.4, -0.1, 0.3) for corner in ((x, 0), (x, -0.06), (x + 0.05, -0.06), (x + 0.05, 0))
        ]
        return np.array([*hair, (-0.5, 0), *blocks, (0.5, 0)], float)


@pytest.mark.parametrize("length", [0.4, 7.3, 31.0])
@pytest.mark.parametrize("shape", [*map(SHAPES.__getitem__, ("bird", "fish", "dot")), Rake])
@pytest.mark.parametrize("table", [Sprites, shapes.QuickSprites])
def test_sprites(both, table, shape, length):
    """All sprites of some kinds, whether they are drawn together or one after the other."""

    def tables(*several):
        made = table(shape(), length, 1.4, 1000, shapes.variety_of(shape()))
        for kinds in several:
            made.draw(kinds)
        return np.concatenate([part.astype(np.int64) for part in made.table])

    np.testing.assert_array_equal(*both(tables, [5, 2, 17]))
    np.testing.assert_array_equal(tables([5], [2], [17]), tables([5, 2, 17]))


@pytest.mark.parametrize("half", [1, 2, 3, 4, 6, 13])
@pytest.mark.parametrize("size", [(7, 5), (8, 1), (1, 4), (1, 1)])
def test_enlarged(both, size, half):
    """Pillow's picture, at every scale, with and without a part of the last cells."""
    columns, rows = size
    coarse = np.random.default_rng(5).integers(0, 256, (rows, columns)).astype(np.uint8)
    for cut in (0, 1):
        pixels = 2 * half * columns - cut, 2 * half * rows - cut
        np.testing.assert_array_equal(*both(glow.enlarged, coarse, pixels, 2 * half))


@pytest.mark.parametrize("reach", [0, 1, 2, 3, 5])
def test_blurred(both, reach):
    """Every reach, also where it is more than there are cells."""

    def blurred(rows, columns):
        cells = np.random.default_rng(6).integers(0, 1 << 40, rows * columns)
        glow.blur(cells, np.empty_like(cells), columns, reach)
        return cells

    for shape in ((9, 14), (1, 3), (2, 1)):
        np.testing.assert_array_equal(*both(blurred, *shape))


def test_nearest_in_front():
    """Who is within reach of others and nearer than all of these, as one by one."""
    random = np.random.default_rng(8)
    xy, depth = random.uniform(0, 40, (60, 2)), random.uniform(0, 1, 60)
    seen = [animals.Seen(xy[part], depth[part], depth[part], depth[part] > 0) for part in (slice(50), slice(50, 60))]
    placed = [shapes.Placed(np.arange(len(one.xy)), one.xy, *[one.depth] * 3) for one in seen]
    found = animals.in_front(placed[0], seen[0], [(placed[1], seen[1])], 9.0)
    close = [[number for number in range(50, 60) if (abs(xy[number] - place) < 9.0).all()] for place in xy[:50]]

    assert found.tolist() == [n for n, near in enumerate(close) if near and all(depth[n] < depth[b] for b in near)]


def test_indices_outside_write_nothing():
    """Whatever the data, the kernel stays inside its arrays."""
    codes, ladder = np.zeros(64, np.uint8), np.full(512, 9, np.uint8)
    far = np.array([-1, 64, 1 << 40, -(1 << 62), 5])
    some, one = np.zeros(5, np.intp), np.full(5, 255, np.uint8)
    canvas.draw_trace(codes, some, far, one, np.zeros(1, np.intp), ladder)
    canvas.draw_trace(codes, far, some, one, np.array([1 << 50]), ladder)

    assert codes.nonzero()[0].tolist() == [5]


def test_an_array_of_another_layout_is_refused():
    """What the kernel writes to is never a copy."""
    bird = Sprites(SHAPES["bird"](), 8.0, 1.0, 20, FEW)
    with pytest.raises(TypeError, match="draw_sprites cannot write"):
        canvas.draw_sprites(np.zeros(40, np.uint8)[::2], *bird.table, *np.zeros((3, 0), np.intp), bird.table.coverage)
