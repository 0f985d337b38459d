"""What is done pixel by pixel, by numpy and compiled: to the last bit the same."""

import numpy as np
import pytest

from boidsgen.drawing import Renderer, flat, lit, quickness
from boidsgen.drawing.animals import STEPS
from boidsgen.drawing.crowd import HUES as HUE_COUNT
from boidsgen.drawing.crowd import SHIFT, SIDE, Crowd, Development, FrontHues, Hues, MixedHues
from boidsgen.drawing.light import OVERLAYS
from boidsgen.drawing.pixels import FINE, Pixels
from boidsgen.drawing.projection import Projection
from boidsgen.drawing.soft import COARSE, UNIT, clouds
from boidsgen.drawing.strokes import Trace, alike, tapering
from boidsgen.simulation import ENGINES, simulate
from boidsgen.simulation.neighbors import unusable
from tests.drawing.drawables import drawable

pytestmark = pytest.mark.skipif(len(ENGINES) < 2, reason="numba is not installed")

DEEP = {"world": {"size": (100.0, 80.0, 60.0)}}
LOOKS = {
    "flat": ({}, {"style": {"trails": 6}}),
    "flat, camera turning": (DEEP, {"style": {"trails": 6}, "camera": {"orbit": 3.0}}),
    "dusk": (DEEP, {"style": {"theme": "dusk", "shape": "bird"}, "camera": {"follow": "flock"}}),
    "deep, one hue": (DEEP, {"style": {"theme": "deep", "trails": 5}}),
    "deep, hues mixed": (DEEP, {"style": {"theme": "deep", "color_by": "speed", "trails": 5}}),
    "deep, nearest hue": (DEEP, {"style": {"theme": "deep", "color_by": "heading", "trails": 5}}),
    "deep, camera turning": (DEEP, {"style": {"theme": "deep", "trails": 5}, "camera": {"orbit": 3.0}}),
}
KNOT = {"kind": "trefoil", "mode": "position", "scale": 30.0, "period": 40.0, "phase": 120.0}


@pytest.fixture(scope="module")
def compiled():
    """The compiled code of this process."""
    from boidsgen.drawing import compiled

    compiled.compile_all()
    return compiled


def pictures(monkeypatch, pixels, tables, look):
    for painter in (flat, lit):
        monkeypatch.setattr(painter, "best_pixels", lambda _: pixels)
    draw = Renderer(drawable(tables, look), (160, 90))
    return [draw(state).index for state in simulate(tables, "numpy")]


@pytest.mark.parametrize("look", LOOKS)
def test_pictures_are_the_same(monkeypatch, compiled, setup, look):
    """Every kind of picture, frame by frame."""
    tables, style = LOOKS[look]
    hunters = ({"count": 3, "path": KNOT},)
    made = setup(**tables, flock=({"count": 90},), predators=hunters, time={"frames": 9})
    style = {**style, "overlay": {"paths": True}}
    plain = pictures(monkeypatch, Pixels(), made, style)
    quick = pictures(monkeypatch, compiled.CompiledPixels(), made, style)

    np.testing.assert_array_equal(plain, quick)


@pytest.mark.parametrize("tapered", [False, True])
def test_lines_are_the_same(compiled, tapered):
    """Lines of all lengths and directions, points and upright ones among them, cover the same pixels equally."""
    generator = np.random.default_rng(5)
    start = generator.random((400, 2)) * 60
    end = start + generator.normal(size=(400, 2)) * generator.random((400, 1)) * 9
    end[:20], end[20:40, 0], end[40:60, 1] = start[:20], start[20:40, 0], start[40:60, 1]
    pens = tapering(0.4 + 4 * generator.random(400)) if tapered else alike(1.3)
    plain = Pixels().strokes(start, end, pens, 90, 15 * 91)
    quick = compiled.CompiledPixels().strokes(start, end, pens, 90, 15 * 91)

    assert len(plain.flat) > 1000
    for trace in (plain, quick):
        assert trace.coverage.min() > 0
    for one, other in zip(plain, quick, strict=True):
        assert one.dtype == other.dtype
    np.testing.assert_array_equal(*(np.array(trace)[:, np.lexsort(trace)] for trace in (plain, quick)))


@pytest.mark.parametrize("kind", [float, int])
def test_one_line_is_drawn(compiled, kind):
    """A single line, in whole pixels or not, is as good as many."""
    start, end = np.array([(3, 4)], kind), np.array([(20, 9)], kind)
    plain = Pixels().strokes(start, end, alike(1.2), 90, 15 * 91)
    quick = compiled.CompiledPixels().strokes(start, end, alike(1.2), 90, 15 * 91)

    np.testing.assert_array_equal(*(np.array(trace)[:, np.lexsort(trace)] for trace in (plain, quick)))


