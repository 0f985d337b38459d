"""Animals that are alive: wings that beat, bodies that bend into their turns, in every look."""

from collections import deque

import numpy as np
import pytest

from boidsgen import load_scenario, simulate
from boidsgen.drawing.animals import Turning, beating
from boidsgen.drawing.frame import rgb
from boidsgen.drawing.renderer import Renderer
from boidsgen.drawing.shapes import SHAPES, Placed, Shape, body_of, encloses, parts_of, variety_of
from boidsgen.drawing.themes import THEMES
from boidsgen.drawing.vector import FigureRenderer

ALIVE = sorted(name for name in SHAPES if SHAPES[name].beat)
BENDING = sorted(name for name in ALIVE if not SHAPES[name].winged)
BODY = 10.0  # Length of a body, in world units


def one(heading):
    """An animal at the origin."""
    return Placed(np.zeros(1, np.intp), np.zeros((1, 2)), np.array([heading]), np.ones(1), np.ones(1))


@pytest.mark.parametrize("name", BENDING)
@pytest.mark.parametrize("radius", [30.0, -30.0])
def test_a_tail_follows_the_head_into_a_turn(name, radius):
    """In the mean over a beat the tail is nearer to the circle on which the animal turns than if it were stiff."""
    shape, speed = SHAPES[name](), 2.0
    now, before = (speed * np.array([[np.cos(a), np.sin(a)]]) for a in (0.0, -speed / radius))
    frames = range(round(1 / shape.beat))
    turning = Turning(now, before, np.eye(3, 2))
    poses = np.mean([beating(one(0.0), shape, turning, frame, BODY).pose for frame in frames])
    body = body_of(shape)
    tail = body[:, 0] < body[:, 0].min() + 0.1

    def astray(outline):
        """Distance of the tail from the circle, whose middle is to the left of a turn to the left."""
        x, y = BODY * outline[tail].mean(axis=0)
        return abs(np.hypot(x, y - radius) - abs(radius))

    assert astray(shape.posed(body, poses)) < astray(body)


@pytest.mark.parametrize("name", ALIVE)
def test_a_beat_keeps_the_body_and_its_length(name):
    """Through a beat the area of a bending body stays, within a tenth, and the head of everybody where it is."""
    shape = SHAPES[name]()
    body = body_of(shape)
    head, area = body[:, 0].argmax(), _area(body)
    for pose in np.linspace(0.25, 0.75, 5):
        posed = shape.posed(body, pose)

        np.testing.assert_allclose(posed[head], body[head], atol=1e-12)
        assert shape.winged or _area(posed) == pytest.approx(area, rel=0.1)


@pytest.mark.parametrize("name", ALIVE)
@pytest.mark.parametrize("theme", ["paper", "deep"])
def test_animals_move_in_every_look(name, theme):
    """One who flies straight ahead changes its outline by twice as many pixels as a dart, whose edges are dithered."""
    assert _changes(name, theme) > 2 * _changes("dart", theme) + 8


@pytest.mark.parametrize("name", ALIVE)
def test_figures_move_as_well(name):
    """In figures too."""
    scenario, frames = _flight(name, "paper"), deque(maxlen=4)
    draw = FigureRenderer(scenario, scenario.picture_size)
    for state in simulate(scenario):
        layers = draw(state).layers
        points = [point for command in layers[-1].shapes[-1].path for point in command.points]
        frames.append(np.subtract(points, points[0]).round(6).tobytes())

    assert len(set(frames)) > 2


def _area(outline):
    following = np.roll(outline, -1, axis=0)
    return abs((outline[:, 0] * following[:, 1] - following[:, 0] * outline[:, 1]).sum()) / 2


def _flight(name, theme):
    """One animal that flies to the right, a pixel a frame."""
    alone = {"count": 1, "max_speed": 1, "min_speed": 1, "start": {"points": [[60, 40]], "velocities": [[1, 0]]}}
    style = {"theme": theme, "shape": name, "size": 24, "trails": 0}
    world = {"size": [200, 80], "boundary": "open"}
    return load_scenario({"world": world, "time": {"frames": 12}, "flock": alone, "style": style})


def _changes(name, theme):
    """The most pixels by which a later picture of the animal, shifted back, differs from the first."""
    scenario, found = _flight(name, theme), []
    draw = Renderer(scenario, scenario.picture_size)
    for state in simulate(scenario):
        frame = draw(state)
        light = frame.palette[frame.index].sum(axis=2).astype(int)
        here = 60 + state.frame
        near = light[16:64, here - 30 : here + 30]
        found.append(np.abs(near - np.median(near)) > 150)
    return max(np.count_nonzero(later != found[0]) for later in found)


LARGE = sorted(name for name in SHAPES if type(SHAPES[name]()).parts is not Shape.parts)
POSES = np.linspace(0.0, 1.0, 5)


def test_every_animal_that_moves_has_a_body():
    """An animal has a curved outline, a second tone and eyes, where it is large; a barb, without eyes, the others."""
    assert sorted([*ALIVE, "barb"]) == LARGE
    for name in LARGE:
        body, *details = SHAPES[name]().parts()
        strengths = {part.strength for part in details}

        assert body.strength == 1.0
        assert (min(strengths) < 0.1) == (name in ALIVE)
        assert any(0.3 < strength < 0.7 for strength in strengths)


