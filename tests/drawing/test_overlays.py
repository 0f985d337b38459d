"""Overlays and marks: what is written and drawn over the world, and where."""

from itertools import product

import numpy as np
import pytest

from boidsgen import load_scenario
from boidsgen.drawing.camera import Camera, Viewport
from boidsgen.drawing.frame import rgb
from boidsgen.drawing.look import Look
from boidsgen.drawing.overlays import OVERLAYS
from boidsgen.drawing.overlays.focus import largest_force
from boidsgen.drawing.overlays.marks import CURVE_PIECES, _routes, ticks
from boidsgen.drawing.renderer import Renderer
from boidsgen.drawing.themes import THEMES
from boidsgen.simulation.measures import MEASURES, strengths
from boidsgen.simulation.obstacles import OBSTACLES
from boidsgen.simulation.rules.pursuit import CURVES
from boidsgen.simulation.run import simulate
from tests.drawing.drawables import drawable
from tests.obstacles import DEEP_EXAMPLES, EXAMPLES

ON = {
    "attractors": {"attractors": True},
    "axes": {"axes": True},
    "caption": {"caption": "alignment off"},
    "center_of_mass": {"center_of_mass": True},
    "chart": {"chart": "polarization"},
    "fields": {"fields": True},
    "forces_beside": {"forces": "panel"},
    "forces_chart": {"forces": "chart"},
    "forces_key": {"forces": "boid"},
    "forces_on_boid": {"forces": "boid"},
    "hud": {"hud": True},
    "legend": {"legend": True},
    "links": {"links": ((0, 1),)},
    "moving_attractors": {"moving_attractors": True},
    "neighbors": {"neighbors": True},
    "obstacles": {"obstacles": True},
    "paths": {"paths": True},
    "perception": {"perception": True},
    "roads": {"roads": True},
    "scale": {"legend": "scale"},
}
OFF = {"attractors": False, "axes": False, "fields": False, "moving_attractors": False, "obstacles": False}
FLOCK = {"perception": {"radius": 20.0, "field_of_view": 270.0}}
ROAD = FLOCK | {"follow_path": {"points": ((10.0, 10.0), (90.0, 60.0))}}
DEEP_ROAD = FLOCK | {"follow_path": {"points": ((10.0, 10.0, 10.0), (90.0, 60.0, 30.0))}}


def worlds(setup):
    flat = setup(
        obstacles=tuple({"kind": kind, **keys} for kind, keys in EXAMPLES.items()),
        attractors=({"point": (30.0, 20.0)}, {"path": "circle"}),
        fields={"kind": "vortex"},
        flock=ROAD,
        predators=({"path": "trefoil"},),
    )
    deep = setup(
        world={"size": (100.0, 80.0, 60.0)},
        obstacles=tuple({"kind": kind, **keys} for kind, keys in DEEP_EXAMPLES.items()),
        attractors=({"point": (30.0, 20.0, 10.0)}, {"path": "circle"}),
        fields={"kind": "vortex"},
        flock=DEEP_ROAD,
        predators=({"path": "trefoil"},),
    )
    return {2: (flat, [(60, 40), (70, 44)], (20, 20)), 3: (deep, [(50, 40, 30), (60, 44, 30)], (20, 20, 20))}


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("name", OVERLAYS)
def test_every_overlay_shows(setup, picture, name, dimension):
    """Switching an overlay on changes the picture, in flat and in deep worlds."""
    tables, place, predator = worlds(setup)[dimension]
    without = picture(tables, place, {"overlay": OFF}, (240, 160), predators=predator)
    drawn = picture(tables, place, {"overlay": OFF | ON[name]}, (240, 160), predators=predator)

    assert (without != drawn).any()


@pytest.mark.turns(3)  # of its eight pictures each overlay is in two or three
@pytest.mark.parametrize("size", [(16, 16), (64, 48), (400, 30), (30, 400)])
@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("name", OVERLAYS)
def test_every_overlay_fits_a_tiny_picture(setup, picture, name, dimension, size):
    """However small the picture, an overlay draws what it can and breaks nothing."""
    tables, place, predator = worlds(setup)[dimension]
    look = {"overlay": ON[name], "title": "A long title"}

    assert picture(tables, place, look, size, predators=predator).shape == size[::-1]


