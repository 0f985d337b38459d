"""Long exposures: the ink of paths adds up, crosses no world, is seen as in the last frame, and lies below the last."""

from math import floor

import numpy as np
import pytest
from PIL import Image

from boidsgen import load_scenario, simulate, still
from boidsgen.drawing.exposure import DENSITY, EARLIEST, FINE, INK, LongExposure
from boidsgen.drawing.renderer import Renderer
from boidsgen.output.pictures import image_of
from tests.drawing.drawables import drawable
from tests.drawing.test_vector import DRAWN, pixels

SIZE = (120, 80)
BARE = {"style.trails": 0, "style.predator_trails": 0}


def exposed(renderer, states):
    """The picture of the last of some states, in all its colors."""
    *before, last = states
    for one in before:
        renderer.note(one)
    return np.asarray(image_of(renderer(last)).convert("RGB"))


def ink(renderer):
    """The ink of the picture's pixels, (height, width)."""
    canvas = renderer.painter.canvas
    plane = renderer.plane.sums[0].reshape(-1, canvas.stride)
    return plane[canvas.margin : canvas.margin + SIZE[1], canvas.margin : canvas.margin + SIZE[0]]


@pytest.fixture
def flights(setup, state):
    """An exposure of boids at these places, (frames, n, d), after it has drawn the last, and its picture."""

    def made(places, tables=None, **look):
        tables = tables or setup()
        states = [state(tables, place, frame=number) for number, place in enumerate(places)]
        renderer = LongExposure(drawable(tables, look), SIZE, range(len(places)))
        return renderer, exposed(renderer, states)

    return made


