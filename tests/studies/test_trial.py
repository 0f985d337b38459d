"""How long a run will take, by its beginning."""

import pytest

from boidsgen.errors import EncoderError
from boidsgen.scenario.estimate import seconds
from boidsgen.studies import trial
from tests.scenario.loaded import loaded

LONG = loaded("", "time.frames=1000", "time.warmup=50", "flock.count=900", "output.size=[320, 240]")


def forecast(scenario, output_format):
    return trial.forecast(scenario, output_format, seconds(scenario))


@pytest.fixture
def machine(monkeypatch):
    """A machine that begins in half a second, makes a frame in a tenth and a step of the warm-up in a hundredth.

    Its clips have 800 bytes and 100 for each frame.
    """
    asked = []

    def rendering(scenario, target, engine):
        asked.append((scenario.time.frames, scenario.time.warmup, target.format, engine))
        return trial.Sample(0.5 + 0.1 * scenario.time.frames, 800 + 100 * scenario.time.frames)

    monkeypatch.setattr(trial, "_rendering", rendering)
    monkeypatch.setattr(trial, "_step", lambda *_: 0.01)
    monkeypatch.setattr(trial, "announcement", lambda *_: "numba: not compiled yet")
    return asked


def test_the_beginning_tells_the_whole(machine):
    """Begin, frames and warm-up each count as often as they happen, and the trial itself waits for no compiler."""
    assert forecast(LONG, "mp4") == pytest.approx((0.5 + 1000 * 0.1 + 50 * 0.01, 800 + 1000 * 100))
    assert {(warmup, output_format, engine) for _, warmup, output_format, engine in machine} == {(0, "mp4", "numpy")}
    assert max(frames for frames, *_ in machine) <= trial.BEGINNING + trial.MOST


@pytest.mark.parametrize(
    "settings",
    [
        ["time.frames=20"],
        ["time.frames=1000", "flock.count=2000000"],
        ["time.frames=1000", "output.max_bytes=100000"],
    ],
)
def test_no_trial_that_would_take_as_long_as_the_run(machine, settings):
    """Few frames, a beginning that takes long, a clip made to fit: then there is only the formula."""
    assert forecast(loaded("", *settings), "gif") is None
    assert machine == []


def test_what_cannot_be_made_is_not_timed(monkeypatch):
    """Without an encoder the run will say so; here it is no mistake."""

    def refuse(*_):
        raise EncoderError("missing")

    monkeypatch.setattr(trial, "_rendering", refuse)
    assert forecast(LONG, "mp4") is None


def test_a_real_trial_leaves_nothing(monkeypatch, tmp_path):
    """Its frames are made where temporary files are, and are gone afterwards."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    found = forecast(loaded("", "time.frames=400", "time.warmup=2", "world.size=[64, 48]"), "gif")

    assert found is not None
    assert found.seconds > 0
    assert found.size > 400 * 20
    assert list(tmp_path.iterdir()) == []
