"""Observe: what can be read off a state without making the next one.

Nothing here takes a number from the random streams of a run, so watching a flock does not change its flight.
"""

import numpy as np
from numpy.typing import NDArray

from boidsgen.simulation.geometry import Array, dot, length, magnitude, read_only
from boidsgen.simulation.motion import Group
from boidsgen.simulation.neighbors.sums import NeighborSearch, Request
from boidsgen.simulation.neighbors.vectorized import half_angle_cosine, neighbor_sums
from boidsgen.simulation.randomness import Randomness
from boidsgen.simulation.rules.rule import Neighborhood, NeighborRule, listed, rules_in
from boidsgen.simulation.setup import Setup, State
from boidsgen.simulation.world import Open


def neighbor_count(state: State, flock: int) -> NDArray[np.int64]:
    """Number of boids of its own kind that each boid of a flock perceives, shape (n,)."""
    group, request = state.flocks[flock], _everybody_in_view(state.setup.flock[flock].perception)
    neighbors = NeighborSearch(neighbor_sums, state.setup.world.periods)
    sums = neighbors.sums(group.position, group.velocity, group.position, group.velocity, [request])
    return sums[request].count.astype(np.int64)


def _everybody_in_view(perception: Neighborhood) -> Request:
    """The request about whom a boid perceives."""
    radius, angle = perception.radius, perception.field_of_view
    return Request(radius, angle, "offset", perception.neighbors, perception.coincident)


def neighbors_of(state: State, flock: int, boid: int) -> NDArray[np.intp]:
    """The numbers of the boids of its own kind that one boid perceives, the nearest first, shape (k,)."""
    group, request = state.flocks[flock], _everybody_in_view(state.setup.flock[flock].perception)
    offset = state.setup.world.shortest(group.position - group.position[boid])
    distance, flight = length(offset), group.velocity[boid]
    speed = magnitude(flight)
    nearest_to_ahead = distance * speed * half_angle_cosine(request.field_of_view)
    ahead = (dot(offset, flight[None]) > nearest_to_ahead) | (speed == 0) | (request.field_of_view == 360)
    near = (distance >= request.least) & (distance < request.radius) & ahead
    near[boid] = False
    found = np.flatnonzero(near)
    return found[distance[found].argsort(kind="stable")][: request.nearest]


def influences(setup: Setup, flock: int) -> tuple[str, ...]:
    """The names of all that may steer a flock in a setup, switched on or not, as in `contributions`."""
    table = setup.flock[flock]
    present = {name: getattr(table, name) for name in listed(rules_in(type(table)))}
    steering = {name: rule for name, rule in present.items() if rule is not None and rule.acts_on == "velocity"}
    known = {name: rule for name, rule in steering.items() if rule.chance != "fresh"}
    rules = [name for name, rule in known.items() if setup.predators or not rule.predator_requests()]
    around = {
        "obstacles": bool(setup.obstacles),
        "attractors": bool(setup.attractors),
        "edges": setup.world.boundary.push(np.zeros((1, setup.world.dimension)), setup.world.extent) is not None,
    }
    return (*rules, *(name for name, there in around.items() if there))


def contributions(state: State, flock: int, boid: int) -> dict[str, Array]:
    """Contribution of each influence to the velocity of one boid in the next step, weight included, shape (d,) each.

    Keys are the rules that are switched on, but for those by chance, and obstacles, attractors and edges where there
    are any. All together are what the step adds, before max_acceleration has its say, and before what is left of
    earlier steps where a group accumulates it.
    """
    from boidsgen.simulation.engines import NUMPY  # noqa: PLC0415
    from boidsgen.simulation.run import Stepper  # noqa: PLC0415  only who asks for contributions makes steps

    setup, world, table = state.setup, state.setup.world, state.setup.flock[flock]
    stepper = Stepper(NUMPY, world.periods, Randomness(setup.seed))
    # Predators move first, and boids see them where they have come to.
    predators = stepper.next(state).predators if state.predators else ()
    view = stepper.flock_view(state, flock, predators)
    rules = [name for name in table.awake(view, "velocity") if table.rules[name].chance != "fresh"]
    position = view.position[boid : boid + 1]
    inward = world.boundary.push(position, world.extent)
    around = {
        "obstacles": [obstacle.push(position, world)[0] for obstacle in setup.obstacles],
        "attractors": [attractor.pull(view)[boid] for attractor in setup.attractors],
        "edges": [] if inward is None else [inward[0]],
    }
    given = {name: table.contribution(name, view)[boid] for name in rules}
    given |= {name: np.sum(vectors, axis=0) for name, vectors in around.items() if vectors}
    return {name: given[name] for name in influences(setup, flock) if name in given}


def strengths(setup: Setup, flock: int, distances: Array) -> dict[str, Array]:
    """Strength of each neighbor rule on a boid with a single neighbor, at these distances.

    The boid is at rest, so that nothing of its own flight counts, and its neighbor flies past at the highest speed.
    Asked are the rules themselves, weights included, in a world without edges and without anybody else.

    Returns:
        for each rule that is on, lengths of what it adds to the velocity in a step, shape (k,).
    """
    table = setup.flock[flock]
    known = {name: rule for name, rule in listed(table.rules).items() if isinstance(rule, NeighborRule)}
    alone = {"flock": (table,), "predators": (), "obstacles": (), "attractors": (), "events": ()}
    nowhere = setup.world.model_copy(update={"boundary": Open()})
    lonely = setup.model_copy(update={**alone, "world": nowhere})
    given = []
    for distance in distances:
        position, velocity = np.zeros((2, 2, setup.world.dimension))
        position[1, 0], velocity[1, 1] = distance, table.max_speed
        group = Group(table.name, read_only(position), read_only(velocity))
        given.append(contributions(State(0, 0.0, 0, (group,), (), lonely), 0, 0))
    steering = [name for name, rule in known.items() if rule.acts_on == "velocity"]
    return {name: np.array([magnitude(each[name]) for each in given]) for name in steering}
