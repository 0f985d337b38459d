"""The compiled step: a whole group moved in two calls, one for its neighbors and one for all that follows from them.

Rules that say by a recipe how their vectors follow from sums over neighbors are done by the kernel. What others add is
computed as `steering` does, and handed to it; so are sums that have a closed form. Everything that a step needs besides
places and velocities is planned once for each table.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numba import types
from numpy.typing import NDArray

from boidsgen.simulation import advance as definition
from boidsgen.simulation.advance import Advanced
from boidsgen.simulation.boundaries import Boundary, Open, Reflect, Soft, Teleport, Torus, Wrap
from boidsgen.simulation.geometry import Array, by_column
from boidsgen.simulation.neighbors.compiled import (
    SIGNATURES,
    CompiledRequests,
    all_loaded,
    answer_own,
    compiled_requests,
    lazily,
    machine_code,
)
from boidsgen.simulation.neighbors.engines import in_one_search
from boidsgen.simulation.neighbors.request import Request, Sum
from boidsgen.simulation.neighbors.threads import in_parallel, parts_of, threads_for
from boidsgen.simulation.rules.rule import Recipe, Rule, View
from boidsgen.simulation.steering import SteeredGroup
from boidsgen.simulation.step_kernel import (
    DIRECT,
    ELSEWHERE,
    GIVEN,
    MEAN_OFFSET,
    MEAN_VELOCITY,
    ON_POSITION,
    ON_VELOCITY,
    PUSH,
    REFLECT,
    REYNOLDS,
    ROUND,
    TELEPORT,
    advance,
)
from boidsgen.simulation.world import World

KINDS = {"push": PUSH, "mean offset": MEAN_OFFSET, "mean velocity": MEAN_VELOCITY}
"""The kernel's names for what a recipe may be."""

EDGES: dict[type[Boundary], int] = {
    Open: ELSEWHERE, Soft: ELSEWHERE, Torus: ROUND, Wrap: ROUND, Reflect: REFLECT, Teleport: TELEPORT,
}  # fmt: skip
"""Edges that the kernel knows; those of others, and solid obstacles, have their say after it."""

given = types.Array(types.float64, 2, "C", readonly=True)
vectors = types.float64[:, :, ::1]
floats = types.float64[:, ::1]
integers = types.int64[:, ::1]
row = types.float64[::1]
number = types.int64
SIGNATURES[advance] = types.boolean(
    given, given, number, number, integers, floats, vectors, floats, row, number, row, types.float64, floats, floats
)


class Plan(NamedTuple):
    """What a step of one table needs besides places and velocities.

    Attributes:
        asked: the requests about neighbors that the kernel answers, the first of all vectors; None without any.
        sums: further sums, each a vector with a row of counts.
        contributions: further vectors.
        kinds: (k, 7) see the kernel.
        factors: (k, 2) see the kernel.
        limits: (6,) see the kernel.
        edges: which the kernel keeps boids within.
        size: (d,) of the world.
        restitution: of walls.
        done: whether the kernel does all, so that nothing else has a say.
    """

    asked: CompiledRequests | None
    sums: tuple[Callable[[View], Sum], ...]
    contributions: tuple[Callable[[View], Array], ...]
    kinds: NDArray[np.int64]
    factors: Array
    limits: Array
    edges: int
    size: Array
    restitution: float
    done: bool

    @property
    def asked_sums(self) -> int:
        """How many vectors the kernel answers."""
        return len(self.asked.wanted) if self.asked else 0

    @property
    def asked_counts(self) -> int:
        """How many rows of counts go with them."""
        return len(self.asked.most) if self.asked else 0


def advanced(table: SteeredGroup, view: View, pushes: Sequence[Array], dt: float) -> Advanced:
    """The animals of a group after a step, as `advance.advance`."""
    count = len(view.position)
    if not count or table.angular_noise:
        return definition.advance(table, view, pushes, dt)
    plan = _plan(Same(table), Same(view.world), bool(view.predators), bool(view.others), len(pushes), dt)
    boids = by_column(view.position).T, by_column(view.velocity).T
    vectors, counts = _vectors(plan, boids, view, pushes)
    new = np.empty((2, *boids[0].shape))
    program = plan.kinds, plan.factors, vectors, counts, plan.limits
    alone = plan.done and not any(obstacle.solid for obstacle in view.obstacles)
    edges = plan.edges if alone else ELSEWHERE
    code = machine_code(advance)
    parts = parts_of(count, threads_for(count))
    certain = [False] * len(parts)

    def advance_part(part: int) -> None:
        borders = parts[part].start, parts[part].stop
        certain[part] = code(*boids, *borders, *program, edges, plan.size, plan.restitution, new[0], new[1])

    in_parallel(advance_part, len(parts))
    if alone:
        return Advanced(new[0].T, new[1].T, all(certain))
    return definition.confined(new[0].T, new[1].T, view.obstacles, view.world)


def _vectors(plan: Plan, boids: tuple[Array, Array], view: View, pushes: Sequence[Array]) -> tuple[Array, Array]:
    """All vectors that steer, (v, d, n), and the counts of neighbors that go with the first of them, (c, n)."""
    known = [sums(view) for sums in plan.sums]
    further = [contribution(view) for contribution in plan.contributions]
    total = np.empty((plan.asked_sums + len(known) + len(further) + len(pushes), *boids[0].shape))
    counts = np.empty((plan.asked_counts + len(known), boids[0].shape[1]))
    if plan.asked:
        answer_own(boids, plan.asked, view.neighbors.periods, counts, total)
    for place, one in enumerate(known):
        total[plan.asked_sums + place] = one.total.T
        counts[plan.asked_counts + place] = one.count
    for place, vector in enumerate((*further, *pushes), start=plan.asked_sums + len(known)):
        total[place] = vector.T
    return total, counts