def test_text_can_be_read_in_a_crowd(setup, picture):
    """No boid covers the text."""
    tables = setup()
    look = {"title": "Starlings", "overlay": {"caption": "together"}}
    empty = picture(tables, [], look)
    crowd = np.random.default_rng(3).uniform((0, 0), (120, 80), (400, 2))
    crowded = picture(tables, crowd, look)

    np.testing.assert_array_equal(crowded[empty > 0], empty[empty > 0])


@pytest.mark.parametrize(
    ("extent", "longest", "expected"), [(100, 100, 20), (400, 400, 100), (7, 7, 1), (0.3, 0.3, 0.05)]
)
def test_ticks_are_round(extent, longest, expected):
    """Ticks start at zero, end within the side and are 1, 2 or 5 times a power of ten apart."""
    value = ticks(0.0, extent, longest)

    assert value[0] == 0
    assert value[-1] <= extent * (1 + 1e-9)
    np.testing.assert_allclose(np.diff(value), expected)


@pytest.mark.parametrize("boundary", ["torus", "open"])
@pytest.mark.parametrize("zoom", [1.0, 1.7])
def test_nothing_pokes_out_of_the_frame(setup, state, boundary, zoom):
    """With axes, boids, trails and obstacles end where the axes are."""
    tables = setup(
        world={"size": (120.0, 80.0), "boundary": {"kind": boundary}},
        obstacles=({"kind": "circle", "center": (1.0, 40.0), "radius": 12.0},),
    )
    crowd = np.random.default_rng(3).uniform((-10, -10), (130, 90), (300, 2))
    axes = {"overlay": {"axes": True, "obstacles": False}, "camera": {"zoom": zoom}}
    crowded = {"overlay": {"axes": True}, "style": {"trails": 2}, "camera": {"zoom": zoom}}
    empty = Renderer(drawable(tables, axes), (400, 300))
    full = Renderer(drawable(tables, crowded), (400, 300))
    full(state(tables, crowd))
    bare, drawn = empty(state(tables, [])), full(state(tables, crowd - 3, frame=1))
    left, top, width, high = full._layout.viewport
    outside = np.ones((300, 400), bool)
    outside[int(top) : int(top + high) + 1, int(left) : int(left + width) + 1] = False

    np.testing.assert_array_equal(
        drawn.palette[drawn.index][outside].any(axis=1), bare.palette[bare.index][outside].any(axis=1)
    )
    np.testing.assert_array_equal((drawn.index > 0)[outside], (bare.index > 0)[outside])


def test_wheel_points_where_boids_fly(setup, state):
    """In a flat world the color of a direction is found on the wheel in that direction."""
    tables, look = setup(), {"style": {"color_by": "heading"}, "overlay": {"legend": True}}
    draw = Renderer(drawable(tables, look), (400, 300))
    empty = draw(state(tables, [])).index
    colored = np.argwhere(draw.palette[empty].max(axis=2).astype(int) - draw.palette[empty].min(axis=2) > 60)
    middle = (colored.min(axis=0) + colored.max(axis=0)) / 2
    radius = 0.7 * (colored.max(axis=0) - colored.min(axis=0))[0] / 2

    for number, angle in enumerate(np.radians(np.arange(0, 360, 10))):
        row, column = np.rint(middle + radius * np.array([-np.sin(angle), np.cos(angle)])).astype(int)
        wanted = draw.painter.inks.codes[draw.painter.inks.tone(draw.painter.inks.ink(f"boid {number}")) + 255]
        near = draw.palette[empty[row - 1 : row + 2, column - 1 : column + 2]].reshape(-1, 3).astype(int)
        assert np.abs(near - draw.palette[wanted]).max(axis=1).min() < 24  # a step to the next color


@pytest.mark.parametrize("name", MEASURES)
def test_any_measure_can_be_shown(setup, name):
    """Each measure has its place in the line of numbers and its chart, whether it is defined or not."""
    tables = setup(time={"frames": 4})
    look = Look.model_validate({"overlay": {"hud": (name,), "chart": name}})
    renderer, plain = Renderer(drawable(tables, look), (400, 300)), Renderer(drawable(tables), (400, 300))
    for state in simulate(tables):
        drawn, without = renderer(state).index, plain(state).index

        assert (drawn[280:] != without[280:]).any()
        assert (drawn[150:270, 200:] != without[150:270, 200:]).any()


