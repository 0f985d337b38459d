"""Rules that use chance: noise and wander."""

from typing import ClassVar, Literal

import numpy as np
from typing_extensions import override

from boidsgen import exact
from boidsgen.simulation.geometry import Array
from boidsgen.simulation.randomness import directions
from boidsgen.simulation.rules.rule import Rule, View
from boidsgen.tables import Positive, Table


class Noise(Rule):
    """A new random vector every step."""

    formula: ClassVar[str] = "each component uniform in [-1, 1], new every step"
    source: ClassVar[str] = "after Vicsek 1995"
    chance: ClassVar[Literal["fixed", "fresh"] | None] = "fresh"

    distribution: Literal["box", "sphere"] = "box"
    """Distribution of the vectors: box, each component evenly spread between -1 and 1; or sphere, all of length 1 and
    evenly spread over all directions, the vectorial noise of Grégoire and Chaté 2004."""

    @override
    def desired(self, view: View) -> Array:
        """Random vectors in [-1, 1]^d or of length 1, fresh every step."""
        count, dimension = view.position.shape
        generator = view.randomness.stream("noise")
        if self.distribution == "sphere":
            return directions(generator, count, dimension)
        return exact.uniform(generator, -1.0, 1.0, (dimension, count)).T


WAVES = 3
"""Number of sine waves in each component of the wander vector."""


class Wander(Rule):
    """A random vector of mean square length 1 that every boid has for itself and that changes smoothly."""

    formula: ClassVar[str] = (
        "per component Σ of three sine waves with random phase and pace 0.5 to 1.5 times rate; mean square length 1"
    )
    source: ClassVar[str] = "after Reynolds 1999"
    chance: ClassVar[Literal["fixed", "fresh"] | None] = "fixed"

    rate: Positive = 0.02
    """Rate of change of the vector: turns per unit of time."""

    @override
    def desired(self, view: View) -> Array:
        """For each component a sum of waves; the seed fixes their phases and paces, 0.5 to 1.5 times the rate."""
        count, dimension = view.position.shape
        phase, pace = view.randomness.fixed("wander", (2, WAVES, dimension, count))
        angle = 2 * np.pi * (self.rate * view.time * (0.5 + pace) + phase)
        vector: Array = exact.sine(angle).sum(axis=0).T * np.sqrt(2 / (WAVES * dimension))
        return vector


class ChanceRules(Table):
    """The rules that use chance, by the names of their tables."""

    wander: Wander | None = None
    """A random vector of mean square length 1 that every boid has for itself and that changes smoothly."""
    noise: Noise | None = None
    """A new random vector every step."""