class Same:
    """Stands for a thing where only the very same one is equal to it: tables take long to compare."""

    __slots__ = ("thing",)

    def __init__(self, thing: Any) -> None:  # noqa: ANN401  whatever it is
        self.thing = thing

    def __hash__(self) -> int:
        return id(self.thing)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Same) and other.thing is self.thing


@lru_cache(maxsize=64)
def _plan(table: Same, world: Same, feared: bool, accompanied: bool, pushes: int, dt: float) -> Plan:  # noqa: FBT001
    return _Planning(table.thing, feared, accompanied).plan(world.thing, pushes, dt)


class _Planning:
    """Collects what a plan is made of."""

    def __init__(self, table: SteeredGroup, feared: bool, accompanied: bool) -> None:  # noqa: FBT001
        self._table = table
        self._accompanied = accompanied
        self._rules = {name: rule for name, rule in table.rules.items() if feared or not rule.predator_requests()}
        bounded, self._known = in_one_search(table.own_requests)
        self._bounded = bounded
        self._asked = compiled_requests(tuple(bounded)) if bounded else None
        self._contributions: list[Callable[[View], Array]] = []
        self._first = len(bounded) + len(self._known)

    def plan(self, world: World, pushes: int, dt: float) -> Plan:
        """The plan for this world."""
        terms = [self._term(name, rule) for name, rule in self._rules.items()]
        if pushes and not any(kind[-1] == ON_VELOCITY for kind, _ in terms):
            terms.append(self._handed_over(lambda view: np.zeros_like(view.velocity), ON_VELOCITY))
        first = self._first + len(self._contributions)
        terms += [((GIVEN, first + push, -1, 0, 0, DIRECT, ON_VELOCITY), (1.0, np.inf)) for push in range(pushes)]
        edges = EDGES.get(type(world.boundary))
        return Plan(
            asked=self._asked,
            sums=tuple(_own(request) for request in self._known),
            contributions=tuple(self._contributions),
            kinds=np.array([kind for kind, _ in terms], dtype=np.int64).reshape(-1, 7),
            factors=np.array([factors for _, factors in terms], dtype=float).reshape(-1, 2),
            limits=np.array(self._table.limits(dt), dtype=float),
            edges=ELSEWHERE if edges is None else edges,
            size=np.array(world.extent),
            restitution=world.boundary.restitution if isinstance(world.boundary, Reflect) else 1.0,
            done=edges is not None,
        )

    def _term(self, name: str, rule: Rule) -> tuple[tuple[int, ...], tuple[float, float]]:
        target = ON_POSITION if rule.acts_on == "position" else ON_VELOCITY
        recipe = rule.recipe(self._table.perception)
        if recipe is None:
            return self._handed_over(lambda view: self._table.contribution(name, view), target)
        form = REYNOLDS if self._table.steering_of(rule) == "reynolds" else DIRECT
        usual = self._table.max_force if form == REYNOLDS else np.inf
        vector, second = self._made_of(recipe)
        count = self._count(recipe.own) if recipe.own else 0
        kind = (KINDS[recipe.kind], vector, second, count, int(recipe.include_self), form, target)
        return kind, (rule.weight, usual if rule.max_force is None else rule.max_force)

    def _handed_over(
        self, contribution: Callable[[View], Array], target: int
    ) -> tuple[tuple[int, ...], tuple[float, float]]:
        """A term that is computed elsewhere."""
        return (GIVEN, self._further(contribution), -1, 0, 0, DIRECT, target), (1.0, np.inf)

    def _further(self, contribution: Callable[[View], Array]) -> int:
        """The number of a further vector."""
        self._contributions.append(contribution)
        return self._first + len(self._contributions) - 1

    def _made_of(self, recipe: Recipe) -> tuple[int, int]:
        """The numbers of the vectors that make up a raw one; -1 for no second."""
        made_of = [self._row(recipe.own)] if recipe.own else []
        if recipe.others and self._accompanied:
            others = recipe.others
            made_of.append(self._further(lambda view: view.others[others].total))
        if recipe.predators:
            predators = recipe.predators
            made_of.append(self._further(lambda view: view.predators[predators].total))
        first, second = (*made_of, -1)[:2]
        return first, second

    def _row(self, request: Request) -> int:
        """The number of the vector that answers a request."""
        return [*self._bounded, *self._known].index(request)

    def _count(self, request: Request) -> int:
        """The row of the counts that go with it."""
        if request in self._known:
            return (len(self._asked.most) if self._asked else 0) + self._known.index(request)
        assert self._asked is not None  # noqa: S101  it is one of those that are asked
        return self._asked.group_of[self._bounded.index(request)]


def _own(request: Request) -> Callable[[View], Sum]:
    return lambda view: view.own[request]


def load_kept() -> bool:
    """Whether all that a step needs could be loaded, or was there before; see `all_loaded`."""
    return all_loaded(SIGNATURES)


def compile_all() -> None:
    """Have machine code for all that a step needs."""
    for function in SIGNATURES:
        machine_code(function)


def kept_in() -> str | None:
    """The directory in which compiled code is kept; None where none can be written to."""
    code = lazily(advance)
    return None if code is None else str(code.stats.cache_path)


def can_keep() -> bool:
    """Whether compiled code can be kept for the next process."""
    return kept_in() is not None
