import numpy as np
import pytest

from boidsgen.errors import UsageError
from boidsgen.scenario.scenario import Scenario
from boidsgen.simulation import simulate
from boidsgen.studies.compare.grids import ablated


def small(**document):
    table = {"world": {"size": (64.0, 48.0)}, "time": {"frames": 4}, "flock": {"count": 5}, **document}
    return Scenario.model_validate(table)


def test_ablation_takes_one_rule_at_a_time():
    """The whole flock comes first, then the same without each rule that is on; all start alike."""
    flocks = ablated(small(seed=5, predators={"count": 1}, flock={"count": 9, "cohesion": {"weight": 0.0}}))

    assert list(flocks) == ["all rules", "no separation", "no alignment", "no flee"]
    starts = [next(simulate(scenario)) for scenario in flocks.values()]
    for start in starts[1:]:
        assert np.array_equal(start.flocks[0].position, starts[0].flocks[0].position)
        assert np.array_equal(start.flocks[0].velocity, starts[0].flocks[0].velocity)
    assert "separation" not in flocks["no separation"].flock[0].rules
    assert "alignment" in flocks["no separation"].flock[0].rules


def test_ablation_goes_through_all_flocks():
    """A rule is taken from every flock that has it; without predators, fleeing is none."""
    flocks = ablated(small(flock=({"name": "a"}, {"name": "b", "alignment": {"weight": 0.0}})))

    assert list(flocks) == ["all rules", "no separation", "no alignment", "no cohesion"]
    assert all("cohesion" not in flock.rules for flock in flocks["no cohesion"].flock)


def test_nothing_to_ablate():
    """A flock without rules is told."""
    off = {name: {"weight": 0.0} for name in ("separation", "alignment", "cohesion")}

    with pytest.raises(UsageError, match="no rule"):
        ablated(small(flock=off))