DRIVEN = {"mode": "velocity", "weight": 2.0, "period": 120.0}
WEIGHTLESS = {"inertia": 0.0, "min_speed": 0.0, "max_speed": 1.0, "steering": "direct"}
OPEN = {"boundary": {"kind": "open"}}
WORLDS = [{"size": (100.0, 80.0), **OPEN}, {"size": (100.0, 80.0, 60.0), **OPEN}]


def gap(places, route):
    """Largest distance of some places from the straight pieces of a route."""
    start, way = route[:-1], np.diff(route, axis=0)
    squared = np.maximum((way * way).sum(axis=1), 1e-12)
    part = np.clip(((places[:, None] - start) * way).sum(axis=-1) / squared, 0, 1)
    return np.linalg.norm(places[:, None] - start - part[..., None] * way, axis=-1).min(axis=1).max()


@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize("kind", CURVES)
def test_predators_fly_where_lines_are_drawn(setup, kind, world):
    """Those that a path carries fly on one closed line; those that it drives each on its own, which hardly moves."""

    def flown(frames, **predators):
        tables = setup(
            world=world,
            predators=({"count": 3, **predators},),
            flock={"count": 0},
            time={"frames": frames, "warmup": 10},
        )
        return [(_routes(tables.predators[0], one.predators[0], one), one.predators[0]) for one in simulate(tables)]

    carried = flown(90, path={"kind": kind, "period": 70.0, "phase": 33.0, "scale": 20.0})
    driven = flown(121, path={"kind": kind, "phase": 33.0, **DRIVEN}, **WEIGHTLESS)
    ((route,), _), *_ = carried

    assert len(route) == CURVE_PIECES + 1
    np.testing.assert_allclose(route[0], route[-1], atol=1e-9)
    assert gap(np.concatenate([group.position for _, group in carried]), route) < 0.01
    for number, route in enumerate(driven[0][0]):
        np.testing.assert_allclose([group.position[number] for _, group in driven], route, atol=1e-9)
        assert gap(driven[50][0][number], route) < 0.1


IDLE = {"weight": 0.0}
IDLE_ALL = dict.fromkeys(("separation", "alignment", "cohesion"), IDLE)
PULLED = {"separation": IDLE, "alignment": IDLE, "cohesion": {"steering": "direct"}}


@pytest.fixture
def view(setup, state):
    """A force view of two boids in colors, shape (height, width, 3); the one in focus flies to the right."""

    def made(flock, forces="panel", size=(400, 240), other=(60, 55), look=None, theme="night"):
        tables = setup(flock={"count": 2, "perception": {"radius": 30.0}, **flock})
        wanted = {"style": {"theme": theme, "size": 2.0}, "overlay": {"forces": forces}, **(look or {})}
        frame = Renderer(drawable(tables, wanted), size)(state(tables, [(60, 40), other]))
        return frame.palette[frame.index]

    return made


@pytest.mark.parametrize("theme", THEMES)
def test_neighbors_are_seen_in_what_is_perceived(view, theme):
    """The disc of what a boid perceives is seen, and covers none of the others in it, in any theme."""
    style = {"theme": theme, "size": 14.0, "trails": 0}
    bare, disc, empty = (
        view(IDLE_ALL, size=(640, 480), other=other, look={"style": style, "overlay": overlay}).astype(int)
        for other, overlay in (((60, 55), {}), ((60, 55), {"perception": True}), ((-60, 55), {}))
    )
    body = abs(bare - empty).sum(axis=2) > 200  # of the other, where its edge is no more
    changed = abs(disc - bare).sum(axis=2) > 6

    assert np.count_nonzero(body) > 20
    assert np.count_nonzero(changed) > 2_000
    assert not (changed & body).any()


def painted(picture, color):
    """Rows and columns of the pixels of about this color, shape (k, 2)."""
    return np.argwhere((abs(picture - rgb(color)) < 25).all(axis=2))


