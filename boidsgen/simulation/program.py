"""Programs of the kernel: what a setup says, as one memory of 8-byte cells.

`Program` writes the records that `kernel/program.c` lists, in the order of their fields there; a record names others by
the number of their first cell. States, answers and all that changes from step to step have their place in it, too.
"""

from collections.abc import Container, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from boidsgen import exact
from boidsgen.simulation.geometry import Array, read_only
from boidsgen.simulation.motion import Group
from boidsgen.simulation.neighbors.sums import Request, is_about_everyone, kind_of
from boidsgen.simulation.randomness import GroupRandomness, Randomness
from boidsgen.simulation.records import (
    BOUNDED,
    DONE,
    EVERYONE,
    GROUP,
    GROUP_CELLS,
    PROGRAM_CELLS,
    ROWS,
    STEP,
    UNBOUNDED,
    Memory,
    UnknownToKernelError,
    group_record,
    packed,
    point_of,
    program_record,
    request_record,
    scratch_for,
)
from boidsgen.simulation.rules.rule import SPEED, NeighborRule, Operation, Recipe, Rule, operation_of, recipe_of
from boidsgen.simulation.setup import Flock, Predators, Setup, State
from boidsgen.simulation.world import Boundary, Open, Reflect, Soft, Teleport, Torus, World, Wrap
from boidsgen.simulation.world_records import attractor_record, obstacle_record

BOUNDARIES: tuple[type[Boundary], ...] = (Open, Reflect, Soft, Teleport, Torus, Wrap)
OPERATIONS = (
    *("push", "mean offset", "mean velocity", "nothing", "curve", "noise box", "noise sphere", "wander", "avoid"),
    *("seek", "home", "arrive", "follow path", "follow leader", "formation"),
    *("hunt nearest", "sum", "evade", "species", "zones", "attract", "obstacle", "edges", "last drive"),
)
"""Operations of the kernel, in the order of its own numbers."""


class Place(NamedTuple):
    """Cells of a group's positions and velocities, before and after a step."""

    animals: int
    position: int
    velocity: int
    new_position: int
    new_velocity: int


@dataclass
class Question:
    """Requests that are answered together, about some groups taken together."""

    about: tuple[tuple[int, bool], ...]  # groups, and whether they have moved; none where it is about the own kind
    requests: list[Request]
    kind: int
    local: bool = False
    adds: bool = False  # whether the answers are added to those of the question before it
    headings: bool = False
    asker: str = ""

    def joins(self, other: "Question") -> bool:
        """True if the requests of another question are answered by the same search."""
        mine, its = (
            (each.about, each.kind, each.adds, each.headings, each.asker, each.kind and each.requests[0].whom)
            for each in (self, other)
        )
        return mine == its and self.kind != EVERYONE


class Plan(NamedTuple):
    """The calls that move a group."""

    animals: int
    apart: tuple[bool, ...]  # for each question, whether boids are answered in a call of its own
    alone: bool  # whether one call moves all of them


