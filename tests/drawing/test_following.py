import numpy as np
import pytest

from boidsgen.drawing import Renderer
from boidsgen.drawing.camera import MIN_SIZE, Projection, Tracker
from boidsgen.errors import ScenarioError
from boidsgen.simulation import simulate
from tests.drawing.drawables import drawable
from tests.scenario.loaded import loaded

OPEN = {"size": (120.0, 80.0), "boundary": {"kind": "open"}}
DEEP = {"size": (60.0, 40.0, 40.0), "boundary": {"kind": "open"}}
FAR = np.array([1000.0, 0.0])
CLOUD = np.random.default_rng(3).normal(0, 10, (200, 2))
FOLLOWING = {"camera": {"follow": "flock"}}


@pytest.fixture
def boxes(setup, state):
    """What a tracker shows when boids are where it is told, state by state."""

    def made(places, world=OPEN):
        tables = setup(world=world)
        tracker = Tracker(tables.world)
        found = []
        for place in places:
            tracker.note(state(tables, place))
            found.append(tracker.box)
        return found

    return made


def test_without_boids_the_world_is_shown(boxes):
    """As long as there was nobody to follow, the box is the world."""
    box = boxes([np.zeros((0, 2))])[-1]

    np.testing.assert_array_equal(box.center, (60, 40))
    assert box.size == 1


def test_first_box_holds_the_flock(boxes):
    """The first state is framed at once, with at least four in five boids and with little room to spare."""
    (box,) = boxes([CLOUD + FAR])
    half = box.size * np.array((120, 80)) / 2
    inside = (abs(CLOUD + FAR - box.center) < half).all(axis=1)

    assert 0.8 < inside.mean() <= 1
    assert (np.ptp(CLOUD, axis=0) > half).any()


def test_steady_flight_is_followed_without_lag(boxes):
    """A flock that flies straight on, however fast, is soon in the middle and stays there."""
    flight = np.arange(80)[:, None] * np.array((25.0, -10.0))
    found = boxes([CLOUD + way for way in flight])
    (still,) = boxes([CLOUD])

    off = [box.center - way - still.center for box, way in zip(found, flight, strict=True)]
    assert np.abs(off[-1]).max() < 0.1
    assert max(np.hypot(*one) for one in off) < 8 * np.hypot(25, 10)


def test_steady_growth_is_followed_without_lag(boxes):
    """A flock that spreads always at the same rate fills always the same part of the picture."""
    found = boxes([CLOUD * 1.02**step for step in range(120)])
    (first,) = boxes([CLOUD])

    assert found[-1].size / (first.size * 1.02**119) == pytest.approx(1, abs=1e-3)


def test_a_leap_is_smoothed_and_overshot_by_little(boxes):
    """When the flock is suddenly elsewhere the camera goes there over some frames, and less than a fifth beyond."""
    found = boxes([CLOUD, *[CLOUD + FAR] * 100])
    way = np.array([box.center[0] for box in found]) - found[0].center[0]

    assert 0 < way[1] < 400
    assert way.max() < 1200
    assert way[-1] == pytest.approx(1000, abs=1)


def test_a_point_is_shown_from_a_distance(boxes):
    """Boids in one place are shown with some of the world round them."""
    (box,) = boxes([np.full((50, 2), 7.0)])

    assert box.size == pytest.approx(MIN_SIZE)


@pytest.mark.parametrize("world", [OPEN, DEEP])
def test_flock_that_flies_away_stays_in_the_picture(setup, state, world):
    """Far outside the world there are as many boids to be seen as at the start; without following there are none."""
    tables = setup(world=world, time={"frames": 100})
    cloud = np.random.default_rng(4).uniform(0.2, 0.8, (60, len(world["size"]))) * world["size"]
    for look, few in ((FOLLOWING, 100), ({}, 0)):
        renderer = Renderer(drawable(tables, {**look, "overlay": {"axes": False}}), (240, 160))
        seen = [
            np.count_nonzero(renderer(state(tables, cloud + 9.0 * frame, frame=frame)).index) for frame in range(100)
        ]

        assert seen[0] > 100
        assert seen[-1] > few if few else seen[-1] == 0


@pytest.mark.parametrize("world", [OPEN, DEEP])
def test_still_equals_the_frame_of_the_clip(setup, world):
    """Where the camera is depends on the states before, drawn or only noted."""
    tables = setup(world=world, flock={"count": 30}, time={"frames": 12})
    look = {**FOLLOWING, "style": {"trails": 4}, "overlay": {"axes": True}}
    clip, still = Renderer(drawable(tables, look), (240, 160)), Renderer(drawable(tables, look), (240, 160))
    states = list(simulate(tables))
    frames = [clip(one) for one in states]
    for one in states[:-1]:
        still.note(one)

    np.testing.assert_array_equal(still(states[-1]).index, frames[-1].index)
    assert (frames[0].index != frames[-1].index).any()


@pytest.mark.parametrize("orbit", [0.0, 5.0])
def test_everything_is_drawn_at_any_distance(setup, state, orbit):
    """Obstacles, edges, axes and marks that lie behind the camera do no harm."""
    tables = setup(
        world=DEEP,
        obstacles=({"kind": "circle", "center": (30.0, 20.0, 20.0), "radius": 5.0},),
        predators=({"count": 2},),
        time={"frames": 40},
    )
    everything = {"axes": True, "center_of_mass": True, "perception": True, "neighbors": True, "hud": True}
    look = {"camera": {"follow": "flock", "orbit": orbit}, "overlay": everything, "style": {"trails": 3}}
    renderer = Renderer(drawable(tables, look), (240, 160))
    cloud = np.random.default_rng(4).normal(0, 3, (60, 3))
    for frame in range(40):
        index = renderer(state(tables, cloud + 8.0 * (frame - 20), predators=[(30, 20, 20)], frame=frame)).index

        assert index.any()


def test_axes_tell_where_the_camera_is(setup, state):
    """The part of the world that axes are drawn round moves along, and is as large as what is seen."""
    tables = setup(world=OPEN)
    renderer = Renderer(drawable(tables, {**FOLLOWING, "overlay": {"axes": True}}), (240, 160))
    renderer(state(tables, CLOUD + FAR))
    low, high = renderer._view.part

    assert (low < FAR).all()
    assert (high > FAR).all()
    assert ((high - low) < (120, 80)).all()


@pytest.mark.parametrize("boundary", ["torus", "wrap", "teleport"])
def test_edges_that_lead_round_cannot_be_followed(boundary):
    """A flock that is on two sides at once has no place to follow it to."""
    with pytest.raises(ScenarioError) as caught:
        loaded(f'[world]\nboundary = "{boundary}"\n[camera]\nfollow = "flock"')

    assert caught.value.mistakes == (
        f"test.toml:4: camera.follow: needs edges that do not lead round, and world.boundary is {boundary}",
    )


def test_without_following_the_view_is_kept(setup, state):
    """A camera that stands still sees all frames in the very same way, so that nothing is traced twice."""
    tables = setup(world=OPEN)
    renderer = Renderer(drawable(tables), (120, 80))
    renderer(state(tables, CLOUD))
    first = renderer._view
    renderer(state(tables, CLOUD + 5))

    assert isinstance(first.projection, Projection)
    assert renderer._view is first
