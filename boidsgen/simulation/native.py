"""The native engine: encode a setup for the kernel, and run many steps in one call.

`Program` encodes a setup as one memory of 8-byte cells: the records that `kernel/records.h` describes. Every key of a
rule whose weight is not 0 is encoded, in its own unit; the kernel plans the work (`kernel/plan.c`). So a page, which
gives every rule a weight before it encodes them, can embed the same cells and write new values of keys into them.

Between events a call computes as many steps as take about `SECONDS`, so that signals are handled and progress is shown,
and returns the states of their frames. The animals of a large group are distributed over threads; the numbers of a boid
never depend on the thread that computes them. Numpy computes whatever the kernel lacks.
"""

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from ctypes import c_int, c_void_p
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from time import perf_counter

import numpy as np

from boidsgen.kernel.library import entry
from boidsgen.simulation import neighbors
from boidsgen.simulation.fields import VectorField
from boidsgen.simulation.geometry import Array, GroupRandomness, Randomness, read_only, zeros
from boidsgen.simulation.motion import Group
from boidsgen.simulation.neighbors import Request, Sum
from boidsgen.simulation.obstacles import OBSTACLES, Obstacle
from boidsgen.simulation.records import (
    CELL,
    Memory,
    QuerySpec,
    Record,
    UnknownToKernelError,
    number_of,
    point_of,
    record,
    records_in,
    stream_words,
    term_record,
    usual_point,
)
from boidsgen.simulation.rules.pursuit import Attractor, CircleCurve, Curve, Waypoints
from boidsgen.simulation.rules.rule import SPEED, Fixed, Operands, Rule, is_live, is_told
from boidsgen.simulation.setup import Flock, Predators, Setup, State
from boidsgen.simulation.world import BOUNDARIES, Reflect, Soft, World
from boidsgen.system import usable_cores
from boidsgen.tables import MAX_TABLE_DIGITS


def world_record(world: World) -> Record:
    """The record of a world; UnknownToKernelError if its boundary is not one of ours."""
    boundary = world.boundary
    if type(boundary) is not BOUNDARIES.get(boundary.kind):
        raise UnknownToKernelError("the boundary {name}", boundary.kind)
    return record(
        "World",
        first=3 - world.dimension,
        boundary=number_of("boundary", boundary.kind),
        before_turns=boundary.before_turns,
        size=point_of(world.size),
        period=point_of(world.periods.tolist()),
        smallest=min(world.size),
        restitution=boundary.restitution if isinstance(boundary, Reflect) else 1.0,
        margin=getattr(boundary, "margin", 1.0),
        strength=getattr(boundary, "strength", 0.0),
    )


def obstacle_record(obstacle: Obstacle, memory: Memory) -> Record:
    """The record of an obstacle; UnknownToKernelError if it is not one of ours."""
    has, nowhere = vars(obstacle), (0.0, 0.0)  # each kind has some of these
    if type(obstacle) is not OBSTACLES.get(has["kind"]):
        raise UnknownToKernelError("the obstacle {name}", type(obstacle).__name__)
    corners = np.array(has.get("points", np.zeros((0, 2))))
    return record(
        "Obstacle",
        kind=number_of("obstacle", has["kind"]),
        present=1,
        solid=obstacle.solid,
        weight=obstacle.weight,
        margin=obstacle.margin,
        radius=has.get("radius", 0.0),
        center=point_of(has.get("center", has.get("start", nowhere))),
        half=point_of(has.get("size", has.get("radii", nowhere))),
        second=point_of(has.get("end", nowhere)),
        points=(len(corners), memory.put(corners)),
    )