@dataclass
class GroupWriter:
    """Writes the records of one group; `Operands` of its rules."""

    program: "Program"
    table: Flock | Predators
    place: Place
    randomness: GroupRandomness
    others: list[int]  # numbers of the other groups of its kind
    prey: list[int]  # of the flocks that it is not one of
    hunters: list[tuple[int, bool]]  # of those that may be fled from, and whether they have moved
    questions: list[Question] = field(default_factory=list)
    local: list[Request] = field(default_factory=list)
    answers: dict[tuple[Any, ...], int] = field(default_factory=dict)  # rows
    cells: list[int] = field(default_factory=list)  # of the answers of each row; 0 for local ones
    streams: dict[str, int] = field(default_factory=dict)
    drive: int = 0  # the cell of what has steered its boids so far; 0 where that is set back in every step
    own: list[Question] = field(default_factory=list)  # that which is answered as the boids move
    asker: str = ""  # name of the rule whose record is being written

    @property
    def count(self) -> int:
        """Number of its animals."""
        return self.place.animals

    @property
    def dt(self) -> float:
        """Time that a step covers."""
        return self.program.setup.time.dt

    @property
    def world(self) -> World:
        """The world."""
        return self.program.setup.world

    @property
    def turns(self) -> bool:
        """True if its boids move one after the other."""
        return isinstance(self.table, Flock) and self.table.update == "sequential"

    def put(self, values: Array | Sequence[int] | bytes) -> int:
        """Write numbers or a record into the program; returns their first cell."""
        return self.program.memory.put(values)

    def point(self, point: Sequence[float] | Array | None) -> tuple[float, float, float]:
        """A point, or the middle of the world, as three numbers."""
        return point_of((self.world.extent / 2).tolist() if point is None else [float(part) for part in point])

    def fixed(self, purpose: str, shape: tuple[int, ...]) -> Array:
        """Random numbers that stay the same for the whole run."""
        return self.randomness.fixed(purpose, shape)

    def flocks(self, names: Container[str] | None = None) -> Sequence[int]:
        """Numbers of the flocks with these names, or of all, that the group is not one of."""
        return [flock for flock in self.prey if names is None or self.program.name(flock) in names]

    def animals(self, flocks: Sequence[int]) -> int:
        """Number of the animals of some flocks."""
        return sum(self.program.places[flock].animals for flock in flocks)

    def seen(self, flocks: Sequence[int]) -> int:
        """The cell of the records of some flocks."""
        return self.program.seen([(flock, False) for flock in flocks])

    def row(self, request: Request, flocks: Sequence[int] | None = None, *, headings: bool = False) -> int:
        """The row of the answer to a request about flocks taken together, or about the own kind."""
        about = () if flocks is None else tuple((flock, False) for flock in flocks)
        return self._row(request, about, headings=headings)

    def _row(self, request: Request, *about: tuple[tuple[int, bool], ...], headings: bool = False) -> int:
        """The row of the answer to a request about groups, one source after the other, each some groups together."""
        key = request, about, headings
        if key not in self.answers:
            at = self.program.memory.room((1 + self.world.dimension) * self.count)
            for adds, sources in enumerate(about):
                known = kind_of(request)
                kind = BOUNDED if known is None else EVERYONE if known == request else UNBOUNDED
                if kind == UNBOUNDED and adds:
                    raise UnknownToKernelError("the nearest of several kinds")
                new = Question(sources, [request], kind, adds=bool(adds), headings=headings, asker=self.asker)
                alike = [each for each in self.questions if each.joins(new)]
                if not alike:
                    new.requests.clear()
                    alike = [new]
                    self.questions += alike
                alike[0].requests.append(request)
                self.program.answers[id(alike[0]), request] = at
            self.answers[key] = len(self.cells)
            self.cells.append(at)
        return self.answers[key]

    def write(self, state: Group) -> bytes:
        """The record of the group."""
        table, memory, program = self.table, self.program.memory, self.program
        if isinstance(table, Predators) and table.carried:
            assert table.path is not None  # noqa: S101  carried tells the type checker nothing
            return group_record(self.place, memory.put(table.path.record(self.world)))
        rules = [(name, rule) for name, rule in table.rules.items() if self.hunters or not rule.predator_requests()]
        recipes = {name: recipe_of(rule, table.perception) for name, rule in rules}
        self._ask_own_kind(recipes)
        factors = {one.key: memory.put(one.of(self.count, self.randomness)) for one in table.individual}
        if isinstance(table, Flock) and table.accumulate:  # minus zero plus anything is that
            drive = np.full((self.world.dimension, self.count), -0.0) if state.drive is None else state.drive.T
            self.drive = memory.put(drive)
        terms = [self._term(name, rule, recipes[name], factors) for name, rule in rules]
        terms += self._pushes([name for name, _ in rules])
        questions = [*self.questions, *self.own]
        limits = table.limits(self.dt)
        noise = drawn = 0
        width = cosine = 0.0
        if table.angular_noise:
            noise, drawn = self._stream("angular noise"), memory.room(self.world.dimension * self.count)
            width = float(np.radians(table.angular_noise))
            cosine = float(exact.cosine(np.radians(table.angular_noise / 2)))
        record = group_record(
            self.place,
            turns=(self.turns, self.drive),
            questions=(len(questions), memory.put(b"".join(map(self._question, questions))), len(self.local)),
            rows=(len(self.cells), memory.put(self.cells)),
            terms=(len(terms), memory.put(b"".join(terms))),
            fixed=(memory.room(len(terms) * self.world.dimension * self.count * self.turns), factors.get(SPEED, 0)),
            seen=(len(self.prey), self.seen(self.prey), len(self.hunters), program.seen(self.hunters)),
            noise=(noise, drawn, table.angular_noise_spread == "solid_angle", float(width), float(cosine)),
            limits=(*limits[:4], float(table.max_speed)),
            explicit=limits.explicit,
        )
        if len(self.cells) > ROWS:
            raise UnknownToKernelError("too many sums over neighbors")
        return record

    def _ask_own_kind(self, recipes: dict[str, Recipe | None]) -> None:
        """Lay out the rows of what rules ask about the own kind: the first ones are answered as the boids move."""
        if self.turns:
            live = [recipes[name] for name, rule in self.table.rules.items() if isinstance(rule, NeighborRule)]
            asked = [recipe.own for recipe in live if recipe is not None and recipe.own]
        else:
            asked = [request for request in self.table.own_requests if kind_of(request) is None]
        self.local = sorted(dict.fromkeys(asked), key=lambda request: asked.index(_first_alike(request, asked)))
        for request in self.local:
            self.answers[request, ((),), False] = len(self.cells)
            self.cells.append(0)
        if not self.turns:
            for request in self.table.own_requests:
                self._row(request, ())
        if self.local:
            self.own = [Question((), self.local, BOUNDED, local=True)]

    def _term(self, name: str, rule: Rule, recipe: Recipe | None, factors: dict[str, int]) -> bytes:
        """The record of what a rule does in each step."""
        term, others, predators, own, included = self.table.terms[name], -1, -1, -1, False
        self.asker = "" if recipe else name
        if recipe is not None:
            operation, included = Operation(recipe.kind, at=(recipe.brakes,)), recipe.include_self
            if recipe.own:
                own = self.answers[recipe.own, ((),), False]
            noticed = [
                ((other, False),)
                for other in self.others
                if self.program.places[other].animals
                and all(each.notices(self.program.name(other)) for each in self.table.rules.values())
            ]
            if recipe.others and noticed:
                others = self._row(recipe.others, *noticed)
            if recipe.predators and self.hunters:
                predators = self._row(recipe.predators, *((hunter,) for hunter in self.hunters))
        else:
            known = operation_of(rule, self)
            if known is None:
                raise UnknownToKernelError(f"the rule {name}")
            operation, own = known, known.row
        value = [self.table.max_force if np.isnan(one) else float(one) for one in operation.value]
        drawn = operation.drawn
        if operation.name == "zones" and term.steering == "reynolds":
            drawn = 0  # the desired direction is without chance
        return packed(
            OPERATIONS.index(operation.name), term.steering == "reynolds", term.acts_on == "position",
            self.turns and isinstance(rule, NeighborRule), float(term.weight), float(term.cap),
            factors.get(f"{name}.weight", 0), own, others, predators, included,
            self._stream(operation.purpose) if drawn else 0,
            self.program.memory.room(drawn * self.count) if drawn else 0,
            value, [0.0] * (8 - len(value)), [*operation.at], [0] * (6 - len(operation.at)),
        )  # fmt: skip

    def _pushes(self, rules: Sequence[str]) -> list[bytes]:
        """The records of what steers besides rules, in the order of `run._moved_flock`; rest where no rule steers."""
        program, table = self.program, self.table

        def record(kind: str, at: int = 0, weight: float = 1.0, *, cap: float | None = None) -> bytes:
            form, cap = (0, np.inf) if cap is None else (1, cap)  # attractors alone steer toward a direction
            start = OPERATIONS.index(kind), form, 0, 0, weight, cap, 0, -1, -1, -1, 0, 0, 0
            return packed(start, [0.0] * 8, at, [0] * 5)

        pulling = program.attractors if isinstance(table, Flock) else []
        pushes = [record("attract", *attractor, cap=float(table.max_force)) for attractor in pulling]
        pushes += [record("obstacle", at) for at in program.obstacles]
        if isinstance(self.world.boundary, Soft):
            pushes.append(record("edges"))
        steers = (self.turns and pushes) or any(table.terms[name].acts_on != "position" for name in rules)
        last = [record("last drive")] if self.drive else []
        return [*([] if steers else [record("nothing")]), *pushes, *last]

    def _question(self, question: Question) -> bytes:
        """The record of a question."""
        program, dimension = self.program, self.world.dimension
        many = sum(program.places[group].animals for group, _ in question.about) if question.about else self.count
        program.largest = max(program.largest, many)
        requests, before = [], None
        for request in question.requests:
            everyone = self.turns and question.local and is_about_everyone(request)
            answer = 0 if question.local else program.answers[id(question), request]
            requests.append(request_record(request, answer, before, everyone=everyone))
            before = None if everyone else request
        return packed(
            question.kind, not question.about, question.local, len(question.about), program.seen(question.about),
            program.memory.room(2 * dimension * many) if len(question.about) > 1 else 0,
            program.memory.room(dimension * self.count) if question.headings else 0,
            len(requests), program.memory.put(b"".join(requests)), question.adds,
            program.memory.room(self.count) if question.kind == UNBOUNDED else 0,
            float(max([request.radius for request in question.requests], default=0.0)),
        )  # fmt: skip

    def _stream(self, purpose: str) -> int:
        """The cell of a stream of random numbers."""
        if purpose not in self.streams:
            self.streams[purpose] = self.program.stream(self.randomness.stream(purpose))
        return self.streams[purpose]


