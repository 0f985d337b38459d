"""Measures of a state, one file each or two that belong together; see `measure` for what a measure answers.

  measure(state)                                every measure of all boids, by name
  measure(state, ["polarization"], flock=1)     one measure of one flock
A measure that is not defined for this state (no boids, no predators) is left out; none is ever nan.
"""

from collections.abc import Iterable

from boidsgen.simulation.measures.measure import Measure
from boidsgen.simulation.measures.population import Population, everybody, only
from boidsgen.simulation.state import State
from boidsgen.tables import family

__all__ = ["MEASURES", "Measure", "Population", "measure"]

MEASURES = family(__name__, Measure)
"""Every measure by its name."""


def measure(state: State, names: Iterable[str] = MEASURES, flock: int | None = None) -> dict[str, float]:
    """The measures with these names, of all boids or of the flock with this number, without those not defined.

    Raises:
        KeyError: when there is no measure of such a name.
    """
    population = everybody(state) if flock is None else only(state, flock)
    values = {name: MEASURES[name]().value(population) for name in names}
    return {name: value for name, value in values.items() if value is not None}
