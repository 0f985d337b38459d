import pytest

from boidsgen.scenario.loading import draft
from boidsgen.scenario.overrides import Override
from boidsgen.scenario.sources import Source
from boidsgen.simulation import simulate
from boidsgen.simulation.measures import measure
from boidsgen.studies.sweep.tasks import MAX_MEASURED, Averages

SMALL = """\
title = "Small"
seed = 3
[world]
size = [48, 32]
[time]
frames = 2
[flock]
count = 5
"""


def test_measuring_is_bounded():
    """However long a run is, only so many of its frames are measured, the last one among them."""
    states = list(
        simulate(draft(Source("", "", SMALL), [Override("time.frames", 3 * MAX_MEASURED + 1, "")]).scenario())
    )
    averages = Averages(len(states))
    for state in states:
        averages.add(state)

    measured = [measure(state)["polarization"] for state in states[::4]]
    assert len(measured) <= MAX_MEASURED
    assert averages.outcome()["final"] == measure(states[-1])
    assert averages.outcome()["mean"]["polarization"] == pytest.approx(sum(measured) / len(measured))
