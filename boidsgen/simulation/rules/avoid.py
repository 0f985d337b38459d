"""Avoid: steer round obstacles that lie ahead."""

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from boidsgen.simulation.geometry import Array, dot, length, unit
from boidsgen.simulation.obstacles import Obstacle, surface_of
from boidsgen.simulation.rules.rule import Rule, View
from boidsgen.simulation.world import World
from boidsgen.tables import NotNegative, Positive, Table

LOOKS = 40
"""Maximum number of sphere-tracing steps along the course of a boid."""

NEAR_ENOUGH = 1e-3
"""Tolerance of the clearance, in smallest sides of the world, within which an obstacle counts as met."""

STRAIGHT = 1e-9
"""Whoever would be turned aside by less than this, of a length of 1, flies straight at the obstacle."""


class Avoid(Rule):
    """Steer to the side before flying into an obstacle: (1 - t/lead) · unit(sideways).

    Here t is the time until a boid, flying straight on, would come nearer to any obstacle than the clearance, and
    sideways is the part of the obstacle's outward direction there that is perpendicular to the flight. Only the first
    obstacle met counts. It comes on top of the push of each obstacle's own table; set weight = 0 there to see this one
    alone. Source: C. Reynolds, Steering Behaviors for Autonomous Characters, GDC 1999 (obstacle avoidance).
    """

    formula: ClassVar[str] = (
        "(1 - t/lead) · unit(sideways), t the time until the first obstacle on the straight course; found by "
        "sphere tracing"
    )
    source: ClassVar[str] = "Reynolds 1999; Hart 1996"

    lead: Positive = 20.0
    """Look-ahead of a boid, in units of time."""
    clearance: NotNegative = 10.0
    """Desired distance between a boid and an obstacle, in world units."""

    @override
    def desired(self, view: View) -> Array:
        """To the side of the first obstacle ahead, the longer the sooner it would be met; zero on a free course."""
        if not view.obstacles:
            return np.zeros_like(view.position)
        speed, heading = length(view.velocity), unit(view.velocity)
        way, meets, outward = self._met(view, heading, speed * self.lead)
        reach = np.where(meets, speed * self.lead, 1.0)
        urgency = np.where(meets, 1.0 - way / reach, 0.0)
        return _sideways(outward, heading) * urgency[:, None]

    def _met(self, view: View, heading: Array, reach: Array) -> tuple[Array, NDArray[np.bool_], Array]:
        """Free distance of each boid, a flag for obstacles met within reach, and the outward direction there.

        A boid goes forward by its distance from all obstacles, again and again, which can never take it through one.
        Source: J. C. Hart, Sphere tracing, The Visual Computer 12, 1996.
        """
        near = NEAR_ENOUGH * min(view.world.size)
        way, free, outward = np.zeros_like(reach), np.zeros_like(reach), np.zeros_like(heading)
        going = np.arange(len(reach))
        for _ in range(LOOKS):
            place = view.position[going] + heading[going] * way[going, None]
            gap, outward[going] = _surroundings(place, view.obstacles, view.world)
            free[going] = gap - self.clearance
            going = going[(free[going] > near) & (way[going] < reach[going])]
            if not len(going):
                break
            # Half the tolerance short of it: exactly on a surface without thickness no side is outward.
            way[going] += free[going] - near / 2
        return way, (free <= near) & (way < reach) & (dot(outward, heading) < 0), outward


def _surroundings(position: Array, obstacles: Sequence[Obstacle], world: World) -> tuple[Array, Array]:
    """Distance from the nearest obstacle, shape (n,), and the outward direction there, shape (n, d)."""
    gap, outward = surface_of(obstacles[0], position, world)
    for obstacle in obstacles[1:]:
        other_gap, other_outward = surface_of(obstacle, position, world)
        nearer = other_gap < gap
        gap, outward = np.where(nearer, other_gap, gap), np.where(nearer[:, None], other_outward, outward)
    return gap, outward


def _sideways(outward: Array, heading: Array) -> Array:
    """The part of the outward directions perpendicular to the headings, brought to length 1, shape (n, d).

    Who flies straight at an obstacle may choose its side: all choose the one nearest to an axis.
    """
    across = outward - heading * dot(outward, heading)[:, None]
    axis = np.eye(heading.shape[1])[np.abs(heading).argmin(axis=1)]
    any_side = axis - heading * dot(axis, heading)[:, None]
    return unit(np.where(length(across)[:, None] > STRAIGHT, across, any_side))


class AvoidanceRules(Table):
    """The rule about obstacles ahead, by the name of its table."""

    avoid: Avoid | None = None
    """Steer to the side before flying into an obstacle: (1 - t/lead) · unit(sideways)."""