def test_ink_is_that_of_places_one_after_another(flights):
    """The plane holds the sum of all places of all ways, worked out one by one."""
    random = np.random.default_rng(3)
    places = np.array((60.0, 40.0)) + np.cumsum(random.uniform(-4, 4, (6, 5, 2)), axis=0)
    renderer, _ = flights(places)
    expected = np.zeros((80, 120), np.int64)
    for frame in range(1, 6):
        share = EARLIEST + (1.0 - EARLIEST) * (frame / 5) ** 2
        for (x, y), (to_x, to_y) in zip(places[frame - 1].tolist(), places[frame].tolist(), strict=True):
            count = int(max(abs(to_x - x), abs(to_y - y)) * DENSITY) + 1
            for number in range(count):
                part = (number + 0.5) / count
                right = floor((x + (to_x - x) * part - 0.5) * FINE)
                down = floor((80 - y - (to_y - y) * part - 0.5) * FINE)
                amount = round(INK * share) // count
                for column, across in ((0, FINE - right % FINE), (1, right % FINE)):
                    for row, along in ((0, FINE - down % FINE), (1, down % FINE)):
                        expected[down // FINE + row, right // FINE + column] += amount * across * along

    assert expected.any()
    np.testing.assert_array_equal(ink(renderer), expected)


@pytest.mark.parametrize("boundary", ["torus", "wrap"])
@pytest.mark.parametrize("way", [(6.0, 0.0), (0.0, -6.0), (4.5, 4.5)])
def test_no_line_crosses_the_world(setup, flights, boundary, way):
    """Who leaves on one side leaves as much ink as in the middle, all of it near the places where it was seen."""
    size = np.array(SIZE, float)
    free = size / 2 + (np.arange(7)[:, None, None] - 3.25) * np.array(way)
    corner = np.array([(0.0, 40.0), (60.0, 0.0), (0.0, 0.0)][np.flatnonzero(way)[0] if 0 in way else 2])
    crossing = np.mod(free - size / 2 + corner, size)
    tables = setup(world={"size": SIZE, "boundary": boundary})
    (edge, _), (middle, _) = flights(crossing, tables), flights(free, tables)
    row, column = ink(edge).nonzero()
    seen = np.column_stack((column + 0.5, 80 - row - 0.5))
    away = (seen[:, None] - crossing[:, 0] + size / 2) % size - size / 2

    assert np.abs(away).max(axis=2).min(axis=1).max() < 6
    assert ink(edge).sum() > 0.85 * ink(middle).sum()  # what covers pixels beyond the edge is cut off


def test_boids_that_come_leave_no_line(flights):
    """A new boid has no path yet."""
    renderer, _ = flights([[(20, 20)], [(20, 20), (90, 60)]])

    assert not ink(renderer)[:50, 40:].any()


@pytest.mark.parametrize("theme", ["night", "paper", "dusk", "deep"])
@pytest.mark.parametrize("size", [(240, 160), (200, 150, 100)])
def test_last_instant_is_that_of_a_still(theme, size):
    """Without a path the picture is that of a still; with paths, all that is fully opaque there is seen here."""
    keys = {"style.theme": theme, "world.size": size, "flock.count": 40, "time.frames": 9, "output.size": (240, 160)}
    keys |= {"style.color_by": "depth"} if len(size) == 3 else {}  # where the nearest are opaque
    bodies = {"style.size": 12.0, "predators": [{"count": 2}], "title": "Paths", "world.boundary": "soft"}
    scenario = load_scenario("quickstart", overrides=keys | bodies | BARE | {"camera.follow": "nothing"})
    states = list(simulate(scenario))
    usual = Renderer(scenario, scenario.picture_size)
    plain = exposed(usual, states)
    instant = exposed(LongExposure(scenario, scenario.picture_size, range(8, 9)), states)
    renderer = LongExposure(scenario, scenario.picture_size, range(9))
    paths = exposed(renderer, states)
    covered = np.concatenate([part for _, part, _ in renderer.plane.bands()])

    np.testing.assert_array_equal(instant, plain)
    assert (paths != plain).any()
    if not scenario.style.colors.light:
        opaque = usual.painter.inks.layers()[1][usual.painter.picture()] == 1
        assert opaque.mean() > 0.01
        np.testing.assert_array_equal(paths[opaque], plain[opaque])
    lines = (paths != plain).any(axis=2) & (covered[..., 0] == 0)  # of predators
    assert lines.mean() < 0.05


def test_camera_stands_still(setup, state):
    """A boid at rest leaves ink in one place, while the camera turns, and where an event moves it."""
    tables = setup(
        world={"size": (100.0, 100.0, 100.0), "boundary": "open"},
        events=({"at": 4, "set": {"camera.azimuth": 20.0, "camera.zoom": 1.5}},),
    )
    scenario = drawable(tables, {"camera": {"orbit": 9.0}, "style": {"theme": "night"}})
    states = [state(scenario, [(80, 30, 60)], frame=number) for number in range(8)]
    renderer = LongExposure(scenario, SIZE, range(8))
    exposed(renderer, states)
    row, column = ink(renderer).nonzero()

    assert np.ptp(row) <= 1
    assert np.ptp(column) <= 1


def test_camera_that_follows_shows_all_paths(setup, state):
    """Boids that have flown far are seen from where they were, whatever the camera followed."""
    tables = setup(world={"size": (100.0, 100.0), "boundary": "open"}, flock={"count": 30})
    scenario = drawable(tables, {"camera": {"follow": "flock"}})
    place = np.random.default_rng(2).uniform(-5, 5, (30, 2))
    states = [state(scenario, place + np.array((40.0 * number, 0.0)), frame=number) for number in range(9)]
    renderer = LongExposure(scenario, SIZE, range(9))
    exposed(renderer, states)
    column = ink(renderer).any(axis=0).nonzero()[0]

    assert column[0] > 0
    assert column[-1] < SIZE[0] - 1
    assert np.ptp(column) > SIZE[0] / 2


@pytest.mark.parametrize("theme", ["night", "dusk", "deep"])
def test_bodies_hide_paths(setup, flights, theme):
    """A path behind a body is not seen there, one before it is."""
    body = {"kind": "circle", "center": (50.0, 50.0, 50.0), "radius": 25.0}
    tables = setup(world={"size": (100.0, 100.0, 100.0), "boundary": "open"}, obstacles=(body,))
    camera = {"azimuth": 0.0, "elevation": 0.0, "projection": "orthographic", "follow": "nothing", "orbit": 0.0}
    look = {"camera": camera, "style": {"theme": theme, "size": 2.0}, "overlay": {"axes": False}}
    inked, seen = dict[float, int](), dict[float, np.ndarray]()
    for depth in (5.0, 95.0):
        places = [[(depth, across, 55.0)] for across in np.linspace(5, 95, 31)]
        renderer, picture = flights(places, tables, **look)
        inked[depth], seen[depth] = ink(renderer)[:, 55:65].sum(), picture[:, 55:65].astype(int)

    assert inked[5.0] == 0
    assert inked[95.0] > 0
    assert np.abs(seen[5.0] - seen[95.0]).max() > 8


@pytest.mark.parametrize("kind", DRAWN)
@pytest.mark.parametrize("theme", ["paper", "deep"])
def test_figures_show_the_paths_of_pictures(tmp_path, kind, theme):
    """Paths as shapes are as dark as in pixels, in the mean and where most lie."""
    keys = {"world.size": [240, 160], "output.size": [480, 320], "time.frames": 24, "flock.count": 200, "seed": 4}
    scenario = load_scenario("quickstart", overrides=keys | {"style.theme": theme, "style.exposure": 24})
    paths = tmp_path / f"a.{kind}", tmp_path / "a.png", tmp_path / "plain.png"
    for path in paths[:2]:
        assert not still(scenario, path)
    still(scenario, paths[2], exposure=0, overrides=BARE)
    figure, picture = (pixels(one(path)) for one, path in zip((DRAWN[kind], Image.open), paths[:2], strict=True))
    plain = pixels(Image.open(paths[2]))
    darker, expected = (np.abs(plain - one).mean() for one in (figure, picture))

    assert expected > 5
    assert 0.6 * expected < darker < 1.6 * expected
    assert np.corrcoef(figure.ravel(), picture.ravel())[0, 1] > 0.85


def test_exposure_counts_frames_or_seconds(tmp_path):
    """So many frames, and as much playing time at the rate of the clip, give one picture."""
    keys = {"time.frames": 30, "output.fps": 20.0, "output.size": [160, 120]}
    for name, exposure in (("a", 10), ("b", "0.5s"), ("c", "500 ms")):
        still("quickstart", tmp_path / f"{name}.png", exposure=exposure, overrides=keys)
    first, *others = (pixels(Image.open(tmp_path / f"{name}.png")) for name in "abc")

    for other in others:
        np.testing.assert_array_equal(other, first)


BLURRED = {"time.frames": 5, "flock.count": 30, "output.size": (240, 160), "predators": [{"count": 2}], "title": "Blur"}


@pytest.mark.parametrize("theme", ["night", "paper", "dusk", "deep"])
def test_closed_shutter_changes_nothing(theme):
    """Without an open shutter, and where nobody moves, pictures are those of the renderer, byte by byte."""
    keys = BLURRED | {"style.theme": theme, "world.boundary": "open", "camera.follow": "nothing"}
    moving, resting = load_scenario("quickstart", overrides=keys), list(simulate("quickstart", overrides=keys))[:1] * 4
    for shutter, states in ((0.0, list(simulate(moving))), (0.5, resting)):
        style = moving.style.model_copy(update={"shutter": shutter})
        scenario = moving.model_copy(update={"style": style})
        one, other = (Renderer(each, moving.picture_size) for each in (scenario, moving))
        for state in states:
            drawn, expected = one(state), other(state)
            np.testing.assert_array_equal(drawn.index, expected.index)
            np.testing.assert_array_equal(drawn.full and drawn.full(), expected.full and expected.full())


@pytest.mark.parametrize("theme", ["night", "dusk", "deep"])
@pytest.mark.parametrize("boundary", ["open", "torus"])
def test_open_shutter_shows_the_mean_of_instants(setup, state, theme, boundary):
    """A picture is the mean of those of the places in between, over the edges of a torus, too."""
    tables = setup(world={"size": SIZE, "boundary": boundary})
    way, bare = np.array((8.0, 0.0)), {"theme": theme, "size": 14.0, "trails": 0, "shape": "dart"}
    place = np.array([(62.0, 40.0), (3.0 if boundary == "torus" else 90.0, 20.0)])
    shut, opened = (drawable(tables, {"style": bare | {"shutter": part}}) for part in (0.0, 0.5))
    before = np.mod(place - way, SIZE) if boundary == "torus" else place - way
    blurring = Renderer(opened, SIZE)
    blurring.note(state(opened, before, frame=0))
    found = np.asarray(image_of(blurring(state(opened, place, frame=1))).convert("RGB")).astype(int)
    instants = []
    for part in (0.375, 0.25, 0.125, 0.0):
        alone = Renderer(shut, SIZE)
        alone.note(state(shut, before, frame=0))
        there = place - part * way
        drawn = alone(state(shut, np.mod(there, SIZE) if boundary == "torus" else there, frame=1))
        instants.append(np.asarray(image_of(drawn).convert("RGB")).astype(int))
    gamma = 2.2 if shut.style.colors.light else 1.0  # the flat look has levels, the lit one light
    apart = np.abs(found - 255 * np.mean((np.array(instants) / 255) ** gamma, axis=0) ** (1 / gamma))

    assert np.ptp(instants, axis=0).max() > 60
    assert apart.max() < 16
    assert np.abs(found - instants[-1]).max() > 30


def test_blur_leaves_what_does_not_fly_sharp(setup, state):
    """Letters, and boids that are put elsewhere in a world, are as without blur."""
    tables = setup(world={"size": SIZE, "boundary": "open"})
    pictures = []
    for shutter in (0.0, 1.0):
        scenario = drawable(tables, {"title": "Sharp", "style": {"shutter": shutter, "trails": 0}})
        renderer = Renderer(scenario, SIZE)
        renderer.note(state(scenario, [(22.0, 40.0), (60.0, 40.0)], frame=0))
        pictures.append(renderer(state(scenario, [(98.0, 40.0), (60.0, 40.0)], frame=1)).index)

    np.testing.assert_array_equal(*pictures)


def test_blur_meets_who_comes_and_leaves():
    """A flock whose number changes is drawn sharp in that frame; all formats take the pictures."""
    events = [{"at": 2, "set": {"flock.count": 12}}, {"at": 3, "set": {"flock.count": 40}}]
    scenario = load_scenario("quickstart", overrides=BLURRED | {"events": events, "style.shutter": 1.0})
    renderer = Renderer(scenario, scenario.picture_size)
    for one in simulate(scenario):
        assert renderer(one).index.dtype == np.uint8
