"""Loops without a jump."""

import tracemalloc

import numpy as np
import pytest
from PIL import Image

from boidsgen import load_scenario, render
from boidsgen.drawing.frame import Frame, Inks
from boidsgen.drawing.quantization import Fading, dissolved, seamless
from boidsgen.errors import ScenarioError
from boidsgen.output.gif import Gif
from boidsgen.scenario.warnings import warnings_of

PALETTE = np.zeros((40, 3), np.uint8)


def plain(number, size=(64, 64)):
    """A picture that holds its number everywhere."""
    return Frame(np.full(size[::-1], number, np.uint8), PALETTE)


def shares(frames, seam):
    """For each picture of the loop, how much of it comes from which picture of the run."""
    loop = seamless((plain(number) for number in range(frames)), frames, seam, dissolved)
    return [dict(enumerate(np.bincount(one.index.reshape(-1), minlength=frames) / one.index.size)) for one in loop]


@pytest.mark.parametrize(("frames", "seam"), [(10, 0), (10, 3), (10, 5), (2, 1), (1, 0)])
def test_as_many_pictures_as_are_left(frames, seam):
    """A loop is shorter than its run by the seam."""
    assert len(shares(frames, seam)) == frames - seam


def test_first_pictures_come_in_evenly():
    """Each of the last pictures has a larger share of one of the first, and the next in the run follows the end."""
    *whole, one, two, three = shares(10, 3)

    assert [max(share, key=share.get) for share in whole] == [3, 4, 5, 6]
    assert all(max(share.values()) == 1 for share in whole)
    for place, share in enumerate((one, two, three)):
        assert share[place] == pytest.approx((place + 1) / 4, abs=0.01)
        assert share[7 + place] == pytest.approx(1 - (place + 1) / 4, abs=0.01)


def test_pixels_never_go_back():
    """Once a pixel has gone over to the beginning it stays there: nothing flickers."""
    loop = list(seamless((plain(number) for number in range(20)), 20, 8, dissolved))
    taken = np.array([one.index < 8 for one in loop[-8:]])

    assert (taken[1:] >= taken[:-1]).all()


def test_inks_fade_and_what_stays_stays():
    """Of two pictures each is seen at its share; where both are alike nothing changes; none of either leaves no ink."""
    inks = Inks("#000000", {"one": "#ffffff"})
    full = int(inks.codes[inks.tone(0) + 255])
    there, empty = (Frame(np.full((1, 1), code, np.uint8), inks.colors) for code in (full, 0))
    blend = Fading(inks)

    assert [int(inks.colors[blend(there, empty, share).index][0, 0, 0]) for share in (0.0, 0.5, 1.0)] == [255, 128, 0]
    assert [int(inks.colors[blend(empty, there, share).index][0, 0, 0]) for share in (0.0, 0.5, 1.0)] == [0, 128, 255]
    assert all(blend(there, there, share).index[0, 0] == full for share in (0.0, 0.3, 1.0))


def test_memory_is_that_of_the_seam():
    """However long the run, no more pictures are kept than the seam has."""
    size = (200, 100)
    list(seamless((plain(number, size) for number in range(4)), 4, 1, dissolved))  # the pattern is made once
    tracemalloc.start()
    for _ in seamless((plain(number % 40, size) for number in range(400)), 400, 5, dissolved):
        pass
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert most < 15 * size[0] * size[1]


def test_no_jump_where_the_clip_begins_again(tmp_path):
    """From the last frame to the first less changes than without a seam, and about as much as from frame to frame."""
    given = {"time.frames": 60, "time.warmup": 0, "output.size": [120, 120], "title": ""}
    jumps = {seam: _jump(load_scenario("quickstart", given | {"output.loop_seam": seam}), tmp_path) for seam in (0, 15)}

    assert jumps[15] < 0.6 * jumps[0]


def _jump(scenario, folder):
    """How much changes from the last frame to the first, against the mean change from frame to frame."""
    report = render(scenario, folder / f"{scenario.output.loop_seam}.gif")
    frames = np.array([one.astype(int) for one in Gif.pictures(report.path)])
    assert len(frames) == report.frames == 60 - scenario.output.loop_seam
    each = abs(np.diff(frames, axis=0)).mean()
    return abs(frames[0] - frames[-1]).mean() / each


def test_longer_than_half_is_refused():
    """A seam of more than half the run has no frames to come from."""
    with pytest.raises(ScenarioError, match=r"output.loop_seam: must be at most 30, half of time.frames, not 31"):
        load_scenario("quickstart", {"time.frames": 60, "output.loop_seam": 31})


@pytest.mark.parametrize(("orbit", "told"), [(3.0, []), (0.0, []), (2.0, ["camera.orbit = 3 it comes round"])])
def test_camera_that_does_not_come_round_is_told(orbit, told):
    """What turns on its own must be where it was when the clip begins again."""
    given = {"world.size": [50, 50, 50], "time.frames": 130, "output.loop_seam": 10, "camera.orbit": orbit}
    scenario = load_scenario("quickstart", given)
    found = [one.wording for one in warnings_of(scenario, given) if one.keys == ("output", "loop_seam")]

    assert len(found) == len(told)
    assert all(text in one for text, one in zip(told, found, strict=True))


def test_without_a_ground_nothing_fades_into_one(tmp_path):
    """In the seam of a transparent clip, boids have the colors of boids: they are not darkened to a ground."""
    given = {"time.frames": 24, "output.size": [120, 120], "title": "", "style.transparent": True, "style.trails": 0}
    light = {}
    for seam in (0, 8):
        scenario = load_scenario("quickstart", given | {"output.loop_seam": seam})
        light[seam] = _light_of_the_last(render(scenario, tmp_path / f"{seam}.gif").path)

    assert light[8] == pytest.approx(light[0], rel=0.1)


def _light_of_the_last(path):
    """How light the pixels of the last frame are that are not transparent, from 0 to 255."""
    with Image.open(path) as clip:
        clip.seek(clip.n_frames - 1)
        colors = np.asarray(clip.convert("RGBA")).reshape(-1, 4)
    return colors[colors[:, 3] > 0, :3].mean()
