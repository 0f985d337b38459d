import pytest

from tests.scenario.loaded import loaded

SIZES = [
    ([], (400, 400)),
    (["world.size=[640.4, 0.3]"], (640, 1)),
    (["world.size=[640, 360]", "output.size=[64, 48]"], (64, 48)),
    (["world.size=[100, 100, 100]"], (1280, 720)),
    (["world.size=[100, 100, 100]", "output.size=[64, 48]"], (64, 48)),
]


@pytest.mark.parametrize(("settings", "size"), SIZES)
def test_picture_size(settings, size):
    """A flat world has one pixel per unit unless the output table says otherwise; a deep one has a size of its own."""
    assert loaded("", *settings).picture_size == size


def test_steps_and_duration():
    """The first frame comes right after the warm-up."""
    scenario = loaded("", "time.frames=10", "time.steps_per_frame=3", "time.warmup=5", "output.fps=20")

    assert (scenario.steps, scenario.duration) == (32, 0.5)
