"""Numbers that follow from a scenario: sizes, steps, estimates and limits."""

import re
from functools import cached_property

import numpy as np
import pytest
from pydantic import ValidationError

from boidsgen.scenario.scenario import Limits, Scenario
from boidsgen.scenario.wording import everywhere
from boidsgen.simulation.measures import strengths
from boidsgen.simulation.run import PLACED_SAMPLE
from boidsgen.simulation.world import World
from tests.scenario.loaded import loaded


@pytest.mark.parametrize(
    ("settings", "size"),
    [
        ([], (400, 400)),
        (["world.size=[640.4, 0.3]"], (640, 1)),
        (["world.size=[640, 360]", "output.size=[64, 48]"], (64, 48)),
        (["world.size=[100, 100, 100]"], (1280, 720)),
    ],
)
def test_picture_size(settings, size):
    """A flat world has one pixel per unit unless the output table says otherwise; a deep one has a size of its own."""
    assert loaded("", *settings).picture_size == size


def test_steps_and_duration():
    """The first frame comes right after the warm-up."""
    scenario = loaded("", "time.frames=10", "time.steps_per_frame=3", "time.warmup=5", "output.fps=20")

    assert (scenario.steps, scenario.duration) == (32, 0.5)


def test_tables_may_come_as_json():
    """In JSON the numbers of a vector are a list, which is no tuple, at any depth; an error has its place."""
    written = '{"world": {"size": [200, 100]}, "flock": {"start": {"layout": "disc", "center": [20, 30]}}}'

    scenario = Scenario.model_validate_json(written)

    assert scenario.world.size == (200.0, 100.0)
    assert scenario.flock[0].start.center == (20.0, 30.0)
    with pytest.raises(ValidationError) as caught:
        Scenario.model_validate_json(written.replace("30", '"a"'))
    assert caught.value.errors()[0]["loc"][-2:] == ("center", 1)


def test_no_table_is_built_within_another():
    """A start pays for the tables that its scenario has, not for all that one may have."""
    for table in {section.table for section in everywhere(Scenario)}:
        table.model_rebuild()
        assert repr(table.__pydantic_core_schema__).count("'type': 'model',") == 1


def test_every_estimate_has_a_limit():
    """What one scenario asks for is held against a limit; others count runs of a sweep, and positions of tracks."""
    assert [*Scenario().cost(), "runs", "positions"] == list(Limits.model_fields)


@pytest.mark.parametrize(
    "setting",
    ["world.size=[1e50, 1e-50]", "flock.count=1000000000", "flock.perception.radius=inf", "flock.count=0"],
)
def test_estimates_are_finite(setting):
    """No valid scenario breaks the estimate itself."""
    assert all(amount >= 0 for amount in loaded("", setting, "time.frames=1").cost().values())


def test_estimates_of_starts_that_count_themselves(monkeypatch):
    """However many boids a start has, the estimate looks at no more than a sample of them."""
    looked = []
    shortest = World.shortest
    monkeypatch.setattr(World, "shortest", lambda self, offset: looked.append(offset.size) or shortest(self, offset))
    loaded('[flock]\ncount = 3000\nstart = { groups = ["box", "ring"], counts = [1000, 2000] }').cost()

    assert 0 < max(looked) <= 2 * PLACED_SAMPLE * PLACED_SAMPLE


def test_copies_compute_anew():
    """What a table has computed from its values, and keeps, does not follow it into a copy with other values."""

    def computed(table):
        members = (pair for kind in type(table).__mro__ for pair in vars(kind).items())
        kept = sorted(name for name, member in members if isinstance(member, cached_property))
        return [(name, re.sub(" at 0x[0-9a-f]+", "", repr(getattr(table, name)))) for name in kept]

    def everything(scenario):
        return [*map(computed, (scenario, scenario.world, scenario.style))]

    known, settings = loaded(""), ("world.size=[120, 90]", "style.color_by=speed", "style.theme=paper", "time.frames=9")
    other = loaded("", *settings, "world.boundary.kind=open")
    before, wanted, copied = everything(known), everything(other), dict[str, object]()
    for name in ("world", "style", "time"):
        table = getattr(other, name)
        values = {key: getattr(table, key) for key in type(table).model_fields}
        copied[name] = getattr(known, name).model_copy(update=values)

    assert everything(known.model_copy(update=copied)) == wanted != before


def test_curves_of_rules_end_where_neighbors_do():
    """A rule on a single neighbor is as strong in a world of which something was asked before: it has no edges."""
    known, asked = loaded(""), loaded("")
    assert asked.world.periods.all()
    distances = known.world.extent[0] - np.array([10.0, 20.0])

    assert not any(strength.any() for strength in strengths(known, 0, distances).values())
    assert not any(strength.any() for strength in strengths(asked, 0, distances).values())
