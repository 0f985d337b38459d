"""The compiled engine's steps: the terms of a group in the form that the kernel takes.

A group takes a step in two calls, one for the sums over its neighbors and one for all that follows from them. Terms
without a recipe are computed by their rules, and handed over; so are sums that have a closed form. What a step needs
besides positions and velocities is planned once for each table.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from boidsgen.simulation import steering, step_kernel
from boidsgen.simulation.compiled import (
    Asked,
    Integers,
    asked_of,
    in_parallel,
    machine_code,
    search,
    search_memory,
    slice_of,
    threads_for,
)
from boidsgen.simulation.geometry import Array, by_column, read_only
from boidsgen.simulation.neighbors.sums import Request, kind_of
from boidsgen.simulation.rules.rule import SPEED, NeighborRule, View
from boidsgen.simulation.steering import Advanced, SteeredGroup, Term
from boidsgen.simulation.step_kernel import DIRECT, ELSEWHERE, GIVEN, ON_POSITION, ON_VELOCITY, REYNOLDS
from boidsgen.simulation.world import Boundary, Open, Reflect, Soft, Teleport, Torus, World, Wrap

KINDS = {
    "push": step_kernel.PUSH,
    "mean offset": step_kernel.MEAN_OFFSET,
    "mean velocity": step_kernel.MEAN_VELOCITY,
}
"""The kernels' numbers for what the recipes name."""
BOUNDARIES: Mapping[type[Boundary], int] = {
    Open: ELSEWHERE, Soft: ELSEWHERE, Torus: step_kernel.ROUND, Wrap: step_kernel.ROUND,
    Reflect: step_kernel.REFLECT, Teleport: step_kernel.TELEPORT,
}  # fmt: skip
"""Boundary conditions that the kernel applies; others, and solid obstacles, are applied after it."""


class Plan(NamedTuple):
    """Everything that a step of one table needs besides positions and velocities.

    Vectors are first the sums that a kernel answers (`asked`), each with a row of counts, then further `sums` with one
    each, then `contributions`. For the other arrays see the kernel; `done` is true if that applies the boundary
    condition, or there is none.
    """

    asked: Asked
    sums: tuple[Request, ...]
    contributions: tuple[Callable[[View], Array], ...]
    kinds: Integers
    factors: Array
    limits: Array
    boundary: int
    size: Array
    restitution: float
    done: bool

    def vectors(self, view: View, pushes: Sequence[Array]) -> tuple[Array, Array]:
        """All vectors that steer, (v, d, n), and all counts, (c, n); the first of both still empty."""
        boids, dimension = view.position.shape
        known = [view.own[request] for request in self.sums]
        further = [contribution(view) for contribution in self.contributions]
        first, counted = len(self.asked.wanted), len(self.asked.most)
        total = np.empty((first + len(known) + len(further) + len(pushes), dimension, boids))
        counts = np.empty((counted + len(known), boids))
        for place, one in enumerate(known):
            counts[counted + place] = one.count
        for place, vector in enumerate((*(one.total for one in known), *further, *pushes), start=first):
            total[place] = vector.T
        return total, counts


class _Same:
    """Stands for a thing where only the very same one is equal to it: tables take long to compare."""

    __slots__ = ("thing",)

    def __init__(self, thing: Any) -> None:  # noqa: ANN401  whatever it is
        self.thing = thing

    def __hash__(self) -> int:
        return id(self.thing)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and other.thing is self.thing


def _plan_of(table: SteeredGroup, view: View, pushes: int, dt: float, *, turns: bool = False) -> Plan:
    return _plan(_Same(table), _Same(view.world), bool(view.predators), bool(view.others), pushes, dt, turns)


@lru_cache(maxsize=64)
def _plan(same: _Same, world_same: _Same, feared: bool, accompanied: bool, pushes: int, dt: float, turns: bool) -> Plan:  # noqa: FBT001
    table: SteeredGroup = same.thing
    world: World = world_same.thing
    terms = {name: term for name, term in table.terms.items() if feared or not term.fears}
    if turns:
        searched = [t.recipe.own for n, t in terms.items() if t.recipe and t.recipe.own and _takes_turns(table, n)]
        bounded: list[Request] = list(dict.fromkeys(searched))
        known: list[Request] = []
    else:
        bounded = [request for request in table.own_requests if kind_of(request) is None]
        known = [request for request in table.own_requests if request not in bounded]
    asked = asked_of(tuple(bounded), everyone=turns)
    further: list[Callable[[View], Array]] = []
    rows: list[tuple[int, ...]] = []

    def add(contribution: Callable[[View], Array]) -> int:
        further.append(contribution)
        return len(bounded) + len(known) + len(further) - 1

    def row(name: str, term: Term) -> tuple[int, ...]:
        target = ON_POSITION if term.acts_on == "position" else ON_VELOCITY
        recipe = term.recipe
        if recipe is None or (turns and not _takes_turns(table, name)):
            return GIVEN, add(lambda view: table.contribution(name, view)), -1, 0, 0, DIRECT, target
        made_of, count = [], 0
        if recipe.own in bounded:
            made_of, count = [bounded.index(recipe.own)], asked.group_of[bounded.index(recipe.own)]
        elif recipe.own:
            made_of = [len(bounded) + known.index(recipe.own)]
            count = len(asked.most) + known.index(recipe.own)
        if (others := recipe.others) and accompanied:
            made_of.append(add(lambda view: view.others[others].total))
        if predators := recipe.predators:
            made_of.append(add(lambda view: view.predators[predators].total))
        first, second = (*made_of, -1)[:2]
        form = REYNOLDS if term.steering == "reynolds" else DIRECT
        return KINDS[recipe.kind], first, second, count, int(recipe.include_self), form, target

    rows = [row(name, term) for name, term in terms.items()]
    factors = [(term.weight, term.cap, table.max_speed) for term in terms.values()]
    if pushes and not any(kind[-1] == ON_VELOCITY for kind in rows):
        rows.append((GIVEN, add(lambda view: np.zeros_like(view.velocity)), -1, 0, 0, DIRECT, ON_VELOCITY))
    first = len(bounded) + len(known) + len(further)
    rows += [(GIVEN, first + push, -1, 0, 0, DIRECT, ON_VELOCITY) for push in range(pushes)]
    factors += [(1.0, np.inf, 0.0)] * (len(rows) - len(factors))
    boundary = BOUNDARIES.get(type(world.boundary))
    return Plan(
        asked=asked,
        sums=tuple(known),
        contributions=tuple(further),
        kinds=np.array(rows, dtype=np.int64).reshape(-1, 7),
        factors=np.array(factors, dtype=float).reshape(-1, 3),
        limits=np.array(table.limits(dt), dtype=float),
        boundary=ELSEWHERE if boundary is None else boundary,
        size=np.array(world.extent),
        restitution=world.boundary.restitution if isinstance(world.boundary, Reflect) else 1.0,
        done=boundary is not None,
    )


