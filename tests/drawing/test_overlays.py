from itertools import combinations

import numpy as np
import pytest
from pydantic import ValidationError

from boidsgen.drawing import Look, Renderer
from boidsgen.drawing.canvas import Canvas
from boidsgen.drawing.lettering import height, width
from boidsgen.drawing.overlays import OVERLAYS, Overlay, layers
from boidsgen.drawing.overlays.axes import ticks
from boidsgen.drawing.overlays.chart import rounded_up
from boidsgen.drawing.overlays.layer import Backdrop, Foreground
from boidsgen.drawing.overlays.marks import middle
from boidsgen.simulation import simulate
from boidsgen.simulation.measures import MEASURES
from tests.drawing.drawables import drawable

ON = {
    "attractors": {"attractors": True},
    "axes": {"axes": True},
    "caption": {"caption": "alignment off"},
    "center_of_mass": {"center_of_mass": True},
    "chart": {"chart": "polarization"},
    "forces_beside": {"forces": "panel"},
    "forces_key": {"forces": "boid"},
    "forces_mark": {"forces": "panel"},
    "forces_on_boid": {"forces": "boid"},
    "hud": {"hud": True},
    "legend": {"legend": True},
    "neighbors": {"neighbors": True},
    "obstacles": {"obstacles": True},
    "perception": {"perception": True},
}
OFF = {"attractors": False, "axes": False, "obstacles": False}
OBSTACLES = (
    {"kind": "circle", "center": (2.0, 2.0), "radius": 12.0},
    {"kind": "box", "center": (90.0, 40.0), "size": (20.0, 10.0)},
    {"kind": "segment", "start": (20.0, 60.0), "end": (50.0, 70.0)},
    {"kind": "polygon", "points": ((60.0, 10.0), (80.0, 10.0), (70.0, 25.0))},
)
DEEP_OBSTACLES = (
    {"kind": "circle", "center": (50.0, 40.0, 30.0), "radius": 12.0},
    {"kind": "box", "center": (80.0, 40.0, 10.0), "size": (20.0, 10.0, 20.0)},
    {"kind": "segment", "start": (20.0, 60.0, 0.0), "end": (20.0, 60.0, 60.0)},
)
FLOCK = {"perception": {"radius": 20.0, "field_of_view": 270.0}}


def worlds(setup):
    flat = setup(obstacles=OBSTACLES, attractors=({"point": (30.0, 20.0)},), flock=FLOCK, predators=({},))
    deep = setup(
        world={"size": (100.0, 80.0, 60.0)},
        obstacles=DEEP_OBSTACLES,
        attractors=({"point": (30.0, 20.0, 10.0)},),
        flock=FLOCK,
        predators=({},),
    )
    return {2: (flat, [(60, 40), (70, 44)]), 3: (deep, [(50, 40, 30), (60, 44, 30)])}


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("name", OVERLAYS)
def test_every_overlay_shows(setup, picture, name, dimension):
    """Switching an overlay on changes the picture, in flat and in deep worlds."""
    tables, place = worlds(setup)[dimension]
    without = picture(tables, place, {"overlay": OFF}, (240, 160))
    drawn = picture(tables, place, {"overlay": OFF | ON[name]}, (240, 160))

    assert (without != drawn).any()


@pytest.mark.parametrize("size", [(16, 16), (64, 48), (400, 30), (30, 400)])
@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("name", OVERLAYS)
def test_every_overlay_fits_a_tiny_picture(setup, picture, name, dimension, size):
    """However small the picture, an overlay draws what it can and breaks nothing."""
    tables, place = worlds(setup)[dimension]

    assert picture(tables, place, {"overlay": ON[name], "title": "A long title"}, size).shape == size[::-1]


@pytest.mark.parametrize("name", OVERLAYS)
def test_every_overlay_is_still_or_moving(name):
    """An overlay is either a backdrop, drawn once, or a foreground, drawn with every frame."""
    assert issubclass(OVERLAYS[name], Backdrop) != issubclass(OVERLAYS[name], Foreground)


def test_keys_of_all_overlays_make_one_table():
    """The table [overlay] has the keys of every overlay and no others."""
    keys = {key for overlay in OVERLAYS.values() for key in overlay.model_fields}

    assert set(Overlay.model_fields) == keys
    assert keys == {
        "attractors",
        "axes",
        "caption",
        "center_of_mass",
        "chart",
        "focus",
        "forces",
        "hud",
        "legend",
        "neighbors",
        "obstacles",
        "perception",
    }


def test_unknown_overlay_is_refused():
    """A key that no overlay has is a mistake."""
    with pytest.raises(ValidationError, match="hub"):
        Look.model_validate({"overlay": {"hub": True}})


def test_axes_are_for_deep_worlds_unless_asked_for(setup):
    """Without a word about axes, deep worlds have them and flat ones do not."""
    flat, deep = setup(), setup(world={"size": (9.0, 9.0, 9.0)})

    assert not layers(Overlay(), flat)
    assert [type(layer) for layer in layers(Overlay(), deep)] == [OVERLAYS["axes"]]
    assert not layers(Overlay.model_validate({"axes": False}), deep)


@pytest.mark.parametrize(
    ("extent", "longest", "expected"), [(100, 100, 20), (400, 400, 100), (7, 7, 1), (0.3, 0.3, 0.05)]
)
def test_ticks_are_round(extent, longest, expected):
    """Ticks start at zero, end within the side and are 1, 2 or 5 times a power of ten apart."""
    value = ticks(0.0, extent, longest)

    assert value[0] == 0
    assert value[-1] <= extent * (1 + 1e-9)
    np.testing.assert_allclose(np.diff(value), expected)


