"""Slow motion and dolly: the film changes, the simulation does not."""

from itertools import pairwise

import numpy as np
import pytest
from PIL import Image

from boidsgen import load_scenario, render, simulate
from boidsgen.drawing.renderer import Renderer
from boidsgen.simulation.run import paced

SLOW = [{"at": 5, "set": {"time.rate": 0.25}}, {"at": 9, "over": 4, "set": {"time.rate": 1.0}}]


def films(name, **keys):
    """The states of a preset, and those of its film in slow motion."""
    plain = load_scenario(name, {"time.frames": 20, **keys})
    slow = load_scenario(name, {"time.frames": 20, "events": SLOW, **keys})
    return list(simulate(plain)), list(paced(simulate(slow), slow)), slow


@pytest.mark.parametrize("name", ["quickstart", "hunt", "pygame-exercise", "trefoil-corrected", "formation"])
def test_slow_motion_leaves_the_states_as_they_are(name):
    """A slow film shows the same states to the bit, and as many pictures as the scenario announces."""
    states, film, slow = films(name)
    whole = [state for state in film if not state.share]

    assert len(film) == slow.pictures > 30
    for one, other in zip(states, whole, strict=True):
        for here, there in zip((*one.flocks, *one.predators), (*other.flocks, *other.predators), strict=True):
            np.testing.assert_array_equal(here.position, there.position)
            np.testing.assert_array_equal(here.velocity, there.velocity)


@pytest.mark.parametrize("name", ["quickstart", "pygame-exercise"])
def test_nobody_jumps_between_two_states(name):
    """Between two states at a quarter of the speed everybody goes a quarter of the way, across periodic edges too."""
    _, film, slow = films(name)
    quarters = film[5:21]
    for one, other in pairwise(quarters):
        way = slow.world.shortest(other.flocks[0].position - one.flocks[0].position)
        near = (np.abs(way) < slow.world.extent / 2).all(axis=1)  # one on an edge is put on the opposite one
        longest = slow.flock[0].max_speed * slow.time.dt * slow.time.steps_per_frame / 4

        assert near.mean() > 0.9
        assert np.linalg.norm(way[near], axis=1).max() <= longest * (1 + 1e-9)


def test_a_clip_has_the_pictures_of_slow_motion(tmp_path):
    """The file has every picture, and its duration is that of the scenario."""
    scenario = load_scenario("quickstart", {"time.frames": 20, "events": SLOW, "output.loop_seam": 0})
    report = render(scenario, tmp_path / "slow.gif")
    with Image.open(tmp_path / "slow.gif") as clip:
        found = clip.n_frames

    assert found == report.frames == scenario.pictures
    assert report.duration == pytest.approx(scenario.pictures / scenario.output.fps)


def test_a_dolly_enlarges_what_is_near_more():
    """Nearer to the world, the camera magnifies its near end more than its middle, and its far end less."""
    dolly = [{"at": 2, "set": {"camera.distance": 1.4}}]
    scenario = load_scenario({"world": {"size": [100, 100, 100]}, "time": {"frames": 3}, "events": dolly})
    draw, scales = Renderer(scenario, (320, 180)), []
    for state in simulate(scenario):
        seen = draw._scene(state).projection
        depth = np.array([-40.0, 0.0, 40.0])[:, None]
        scales.append(seen(scenario.world.extent / 2 - depth * seen.axes[2]).scale)
    near, middle, far = scales[2] / scales[0]

    assert near > middle > far
    assert middle == pytest.approx(2.4 / 1.4)