def attractor_record(attractor: Attractor, world: World, memory: Memory) -> Record:
    """The record of an attractor."""
    path, ways = attractor.path, np.zeros((0, 4))
    kind = "standing" if path is None else "on_curve" if isinstance(path, Curve) else "on_waypoints"
    if isinstance(path, Waypoints):
        ways = np.zeros((len(path.points), 4))
        ways[:, 0], ways[:, 4 - len(path.points[0]) :] = path.times, path.points
    return record(
        "Attractor",
        path=number_of("path", kind),
        present=1,
        point=usual_point(attractor.point, world.dimension),
        sign=attractor.weight,
        radius=attractor.radius,
        curve=(path if isinstance(path, Curve) else CircleCurve()).record(world),
        points=(len(ways), memory.put(ways)),
        repeat=isinstance(path, Waypoints) and path.repeat,
    )


def field_record(field: VectorField, world: World, memory: Memory) -> Record:
    """The record of a field."""
    has, cells = vars(field), field.cells(world)  # each kind has some of these
    return record(
        "Field",
        kind=number_of("field", has["kind"]),
        present=1,
        period=has.get("period"),
        vector=point_of(has.get("vector", (0.0, 0.0))),
        gusts=has.get("gusts", 0.0),
        center=usual_point(has.get("center"), world.dimension),
        radius=has.get("radius", 0.0),
        rows=cells.shape[0],
        columns=cells.shape[1],
        cells_at=memory.put(cells),
    )


@dataclass
class GroupWriter(Operands):
    """Writes the records of one group."""

    program: "Program"
    table: Flock | Predators

    def write(self) -> Record:
        """The record of the group."""
        table = self.table
        if isinstance(table, Predators) and table.carried:
            assert table.path is not None  # noqa: S101  carried tells the type checker nothing
            return record("Group", count=self.count, carried=self.memory.put(table.path.record(self.world)))
        flock = table if isinstance(table, Flock) and table.update != "synchronous" else None
        together = flock is not None and flock.moves == "together"
        if together and self.world.boundary.before_turns:
            raise UnknownToKernelError("boundaries that act before turns of boids that move together")
        factors = {one.key: self.memory.put(one.of(self.count, self.randomness)) for one in table.individual}
        told = [self._term(name, rule, factors.get(f"{name}.weight", 0)) for name, rule in table.rules.items()]
        pushes = self._pushes()
        self.program.terms[self.group] = (*table.rules, *(name for name, _ in pushes))
        return record(
            "Group",
            count=self.count,
            sequential=flock is not None,
            shuffled=self._stream("turns") if flock is not None and flock.update == "shuffled" else 0,
            together=together,
            drive=table.keeps_drive,
            terms=self.memory.put_all([*told, *(push for _, push in pushes)]),
            speeds=factors.get(SPEED, 0),
            flocks=self.seen(self.prey),
            hunters=self.groups(self.hunters),
            noise=self._stream("angular noise"),
            solid_angle=table.angular_noise_spread == "solid_angle",
            noise_width=table.angular_noise,
            inertia=table.inertia,
            smoothing=table.smoothing,
            steady_below=table.steady_below,
            max_acceleration=table.max_acceleration,
            min_speed=table.min_speed,
            max_speed=table.max_speed,
            max_force=table.max_force,
            is_explicit=table.integrator == "explicit",
            is_limited=bool(table.limit_speed),
            if_steered=table.limit_speed == "steered",
            per_time=table.forces == "per_time",
        )

    def _term(self, name: str, rule: Rule, weights: int) -> Record:
        """The record of what a rule does."""
        operation = rule.operation(self) if is_told(rule) else None
        if operation is None:
            raise UnknownToKernelError("the rule {name}", name)
        return term_record(
            operation.name,
            operation.value,
            operation.at,
            form=number_of("form", f"{self.table.steering_of(rule)} form"),
            on_position=rule.acts_on == "position",
            live=is_live(rule),
            weight=rule.weight,
            cap=rule.max_force,
            weights=weights,
            fears=bool(rule.predator_requests()),
            preempts=getattr(rule, "preempts", False),
            max_turn=rule.max_turn,
            in_order=name in self.table.order and rule.acts_on == "velocity",
            ignores=sum(1 << other for other in self.others if not rule.notices(self.program.tables[other].name)),
            specs=self.memory.put_all([spec.record() for spec in operation.specs]),
            include_self=operation.include_self,
            stream=self._stream(operation.purpose) if operation.drawn else 0,
            drawn=operation.drawn,
        )

    def _pushes(self) -> list[tuple[str, Record]]:
        """Names and records of what steers besides rules, in the order of `run._moved_flock`."""
        setup, flock, reynolds = self.program.setup, isinstance(self.table, Flock), number_of("form", "reynolds form")
        pushes = [("", term_record("nothing"))]
        for number, attractor in enumerate(setup.attractors if flock else ()):  # they alone steer toward a direction
            push = term_record("attract", at=(number,), form=reynolds, weight=attractor.weight, cap=None)
            pushes.append(("attractors", push))
        pushes += [("obstacles", term_record("obstacle", at=(number,))) for number in range(len(setup.obstacles))]
        if isinstance(self.world.boundary, Soft):
            pushes.append(("edges", term_record("edges")))
        for number, field in enumerate(setup.fields):
            if field.on in {"all", "flock" if flock else "predators"}:
                drifts = field.acts == "drift"
                push = term_record("field vector", at=(number,), weight=field.weight, on_position=drifts)
                pushes.append(("" if drifts else "fields", push))
        return [*pushes, ("", term_record("last drive"))]

    def _stream(self, purpose: str) -> int:
        """The cell of a stream of random numbers."""
        return self.program.stream(self.randomness.kind + purpose, self.randomness.number)


