"""Clips that flash, by WCAG 2.3.1: three a second are allowed, a quarter of what is seen at once, and pale changes."""

import numpy as np
import pytest

from boidsgen import load_scenario, render, simulate
from boidsgen.cli.main import run
from boidsgen.drawing.frame import Frame
from boidsgen.drawing.renderer import Renderer
from boidsgen.output.outputs import Flashes

PALETTE = np.repeat(np.arange(256, dtype=np.uint8)[:, None], 3, axis=1)


def noticed(flashes_a_second, low, high, side, fps=30.0):
    """The notices of two seconds in which a square of this side flickers in a picture of 192 × 108."""
    watch, phase = Flashes(fps), 0
    for number in range(round(2 * fps)):
        picture = np.full((108, 192), low, np.uint8)
        phase = int(number / fps * flashes_a_second * 2) % 2
        picture[:side, :side] = high if phase else low
        watch.note(Frame(picture, PALETTE))
    return [*watch.notices]


@pytest.mark.parametrize(
    ("flashes", "low", "high", "side"),
    [
        (3, 0, 255, 108),  # three a second
        (10, 0, 80, 108),  # a change of less than a tenth
        (10, 235, 255, 108),  # both are bright
        (10, 0, 255, 20),  # less than a quarter of a third by a third
        (0, 0, 255, 108),
    ],
)
def test_what_is_allowed_gives_no_notice(flashes, low, high, side):
    assert noticed(flashes, low, high, side) == []


@pytest.mark.parametrize("fps", [10.0, 25.0, 60.0])
@pytest.mark.parametrize(("low", "high"), [(0, 255), (0, 120), (180, 255)])
def test_more_than_three_flashes_a_second_give_one_notice(low, high, fps):
    (line,) = noticed(5, low, high, 60, fps)
    assert "WCAG 2.3.1" in line


def test_noise_does_not_flash():
    """White noise that is new in every frame is balanced."""
    generator, watch = np.random.default_rng(7), Flashes(25.0)
    for _ in range(50):
        watch.note(Frame(generator.choice(np.array([0, 255], np.uint8), (270, 480)), PALETTE))
    assert [*watch.notices] == []


@pytest.mark.parametrize("size", [(1, 1), (2, 7)])
def test_a_picture_of_a_few_pixels_flashes_as_a_large_one_does(size):
    watch = Flashes(25.0)
    for number in range(25):
        watch.note(Frame(np.full(size, number % 2 * 255, np.uint8), PALETTE))
    assert len([*watch.notices]) == 1


def test_flocks_do_not_flash():
    """Animals that fly past are no flashes."""
    for name in ("quickstart", "hunt", "couzin-torus", "vicsek-2004"):
        scenario = load_scenario(name, {"time.frames": 30, "output.loop_seam": 0})
        watch, draw = Flashes(scenario.output.fps), Renderer(scenario, scenario.picture_size)
        for state in simulate(scenario):
            watch.note(draw(state))
        assert [*watch.notices] == []


def test_a_render_that_flashes_says_so(tmp_path, monkeypatch, capsys):
    """By a drawing that is dark in every other frame; of several scenarios each is named."""
    draw = Renderer.__call__

    def strobe(self, state):
        frame = draw(self, state)
        dark, bright = (pick(frame.palette.sum(axis=1)) for pick in (np.argmin, np.argmax))
        return Frame(np.full_like(frame.index, dark if state.frame % 2 else bright), frame.palette)

    monkeypatch.setattr(Renderer, "__call__", strobe)
    report = render("quickstart", tmp_path / "a.gif", frames=30, overrides={"output.loop_seam": 0})
    assert ["WCAG" in line for line in report.notices].count(True) == 1

    assert run(["render", "quickstart", "hunt", "--frames", "30", "--format", "mp4", "-o", f"{tmp_path}/two/"]) == 0
    told = [line.partition(": more")[0] for line in capsys.readouterr().err.splitlines() if "WCAG" in line]
    assert [line.rpartition(": frame")[0] for line in told] == ["boidsgen: quickstart", "boidsgen: hunt"]
