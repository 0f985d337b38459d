"""Neighbor search: requests for sums over neighbors, the cell grid, and the sums in numpy.

A neighbor of a boid is another boid nearer than the radius of the request, within the field of view, and not at exactly
the same position, unless the request counts those as well. Offsets are the neighbor's position minus the boid's own,
minimum image. A boid at rest sees in all directions.

Sums over everyone have a closed form: the sum of all offsets is the sum of all positions minus n times the boid's own.
In a periodic world, boids more than half a period ahead are nearer the other way round: each of them takes one period
off the sum, and sorting counts them. With radius inf and an all-round view everyone counts as a neighbor, even at the
same position. Sums over the nearest few without a radius are found by searches whose radius doubles. Everything else is
one search, by the engine's `NeighborSums`.

The search sorts the sources into a grid of cells. The cells of a row along the last axis are consecutive, so the cells
around a boid form one contiguous range per row: 3 ranges in 2D, 9 in 3D. Periodic axes get copies of the outermost
cells beyond either end, shifted by the period, so that no range ever wraps. Where too few cells fit on such an axis for
each neighbor to be met only once, the axis is a single cell and offsets along it are reduced to the minimum image pair
by pair.

`neighbor_sums` defines the sums in plain numpy, with a loop over blocks of boids only. The pairs of a block are laid
out boid by boid, and within a boid in the order of the grid; `bincount` adds them in that order. The order fixes every
rounding error: another engine that adds the same pairs in the same order gives equal bits.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import product
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from boidsgen import exact
from boidsgen.simulation.falloffs import BoundedFalloff, Falloff, resized, weights
from boidsgen.simulation.geometry import Array, by_column, columns, dot, length, unit, zeros
from boidsgen.simulation.world import World

Quantity = Literal["offset", "velocity", "heading", Falloff]
"""Quantities that are added up: offsets, velocities, headings, or offsets of the length that a falloff gives."""

Coincident = Literal["ignore", "count"]
"""Treatment of boids at the very same place."""

COINCIDENT = 1e-15  # Two boids nearer than this, in world units, are in the same place


Whom: TypeAlias = tuple[float, float, int | None, Coincident, float]


class Request(NamedTuple):
    """One sum over the neighbors of each boid."""

    radius: float  # neighbors are nearer than this, world units; inf = everyone
    field_of_view: float  # total angle in degrees around the boid's velocity; 360 = all round
    quantity: Quantity  # what is added up
    # only so many of them, the nearest; None = all. Among equally near ones the grid's order decides.
    nearest: int | None = None
    coincident: Coincident = "ignore"  # whether those at the very same place are neighbors, too
    length: float = 1.0  # of falloff or weighting, world units; 1 where they have none
    exponent: float = 0.5  # of falloff or weighting; 0.5 where they have none
    weighting: BoundedFalloff = "constant"  # factor on each velocity or heading
    relative: bool = False  # whether the boid's own is taken off each of them
    all_round: float = 0.0  # distance within which the field of view is 360 degrees, world units

    @property
    def numbers(self) -> tuple[float, float]:
        """Length and exponent of the falloff."""
        return self.length, self.exponent

    @property
    def whom(self) -> Whom:
        """Whom the request is about, whatever is added up."""
        return self.radius, self.field_of_view, self.nearest, self.coincident, self.all_round

    @property
    def least(self) -> float:
        """The smallest distance of a neighbor, world units."""
        return 0.0 if self.coincident == "count" else COINCIDENT


@dataclass(frozen=True, slots=True, eq=False)
class Sum:
    """The answer to one request."""

    count: Array  # (n,) number of neighbors of each boid
    total: Array  # (n, d) sum over these neighbors

    def __add__(self, other: "Sum") -> "Sum":
        """Both sums taken together, as over two groups of neighbors."""
        return Sum(self.count + other.count, self.total + other.total)


NeighborSums: TypeAlias = Callable[[Array, Array, Array, Array, Sequence[Request], Array], list[Sum]]
"""Answers all requests of boids about sources, one sum per request, as `neighbor_sums` does."""


def is_about_everyone(request: Request) -> bool:
    """True if a request is about everyone and has a closed form."""
    everyone = request.whom[:3] == (np.inf, 360.0, None)
    plain = request.weighting == "constant" and not request.relative
    return everyone and plain and request.quantity in ("offset", "linear", "velocity")


@lru_cache(maxsize=256)  # asked for every request of every step
def kind_of(request: Request) -> Request | Whom | None:
    """Requests of one kind are answered together: None = by looking around every boid, within some radius.

    The others are about everyone, which has a closed form, or about the nearest few without any bound.
    """
    if is_about_everyone(request):
        return request
    return request.whom if request.radius == np.inf and request.nearest is not None else None


def sum_over_everyone(
    position: Array, source_position: Array, source_velocity: Array, request: Request, periods: Array
) -> Sum:
    """The answer to a request about everyone, for boids at `position`, shape (n, d)."""
    own = position is source_position
    many = len(source_position)
    count = np.full(len(position), float(many - own))
    if request.quantity == "velocity":
        total = source_velocity.sum(axis=0) - (source_velocity if own else 0.0)
        return Sum(count, np.broadcast_to(total, position.shape))
    total = columns(*position.shape)
    for axis, period in enumerate(periods.tolist()):
        here, there = position[:, axis], source_position[:, axis]
        total[:, axis] = there.sum() - many * here
        if period:
            ranked = np.sort(there)
            ahead = many - np.searchsorted(ranked, here + period / 2, side="right")
            behind = np.searchsorted(ranked, here - period / 2, side="left")
            total[:, axis] += period * (behind - ahead)
    return Sum(count, total)


def sums_of_nearest(
    position: Array,
    velocity: Array,
    source_position: Array,
    requests: Sequence[Request],
    periods: Array,
    search: Callable[[Array, Array, Sequence[Request]], Sequence[Sum]],
) -> list[Sum]:
    """Answer requests of radius inf for the `nearest` so many, all of the same number, with bounded searches."""
    answers = [Sum(np.zeros(len(position)), zeros(*position.shape)) for _ in requests]
    if not len(position) or not len(source_position):
        return answers
    wanted = requests[0].nearest or 0
    both = np.concatenate((position, source_position))
    # No boid and source are further apart along each axis.
    spans: Array = np.where(periods > 0, periods / 2, both.max(axis=0) - both.min(axis=0))
    farthest = float(np.sqrt((spans**2).sum()))
    # There are about twice as many as wanted within the first radius when sources are evenly spread on a flat torus,
    # whose sides are twice the spans: a square with this side has 2.5 / 4 times their number, a circle pi times that.
    volume = float(np.prod(np.maximum(spans, spans.max() * 1e-3)))
    share = min(1.0, 2.5 * wanted / len(source_position))
    root = np.sqrt(share * volume) if len(spans) == 2 else exact.cube_root(share * volume)
    radius = max(float(root), np.finfo(float).tiny)
    pending = np.arange(len(position))
    own = position is source_position and requests[0].coincident == "count"
    while len(pending):
        last = radius >= farthest
        bounded = [request._replace(radius=np.inf if last else radius) for request in requests]
        # Who are the sources themselves are looked up faster than copies, which would count as their own neighbors.
        everyone = own or len(pending) == len(position)
        asking = (position, velocity) if everyone else (position[pending], velocity[pending])
        wanting = pending if everyone else slice(None)
        found = search(*asking, bounded)
        for answer, part in zip(answers, found, strict=True):
            answer.count[pending] = part.count[wanting]
            answer.total[pending] = part.total[wanting]
        pending = pending[(found[0].count[wanting] < wanted) & (not last)]
        radius *= 2
    return answers


class NeighborSearch(NamedTuple):
    """Answers requests about neighbors with one engine in one world."""

    search: NeighborSums  # computes the sums that have no closed form
    periods: Array  # (d,) after what distance each axis repeats, 0 where it does not

    def sums(
        self,
        position: Array,
        velocity: Array,
        source_position: Array,
        source_velocity: Array,
        requests: Sequence[Request],
    ) -> dict[Request, Sum]:
        """The answer to each request of boids at `position`, shape (n, d), about these sources, shape (m, d)."""

        def search(position: Array, velocity: Array, requests: Sequence[Request]) -> Sequence[Sum]:
            return self.search(position, velocity, source_position, source_velocity, requests, self.periods)

        kinds: dict[object, list[Request]] = {}
        for request in requests:
            kinds.setdefault(kind_of(request), []).append(request)
        answers: dict[Request, Sum] = {}
        for kind, alike in kinds.items():
            if kind is None:
                found = search(position, velocity, alike)
            elif kind == alike[0]:
                found = [sum_over_everyone(position, source_position, source_velocity, alike[0], self.periods)]
            else:
                found = sums_of_nearest(position, velocity, source_position, alike, self.periods, search)
            answers.update(zip(alike, found, strict=True))
        return answers

    def over(
        self, boids: tuple[Array, Array], sources: Sequence[tuple[Array, Array]], requests: Sequence[Request]
    ) -> dict[Request, Sum]:
        """The answers about several groups of sources, added up; none without sources.

        Boids and each of the sources: positions and velocities.
        """
        answers: dict[Request, Sum] = {}
        for source in sources:
            found = self.sums(*boids, *source, requests)
            answers = {request: answers[request] + one if answers else one for request, one in found.items()}
        return answers


Indices = NDArray[np.intp]  # Indices of boids, sources or cells, shape (n,)

COLUMNS_PER_RADIUS = 3
"""Cells per radius along the last axis: narrow cells there cost no further range and leave fewer pairs to look at."""

CELLS_PER_SOURCE = 4  # Bound on the number of cells, so that a few boids far apart do not ask for a million empty ones


class Axis(NamedTuple):
    """Division of one axis into cells."""

    low: float  # coordinate at which the first cell begins
    cells: int  # number of cells
    per_length: float  # cells per world unit
    reach: int  # cells to look at on either side, and empty or copied cells added at either end
    shift: float  # period of the copies; 0 where there are none
    period: float  # period that is still to be taken out of every offset; 0 where there is none

    def cell(self, coordinate: Array) -> Indices:
        """The cell of each coordinate, those outside in the first or last, shape (n,)."""
        if self.cells == 1:
            return np.zeros(len(coordinate), dtype=np.intp)
        cell = (coordinate - self.low) * self.per_length
        return np.minimum(np.maximum(cell, 0.0, out=cell), self.cells - 1.0, out=cell).astype(np.intp)


class CellGrid(NamedTuple):
    """Sources sorted by cell."""

    axes: tuple[Axis, ...]  # how each axis is divided
    strides: tuple[int, ...]  # distance in `starts` from one cell to the next along each axis
    starts: Indices  # (cells + 1,) where each cell begins in the sorted arrays
    source: Indices  # (m,) which source each sorted entry is, copies included
    coordinate: tuple[Array, ...]  # d arrays (m,), the sorted coordinates, copies shifted
    originals: Indices  # (n,) the sources in sorted order, without copies
    cells: Indices  # (n,) the cell of each of these

    def cell(self, position: Array) -> Indices:
        """The cell of each position, shape (n,)."""
        return _flat([axis.cell(position[:, a]) for a, axis in enumerate(self.axes)], self.axes, self.strides)

    def ranges(self, cell: Indices) -> tuple[Indices, Indices]:
        """Begin and end of the sorted candidates of boids in these cells, shape (n, rows) each."""
        around = [range(-axis.reach, axis.reach + 1) for axis in self.axes[:-1]]
        rows = [sum(o * s for o, s in zip(row, self.strides, strict=False)) for row in product(*around)]
        middle = cell[:, None] + np.array(rows)
        reach = self.axes[-1].reach
        return self.starts.take(middle - reach), self.starts.take(middle + (reach + 1))


def make_grid(position: Array, radius: float, periods: Array) -> CellGrid:
    """Sort sources at these positions, shape (n, d), into cells that serve neighbors nearer than `radius`."""
    axes = axes_of(position, radius, periods)
    sides = [axis.cells + 2 * axis.reach for axis in axes]
    strides = tuple(math.prod(sides[a + 1 :]) for a in range(len(axes)))
    coordinate = [position[:, a] for a in range(len(axes))]
    cells = [axis.cell(c) for axis, c in zip(axes, coordinate, strict=True)]
    source, coordinate, cells = _with_copies(axes, coordinate, cells)
    flat = _flat(cells, axes, strides)
    total = math.prod(sides)
    starts = np.zeros(total + 1, dtype=np.intp)
    np.cumsum(np.bincount(flat, minlength=total), out=starts[1:])
    # Stable; 16-bit keys are sorted by counting, far faster.
    order = (flat.astype(np.uint16) if total <= 1 << 16 else flat).argsort(kind="stable")
    originals = order[order < len(position)]
    return CellGrid(
        axes=axes,
        strides=strides,
        starts=starts,
        source=source.take(order),
        coordinate=tuple(c.take(order) for c in coordinate),
        originals=originals,
        cells=flat.take(originals),
    )


def axes_of(position: Array, radius: float, periods: Array) -> tuple[Axis, ...]:
    """The axes of a world with these periods for sources at these positions, shape (n, d)."""
    sides = [*zip(position.T, periods.tolist(), strict=True)]
    low = [0.0 if period else float(along.min()) for along, period in sides]
    span = [period or float(along.max()) - begin for (along, period), begin in zip(sides, low, strict=True)]
    per_radius = (*(1 for _ in span[1:]), COLUMNS_PER_RADIUS)
    # A span that overflows has no finite cell length: one cell for all.
    fitting = [min(s / radius * per, 2.0**30) if s < np.inf else 1 for s, per in zip(span, per_radius, strict=True)]
    wanted = [max(1, int(cells)) for cells in fitting]
    crowd = math.prod(map(float, wanted)) / (CELLS_PER_SOURCE * len(position) + 64)
    # Roots that are exact: the library's powers differ in the last bit from system to system.
    root = math.sqrt(crowd) if len(span) == 2 else float(exact.cube_root(crowd))
    shrink = 1.0 / root if crowd > 1 else 1.0
    return tuple(
        _axis(low[a], s, max(1, int(wanted[a] * shrink)), radius, period)
        for a, (s, period) in enumerate(zip(span, periods.tolist(), strict=True))
    )


def _axis(low: float, span: float, cells: int, radius: float, period: float) -> Axis:
    reach = math.ceil(radius * cells / span) if cells > 1 else 0
    if (period and cells < 2 * reach + 1) or cells == 1:
        return Axis(low, cells=1, per_length=0.0, reach=0, shift=0.0, period=period)
    return Axis(low, cells, cells / span, reach, shift=period, period=0.0)


def _flat(cells: list[Indices], axes: tuple[Axis, ...], strides: tuple[int, ...]) -> Indices:
    flat = cells[-1] + axes[-1].reach
    for cell, axis, stride in zip(cells[:-1], axes[:-1], strides[:-1], strict=True):
        flat = flat + (cell + axis.reach) * stride
    return flat


def _with_copies(
    axes: tuple[Axis, ...], coordinate: list[Array], cells: list[Indices]
) -> tuple[Indices, list[Array], list[Indices]]:
    """Sources, coordinates and cells, followed by shifted copies of those near an end of an axis that repeats."""
    source = np.arange(len(coordinate[0]))
    for number, axis in enumerate(axes):
        if not axis.shift:
            continue
        present = len(source)
        low = (cells[number] < axis.reach).nonzero()[0]
        high = (cells[number] >= axis.cells - axis.reach).nonzero()[0]
        picked = np.concatenate((np.arange(present), low, high))
        source = source.take(picked)
        coordinate = [c.take(picked) for c in coordinate]
        cells = [c.take(picked) for c in cells]
        beyond_high = slice(present, present + len(low))
        beyond_low = slice(present + len(low), None)
        coordinate[number][beyond_high] += axis.shift
        coordinate[number][beyond_low] -= axis.shift
        cells[number][beyond_high] += axis.cells
        cells[number][beyond_low] -= axis.cells
    return source, coordinate, cells


PAIRS_PER_BLOCK = 1 << 15
"""Candidate pairs looked at together: their arrays of 256 KiB each stay in the second-level cache."""

BOIDS_PER_BLOCK = 1 << 16
"""Boids looked at together: their numbers within the block have 16 bits, which sort by counting."""

SAMPLE = 64  # Animals whose nearest neighbors are looked for among all, to learn how dense the group is

FURTHER = 1e-9  # Part of radius and period by which pairs are looked for further away: the grid's numbers are rounded


class Pairs(NamedTuple):
    """Pairs of a boid and a neighbor, in the order in which they are added up."""

    boid: Indices  # (p,) number of the boid, within its block where there are blocks
    source: Indices  # (p,) number of the neighbor among the sources
    offset: Sequence[Array]  # d arrays (p,), neighbor minus boid
    squared: Array  # (p,) squared distances

    def only(self, chosen: Indices) -> "Pairs":
        """The chosen pairs, in their order."""
        return Pairs(
            self.boid.take(chosen),
            self.source.take(chosen),
            [along.take(chosen) for along in self.offset],
            self.squared.take(chosen),
        )


def blocks(
    grid: CellGrid, position: Array, cells: Indices, radius: float, least: float = COINCIDENT
) -> Iterator[tuple[slice, Pairs]]:
    """Boids at `position`, shape (n, d), in these cells, in blocks, each with all its pairs nearer than `radius`.

    `least` is the smallest distance of a pair.
    """
    begin, end = grid.ranges(cells)
    lengths = end - begin
    candidates = lengths.sum(axis=1)
    until = candidates.cumsum()
    first = 0
    while first < len(position):
        done = until[first - 1] if first else 0
        fitting = int(until.searchsorted(done + PAIRS_PER_BLOCK, side="right"))
        last = max(first + 1, min(first + BOIDS_PER_BLOCK, fitting))
        block = slice(first, last)
        entry, many = _expanded(begin[block].ravel(), lengths[block].ravel()), candidates[block]
        here = position.T[:, block]
        offset = [there.take(entry) - one.repeat(many) for there, one in zip(grid.coordinate, here, strict=True)]
        squared = _shortened(offset, [axis.period for axis in grid.axes])
        chosen = ((squared < radius * radius) & (squared >= least * least)).nonzero()[0]
        own, source = np.arange(len(many)).repeat(many), grid.source.take(entry.take(chosen))
        yield block, Pairs(own.take(chosen), source, [along.take(chosen) for along in offset], squared.take(chosen))
        first = last


def _shortened(offset: Sequence[Array], periods: Sequence[float]) -> Array:
    """Take the periods out of offsets, in place; returns their squared lengths."""
    for along, period in zip(offset, periods, strict=True):
        if period:
            np.subtract(along, period * np.rint(along / period), out=along)
    squared = np.square(offset[0])
    for along in offset[1:]:
        squared += along * along
    return squared


def _pairs(boid: Indices, source: Indices, position: Array, world: World) -> Pairs:
    """Pairs with their minimum-image offsets, whichever grid has found them: its copies are shifted, and so rounded."""
    offset = [along.take(source) - along.take(boid) for along in position.T]
    return Pairs(boid, source, offset, _shortened(offset, world.periods.tolist()))


def visible(pairs: Pairs, field_of_view: float, velocity: Array, speed: Array, all_round: float = 0.0) -> Pairs:
    """The pairs in which the boid has its neighbor within its field of view, in degrees; at rest it sees all round.

    It sees all round nearer than `all_round`, too. Velocities, d arrays (n,), and speeds, (n,), are those of the boids
    of the block.
    """
    if field_of_view >= 360:
        return pairs
    ahead = velocity[0].take(pairs.boid) * pairs.offset[0]
    for one, along in zip(velocity[1:], pairs.offset[1:], strict=True):
        ahead += one.take(pairs.boid) * along
    speed = speed.take(pairs.boid)
    least = speed * np.sqrt(pairs.squared) * half_angle_cosine(field_of_view)
    return pairs.only(((ahead > least) | (speed == 0) | (pairs.squared < all_round * all_round)).nonzero()[0])


def nearest_pairs(pairs: Pairs, most: int) -> Pairs:
    """Of each boid the pairs with its `most` nearest neighbors; among equally near ones the first found."""
    counts = np.bincount(pairs.boid)
    crowded = np.flatnonzero(counts > most)
    if not len(crowded):
        return pairs
    # Only distances are read from this order, so that it does not matter how equals come to stand.
    order = pairs.squared.argsort()
    order = order.take(pairs.boid.take(order).astype(np.uint16).argsort(kind="stable"))
    furthest = np.full(len(counts), np.inf)
    furthest[crowded] = pairs.squared.take(order.take((counts.cumsum() - counts)[crowded] + most - 1))
    limit = furthest.take(pairs.boid)
    kept = pairs.squared < limit
    tied = np.flatnonzero(pairs.squared == limit)
    boid = pairs.boid.take(tied)
    ties = np.bincount(boid)
    rank = _expanded(np.zeros_like(ties), ties)
    room = most - np.bincount(pairs.boid, kept, minlength=len(counts))
    kept[tied[rank < room.take(boid)]] = True
    return pairs.only(np.flatnonzero(kept))


@cache  # asked for every block of every step
def half_angle_cosine(field_of_view: float) -> float:
    """Cosine of half the field of view, given in degrees: what lies nearer to straight ahead is seen."""
    return float(exact.cosine(np.radians(field_of_view / 2)))


def _expanded(begin: Indices, lengths: Indices) -> Indices:
    """All numbers of the ranges that begin at `begin` and have these lengths, one range after the other."""
    until = lengths.cumsum()
    expanded: Indices = np.arange(until[-1])
    expanded += (begin - until + lengths).repeat(lengths)
    return expanded


def neighbor_sums(
    position: Array,
    velocity: Array,
    source_position: Array,
    source_velocity: Array,
    requests: Sequence[Request],
    periods: Array,
) -> list[Sum]:
    """Answer all requests of boids at `position`, shape (n, d), about sources at `source_position`, shape (m, d).

    `periods` says after what distance each axis of the world repeats, 0 where it does not, shape (d,). Boids may be
    among the sources: nobody is a neighbor of itself.
    """
    sums = [Sum(np.zeros(len(position)), zeros(*position.shape)) for _ in requests]
    if not len(position) or not len(source_position) or not requests:
        return sums
    radius, least = max(request.radius for request in requests), min(request.least for request in requests)
    grid = make_grid(source_position, radius, periods)
    own = position is source_position
    order = grid.originals if own else np.arange(len(position))
    cells = grid.cells if own else grid.cell(position)
    position, flight = position.T.take(order, axis=1).T, velocity.T.take(order, axis=1)
    speed = length(flight.T)
    ways = {"velocity": (source_velocity, flight)}
    if any(request.quantity == "heading" for request in requests):
        ways["heading"] = unit(source_velocity), unit(flight.T).T
    for block, pairs in blocks(grid, position, cells, radius, least):
        boids = order[block]
        if own and not least:
            pairs = pairs.only((boids.take(pairs.boid) != pairs.source).nonzero()[0])  # noqa: PLW2901
        narrowed: dict[object, tuple[Pairs, Array]] = {}
        for request, found in zip(requests, sums, strict=True):
            if request.whom not in narrowed:
                chosen = _neighbors(pairs, request, radius, least, flight[:, block], speed[block])
                narrowed[request.whom] = chosen, np.bincount(chosen.boid, minlength=len(boids)).astype(np.float64)
            chosen, found.count[boids] = narrowed[request.whom]
            there, here = ways.get(request.quantity, ways["velocity"])
            for axis, added in enumerate(_added(chosen, request, there, here[:, block])):
                found.total[boids, axis] = np.bincount(chosen.boid, added, minlength=len(boids))
    return sums


def _neighbors(pairs: Pairs, request: Request, known: float, least: float, velocity: Array, speed: Array) -> Pairs:
    """The pairs that a request is about, among those of a block's boids from `least` to the known radius apart."""
    if request.radius < known:
        pairs = pairs.only((pairs.squared < request.radius * request.radius).nonzero()[0])
    if request.least > least:
        pairs = pairs.only((pairs.squared >= request.least * request.least).nonzero()[0])
    pairs = visible(pairs, request.field_of_view, velocity, speed, request.all_round)
    return nearest_pairs(pairs, request.nearest) if request.nearest else pairs


