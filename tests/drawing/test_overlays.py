import numpy as np
import pytest
from pydantic import ValidationError

from boidsgen.drawing import Look, Renderer
from boidsgen.drawing.layer import Backdrop, Foreground
from boidsgen.drawing.overlays import OVERLAYS, Overlay, layers
from boidsgen.drawing.overlays.axes import ticks
from boidsgen.drawing.overlays.center_of_mass import middle

ON = {
    "axes": {"axes": True},
    "caption": {"caption": "alignment off"},
    "center_of_mass": {"center_of_mass": True},
    "hud": {"hud": True},
    "legend": {"legend": True},
    "obstacles": {"obstacles": True},
    "perception": {"perception": True},
}
OFF = {"axes": False, "obstacles": False}
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
    flat = setup(obstacles=OBSTACLES, flock=FLOCK, predators=({},))
    deep = setup(world={"size": (100.0, 80.0, 60.0)}, obstacles=DEEP_OBSTACLES, flock=FLOCK, predators=({},))
    return {2: (flat, [(60, 40)]), 3: (deep, [(50, 40, 30)])}


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
    assert keys == {"axes", "caption", "center_of_mass", "focus", "hud", "legend", "obstacles", "perception"}


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
    value = ticks(extent, longest)

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


@pytest.mark.parametrize("size", [(400, 400), (640, 360), (1280, 720)])
def test_texts_do_not_overlap(setup, state, size):
    """Title, legend, caption and the line of numbers have their own places in pictures of the usual sizes."""
    tables = setup(predators=({},), time={"frames": 2000})
    every = {"title": {"title": "A flock of starlings"}}
    every |= {name: {"overlay": ON[name]} for name in ("hud", "legend", "caption")}
    covered = []
    for look in every.values():
        index = Renderer(tables, Look.model_validate(look), size)(state(tables, [], frame=1999)).index
        covered.append(index > 0)

    assert np.sum(covered, axis=0).max() == 1


def test_numbers_of_the_frame_do_not_twitch(setup, state):
    """A label stands in the same place whatever the numbers are."""
    tables = setup(time={"frames": 1000})
    renderer = Renderer(tables, Look.model_validate({"overlay": {"hud": True}}), (640, 360))
    early, late = (renderer(state(tables, [(60, 40)], frame=frame)).index for frame in (1, 999))
    polarization = slice(280, 360)

    np.testing.assert_array_equal(early[340:, polarization], late[340:, polarization])