@pytest.mark.parametrize("focus", [0, 2, 4])
def test_the_focus_counts_through_all_flocks(focus):
    """The ring is round the boid with this number among all, and before its frame there is none."""
    flocks = [{"count": 2, "start": {"points": [[20, 20], [80, 20]]}}, {"count": 3, "start": {"layout": "points"}}]
    flocks[1]["start"]["points"] = [[20, 60], [50, 60], [80, 60]]
    still = [flock | {"max_speed": 1e-6, "min_speed": 0.0} for flock in flocks]
    overlay = {"focus": focus, "focus_from": 3, "perception": True, "forces": "arrows"}
    style = {"theme": "night", "size": 2.0, "trails": 0}
    document = {"world": {"size": [100, 80]}, "time": {"frames": 20}, "flock": still}
    scenario = load_scenario(document | {"overlay": overlay, "style": style, "output": {"size": [400, 320]}})
    draw = Renderer(scenario, (400, 320))
    rings = []
    for state in simulate(scenario):
        frame = draw(state)
        rings.append(painted(frame.palette[frame.index], THEMES["night"].focus))
    place = [point for flock in flocks for point in flock["start"]["points"]][focus]

    assert not len(rings[3])
    np.testing.assert_allclose(rings[-1].mean(axis=0), (320 - 4 * place[1], 4 * place[0]), atol=2)


@pytest.mark.parametrize("other", [(60, 55), (60, 25), (75, 40), (50, 30)])
def test_arrow_points_where_the_boid_is_driven(view, other):
    """Cohesion's arrow leads from the middle of the panel toward the other boid."""
    picture = view(PULLED, size=(640, 480), other=other)
    blue = painted(picture[120:, 340:], THEMES["night"].forces[2])
    center = painted(picture[120:, 340:], THEMES["night"].focus).mean(axis=0)
    way = (blue.mean(axis=0) - center) * (-1, 1)
    expected = np.subtract(other, (60, 40))[::-1]

    np.testing.assert_allclose(way / np.hypot(*way), expected / np.hypot(*expected), atol=0.12)


@pytest.mark.parametrize(("theme", "forces"), [("night", "boid"), ("paper", "panel"), ("deep", "panel")])
def test_rule_in_force_has_its_arrow(view, theme, forces):
    """Separation is red, alignment green, cohesion blue, in every theme; a rule that is off has no arrow."""
    colors = THEMES[theme].forces
    for number, rule in enumerate(("separation", "alignment", "cohesion")):
        flock = dict.fromkeys(("separation", "alignment", "cohesion"), IDLE) | {rule: {"radius": 30.0}}
        picture = view(flock, forces, (640, 480), theme=theme)

        assert [len(painted(picture, color)) > 20 for color in colors[:3]] == [n == number for n in range(3)]


def test_ends_of_what_is_usual(setup):
    """The longest arrow stands for the largest weight times max_force, and for the highest speed without such."""
    capped = setup(flock={"separation": {"weight": 3.0}, "max_force": 0.2})
    direct = setup(flock={"steering": "direct", "max_speed": 5.0, "separation": {"weight": 0.1}})

    assert largest_force(capped) == pytest.approx(0.6)
    assert largest_force(direct) == 5.0


DISTANCES = np.array([2.0, 10.0, 29.0, 30.0, 44.0])


def test_strengths_are_what_the_formulas_say(setup):
    """w/r² within the radius, and the rules that do not ask how far away somebody is; all zero beyond."""
    flock = {"perception": {"radius": 30.0}, "max_force": float("inf"), "max_speed": 3.0}
    separation = {"weight": 25.0, "radius": 40.0, "falloff": "inverse_square", "steering": "direct"}
    cohesion = {"weight": 0.5, "steering": "direct"}
    given = strengths(setup(flock={**flock, "separation": separation, "cohesion": cohesion}), 0, DISTANCES)
    near = DISTANCES < 30

    np.testing.assert_allclose(given["separation"], 25 / DISTANCES**2 * (DISTANCES < 40))
    np.testing.assert_allclose(given["alignment"], 3.0 * near)
    np.testing.assert_allclose(given["cohesion"], 0.5 * DISTANCES * near)