def _takes_turns(table: SteeredGroup, name: str) -> bool:
    """True if a rule sees in each turn where the boids of its flock have come to."""
    return isinstance(table.rules[name], NeighborRule)


def advance(table: SteeredGroup, view: View, pushes: Sequence[Array], dt: float) -> Advanced:
    """The animals of a group after a step, as `steering.advance`."""
    count, dimension = view.position.shape
    if not count or table.angular_noise or SPEED in view.factors:
        return steering.advance(table, view, pushes, dt)
    plan = _plan_of(table, view, len(pushes), dt)
    boids = by_column(view.position).T, by_column(view.velocity).T
    vectors, counts = plan.vectors(view, pushes)
    if len(plan.asked.wanted):
        search(None, boids, plan.asked, view.neighbors.periods, counts, vectors)
    new = np.empty((2, dimension, count))
    alone = plan.done and not any(obstacle.solid for obstacle in view.obstacles)
    edges = plan.boundary if alone else ELSEWHERE, plan.size, plan.restitution
    program = plan.kinds, plan.factors, vectors, counts, plan.limits, *edges
    code, threads = machine_code(step_kernel.advance), threads_for(count)
    certain: list[bool] = []

    def advance_some(starts: Iterator[int]) -> None:
        memory = np.empty((3 * dimension + 2, step_kernel.BLOCK))
        for first in starts:
            block = first, min(step_kernel.BLOCK, count - first)
            certain.append(code(*boids, *block, *program, memory, new[0], new[1]))

    in_parallel(advance_some, iter(range(0, count, step_kernel.BLOCK)), threads)
    if alone:
        return Advanced(new[0].T, new[1].T, all(certain))
    return steering.confined(new[0].T, new[1].T, view.obstacles, view.world)


def take_turns(step: steering.Turns) -> None:
    """Move one boid after the other, as `steering.take_turns`."""
    table, view = step.group, step.view
    solid, before = any(obstacle.solid for obstacle in view.obstacles), view.world.boundary.before_turns
    foreign = any(term.recipe is None and _takes_turns(table, name) for name, term in table.terms.items())
    if foreign or (solid and before) or SPEED in view.factors:
        steering.take_turns(step)
        return
    plan = _plan_of(table, view, len(step.pushes), view.dt, turns=True)
    vectors, counts = plan.vectors(view, step.pushes)
    count, dimension = view.position.shape
    crowd = np.zeros((6, count))
    new = crowd[3 - dimension : 3], crowd[6 - dimension :]
    new[0][:], new[1][:] = step.position.T, step.velocity.T
    lengths = np.zeros((4, 3))
    lengths[3, 3 - dimension :] = view.world.periods
    alone = plan.done and not solid
    boundary = step_kernel.TELEPORT_BEFORE if before else plan.boundary
    edges = boundary if alone else ELSEWHERE, plan.size, plan.restitution
    program = (
        plan.kinds,
        plan.factors,
        vectors,
        counts,
        plan.limits,
        *edges,
        np.empty((3 * dimension + 2, step_kernel.BLOCK)),
    )
    code, asked, memory = machine_code(step_kernel.take_turns, dimension == 3), plan.asked, search_memory(count, 1)
    given = 0 if dimension == 3 else None, crowd, *map(read_only, (new[0][:], new[1][:])), *new, step.drive.T
    question = lengths, asked.bounds, asked.most, asked.wanted, *memory, *program
    position, velocity = new[0].T, new[1].T
    size = slice_of(count) if alone else 1
    for first in range(0, count, size):
        some = slice(first, min(first + size, count))
        code(*given, first, some.stop, *question)
        if not alone:
            after = steering.confined(position[some], velocity[some], view.obstacles, view.world)
            position[some], velocity[some], _ = after
    step.position[:], step.velocity[:] = position, velocity