@pytest.mark.parametrize("name", LARGE)
def test_details_lie_within_the_body(name):
    """In every pose all corners of a detail lie within the body, and all parts turn the same way round."""
    shape = SHAPES[name]()
    body, *details = parts_of(shape, 90.0)
    for pose in POSES if name in BENDING else POSES[2:]:
        outline = shape.posed(body.corners, pose)

        assert _turn(outline) > 0
        for part in details:
            corners = shape.posed(part.corners, pose)
            assert _turn(corners) > 0
            assert all(encloses(outline, corner) for corner in corners)


@pytest.mark.parametrize("name", LARGE)
def test_curves_have_no_corners_but_sharp_ones(name):
    """Between two sides of a large animal there is seldom a corner of more than 40 degrees."""
    (_, body), *_ = parts_of(SHAPES[name](), 90.0)

    assert _sharp(body) < 0.2
    assert len(body) > 3 * len(body_of(SHAPES[name]()))


@pytest.mark.parametrize("name", LARGE)
def test_small_animals_are_plain(name):
    """Below 24 pixels an animal is its outline, not so long it has no details, and large it reaches no further."""
    shape = SHAPES[name]()
    poses = {pose for lit in (False, True) for pose in variety_of(shape, lit=lit).poses}
    outline = body_of(shape)
    long, wide = np.ptp(outline, axis=0)
    least = 24.0 / max(long, wide)
    ((strength, corners),) = parts_of(shape, 0.99 * least)
    large, *_ = parts_of(shape, least)

    assert len(parts_of(shape, 0.99 * 24.0 / long)) == 1 < len(parts_of(shape, 24.0 / long))

    assert strength == 1.0
    assert corners.tobytes() == outline.tobytes()
    far, before = (max(np.hypot(*shape.posed(one, pose).T).max() for pose in poses) for one in (large.corners, outline))
    assert 0.9 * before < far <= before


@pytest.mark.parametrize("shape", ["hawk", "bird", "rabbit", "dart"])
def test_signs_lie_along_the_words_of_a_legend(shape):
    """A sign in a legend is wider than high: with wings it flies upward, all others go to the right."""
    start = {"points": [[100, 20]], "velocities": [[1, 0]]}
    style = {"theme": "paper", "shape": shape, "color_by": "flock"}
    given = {"world": {"size": [400, 400]}, "flock": {"count": 1, "start": start, "name": "one"}, "style": style}
    scenario = load_scenario(given | {"time": {"frames": 1}, "title": "", "overlay": {"legend": True, "hud": False}})
    draw = Renderer(scenario, scenario.picture_size)
    (frame,) = (draw(state) for state in simulate(scenario))
    rows, columns = (frame.palette[frame.index][:60] == rgb(THEMES["paper"].flocks[0])).all(axis=2).nonzero()

    assert np.ptp(columns) > np.ptp(rows)


def test_flanks_of_large_fish_flash():
    """In a lit theme with depth a fish is the brighter, the more of its flank is seen; small ones are as they were."""
    large, small, dart = ([*_brightest(shape, size)] for shape, size in (("fish", 40), ("fish", 20), ("dart", 40)))

    assert large[0] > 1.3 * large[1]
    assert small[0] == pytest.approx(small[1], rel=0.1)
    assert dart[0] == pytest.approx(dart[1], rel=0.1)


def _brightest(shape, size):
    """The brightest pixel of an animal that swims across the view, and of one that swims away from the viewer."""
    world = {"size": [200, 200, 200], "boundary": "open"}
    style = {"theme": "deep", "shape": shape, "size": size, "trails": 0}
    for velocity in ([0, 1, 0], [1, 0, 0]):
        start = {"points": [[100, 100, 100]], "velocities": [velocity]}
        alone = {"count": 1, "max_speed": 1, "min_speed": 1, "start": start}
        camera = {"azimuth": 0, "elevation": 20, "orbit": 0}
        given = {"world": world, "time": {"frames": 1}, "flock": alone, "style": style, "camera": camera}
        scenario = load_scenario(given)
        draw = Renderer(scenario, scenario.picture_size)
        (frame,) = (draw(state) for state in simulate(scenario))
        near = frame.palette[frame.index][260:360, 540:740].sum(axis=2)  # above the grid on the ground
        yield int(near.max() - np.median(near))


def _turn(outline):
    """Twice the area of an outline, positive counterclockwise."""
    following = np.roll(outline, -1, axis=0)
    return (outline[:, 0] * following[:, 1] - following[:, 0] * outline[:, 1]).sum()


def _sharp(outline):
    """Part of the corners of an outline at which it turns by more than 40 degrees."""
    way = np.roll(outline, -1, axis=0) - outline
    angle = np.arctan2(*way.T[::-1])
    turn = np.angle(np.exp(1j * (angle - np.roll(angle, 1))))
    return (np.abs(turn) > np.radians(40)).mean()
