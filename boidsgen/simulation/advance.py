"""Advance: a group of animals one step later, steered by its rules, pushed by what stands around, kept in the world.

  advance(table, view, pushes, dt)   where the animals of `view` are after a step of this length, and how fast they fly
This is the numpy definition. Another engine may do all of it at once, and must give the same bits.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from boidsgen.simulation.geometry import Array
from boidsgen.simulation.obstacles import Obstacle
from boidsgen.simulation.randomness import scattered
from boidsgen.simulation.world import World

if TYPE_CHECKING:
    from boidsgen.simulation.rules.rule import View
    from boidsgen.simulation.steering import SteeredGroup


class Advanced(NamedTuple):
    """A group one step later.

    Attributes:
        position: (n, d) world units.
        velocity: (n, d) world units per unit of time.
        finite: whether it is certain that all of these are finite numbers.
    """

    position: Array
    velocity: Array
    finite: bool = False


def advance(table: "SteeredGroup", view: "View", pushes: Sequence[Array], dt: float) -> Advanced:
    """The animals of a group after a step; `pushes`, (n, d) each, are added to what its rules give, in their order."""
    return driven(table, view, total(table.drive(view), pushes), dt)


def total(drive: Array, pushes: Sequence[Array]) -> Array:
    """The drive, which is changed, with everything added that pushes, in this order."""
    for push in pushes:
        drive += push
    return drive


def driven(table: "SteeredGroup", view: "View", drive: Array, dt: float) -> Advanced:
    """The animals of a group after a step that this drive steers, (n, d); drifts move them besides."""
    drift = table.drift(view)
    if table.angular_noise:
        generator = view.randomness.stream("angular noise")
        drive = scattered(view.velocity, drive, table.inertia, table.angular_noise, generator)
    position, velocity = view.neighbors.engine.move(view.position, view.velocity, drive, table.limits(dt))
    return confined(position if drift is None else position + drift, velocity, view.obstacles, view.world)


def confined(position: Array, velocity: Array, obstacles: Sequence[Obstacle], world: World) -> Advanced:
    """Positions and velocities after solid obstacles and the edges of the world have had their say."""
    for obstacle in obstacles:
        position, velocity = obstacle.keep_out(position, velocity, world)
    return Advanced(*world.boundary.confine(position, velocity, world.extent))
