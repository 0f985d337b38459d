"""The rule of three exclusive zones: repulsion, orientation and attraction."""

from collections.abc import Mapping, Sequence
from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field
from typing_extensions import override

from boidsgen import exact
from boidsgen.simulation.geometry import Array, dot, length, scaled, unit
from boidsgen.simulation.neighbors.sums import Request
from boidsgen.simulation.randomness import directions
from boidsgen.simulation.records import Ask
from boidsgen.simulation.rules.rule import Operands, Operation, Rule, View
from boidsgen.tables import NotNegative, Positive


class Zones(Rule):
    """Three exclusive zones: away from those in the inner one, or else with the middle and toward the outer one.

    A boid within `repulsion` is seen all round, and only such boids count where there are any. Otherwise the boid
    wants to fly as those in the next shell (orientation) and toward those in the outer one (attraction), but for those
    in the blind angle behind it. A random turn is added, and the boid turns toward the result as far as its turning
    rate allows, at the speed that it has. Source: I. D. Couzin et al., Collective memory and spatial sorting in animal
    groups, Journal of Theoretical Biology 218, 2002.
    """

    formula: ClassVar[str] = (
        "R = -Σ unit(pj - p) over r < repulsion; O = Σ unit(vj) over the next shell, A = Σ unit(pj - p) over the outer "
        "one; d = R, or unit(O) + unit(A) where R is empty; v turned toward d by at most turning_rate · dt, minus v"
    )
    source: ClassVar[str] = "Couzin et al. 2002"
    published: ClassVar[Mapping[str, str]] = {"steering": "direct", "balance": "individuals"}
    chance: ClassVar[Literal["fixed", "fresh"] | None] = "fresh"

    repulsion: Positive = 1.0
    """Radius of the zone of repulsion, in world units."""
    orientation: NotNegative = 2.0
    """Width of the zone of orientation, the shell around the zone of repulsion, in world units; 0 = none."""
    attraction: NotNegative = 14.0
    """Width of the zone of attraction, the outer shell, in world units; 0 = none."""
    balance: Literal["zones", "individuals"] = "zones"
    """Weight of the two outer zones: zones, the directions of both count the same, however many are in each;
    individuals, each neighbor counts the same, the plain sums of the paper's equations."""
    blind_angle: Annotated[float, Field(ge=0, lt=360)] = 90.0
    """Angle behind a boid, in degrees, in which it sees no boid of the two outer zones."""
    turning_rate: NotNegative = 40.0
    """Largest turn, in degrees per unit of time."""
    error: NotNegative = 2.865
    """Standard deviation of the random turn, in degrees: a Gaussian wrapped around the circle, fresh in every step."""

    @override
    def desired(self, view: View) -> Array:
        """The direction before error and turn, of length 1; zero where nobody is in a zone, or they cancel out."""
        position, heading = view.position, unit(view.velocity)
        near, oriented, inner, attracted = self._requests()
        sums = view.neighbors.sums(position, heading, position, heading, [near, oriented, inner, attracted])
        # Where the outer zones count nobody is in the inner one, so that these sums are about the shells.
        along, toward = sums[oriented].total, sums[attracted].total - sums[inner].total
        if self.balance == "zones":
            along, toward = unit(along), unit(toward)
        crowded = (sums[near].count > 0)[:, None]
        return unit(np.where(crowded, -sums[near].total, along + toward))

    def _requests(self) -> Sequence[Request]:
        """Requests about repulsion, orientation, what attraction leaves out, and all within attraction."""
        seen, middle = 360.0 - self.blind_angle, self.repulsion + self.orientation
        return (
            Request(self.repulsion, 360.0, "constant"),
            Request(middle, seen, "velocity"),
            Request(middle, seen, "constant"),
            Request(middle + self.attraction, seen, "constant"),
        )

    @override
    def operation(self, operands: Operands) -> Operation:
        near, velocity = Request(self.repulsion, 360.0, "constant"), Request(self.repulsion, 360.0, "velocity")
        shell = Ask(near, headings=True, beyond=(self.orientation, 0.0), blind=self.blind_angle)
        oriented, attracted = (
            shell._replace(request=velocity),
            shell._replace(beyond=(self.orientation, self.attraction)),
        )
        asks = Ask(near, headings=True), oriented, shell, attracted
        value, at = (self.error, self.turning_rate), (self.balance == "zones",)
        return Operation("zones", value, at, asks, drawn=operands.world.dimension, purpose="zones")

    @override
    def direct(self, view: View) -> Array:
        """The velocity after the turn, minus the velocity."""
        speed, generator = length(view.velocity), view.randomness.stream("zones")
        heading = scaled(view.velocity, speed, 1.0)
        wanted = self.desired(view)
        wanted = np.where(length(wanted)[:, None] > 0, wanted, heading)
        angle = exact.normal(generator, (len(speed),)) * np.radians(self.error)
        wanted = _turned(wanted, directions(generator, *wanted.shape), angle)
        largest = np.radians(min(180.0, self.turning_rate * view.dt))
        within_reach = dot(wanted, heading) >= exact.cosine(largest)
        turned = np.where(within_reach[:, None], wanted, _turned(heading, wanted, np.full(len(speed), largest)))
        return speed[:, None] * turned - view.velocity


def _turned(ahead: Array, aside: Array, angle: Array) -> Array:
    """Directions turned toward others by an angle in radians, shape (n, d)."""
    across = unit(aside - dot(aside, ahead)[:, None] * ahead)
    return exact.cosine(angle)[:, None] * ahead + exact.sine(angle)[:, None] * across