class Program:
    """A setup as the kernel's memory, before it is laid out.

    Attributes:
        memory: the cells.
        tables: of the groups, predators before flocks.
        terms: of each group, names of the rules, and of whatever else steers it; empty where there is none.
        streams: cells of the streams of random numbers, by purpose and number.
        fixed: random numbers that stay the same for the whole run.

    Raises:
        UnknownToKernelError: when there is something in the setup that only numpy can do.
    """

    def __init__(self, setup: Setup, counts: Sequence[int], randomness: Randomness, step: int = 0) -> None:
        """The program of a setup with so many animals in each group, predators first, after so many steps."""
        self.setup, self.counts, self.randomness = setup, counts, randomness
        self.memory = Memory()
        self.tables: list[Predators | Flock] = [*setup.predators, *setup.flock]
        self.terms: list[Sequence[str]] = [() for _ in self.tables]
        self.streams: dict[tuple[str, int], int] = {}
        self.fixed: list[Fixed] = []
        solids = [obstacle_record(obstacle, self.memory) for obstacle in setup.obstacles]
        drawing = [attractor_record(attractor, setup.world, self.memory) for attractor in setup.attractors]
        flowing = [field_record(field, setup.world, self.memory) for field in setup.fields]
        obstacles, attractors = self.memory.put_all(solids), self.memory.put_all(drawing)
        groups, kinds = [], len(setup.predators)
        for number, (table, count) in enumerate(zip(self.tables, counts, strict=True)):
            hunts = number < kinds
            alike = [other for other in (range(kinds) if hunts else range(kinds, len(counts))) if other != number]
            hunters = [(other, not hunts) for other in range(kinds) if other != number]
            chance = GroupRandomness(randomness, "predator " if hunts else "", number if hunts else number - kinds)
            prey = {other: self.tables[other].name for other in range(kinds, len(counts)) if other != number}
            seen = table.perception, alike, hunters, prey
            groups.append(
                GroupWriter(self.memory, setup.world, number, count, *seen, chance, self.fixed, self, table).write()
            )
        self.memory.begin(
            groups,
            obstacles=obstacles,
            attractors=attractors,
            fields=self.memory.put_all(flowing),
            step=step,
            dt=setup.time.dt,
            world=world_record(setup.world),
        )

    def stream(self, purpose: str, number: int) -> int:
        """The cell of a stream of random numbers."""
        if (purpose, number) not in self.streams:
            words = stream_words(self.randomness.stream(purpose, number))
            self.streams[purpose, number] = self.memory.put(words)
        return self.streams[purpose, number]