def test_middle_of_a_flock_across_the_edge(setup):
    """On a torus the middle of two boids on either side of an edge is on the edge, not in the middle of the world."""
    world = setup().world
    place = middle(np.array([(118.0, 40.0), (4.0, 40.0)]), world)

    np.testing.assert_allclose(place, (1.0, 40.0))


def test_text_can_be_read_in_a_crowd(setup, picture):
    """Where the text is, no boid is."""
    tables = setup()
    look = {"title": "Starlings", "overlay": {"caption": "together"}}
    empty = picture(tables, [], look)
    crowd = np.random.default_rng(3).uniform((0, 0), (120, 80), (400, 2))
    crowded = picture(tables, crowd, look)

    np.testing.assert_array_equal(crowded[empty > 0], empty[empty > 0])


@pytest.mark.parametrize("forces", ["boid", "panel"])
@pytest.mark.parametrize("axes", [True, False])
@pytest.mark.parametrize("size", [(400, 400), (640, 360), (1088, 480), (1280, 720)])
def test_texts_do_not_overlap(setup, state, monkeypatch, size, axes, forces):
    """Everything that is written has its own place in pictures of the usual sizes, and is not moved or cut off."""
    boxes = []
    plain = Canvas.write

    def write(self, text, xy, tone, size, anchor=(0, 0)):
        box = np.array([width(text, size), 0.8 * height(size)])
        boxes.append((text, xy - box * anchor, xy - box * anchor + box))
        plain(self, text, xy, tone, size, anchor)

    monkeypatch.setattr(Canvas, "write", write)
    every = {key: value for on in ON.values() for key, value in on.items()}
    caption = "alignment is off, and so headings go apart, more and more, until nothing is left of the flock"
    look = {"title": "A flock of starlings", "overlay": {**every, "forces": forces, "axes": axes, "caption": caption}}
    tables = setup(predators=({},), time={"frames": 2000})
    Renderer(drawable(tables, look), size)(state(tables, [(60, 40), (70, 44)], frame=1999))

    assert len(boxes) > 15
    for (one, low, high), (other, left, right) in combinations(boxes, 2):
        assert (high <= left).any() or (right <= low).any(), (one, other)
    for text, low, high in boxes:
        assert (low >= 0).all(), text
        assert (high <= size).all(), text


def test_numbers_of_the_frame_do_not_twitch(setup, state):
    """A label stands in the same place whatever the numbers are."""
    tables = setup(time={"frames": 1000})
    renderer = Renderer(drawable(tables, {"overlay": {"hud": True}}), (640, 360))
    early, late = (renderer(state(tables, [(60, 40)], frame=frame)).index for frame in (1, 999))
    polarization = slice(280, 360)

    np.testing.assert_array_equal(early[340:, polarization], late[340:, polarization])


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


def test_unknown_measure_is_refused():
    """A measure that does not exist is a mistake, in the line of numbers as in the chart."""
    for key, value in (("hud", ("polarisation",)), ("chart", "polarisation"), ("hud", ())):
        with pytest.raises(ValidationError, match=key):
            Look.model_validate({"overlay": {key: value}})


def test_curve_grows_with_the_frames(setup, state):
    """The curve reaches as far to the right as the run has come, and what was drawn stays."""
    tables = setup(time={"frames": 5})
    renderer = Renderer(drawable(tables, {"overlay": {"chart": "polarization"}}), (400, 300))
    strong = renderer.palette.sum(axis=1) > 650
    flights = [[(1, 0), (1, 0)], [(1, 0), (0, 1)], [(1, 0), (-1, 0)], [(1, 0), (0, 1)], [(1, 0), (1, 0)]]
    ends = []
    for frame, flight in enumerate(flights):
        drawn = renderer(state(tables, [(9, 70), (9, 74)], flight, frame=frame)).index
        ends.append(np.argwhere(strong[drawn[235:, 230:]])[:, 1].max())

    assert ends == sorted(ends)
    assert ends[-1] - ends[0] > 100


def test_chart_can_be_read_in_a_crowd(setup, picture):
    """Where the chart is, no boid is."""
    tables, look = setup(), {"overlay": {"chart": "dispersion"}}
    crowd = np.random.default_rng(3).uniform((0, 0), (120, 80), (900, 2))
    plain = picture(tables, crowd, {}, (400, 300))
    drawn = picture(tables, crowd, look, (400, 300))

    assert np.count_nonzero(plain[215:285, 260:390]) > 4 * np.count_nonzero(drawn[215:285, 260:390])


@pytest.mark.parametrize(("value", "expected"), [(0, 1), (1, 1), (1.2, 2), (2, 2), (3, 5), (7, 10), (430, 500)])
def test_charts_end_at_round_numbers(value, expected):
    """The axis ends at 1, 2 or 5 times a power of ten, at or above the largest value."""
    assert rounded_up(value) == expected


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


def test_neighbors_are_linked_the_shortest_way(setup, picture):
    """A neighbor across the edge is linked across the edge; one too far away is not."""
    tables = setup(flock={"perception": {"radius": 20.0}, "count": 3})
    look = {"overlay": {"neighbors": True}}
    linked = picture(tables, [(3, 40), (115, 40), (60, 40)], look)
    without = picture(tables, [(3, 40), (115, 40), (60, 40)])
    changed = np.flatnonzero(((linked > 0) != (without > 0)).any(axis=0))

    assert changed.min() == 0
    assert changed.max() == 119
    assert not set(range(20, 105)) & set(changed.tolist())
