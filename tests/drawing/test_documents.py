"""Sentences of documents 000 and 001 about their pictures, held against the pixels and letters of the presets."""

import math

import numpy as np
import pytest

from boidsgen import load_scenario, simulate
from boidsgen.drawing.canvas import Canvas
from boidsgen.drawing.look import Look
from boidsgen.drawing.renderer import Renderer
from boidsgen.simulation.setup import Setup
from tests.drawing.drawables import drawable

PLAY = np.array([768, 480])
PANEL_MIDDLE = {"pygame-exercise": np.array([768 + 160, 246]), "pygame-toggles": np.array([768 + 160, 255])}
"""The exercise's `bx`; its `by` is 240, where ours leaves room for title, caption and words above and below."""
INKS = {"separation": (255, 80, 80), "alignment": (80, 255, 80), "cohesion": (80, 80, 255), "velocity": (255, 255, 255)}
DOT = (255, 200, 100)
APART = math.radians(40)  # Arrows nearer to each other than this cover each other's ends


@pytest.fixture
def written(monkeypatch):
    """Texts of one picture after another, each with its place."""
    texts = []
    plain = Canvas.write

    def write(self, text, xy, tone, size, anchor=(0, 0)):
        texts.append((text, tuple(round(float(value), 6) for value in xy)))
        plain(self, text, xy, tone, size, anchor)

    monkeypatch.setattr(Canvas, "write", write)
    return texts


def states_of(name, frames, **more):
    """A preset, and its states in these frames."""
    scenario = load_scenario(name, {"time.frames": max(frames) + 1, **more})
    return scenario, [state for state in simulate(scenario) if state.frame in frames]


def published_forces(position, velocity):
    """The exercise's `step` of its first boid: separation, alignment and cohesion with their weights, and velocity."""

    def steering(x, y):
        size = math.hypot(x, y)
        x, y = (x / size * 150, y / size * 150) if size else (0.0, 0.0)
        x, y = x - velocity[0][0], y - velocity[0][1]
        size = math.hypot(x, y)
        return (x / size * 0.2, y / size * 0.2) if size > 0.2 else (x, y)

    (px, py), (vx, vy) = position[0], velocity[0]
    seen, push, pushes = [], [0.0, 0.0], 0
    for other in range(1, len(position)):
        dx, dy = position[other][0] - px, position[other][1] - py
        distance = math.hypot(dx, dy)
        ahead = (dx * vx + dy * vy) / (distance * math.hypot(vx, vy))
        if distance < 50 and ahead > math.cos(math.radians(135)):
            seen.append(other)
            if distance < 25:
                push = [push[0] - dx / distance / distance, push[1] - dy / distance / distance]
                pushes += 1
    if not pushes:
        return None
    mean_velocity = [sum(velocity[other][axis] for other in seen) / len(seen) for axis in (0, 1)]
    center = [sum(position[other][axis] for other in seen) / len(seen) for axis in (0, 1)]
    separation = steering(push[0] / pushes, push[1] / pushes)
    return {
        "separation": (1.5 * separation[0], 1.5 * separation[1]),
        "alignment": steering(*mean_velocity),
        "cohesion": steering(center[0] - px, center[1] - py),
        "velocity": (vx, vy),
    }


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
    flocks = [(state, state.flocks[0]) for state in states]
    found = ((state, published_forces(flock.position.tolist(), flock.velocity.tolist())) for state, flock in flocks)
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
        row = {place[1]: text for text, place in written if text.endswith(("ON", "off"))}
        said = {text.split(": ")[-1]: row[place[1]] for text, place in written if text.split(": ")[-1] in on}

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
    texts = [text for text, _ in written]

    assert scenario.output.fps == 60
    assert scenario.time.dt * scenario.time.steps_per_frame == pytest.approx(1 / 60)
    assert texts[texts.index("fps") + 1] == "60"


@pytest.fixture
def scales(written):
    """Numbers and names along the axes in the first frame and the last of a preset, each with its place."""

    def made(name):
        scenario, states = states_of(name, [0, 959], **{"flock.count": 2})
        pictures = []
        for state in states:
            written.clear()
            Renderer(scenario, scenario.picture_size)(state)  # a renderer of its own: one draws what stays once
            pictures.append([entry for entry in written if entry[0] in "xyz" or entry[0].isdigit()])
        return pictures

    return made


@pytest.mark.parametrize("name", ["trefoil-video", "trefoil-corrected"])
def test_axes_of_the_video_stay(scales, name):
    """The axes x, y and z go from 0 to 100, and are at the same places in the first frame and the last."""
    first, last = scales(name)
    texts = [text for text, _ in first]
    numbers = [int(text) for text in texts if text.isdigit()]

    assert (min(numbers), max(numbers)) == (0, 100)
    assert {*"xyz"} <= {*texts}
    assert first == last


def test_axes_move_where_the_camera_follows(scales):
    """Where the camera follows the flock out of the box, as in trefoil-published, axes show where it is."""
    first, last = scales("trefoil-published")

    assert first != last
