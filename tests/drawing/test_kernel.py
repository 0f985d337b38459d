"""Drawing by the kernel and by numpy: to the last bit the same."""

from itertools import islice

import numpy as np
import pytest

from boidsgen import load_scenario
from boidsgen.drawing import animals, backgrounds, canvas, frame, glow, lit, shapes
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
        return np.concatenate([part.reshape(-1) for part in (found.ground().light, found.codes(), found.tones)])

    for size in SIZES.values():
        with numpy_alone():
            alone = ground(size)
        with monkeypatch.context() as patched:
            kernel = library.load(library.FOLDER)
            patched.setattr(library, "_entry", library._entry.__wrapped__)
            patched.setattr(library, "entry", lambda name, kernel=kernel: getattr(kernel.library, f"{name}_{lanes}"))
            np.testing.assert_array_equal(ground(size), alone)


def sparse(random, most, shape, kind=np.uint8, share=0.15):
    """Numbers below a limit here and there in an array of zeros."""
    return (random.integers(0, most, shape) * (random.random(shape) < share)).astype(kind)


@pytest.mark.parametrize("lanes", library.load(library.FOLDER).available if not library.missing() else ())
@pytest.mark.parametrize("ground", ["bright", "painted", "between columns"])
@pytest.mark.parametrize(
    ("hues", "glows", "deep"), [(1, 1, False), (1, 9, False), (5, 1, False), (5, 9, False), (5, 1, True), (5, 9, True)]
)
def test_full_color(monkeypatch, lanes, ground, hues, glows, deep):
    """Animals, light, overlays, bodies and water, all where they may not be expected, in every number of lanes."""
    random, (rows, columns, margin), levels, tones, shore = np.random.default_rng(11), (37, 59, 4), 14, 7, 24
    around, step, first = (rows + 2 * margin, columns + 2 * margin), levels * hues * glows, tones
    thick, hue = sparse(random, 5000, around, np.uint64), random.integers(0, hues, around).astype(np.uint64)
    sums = (thick * (np.uint64(1 << glow.HUE_BITS) + hue)).reshape(-1)
    fronts = (hue.astype(np.uint16) | sparse(random, 2, around, np.uint16) << np.uint16(15)).reshape(-1) * deep
    touched = np.zeros((sums.size >> glow.TILE) + 1, np.uint8)
    touched[(sums | fronts).nonzero()[0] >> glow.TILE] = 1
    inks = sparse(random, 256, sums.shape)
    drawn = lit.Covering(
        sums,
        fronts if deep else np.zeros(0, np.uint16),
        touched,
        np.minimum(np.arange(4096) // 40, 8 * (levels - 1)).astype(np.uint8),
        sparse(random, 60, around),
        sparse(random, 60, (rows, columns)),
        inks,
        np.where(random.random(sums.shape) < 0.5, inks, np.uint8(0)),
        sparse(random, 2, sums.shape, np.uint16, 0.5),
        random.integers(0, lit.COARSE_TONES, tones + 3),
        random.integers(0, shore, (rows - shore) * (hues == 1)).astype(np.int32),
        (np.arange(256) // 9).astype(np.uint8),
    )
    layers = random.integers(0, 1 << 16, (step + lit.COARSE_TONES * canvas.OVERLAY_CODES, 4)).astype(np.int32)
    layers[: hues * glows : glows] = 0, 0, 0, lit.UNHIDDEN  # nothing is no more than its hue
    painted = random.integers(0, 1 << 16, (256, 3) if ground == "bright" else (rows, columns + 9, 3)).astype(np.uint16)
    bright = random.integers(0, 256, (rows, columns) if ground == "bright" else (0, 0)).astype(np.uint8)
    below = backgrounds.Ground(bright, painted, 5, 0 if ground == "painted" else 13, columns + 9)
    bodies = lit.Bodies(sparse(random, 4, (rows, columns)), random.integers(0, 1 << 16, (3, 3)).astype(np.uint16))
    empty = (random.integers(0, first, (rows, columns)) * step).astype(np.uint16)
    empty[bodies.shade > 0] = (first + bodies.shade[bodies.shade > 0] - 1) * np.uint16(step)
    form = lit.Form(columns, margin, hues, glows, step, 8 * (glows - 1), shore if hues == 1 else rows)
    dither = frame.fine_numbers(), 255 - frame.grain((frame.SIDE, frame.SIDE), 256)

    def picture():
        found, known = np.zeros((rows, columns, 3), np.uint8), np.zeros((8 * glows, 256, 4), np.uint16)
        for _ in "12":  # the second time with what is known from the first
            scratch = (
                np.zeros((rows, columns), np.uint8),
                np.zeros(4 * columns, np.uint8),
                known[: 8 * glows * bright.size * (hues > 1)],
            )
            lit.paint_ground(found, below, bodies, *dither, columns)
            lit.compose(found, scratch, below, bodies, empty, drawn, form, layers, *dither)
        return found

    with numpy_alone():
        alone = picture()
    with monkeypatch.context() as patched:
        kernel = library.load(library.FOLDER)
        patched.setattr(library, "_entry", library._entry.__wrapped__)
        patched.setattr(library, "entry", lambda name: getattr(kernel.library, f"{name}_{lanes}"))
        np.testing.assert_array_equal(picture(), alone)


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
    every, kind = shapes.PER_KIND, np.arange(shapes.PER_KIND)
    mixed = np.random.default_rng(7).permutation(np.concatenate([number * every + kind for number in (5, 2, 17)]))

    def tables(parts):
        made = table(shape(), length, 1.4, 1000, shapes.variety_of(shape()))
        for new in np.array_split(mixed, parts):
            made.draw(new)
        return np.concatenate([part.astype(np.int64) for part in made.table])

    np.testing.assert_array_equal(*both(tables, 1))
    np.testing.assert_array_equal(tables(1), tables(7))


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
