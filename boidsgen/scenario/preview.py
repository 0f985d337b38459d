"""Preview: what a scenario looks like at its beginning, as the bytes of a picture."""

from boidsgen.drawing import Renderer
from boidsgen.output.png import encoded
from boidsgen.scenario.cost import refuse_excess
from boidsgen.scenario.scenario import Scenario
from boidsgen.simulation import simulate


def preview(scenario: Scenario) -> bytes:
    """The first frame as a PNG.

    Raises:
        LimitError: when the scenario goes beyond its limits.
    """
    refuse_excess(scenario)
    return encoded(Renderer(scenario, scenario.picture_size)(next(simulate(scenario, "numpy"))), "")
