import pytest
from pydantic import ValidationError

from boidsgen.scenario.scenario import Scenario
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


def test_tables_may_come_as_json():
    """In JSON the numbers of a vector are a list, which is no tuple, at any depth; a mistake has its place."""
    written = '{"world": {"size": [200, 100]}, "flock": {"start": {"layout": "disc", "center": [20, 30]}}}'

    scenario = Scenario.model_validate_json(written)

    assert scenario.world.size == (200.0, 100.0)
    assert scenario.flock[0].start.center == (20.0, 30.0)
    with pytest.raises(ValidationError) as caught:
        Scenario.model_validate_json(written.replace("30", '"a"'))
    assert caught.value.errors()[0]["loc"][-2:] == ("center", 1)