SECONDS, BYTES = 0.05, 1 << 25  # Time and memory that one call takes, about
BOIDS_PER_THREAD = 4096  # Fewer boids than this are done sooner than another thread has begun
BOIDS_PER_SLICE = 2048
ROOM, ROOM_EACH = 4096, 64  # Cells that a layout takes, about, and for each animal
THREADS = "BOIDSGEN_THREADS"
"""Environment variable for the maximum number of threads; by default all processors that the process may use."""


def allowed_threads() -> int:
    """The maximum number of threads."""
    named = os.environ.get(THREADS, "")
    whole = int(named) if named.isascii() and named.isdecimal() and len(named) <= MAX_TABLE_DIGITS else 0
    return whole or usable_cores()


def threads_for(boids: int) -> int:
    """The number of threads that so many boids are worth."""
    return max(1, min(allowed_threads(), boids // BOIDS_PER_THREAD))


@lru_cache(maxsize=1)
def _pool(process: int) -> ThreadPoolExecutor:
    """The threads of this process; a fork has none of those of its parent."""
    del process
    return ThreadPoolExecutor()


@cache
def _calls() -> dict[str, Callable[..., int]]:
    """The entry points of the kernel that move animals; memories are addresses."""
    memory, number = c_void_p, c_int
    arguments = {
        "arrange": (memory, number, number, memory, number, memory),
        "reduce": (memory, number, number, number, number, memory),
        "draw": (memory, number),
        "move": (memory, number, number, number, memory),
        "settle": (memory, number),
        "finish": (memory,),
        "march": (memory, memory, number, number, memory, number, memory),
        "copy_state": (memory, memory),
        "plan": (memory, number, number),
        "scratch_cells": (number,),
    }
    calls = {name: entry(name) for name in arguments}
    for name, call in calls.items():
        call.argtypes = arguments[name]
        call.restype = number if name in {"arrange", "move", "settle", "march", "plan", "scratch_cells"} else None
    return calls


class CompiledModel:
    """A program that is laid out, with the memory that its calls need.

    Raises:
        UnknownToKernelError: when only numpy can do it.
    """

    def __init__(self, memory: Memory, animals: int) -> None:
        """The layout of a program about so many animals, for one thread or, where there are enough, for several."""
        self._calls = _calls()
        needed = memory.size + ROOM + ROOM_EACH * animals
        while True:
            self.cells = memory.cells(needed - memory.size)
            needed = self._calls["plan"](self.cells.ctypes.data, memory.size, len(self.cells))
            if needed < 0:
                raise UnknownToKernelError("the nearest of several kinds, or too many sums over neighbors")
            if needed <= len(self.cells):
                break
        (self.program,) = records_in(self.cells, "Program", 0)
        self.groups = records_in(self.cells, "Group", int(self.program["groups_at"]), int(self.program["groups"]))
        largest = int(self.program["largest"])
        self.threads = threads_for(largest)
        self._scratch = [np.empty(self._calls["scratch_cells"](largest)) for _ in range(self.threads)]
        self._starts = np.empty(16 * largest + 4096, dtype=np.int64)

    def call(self, name: str, *which: int) -> int:
        """Call an entry."""
        return self._calls[name](self.cells.ctypes.data, *which)

    def vectors(self, number: int, field: str) -> Array:
        """Vectors of a group, (d, n), in the memory, by the field of its record that contains their cell."""
        group, axes = self.groups[number], 3 - int(self.program["world"]["first"])
        at, count = int(group[field]), int(group["count"])
        return self.cells[at : at + axes * count].reshape(axes, count)

    def march(self, kept: Array, steps: int) -> bool:
        """Do the steps of some frames and write their states to `kept`, (frames, size); false if one is not finite."""
        self.program["done"] = 0
        if self.threads > 1:
            return all(self._march_together(frame, steps) for frame in kept)
        return self.with_room("march", kept.ctypes.data, len(kept), steps) == 0

    def shared(self, name: str, count: int, *which: int) -> bool:
        """Call an entry for `count` animals, shared out over the threads; false if a call returned 0."""
        call, slices = self._calls[name], iter(range(0, count, BOIDS_PER_SLICE))

        def work(scratch: Array) -> bool:
            memory, good = scratch.ctypes.data, True
            for first in slices:
                good &= call(self.cells.ctypes.data, *which, first, min(first + BOIDS_PER_SLICE, count), memory) != 0
            return good

        workers = self._scratch[1 : -(-count // BOIDS_PER_SLICE)]
        others = [_pool(os.getpid()).submit(work, scratch) for scratch in workers]
        try:
            return all([work(self._scratch[0]), *[other.result() for other in others]])
        finally:
            for _ in slices:  # after a signal nobody begins another one
                pass

    def _march_together(self, frame: Array, steps: int) -> bool:
        """The same for one frame with several threads."""
        for _ in range(steps):
            for number, group in enumerate(self.groups):
                count, in_one_piece = int(group["count"]), group["carried"] or group["sequential"]
                for query in range(int(group["queries"])):
                    self.with_room("arrange", number, query)
                    self.shared("reduce", count, number, query)
                self.call("draw", number)
                if in_one_piece:
                    moved = self.call("move", number, 0, count, self._scratch[0].ctypes.data) != 0
                else:
                    moved = self.shared("move", count, number)
                if not moved or not self.call("settle", number):
                    self.program["group"] = number
                    return False
            self.call("finish")
        self.call("copy_state", frame.ctypes.data)
        return True

    def with_room(self, name: str, *which: int) -> int:
        """Call an entry that may need a larger grid."""
        while True:
            room = self._starts.ctypes.data, len(self._starts), self._scratch[0].ctypes.data
            needed = self.call(name, *which, *room)
            if needed <= 0:
                return needed
            self._starts = np.empty(2 * needed, dtype=np.int64)


class March:
    """Steps of a setup from a state on, by the kernel."""

    def __init__(self, state: State, randomness: Randomness) -> None:
        """Steps from a state on; UnknownToKernelError if only numpy can do them."""
        groups = [*state.predators, *state.flocks]
        counts = [len(group.position) for group in groups]
        self._program = Program(state.setup, counts, randomness, state.step)
        self._planned = CompiledModel(self._program.memory, sum(counts))
        self._per_frame = 0.0
        for number, group in enumerate(groups):
            self._planned.vectors(number, "position")[:] = group.position.T
            self._planned.vectors(number, "velocity")[:] = group.velocity.T
            if group.drive is not None and self._planned.groups[number]["drive"]:
                self._planned.vectors(number, "drive")[:] = group.drive.T

    def states(self, state: State, frames: int, steps: int, refuse: Callable[[Group, int], None]) -> Iterator[State]:
        """The states of the next frames, each so many steps after the one before.

        While one block of them is drawn, another thread computes the next one, where there may be one.

        Raises:
            NotFiniteError: when a position or velocity is no longer a finite number.
        """
        size = sum(2 * group.position.size for group in (*state.predators, *state.flocks))
        accumulates, process = any(self._planned.groups["drive"]), os.getpid()
        sooner = allowed_threads() > 1 and not accumulates
        block: Callable[[], tuple[Array, bool]] = partial(self._block, size, 1 if accumulates else frames, steps)
        while frames:
            kept, finite = block()
            frames -= len(kept)
            self._store_streams()
            if not finite:
                number, step = int(self._planned.program["group"]), int(self._planned.program["step"])
                place, velocity = (self._planned.vectors(number, field).T for field in ("new_position", "new_velocity"))
                name = (*state.predators, *state.flocks)[number].name
                refuse(Group(name, place, velocity), step + 1)
            upcoming = partial(self._block, size, 1 if accumulates else frames, steps)
            block = _pool(os.getpid()).submit(upcoming).result if frames and sooner else upcoming
            for row in kept:
                state = self._state(state, row, steps)
                yield state
            if frames and os.getpid() != process:  # a fork has no thread that would finish the next block
                yield from March(state, self._program.randomness).states(state, frames, steps, refuse)
                return

    def _block(self, size: int, frames: int, steps: int) -> tuple[Array, bool]:
        """States of the first of so many frames, (k, size), as many as a call takes; and whether all are finite."""
        fitting = min(BYTES // (CELL * size + 1), int(SECONDS / self._per_frame) if self._per_frame else 1)
        kept, began = np.empty((max(1, min(frames, fitting)), size)), perf_counter()
        finite = self._planned.march(kept, steps)
        self._per_frame = (perf_counter() - began) / len(kept)
        return kept, finite

    def _state(self, before: State, frame: Array, steps: int) -> State:
        """The state that a frame holds, so many steps after the one before."""
        groups, done = list[Group](), 0
        for number, old in enumerate((*before.predators, *before.flocks)):
            both = frame[done : done + 2 * old.position.size].reshape(2, *old.position.T.shape)
            accumulates = self._planned.groups[number]["drive"]
            drive = read_only(self._planned.vectors(number, "drive").copy().T) if accumulates else None
            groups.append(Group(old.name, read_only(both[0].T), read_only(both[1].T), drive))
            done += both.size
        kinds, step = len(before.predators), before.step + steps
        time = step * before.setup.time.dt
        return State(step, time, -1, tuple(groups[kinds:]), tuple(groups[:kinds]), before.setup)

    def _store_streams(self) -> None:
        """Let the generators go on where the kernel has stopped."""
        words = self._planned.cells.view(np.uint64)
        for (purpose, number), cell in self._program.streams.items():
            high, low, high_step, low_step = (int(word) for word in words[cell : cell + 4])
            generator = self._program.randomness.stream(purpose, number).bit_generator
            stored = {"state": high << 64 | low, "inc": high_step << 64 | low_step}
            generator.state = {**generator.state, "state": stored}


def neighbor_sums(
    position: Array,
    velocity: Array,
    source_position: Array,
    source_velocity: Array,
    requests: Sequence[Request],
    periods: Array,
) -> list[Sum]:
    """Answer all requests by the kernel, as `neighbors.neighbor_sums`."""
    count, dimension = position.shape
    if not count or not len(source_position) or not requests:
        return [Sum(np.zeros(count), zeros(count, dimension)) for _ in requests]
    own, memory = position is source_position, Memory()
    sources = memory.put_all([record("Sources", group=0 if own else 1)])
    # Bounded by whatever is finite: only then do all requests make one search.
    bounded = [one._replace(radius=min(one.radius, sys.float_info.max)) for one in requests]
    boids = position, velocity
    groups = [boids] if own else [boids, (source_position, source_velocity)]
    specs = memory.put_all([QuerySpec(one, None if own else sources).record() for one in bounded])
    term = memory.put(term_record("nothing", specs=specs))
    written = [record("Group", count=len(each[0]), terms=(1 - number, term)) for number, each in enumerate(groups)]
    world = record("World", first=3 - dimension, size=1.0, period=point_of(periods.tolist()))
    memory.begin(written, dt=1.0, world=world)
    try:
        planned = CompiledModel(memory, sum(len(vectors[0]) for vectors in groups))
    except UnknownToKernelError:  # too many
        return neighbors.neighbor_sums(position, velocity, source_position, source_velocity, requests, periods)
    for number, vectors in enumerate(groups):
        for field, values in zip(("position", "velocity"), vectors, strict=True):
            planned.vectors(number, field)[:] = values.T
    asking = planned.groups[0]
    for query in range(int(asking["queries"])):
        planned.with_room("arrange", 0, query)
        planned.shared("reduce", count, 0, query)
    whole, (told,) = planned.cells.view(np.int64), records_in(planned.cells, "Term", int(asking["terms_at"]))
    rows = whole[told["rows_at"] :][: len(requests)]
    found = [planned.cells[at:][: (1 + dimension) * count].reshape(-1, count) for at in whole[asking["rows_at"] + rows]]
    return [Sum(answer[0], answer[1:].T) for answer in found]
