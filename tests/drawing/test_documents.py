"""Sentences of documents 000 and 001 about their pictures, held against the pixels and letters of the presets."""

import math

import numpy as np
import pytest

from boidsgen import load_scenario, simulate
from boidsgen.drawing.look import Look
from boidsgen.drawing.renderer import Renderer
from boidsgen.simulation.setup import Setup
from tests.drawing.drawables import drawable
from tests.simulation.published.document_000 import Boid, V

PLAY = np.array([768, 480])
PANEL_MIDDLE = {"pygame-exercise": np.array([768 + 160, 255]), "pygame-toggles": np.array([768 + 160, 255])}
"""The exercise's `bx`; its `by` is 240, where ours leaves room for title, caption and words above and below."""
INKS = {"separation": (255, 80, 80), "alignment": (80, 255, 80), "cohesion": (80, 80, 255), "velocity": (255, 255, 255)}
DOT = (255, 200, 100)
APART = math.radians(40)  # Arrows nearer to each other than this cover each other's ends


def states_of(name, frames, **more):
    """A preset, and its states in these frames."""
    scenario = load_scenario(name, {"time.frames": max(frames) + 1, **more})
    return scenario, [state for state in simulate(scenario) if state.frame in frames]


def published_forces(flock):
    """The exercise's forces on its first boid with their weights, and its velocity; None where nobody pushes."""
    weights = {"separation": (1.5, 0, 0), "alignment": (0, 1, 0), "cohesion": (0, 0, 1)}
    found = {"velocity": flock.velocity[0].tolist()}
    for name, on in weights.items():
        boids = [Boid(place, (80.0, 0.0)) for place in flock.position.tolist()]
        for boid, velocity in zip(boids, flock.velocity.tolist(), strict=True):
            boid.v = V(*velocity)  # no longer that of the start
        boids[0].step(boids, on, 0.0)
        found[name] = boids[0].a.x, boids[0].a.y
    return found if any(found["separation"]) else None


def spread(arrows):
    """True where no two arrows point nearly the same way."""
    angles = sorted(math.atan2(y, x) for x, y in arrows)
    gaps = np.diff([*angles, angles[0] + 2 * math.pi])
    return min(gaps) > APART


def reach(colors, middle, way, ink):
    """Pixels from the middle along a way to the end of the first stretch in a color."""
    right, down = way[0] / math.hypot(*way), -way[1] / math.hypot(*way)
    end = 0.0
    for distance in np.arange(9.0, 140.0, 0.25):
        column, row = int(middle[0] + distance * right), int(middle[1] + distance * down)
        if np.abs(colors[row, column].astype(int) - ink).max() < 100:
            end = distance
        elif end:
            break
    return end


def test_arrows_have_the_lengths_of_the_exercise():
    """Forces are drawn 250 pixels a unit and the velocity 0.4, as the exercise's own loop computes them."""
    scenario, states = states_of("pygame-exercise", range(300))
    found = ((state, published_forces(state.flocks[0])) for state in states)
    state, arrows = next((state, arrows) for state, arrows in found if arrows and spread(arrows.values()))
    frame = Renderer(scenario, scenario.picture_size)(state)
    colors = frame.palette[frame.index]

    for name, way in arrows.items():
        expected = (0.4 if name == "velocity" else 250) * math.hypot(*way)
        assert reach(colors, PANEL_MIDDLE["pygame-exercise"], way, INKS[name]) == pytest.approx(expected, abs=2), name


@pytest.mark.parametrize("name", ["pygame-exercise", "pygame-toggles"])
def test_the_dot_of_the_panel_has_radius_8(name):
    """The pixels of the orange dot are those of a disc of radius 8."""
    scenario, (state,) = states_of(name, [0])
    frame = Renderer(scenario, scenario.picture_size)(state)
    near = np.abs(frame.palette[frame.index].astype(int) - DOT).max(axis=-1) < 60
    row, column = np.nonzero(near & (np.arange(near.shape[1]) > PLAY[0]))
    across, down = PANEL_MIDDLE[name]
    distance = np.hypot(column + 0.5 - across, row + 0.5 - down)

    assert distance.max() == pytest.approx(8, abs=1)
    assert len(row) > 0.6 * math.pi * 8**2  # the velocity's arrow begins in it


