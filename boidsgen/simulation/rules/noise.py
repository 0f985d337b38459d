"""Noise: white noise on the velocity."""

from typing_extensions import override

from boidsgen.simulation.geometry import Array
from boidsgen.simulation.rules.rule import Rule, View


class Noise(Rule):
    """A new random vector every step, each component evenly spread between -1 and 1."""

    @override
    def desired(self, view: View) -> Array:
        """Uniform random vectors in [-1, 1]^d, fresh every step."""
        count, dimension = view.position.shape
        return view.randomness.stream("noise", view.flock).uniform(-1.0, 1.0, (dimension, count)).T
