import pytest

from boidsgen.errors import LimitError
from boidsgen.scenario.estimate import cost, excess, refuse_excess, seconds
from boidsgen.scenario.scenario import Limits, Scenario
from boidsgen.simulation.engines import SAMPLE
from boidsgen.simulation.world import World
from tests.scenario.loaded import loaded


@pytest.mark.parametrize(
    ("setting", "limit"),
    [("flock.count=2000001", "boids"), ("time.frames=100000000", "frames"), ("output.size=[10000, 10000]", "pixels")],
)
def test_limits(setting, limit):
    """A scenario beyond a limit is refused, and allowed with the limit that the message names."""
    with pytest.raises(LimitError, match=f"--set limits.{limit}="):
        refuse_excess(loaded("", setting))

    raised = loaded("", setting, f"limits.{limit}={cost(loaded('', setting))[limit]}")
    assert not any(f"limits.{limit}" in line for line in excess(raised))


def test_every_estimate_has_a_limit():
    """What one scenario asks for is held against a limit; the one limit besides counts the runs of a sweep."""
    assert [*cost(Scenario()), "runs"] == list(Limits.model_fields)


HUGE = [
    "world.size=[1e50, 1e-50]",
    "flock.count=1000000000",
    "flock.perception.radius=inf",
    "flock.count=0",
    "time.frames=1",
]


@pytest.mark.parametrize("setting", HUGE)
def test_estimates_are_finite(setting):
    """No valid scenario breaks the estimate itself."""
    scenario = loaded("", setting)
    sure = {name: amount for name, amount in cost(scenario).items() if "pixels" not in name}

    assert all(amount >= 0 for amount in sure.values())
    assert 0 <= seconds(loaded("", "flock.count=0")) <= seconds(Scenario()) < seconds(loaded("", "flock.count=1000"))


def test_estimates_of_starts_that_count_themselves(monkeypatch):
    """However many boids a start has, the estimate looks at no more than a sample of them."""
    looked = []
    shortest = World.shortest
    monkeypatch.setattr(World, "shortest", lambda self, offset: looked.append(offset.size) or shortest(self, offset))
    cost(loaded('[flock]\ncount = 3000\nstart = { groups = ["box", "ring"], counts = [1000, 2000] }'))

    assert looked
    assert max(looked) <= 2 * SAMPLE * SAMPLE