@pytest.mark.parametrize("hues", [Hues, FrontHues, MixedHues])
def test_hues_are_the_same(compiled, hues):
    """Whoever is seen in front, and however thick it is, every pixel has the same level and the same hue."""
    generator = np.random.default_rng(6)
    curve, grain = np.arange(200, dtype=np.uint8), generator.integers(0, FINE, (30, 40)).astype(np.uint8)
    seen = []
    for pixels in (Pixels(), compiled.CompiledPixels()):
        planes = pixels.crowding(hues())
        planes.begin((50, 60))
        sums = np.zeros((50, 60), hues.kind)
        levels = np.zeros((30, 40), np.uint8)
        chance = np.random.default_rng(7)
        strength = chance.integers(0, 256, 500).astype(np.uint16)
        fronts = chance.integers(0, 1 << 15, 500).astype(np.uint16)
        line, flat = np.sort(chance.integers(0, 500, 9000)), chance.integers(0, 3000, 9000)
        trace = Trace(line, flat, chance.integers(1, 256, 9000).astype(np.uint8))
        planes.trace(sums.reshape(-1), trace, strength, fronts)
        found = planes.develop(Development(sums, 10, np.s_[5:25, 2:38], curve, grain, levels))
        seen.append((sums, levels, np.zeros(0) if found is None else np.where(levels[5:25, 2:38] > 0, found, 0)))

    assert seen[0][1].any()
    for one, other in zip(*seen, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("hues", [Hues, FrontHues, MixedHues])
def test_a_crowd_is_added_and_cleared_alike(compiled, hues):
    """Picture after picture, with some in a margin and some cropped, the codes are the same."""
    size, margin = (150, 40), 20
    shape, stride = (size[1] + 2 * margin, size[0] + 2 * margin), size[0] + 2 * margin
    seen = []
    for pixels in (Pixels(), compiled.CompiledPixels()):
        chance = np.random.default_rng(12)
        crowd = Crowd(size, margin, np.arange(200, dtype=np.uint8), pixels.crowding(hues()))
        for count in (400, 30, 3):
            crowd.begin()
            line, flat = np.sort(chance.integers(0, 90, count)), chance.integers(0, shape[0] * stride, count)
            trace = Trace(line, flat, chance.integers(1, 256, count).astype(np.uint8))
            fronts = chance.integers(0, 1 << 15, 90).astype(np.uint16)
            crowd.trace(trace, chance.integers(0, 256, 90).astype(np.uint16), fronts)
            crowd.crop(np.array([(30.0, 5.0), (140.0, 38.0)]))
            codes = np.full(size[::-1], 7, np.uint16)
            crowd.add_to(codes, 16, 3)
            seen.append(codes)

    assert (seen[0] > 7).any()
    np.testing.assert_array_equal(seen[:3], seen[3:])


@pytest.mark.parametrize("count", [0, 1, 300])
def test_clouds_are_the_same(compiled, count):
    """However many there are, and wherever, also outside the picture, they make the same cloud."""
    generator = np.random.default_rng(13)
    place, weight = generator.normal(size=(count, 2)) * 200 + 90, generator.random(count) * 3
    for reach in (2, 4):
        plain, quick = (
            clouds(place, weight, (203, 150), reach=reach, gain=2.3, most=100, pixels=pixels)
            for pixels in (Pixels(), compiled.CompiledPixels())
        )
        assert plain.box == quick.box
        assert plain.plane.any() == (count > 1)
        np.testing.assert_array_equal(plain.plane, quick.plane)


def test_constants_are_the_same():
    """The kernels have those of the modules that define what they do."""
    from boidsgen.drawing import kernel, picture_kernel, soft_kernel

    assert (kernel.SHIFT, kernel.HUE + 1, kernel.SIDE, kernel.STEPS) == (SHIFT, HUE_COUNT, SIDE, STEPS)
    assert (picture_kernel.FINE, picture_kernel.HUE + 1, picture_kernel.SIDE) == (FINE, HUE_COUNT, SIDE)
    assert (soft_kernel.COARSE, soft_kernel.UNIT, picture_kernel.OVERLAYS) == (COARSE, UNIT, OVERLAYS)
    assert kernel.TILE == picture_kernel.TILE


def test_short_runs_do_not_wait_for_numba(setup):
    """What is drawn in a moment is drawn by numpy."""
    assert type(quickness.best_pixels(drawable(setup()))) is Pixels


def test_the_first_long_run_has_it_compiled(monkeypatch, compiled, setup):
    """Where nothing is kept another process is started, once, and numpy draws; where it is, compiled code does."""
    asked = []
    monkeypatch.setattr(quickness, "compile_beside", lambda *what: asked.append(what))
    long = drawable(setup(flock=({"count": 5000},), time={"frames": 5000}))

    assert type(quickness.best_pixels(long)) is compiled.CompiledPixels
    assert asked == []

    monkeypatch.setattr(compiled, "load_kept", lambda: False)
    monkeypatch.setattr(compiled, "can_keep", lambda: True)
    assert type(quickness.best_pixels(long)) is Pixels
    assert asked == [(quickness.PROGRAM, "drawing")]


@pytest.mark.parametrize(("frames", "worth"), [(5000, False), (500_000, True)])
def test_what_cannot_be_kept_is_compiled_for_long_runs_alone(monkeypatch, compiled, setup, frames, worth):
    """Where nothing can be kept, a run of minutes has it compiled for itself; no other process is started."""
    asked = []
    monkeypatch.setattr(quickness, "compile_beside", lambda *what: asked.append(what))
    monkeypatch.setattr(compiled, "load_kept", lambda: False)
    monkeypatch.setattr(compiled, "can_keep", lambda: False)
    found = quickness.best_pixels(drawable(setup(flock=({"count": 5000},), time={"frames": frames})))

    assert type(found) is (compiled.CompiledPixels if worth else Pixels)
    assert asked == []


@pytest.mark.usefixtures("compiled")
def test_what_cannot_be_used_is_left(monkeypatch, setup):
    """Damaged code is no reason to stop: numpy draws, and the reason is kept to be told."""

    def broken(_):
        raise unusable.UnusableEngineError("damaged")

    asked = []
    monkeypatch.setattr(unusable, "_reasons", {})
    monkeypatch.setattr(quickness, "compile_beside", lambda *what: asked.append(what))
    monkeypatch.setattr("boidsgen.simulation.neighbors.compiled.is_loaded", broken)
    long = drawable(setup(flock=({"count": 5000},), time={"frames": 5000}))

    assert type(quickness.best_pixels(long)) is Pixels
    assert unusable.given_up()
    assert asked == []


@pytest.mark.parametrize(
    "axes", [np.eye(3)[[0, 2, 1]], np.array([(0.8, 0.6, 0.0), (-0.36, 0.48, 0.8), (0.48, -0.64, 0.6)])]
)
def test_attitudes_are_the_same(compiled, axes):
    """Whoever flies straight up or at the viewer, turns, or stands still, is seen alike."""
    generator = np.random.default_rng(8)
    velocity = generator.normal(size=(3000, 3))
    before = velocity + 0.05 * generator.normal(size=(3000, 3))
    velocity[:9], velocity[9:200, :2], before[200:300] = 0.0, 0.0, velocity[200:300]
    velocity[300:400] = axes[2]
    plain = Pixels().attitudes(velocity, before, axes)
    quick = compiled.CompiledPixels().attitudes(velocity, before, axes)

    for one, other in zip(plain, quick, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("distance", [np.inf, 120.0])
def test_projections_are_the_same(compiled, dimension, distance):
    """Places before and behind the camera, near and far, are seen at the same pixels."""
    generator = np.random.default_rng(9)
    axes = np.array([(0.8, 0.6, 0.0), (-0.36, 0.48, 0.8), (0.48, -0.64, 0.6)])[:, :dimension]
    for reach in (0.0, 90.0):
        plain = Projection(
            axes, np.array((50.0, 40.0, 30.0))[:dimension], np.array((80.0, 45.0)), 1.7, distance, reach, np.zeros(2)
        )
        quick = compiled.CompiledPixels().projection(plain)
        point = generator.normal(size=(2000, dimension)) * 200
        for place in (point, point[::3], np.rint(point).astype(int), point[:0]):
            for one, other in zip(plain(place), quick(place), strict=True):
                assert one.dtype == other.dtype
                np.testing.assert_array_equal(one, other)
        flying = generator.normal(size=point.shape)
        flying[:50], flying[50:90, 0], flying[90:130, 1:] = 0.0, 0.0, 0.0
        seen = [made.heading(point, flying, made(point)) for made in (plain, quick)]
        np.testing.assert_array_equal(*seen)


@pytest.mark.parametrize("size", [(80, 56), (77, 51), (73, 50)])
def test_soft_pictures_are_the_same(compiled, size):
    """Squares are enlarged as Pillow does it, and cut off where the picture ends."""
    coarse = np.random.default_rng(10).integers(0, 256, (7, 10)).astype(np.uint8)

    np.testing.assert_array_equal(Pixels().enlarged(coarse, size), compiled.CompiledPixels().enlarged(coarse, size))