def _added(pairs: Pairs, request: Request, velocity: Array, own: Array) -> Sequence[Array]:
    """The vectors that pairs add to their boids, d arrays (p,); `own` velocities, (d, n), are those of the block."""
    quantity = request.quantity
    if quantity == "velocity" or quantity == "heading":  # noqa: PLR1714  which mypy follows
        vectors = [along.take(pairs.source) for along in velocity.T]
        if request.relative:
            vectors = [there - here.take(pairs.boid) for there, here in zip(vectors, own, strict=True)]
        if request.weighting == "constant":
            return vectors
        weight = weights(pairs.squared, request.weighting, *request.numbers)
        return [along * weight for along in vectors]
    return pairs.offset if quantity == "offset" else resized(pairs.offset, pairs.squared, quantity, *request.numbers)


def pairs_within(position: Array, radius: float, world: World) -> Iterator[Pairs]:
    """Every two of the animals at `position`, shape (n, d), that are nearer than `radius`, once each, in blocks.

    Unlike for the rules, two in the same place are a pair at distance zero.
    """
    for met in _pairs_of(position, np.arange(len(position)), radius, world):
        yield met.only((met.boid < met.source).nonzero()[0])


def nearest(position: Array, source: Array, world: World) -> tuple[Indices, Array]:
    """For each position, shape (n, d), the number of the nearest source, at least one, and the offset to it, (n, d)."""
    found, offset = np.zeros(len(position), dtype=np.intp), columns(*position.shape)
    block = max(1, PAIRS_PER_BLOCK // len(source))
    for first in range(0, len(position), block):
        some = slice(first, first + block)
        ways = world.shortest(source[None, :, :] - position[some, None, :])
        found[some] = dot(ways, ways).argmin(axis=1)
        offset[some] = ways[np.arange(len(ways)), found[some]]
    return found, offset


def nearest_others(position: Array, world: World) -> tuple[Indices, Array]:
    """For each of at least two animals the number of the nearest other, and the distance from it, shape (n,) each.

    Of equally near ones it is the first.
    """
    distance, number = np.full(len(position), np.inf), np.full(len(position), len(position))
    sampled = list[float]()
    for chosen in np.linspace(0, len(position) - 1, min(SAMPLE, len(position))).astype(np.intp):
        away = length(world.shortest(position - position[chosen]))
        away[chosen] = np.inf
        sampled.append(float(away.min()))
    radius = 2 * float(np.median(sampled)) or 1e-3 * min(world.size)
    while len(alone := np.flatnonzero(np.isinf(distance))) and np.isfinite(radius):
        for pairs in _pairs_of(position, alone, radius, world):
            away = np.sqrt(pairs.squared)
            np.minimum.at(distance, pairs.boid, away)
            nearest_ones = np.flatnonzero(away == distance[pairs.boid])
            np.minimum.at(number, pairs.boid[nearest_ones], pairs.source[nearest_ones])
        radius *= 2
    return number, distance


def _pairs_of(position: Array, chosen: Indices, radius: float, world: World) -> Iterator[Pairs]:
    """The chosen animals with all others nearer than `radius`, in blocks."""
    if not len(chosen):
        return
    wide = radius + FURTHER * (radius + float(world.periods.max()))
    grid, query = make_grid(position, wide, world.periods), by_column(position[chosen])
    for block, met in blocks(grid, query, grid.cell(query), wide, least=0.0):
        pairs = _pairs(chosen[block][met.boid], met.source, position, world)
        yield pairs.only(((pairs.boid != pairs.source) & (pairs.squared < radius * radius)).nonzero()[0])