def _first_alike(request: Request, asked: Sequence[Request]) -> Request:
    """The first request about the same neighbors: such requests are answered one after the other."""
    return next(other for other in asked if other.whom == request.whom)


class Program:
    """A setup and the state at some step as the kernel's memory.

    Raises:
        UnknownToKernelError: when there is something in the setup that only numpy can do.
    """

    def __init__(self, setup: Setup, state: State, randomness: Randomness) -> None:
        """The program that goes on from a state."""
        self.setup = setup
        self.memory = Memory(PROGRAM_CELLS)
        self.answers: dict[tuple[int, Request], int] = {}
        self.largest = max([1, *(len(group.position) for group in (*state.predators, *state.flocks))])
        self._generators: list[tuple[np.random.Generator, int]] = []
        world, memory = setup.world, self.memory
        obstacles = [obstacle_record(obstacle, world, memory) for obstacle in setup.obstacles]
        attractors = [attractor_record(attractor, world, memory) for attractor in setup.attractors]
        self.obstacles = [memory.put(record) for record in obstacles]
        weights = [abs(float(attractor.weight)) for attractor in setup.attractors]
        self.attractors = [*zip(map(memory.put, attractors), weights, strict=True)]
        tables: list[Predators | Flock] = [*setup.predators, *setup.flock]
        groups, kinds = [*state.predators, *state.flocks], len(state.predators)
        self._tables = tables
        self.places = [self._place(group) for group in groups]
        at = self._groups_at = self.memory.room(GROUP_CELLS * len(groups))
        self._drives = [0] * len(groups)
        self.plans: list[Plan] = []
        for number, (table, group) in enumerate(zip(tables, groups, strict=True)):
            if not len(group.position):
                self.plans.append(Plan(0, (), alone=False))
                self.memory.write(at + number * GROUP_CELLS, group_record(self.places[number]))
                continue
            hunts = number < kinds
            alike = [other for other in (range(kinds) if hunts else range(kinds, len(groups))) if other != number]
            hunters = [(other, not hunts) for other in range(kinds) if other != number and self.places[other].animals]
            chance = GroupRandomness(randomness, "predator " if hunts else "", number if hunts else number - kinds)
            prey = [other for other in range(kinds, len(groups)) if other != number]
            writer = GroupWriter(self, table, self.places[number], chance, alike, prey, hunters)
            self.memory.write(at + number * GROUP_CELLS, writer.write(group))
            self._drives[number] = writer.drive
            questions, carried = [*writer.questions, *writer.own], isinstance(table, Predators) and table.carried
            apart = tuple([each.kind == BOUNDED and not each.local for each in questions])
            self.plans.append(Plan(len(group.position), apart, alone=writer.turns or carried))
        self.memory.write(0, self._header(setup, state, len(groups)))
        self.cells = self.memory.cells()
        self.whole = self.cells.view(np.int64)
        for generator, cell in self._generators:
            words = generator.bit_generator.state["state"]
            stream = [words["state"] >> 64, words["state"], words["inc"] >> 64, words["inc"]]
            self.cells.view(np.uint64)[cell : cell + 4] = [word & (2**64 - 1) for word in stream]

    def _place(self, group: Group) -> Place:
        count, dimension = group.position.shape
        position, velocity = self.memory.put(group.position.T), self.memory.put(group.velocity.T)
        room = self.memory.room(2 * dimension * count)
        return Place(count, position, velocity, room, room + dimension * count)

    def name(self, group: int) -> str:
        """The name of a group."""
        return self._tables[group].name

    def seen(self, groups: Sequence[tuple[int, bool]]) -> int:
        """The cell of the records of some groups, and whether they have moved."""
        return self.memory.put(b"".join(packed(group, moved) for group, moved in groups))

    def stream(self, generator: "np.random.Generator") -> int:
        """The cell of a stream of random numbers."""
        self._generators.append((generator, self.memory.room(4)))
        return self._generators[-1][1]

    def restart(self) -> None:
        """Count the steps of a call from its beginning."""
        self.whole[DONE] = 0

    def fail(self, group: int) -> None:
        """Say which group is not finite."""
        self.whole[GROUP] = group

    def copy_state(self, frame: Array) -> None:
        """Copy where everybody is to `frame`, shape (size,)."""
        done = 0
        for number, place in enumerate(self.places):
            half = place.animals * self.setup.world.dimension
            position, velocity = self.whole[self._groups_at + number * GROUP_CELLS + 1 :][:2]
            frame[done : done + half] = self.cells[position : position + half]
            frame[done + half : done + 2 * half] = self.cells[velocity : velocity + half]
            done += 2 * half

    def state(self, before: State, frame: Array, steps: int) -> State:
        """The state that a frame holds, so many steps after the one before."""
        groups, done = [], 0
        for number, (place, old) in enumerate(zip(self.places, (*before.predators, *before.flocks), strict=True)):
            half = place.animals * self.setup.world.dimension
            both = frame[done : done + 2 * half].reshape(2, self.setup.world.dimension, place.animals)
            groups.append(Group(old.name, read_only(both[0].T), read_only(both[1].T), self._drive(number)))
            done += 2 * half
        kinds, step = len(before.predators), before.step + steps
        time = step * self.setup.time.dt
        return State(step, time, -1, tuple(groups[kinds:]), tuple(groups[:kinds]), before.setup)

    def failed(self, before: State) -> tuple[Group, int]:
        """The group that is not finite, and the step after which it is not."""
        number = int(self.whole[GROUP])
        place, record = self.places[number], self._groups_at + number * GROUP_CELLS
        at = self.whole[record + 3 : record + 5]
        half = place.animals * self.setup.world.dimension
        position, velocity = (
            self.cells[cell : cell + half].reshape(self.setup.world.dimension, place.animals).T for cell in at
        )
        return Group((*before.predators, *before.flocks)[number].name, position, velocity), int(self.whole[STEP]) + 1

    def _drive(self, number: int) -> Array | None:
        at = self._drives[number]
        if not at:
            return None
        count, dimension = self.places[number].animals, self.setup.world.dimension
        return read_only(self.cells[at : at + count * dimension].reshape(dimension, count).copy().T)

    def store_streams(self) -> None:
        """Let the generators go on where the kernel has stopped."""
        for generator, cell in self._generators:
            high, low, high_step, low_step = (int(word) for word in self.cells.view(np.uint64)[cell : cell + 4])
            known = generator.bit_generator.state
            generator.bit_generator.state = {
                **known,
                "state": {"state": high << 64 | low, "inc": high_step << 64 | low_step},
            }

    def _header(self, setup: Setup, state: State, groups: int) -> bytes:
        world = setup.world
        boundary = world.boundary
        if type(boundary) not in BOUNDARIES:
            raise UnknownToKernelError(f"the boundary {boundary.kind}")
        first, pulling = (*self.obstacles, 0)[0], (*self.attractors, (0, 0.0))[0][0]
        solids = any(obstacle.solid for obstacle in setup.obstacles)
        things = len(self.obstacles), first, len(self.attractors), pulling, solids
        about = (
            *(3 - world.dimension, BOUNDARIES.index(type(boundary)), boundary.before_turns),
            point_of(world.size),
            point_of(world.periods.tolist()),
            float(min(world.size)),
            boundary.restitution if isinstance(boundary, Reflect) else 1.0,
            (boundary.margin, boundary.strength) if isinstance(boundary, Soft) else (1.0, 0.0),
        )
        at, dt = (groups, self._groups_at), float(setup.time.dt)
        return program_record(self.memory, at, about, self.largest, things=things, step=state.step, dt=dt)

    @property
    def accumulates(self) -> bool:
        """True if some flock's acceleration is never reset."""
        return any(self._drives)

    @property
    def scratch(self) -> int:
        """Cells of memory that each thread needs."""
        return scratch_for(self.largest)
