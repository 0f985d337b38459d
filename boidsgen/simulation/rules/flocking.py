"""The three rules of Reynolds 1987: separation, alignment, cohesion."""

from typing import ClassVar

from typing_extensions import override

from boidsgen.simulation.neighbors.request import Falloff, Request
from boidsgen.simulation.rules.rule import NeighborRule, Perception, Recipe
from boidsgen.tables import Finite, PositiveOrInfinite, Table


class Separation(NeighborRule):
    """Move away from neighbors nearer than the radius, of the own kind and of every other (Reynolds 1987)."""

    formula: ClassVar[str] = (
        "Σ over S within its radius, and over all other flocks, of unit(p - pj) · f(r); f = 1, 1/r, 1/r² or r"
    )
    source: ClassVar[str] = "Reynolds 1987"
    rank: ClassVar[int] = 0

    weight: Finite = 1.5
    """Factor on the steering away; 0 switches separation off."""
    radius: PositiveOrInfinite | None = 25.0
    """Distance in world units below which neighbors are too close; inf = everyone."""
    falloff: Falloff = "inverse"
    """Size of one neighbor's push at distance r: constant 1, inverse 1/r, inverse_square 1/r², linear r."""

    @override
    def request(self, perception: Perception) -> Request:
        return Request(*self.reach(perception), self.falloff)

    @override
    def recipe(self, perception: Perception) -> Recipe:
        return Recipe("push", own=self.request(perception), others=self.request(perception))


class MeanRule(NeighborRule):
    """A rule about the mean of the neighbors."""

    include_self: bool = False
    """Whether the boid itself counts in the mean of its neighbors, as in loops that do not leave it out."""


class Alignment(MeanRule):
    """Match the mean velocity of the neighbors (Reynolds 1987)."""

    formula: ClassVar[str] = "reynolds: mean(vj); direct: mean(vj) - v"
    source: ClassVar[str] = "Reynolds 1987"
    rank: ClassVar[int] = 1

    @override
    def request(self, perception: Perception) -> Request:
        return Request(*self.reach(perception), "velocity", perception.neighbors)

    @override
    def recipe(self, perception: Perception) -> Recipe:
        return Recipe("mean velocity", own=self.request(perception), include_self=self.include_self)


class Cohesion(MeanRule):
    """Move toward the center of the neighbors (Reynolds 1987)."""

    formula: ClassVar[str] = "mean(pj) - p"
    source: ClassVar[str] = "Reynolds 1987"
    rank: ClassVar[int] = 2

    @override
    def request(self, perception: Perception) -> Request:
        return Request(*self.reach(perception), "offset", perception.neighbors)

    @override
    def recipe(self, perception: Perception) -> Recipe:
        return Recipe("mean offset", own=self.request(perception), include_self=self.include_self)


class FlockingRules(Table):
    """The three rules of 1987, by the names of their tables."""

    separation: Separation | None = None
    """Move away from neighbors nearer than the radius, of the own kind and of every other (Reynolds 1987)."""
    alignment: Alignment | None = None
    """Match the mean velocity of the neighbors (Reynolds 1987)."""
    cohesion: Cohesion | None = None
    """Move toward the center of the neighbors (Reynolds 1987)."""