def test_the_panel_says_which_rules_are_on(written):
    """With the keys 1, 2, 3 and R the words beside each rule change in the frame of the key, and with no other."""
    frames = [0, 149, 150, 299, 300, 449, 450, 599, 600]
    scenario, states = states_of("pygame-toggles", frames, **{"flock.count": 2})
    draw = Renderer(scenario, scenario.picture_size)
    on = {"separation": True, "alignment": True, "cohesion": True}
    keys = {150: "separation", 300: "alignment", 450: "cohesion"}
    for state in states:
        written.clear()
        draw(state)
        if state.frame in keys:
            on[keys[state.frame]] = False
        if state.frame == 600:
            on = dict.fromkeys(on, True)
        row = {round(xy[1], 6): text for text, xy, *_ in written if text.endswith(("ON", "off"))}
        said = {text.split(": ")[-1]: row[round(xy[1], 6)] for text, xy, *_ in written if text.split(": ")[-1] in on}

        assert {name: text.endswith("ON") for name, text in said.items()} == on, state.frame


def published_triangle(size, angle):
    """The lesson's `draw` without its position: the corners, turned by an angle."""
    corners = [(size, 0), (-size, -size // 2), (-size, size // 2)]
    cosine, sine = math.cos(angle), math.sin(angle)
    return [(x * cosine - y * sine, x * sine + y * cosine) for x, y in corners]


def depth_within(corners, x, y):
    """Distance of points inside from the nearest side, negative for those outside; corners either way round."""
    turning = math.copysign(1, cross(corners[0], corners[1], corners[2][0], corners[2][1]))
    sides = zip(corners, corners[1:] + corners[:1], strict=True)
    return np.min([turning * cross(a, b, x, y) / math.dist(a, b) for a, b in sides], axis=0)


def cross(a, b, x, y):
    """Twice the area of the triangle of two corners and a point."""
    return (b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0])


@pytest.mark.parametrize("angle", [0.0, 1.0, 2.5, 4.4])
def test_boids_of_the_lesson_are_its_triangles(state, angle):
    """A boid has the pixels of the lesson's triangle, four times as large, but for its place: ours is its middle."""
    assert load_scenario("pygame-lesson").style.shape == "triangle"
    tables = Setup.model_validate({"world": {"size": (60.0, 60.0), "boundary": "open"}})
    look = Look.model_validate({"style": {"shape": "triangle", "size": 40}})
    place, flight = [(30.0, 30.0)], [(math.cos(angle), math.sin(angle))]
    shown = Renderer(drawable(tables, look), (60, 60))(state(tables, place, flight)).index != 0
    corners = [(4 * x, 4 * y) for x, y in published_triangle(5, angle)]
    middle = np.mean(corners, axis=0)
    corners = [(x - middle[0] + 30, y - middle[1] + 30) for x, y in corners]
    row, column = np.indices(shown.shape)
    inside = depth_within(corners, column + 0.5, 60 - row - 0.5)

    assert shown[inside > 1.5].all()
    assert not shown[inside < -1.5].any()


def test_the_lesson_shows_sixty_frames_a_second(written):
    """Its film has sixty frames a second, each a tick of 1/60, and says so."""
    scenario, (state,) = states_of("pygame-lesson", [0])
    Renderer(scenario, scenario.picture_size)(state)
    texts = [text for text, *_ in written]

    assert scenario.output.fps == 60
    assert scenario.time.dt * scenario.time.steps_per_frame == pytest.approx(1 / 60)
    assert texts[texts.index("fps") + 1] == "60"


@pytest.mark.parametrize(
    ("name", "stay"), [("trefoil-video", True), ("trefoil-corrected", True), ("trefoil-published", False)]
)
def test_axes_of_the_video_stay(written, name, stay):
    """The axes x, y and z go from 0 to 100 in all frames; as published, the camera follows the flock away from them."""
    scenario, states = states_of(name, [0, 959], **{"flock.count": 2})
    first, last = [], []
    for state, found in zip(states, (first, last), strict=True):
        written.clear()
        Renderer(scenario, scenario.picture_size)(state)  # a renderer of its own: one draws what stays once
        found += [(text, xy) for text, xy, *_ in written if text in "xyz" or text.isdigit()]
    numbers = [int(text) for text, _ in first if text.isdigit()]

    assert (first == last) == stay
    assert not stay or ((min(numbers), max(numbers)) == (0, 100) and {*"xyz"} <= {text for text, _ in first})
