"""Sequential update: the boids of a flock take their turns, as in loops that change each boid in place.

One boid after the other, in the order of their numbers, looks at its own kind, steers, moves and meets the edges; those
after it see it where it has come to. Only what a boid learns of its own kind depends on the order: nobody else touches
its position and velocity before its turn, and other flocks and leaders are seen as they were when the step began. So
everything else that steers is computed for all at once, and given to the turns.

In a turn neighbors are added up in the order of their numbers. Everybody looks at everybody, so a step costs the square
of their number. `take_turns` defines what happens; an engine may have compiled turns, which give the same bits and
stand in for it with rules and edges that they know.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf, nan
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from boidsgen.simulation.boundaries import Boundary, Open, Soft, Teleport, Torus, Wrap
from boidsgen.simulation.dynamics import Limits
from boidsgen.simulation.geometry import Array, by_column, dot, magnitude, zeros
from boidsgen.simulation.neighbors import turns, unusable
from boidsgen.simulation.neighbors.request import COINCIDENT, Request, Sum
from boidsgen.simulation.neighbors.unbounded import is_about_everyone
from boidsgen.simulation.neighbors.vectorized import DIVISORS, half_angle_cosine
from boidsgen.simulation.rules.flocking import Alignment, Cohesion, MeanRule, Separation
from boidsgen.simulation.rules.rule import NeighborRule, Rule, View
from boidsgen.simulation.steering import SteeredGroup


class Influence(NamedTuple):
    """One thing that steers or moves boids.

    Attributes:
        rule: asked in the turns; None where nothing but what is given counts.
        given: (n, d) the vector itself; for a rule the sum over other flocks that it takes in.
    """

    rule: NeighborRule | None
    given: Array


@dataclass(frozen=True, slots=True, eq=False)
class Turns:
    """A step of one flock.

    Attributes:
        group: its table.
        view: what its boids perceive as the step begins.
        limits: what a drive can do.
        steering: what steers, in the order in which it is added up.
        drifts: what moves positions, in that order.
        confine: what solid obstacles and edges make of positions and velocities, of one boid or of several.
        bounces: whether anything solid stands in the world.
        position: (n, d), changed turn by turn.
        velocity: (n, d), changed turn by turn.
        drive: (n, d) the sum of what steers each boid, written turn by turn.
    """

    group: SteeredGroup
    view: View
    limits: Limits
    steering: Sequence[Influence]
    drifts: Sequence[Influence]
    confine: Callable[[Array, Array], tuple[Array, Array]]
    bounces: bool
    position: Array
    velocity: Array
    drive: Array


def turns_of(
    group: SteeredGroup,
    view: View,
    limits: Limits,
    pushes: Sequence[Array],
    confine: Callable[[Array, Array], tuple[Array, Array]],
) -> Turns:
    """A step that has not been made; `pushes` are what steers besides rules, (n, d) each, in their order."""
    return Turns(
        group=group,
        view=view,
        limits=limits,
        steering=(
            *_influences(group, view, group.contributions(view)),
            *(Influence(None, push) for push in pushes),
        ),
        drifts=tuple(_influences(group, view, group.drifts(view))),
        confine=confine,
        bounces=any(obstacle.solid for obstacle in view.obstacles),
        position=by_column(view.position).copy(order="F"),
        velocity=by_column(view.velocity).copy(order="F"),
        drive=zeros(*view.position.shape),
    )


def make(step: Turns) -> None:
    """Make the step, with compiled turns where the engine has some."""
    compiled = step.view.neighbors.engine.turns
    known = all(rule is None or type(rule) in KINDS for rule, _ in (*step.steering, *step.drifts))
    if compiled is None or unusable.given_up() or not known:
        take_turns(step)
        return
    try:
        _take_compiled(step, compiled)
    except unusable.UnusableEngineError as error:  # found before anybody has moved
        unusable.give_up(error)
        take_turns(step)


def _take_compiled(step: Turns, compiled: Callable[[turns.Plan, int, int], None]) -> None:
    plan, boids = _plan(step), len(step.position)
    if type(step.view.world.boundary) in EDGES and not step.bounces:
        compiled(plan, 0, boids)
        return
    for boid in range(boids):
        one = slice(boid, boid + 1)
        compiled(plan, boid, boid + 1)
        step.position[one], step.velocity[one] = step.confine(step.position[one], step.velocity[one])


def take_turns(step: Turns) -> None:
    """Move one boid after the other, in place."""
    view, requests = step.view, step.group.own_requests
    for boid in range(len(step.position)):
        one = slice(boid, boid + 1)
        here = replace(
            view,
            position=step.position[one],
            velocity=step.velocity[one],
            own=own_sums(step.position, step.velocity, boid, requests, view.world.periods),
            others={request: Sum(sums.count[one], sums.total[one]) for request, sums in view.others.items()},
        )
        step.drive[one] = _added(step.group, here, step.steering, one)
        moved = view.neighbors.engine.move(here.position, here.velocity, step.drive[one], step.limits)
        position = moved[0] + _added(step.group, here, step.drifts, one) if step.drifts else moved[0]
        step.position[one], step.velocity[one] = step.confine(position, moved[1])


def own_sums(
    position: Array, velocity: Array, boid: int, requests: Sequence[Request], periods: Array
) -> dict[Request, Sum]:
    """The answers to the requests of one boid about its own kind, everybody where they are now."""
    offset = position - position[boid]
    if periods.any():
        period = np.where(periods > 0, periods, inf)
        offset -= np.where(periods > 0, period * np.rint(offset / period), 0.0)
    squared = dot(offset, offset)
    return {
        request: _sum(request, offset, velocity, squared, _neighbors(request, offset, velocity[boid], squared, boid))
        for request in requests
    }


def _neighbors(request: Request, offset: Array, flight: Array, squared: Array, boid: int) -> NDArray[np.intp]:
    """The numbers of those that a request is about."""
    near = (squared < request.radius * request.radius) & (squared >= COINCIDENT * COINCIDENT)
    near |= is_about_everyone(request)
    near[boid] = False
    speed = magnitude(flight)
    if request.field_of_view < 360 and speed > 0:
        near &= dot(offset, flight[None]) > speed * np.sqrt(squared) * half_angle_cosine(request.field_of_view)
    found = near.nonzero()[0]
    if request.nearest is None or len(found) <= request.nearest:
        return found
    return np.sort(found[squared[found].argsort(kind="stable")[: request.nearest]])


def _sum(request: Request, offset: Array, velocity: Array, squared: Array, found: NDArray[np.intp]) -> Sum:
    vectors = (velocity if request.quantity == "velocity" else offset)[found]
    if request.quantity in DIVISORS:
        vectors = vectors / DIVISORS[request.quantity](squared[found])[:, None]
    nowhere = np.zeros(len(found), dtype=np.intp)
    # Adds one after the other, which numpy's sum does not.
    total = [np.bincount(nowhere, along, minlength=1).astype(np.float64) for along in vectors.T]
    return Sum(np.array([float(len(found))]), np.column_stack(total))


def _influences(group: SteeredGroup, view: View, vectors: Mapping[str, Array]) -> Iterator[Influence]:
    """Rules in the order in which they are added up; those about the own kind are asked in the turns."""
    for name, vector in vectors.items():
        rule = group.rules[name]
        if isinstance(rule, NeighborRule):
            yield Influence(rule, _of_others(rule, view))
        else:
            yield Influence(None, vector)


def _of_others(rule: NeighborRule, view: View) -> Array:
    """The sum over other flocks that a rule about neighbors takes in, shape (n, d)."""
    request = rule.request(view.perception)
    return view.others[request].total if request in view.others else zeros(*view.position.shape)


def _added(group: SteeredGroup, view: View, influences: Sequence[Influence], one: slice) -> Array:
    """The sum of all influences on one boid, shape (1, d)."""
    vectors = [given[one] if rule is None else group.weighted(rule, view) for rule, given in influences]
    return sum(vectors[1:], vectors[0]) if vectors else np.zeros_like(view.velocity)


KINDS: Mapping[type[Rule], int] = {
    Separation: turns.AWAY,
    Alignment: turns.TO_HEADING,
    Cohesion: turns.TO_CENTER,
}
"""The rules about the own kind that compiled turns know; with any other they are not used."""

EDGES: Mapping[type[Boundary], int] = {
    Open: turns.OPEN_EDGES,
    Soft: turns.OPEN_EDGES,
    Teleport: turns.TELEPORT_EDGES,
    Torus: turns.WRAPPED_EDGES,
    Wrap: turns.WRAPPED_EDGES,
}
"""The edges that compiled turns know; with any other, and with solid obstacles, boids are confined between turns."""


def _plan(step: Turns) -> turns.Plan:
    """The step as compiled turns take it."""
    world = step.view.world
    drifting = ((influence, acts) for acts, part in ((False, step.steering), (True, step.drifts)) for influence in part)
    known = type(world.boundary) in EDGES and not step.bounces
    return turns.Plan(
        position=step.position.T,
        velocity=step.velocity.T,
        drive=step.drive.T,
        influences=tuple(_told(step, influence, drifts=drifts) for influence, drifts in drifting),
        limits=step.limits,
        periods=world.periods,
        size=world.extent,
        edges=EDGES[type(world.boundary)] if known else turns.OPEN_EDGES,
    )


def _told(step: Turns, influence: Influence, *, drifts: bool) -> turns.Influence:
    """One influence as compiled turns take it."""
    rule, given = influence
    if rule is None:
        return turns.Influence(turns.GIVEN, drifts, None, False, nan, inf, 1.0, given)  # noqa: FBT003  a field
    group, direct = step.group, step.group.steering_of(rule) == "direct"
    kind = KINDS[type(rule)]
    usual = inf if direct else group.max_force
    return turns.Influence(
        kind=turns.TO_VELOCITY if direct and kind == turns.TO_HEADING else kind,
        drifts=drifts,
        request=rule.request(step.view.perception),
        include_self=isinstance(rule, MeanRule) and rule.include_self,
        desired_speed=nan if direct else group.max_speed,
        max_force=usual if rule.max_force is None else rule.max_force,
        weight=rule.weight,
        given=given,
    )