def test_nothing_else_is_in_them(setup):
    """Obstacles, predators, edges and other rules do not count, and rules that are off have no curve."""
    plain = {"separation": {"weight": 0.0}}
    crowded = setup(
        flock={**plain, "home": {}, "noise": {}},
        predators=({},),
        obstacles=({"kind": "circle", "center": (1.0, 1.0), "radius": 5.0},),
    )
    given, expected = (strengths(one, 0, DISTANCES) for one in (crowded, setup(flock=plain)))

    assert list(given) == list(expected) == ["alignment", "cohesion"]
    for name, values in expected.items():
        np.testing.assert_array_equal(given[name], values)


PICTURE = (400, 240)
FLAT, DEEP = (100.0, 60.0), (100.0, 60.0, 80.0)
WITHOUT_AXES = {"overlay": {"axes": False}}


def drawn_obstacle(setup, picture, extent, obstacle):
    """The tables of a world with one obstacle, and where in its picture anything is drawn, (rows, columns)."""
    tables = setup(world={"size": extent, "boundary": "open"}, obstacles=(obstacle,))
    return tables, picture(tables, [], WITHOUT_AXES, PICTURE) != 0


def gap_at(tables, place):
    """Distance of places from the surface of the obstacle, negative inside."""
    return tables.obstacles[0].surface(place, tables.world)[0]


@pytest.mark.parametrize("kind", OBSTACLES)
def test_a_flat_obstacle_is_drawn_where_it_is(setup, picture, kind):
    """In 2D every pixel within the surface shows the obstacle, and none does that is further than a line's width."""
    tables, shown = drawn_obstacle(setup, picture, FLAT, {"kind": kind, **EXAMPLES[kind]})
    row, column = np.indices(shown.shape).reshape(2, -1)
    place = np.column_stack((column + 0.5, PICTURE[1] - row - 0.5)) / 4
    gap = 4 * gap_at(tables, place).reshape(shown.shape)

    assert shown[gap < 0].all()
    assert not shown[gap > 2].any()
    assert (gap < 0).any()


@pytest.mark.parametrize("kind", DEEP_EXAMPLES)
def test_a_deep_obstacle_is_drawn_where_it_is(setup, picture, kind):
    """In 3D whatever is inside the obstacle is seen within its outline, and the outline goes no further than that."""
    tables, shown = drawn_obstacle(setup, picture, DEEP, {"kind": kind, **DEEP_EXAMPLES[kind]})
    place = np.array(list(product(*(np.linspace(0, side, 41) for side in DEEP))))
    solid = place[gap_at(tables, place) < 0]
    seen = Camera().aim(tables.world, Viewport(0, 0, *PICTURE)).projection(0)(solid).xy
    rows, columns = np.nonzero(shown)
    # Seen from between the points of the grid there is something within their spacing.
    apart = np.hypot(columns[:, None] + 0.5 - seen[:, 0], rows[:, None] + 0.5 - seen[:, 1]).min(axis=1)

    assert len(solid) > 100
    assert shown[tuple(seen.astype(int).T[::-1])].all()
    assert apart.max() < 9


@pytest.mark.parametrize("theme", [name for name, theme in THEMES.items() if theme.light])
def test_only_letters_darken_a_lit_picture(theme, setup):
    """Words, charts and keys stand on the ground itself: most of it, and of each of its rows, stays as it is."""
    tables = setup(flock={"count": 3}, predators=({},))
    look = {"style": {"theme": theme}, "overlay": {**OFF, "legend": True, "hud": True, "chart": "polarization"}}
    scenario = drawable(tables, {"title": "Slab", **look})
    layers = [layer for layer in scenario.layers if layer.in_world]
    state = next(simulate(scenario))
    pictures = [
        frame.palette[frame.index].astype(int)
        for frame in (Renderer(scenario, (640, 360), layers=shown)(state) for shown in (None, layers))
    ]
    changed = np.abs(pictures[0] - pictures[1]).max(axis=2) > 12

    assert 0 < changed.mean() < 0.1
    assert changed.mean(axis=1).max() < 0.7
