"""Programs of the kernel: what a setup says, as one memory of 8-byte cells.

`Program` writes the records that `kernel/program.c` and `kernel/world.c` list, in the order of their fields there; a
record names others by the number of their first cell. Everything of a setup is told, in its own units, whether it has
an effect now or not: the kernel finds out what there is to do (`kernel/plan.c`). So a page takes the same cells, and
writes new values of keys into them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from boidsgen.simulation.obstacles import OBSTACLES, Obstacle
from boidsgen.simulation.paths import Attractor, CircleCurve, Curve, Waypoints
from boidsgen.simulation.randomness import GroupRandomness, Randomness
from boidsgen.simulation.records import (
    Memory,
    UnknownToKernelError,
    group_record,
    or_nan,
    packed,
    point_of,
    stream_words,
    term_record,
    usual_point,
    write_program,
)
from boidsgen.simulation.rules.rule import SPEED, Fixed, NeighborRule, Operands, Rule, is_told
from boidsgen.simulation.setup import Flock, Predators, Setup
from boidsgen.simulation.world import BOUNDARIES, Reflect, Soft, World


def world_fields(world: World) -> tuple[Any, ...]:
    """The fields of a world; UnknownToKernelError if its boundary is not one of ours."""
    boundary = world.boundary
    if type(boundary) is not BOUNDARIES.get(boundary.kind):
        raise UnknownToKernelError(f"the boundary {boundary.kind}")
    return (
        *(3 - world.dimension, [*BOUNDARIES].index(boundary.kind), boundary.before_turns),
        point_of(world.size),
        point_of(world.periods.tolist()),
        float(min(world.size)),
        boundary.restitution if isinstance(boundary, Reflect) else 1.0,
        (boundary.margin, boundary.strength) if isinstance(boundary, Soft) else (1.0, 0.0),
    )


def obstacle_record(obstacle: Obstacle, memory: Memory) -> bytes:
    """The record of an obstacle; UnknownToKernelError if it is not one of ours."""
    kinds: list[type[Obstacle]] = [*OBSTACLES.values()]
    if type(obstacle) not in kinds:
        raise UnknownToKernelError(f"the obstacle {type(obstacle).__name__}")
    has, nowhere = vars(obstacle), (0.0, 0.0)  # each kind has some of these
    center, second = has.get("center", has.get("start", nowhere)), has.get("end", nowhere)
    half, corners = has.get("size", has.get("radii", nowhere)), np.array(has.get("points", np.zeros((0, 2))))
    return packed(
        (kinds.index(type(obstacle)), 1, obstacle.solid),
        (float(obstacle.weight), or_nan(obstacle.margin), float(has.get("radius", 0.0))),
        (point_of(center), point_of(half), point_of(second), 0.0),
        (len(corners), memory.put(corners)),
    )


def attractor_record(attractor: Attractor, world: World, memory: Memory) -> bytes:
    """The record of an attractor."""
    path = attractor.path
    kind = 0 if path is None else 1 if isinstance(path, Curve) else 2
    curve = path if isinstance(path, Curve) else CircleCurve()
    ways = np.zeros((0, 4))
    if isinstance(path, Waypoints):
        ways = np.zeros((len(path.points), 4))
        ways[:, 0], ways[:, 4 - len(path.points[0]) :] = path.times, path.points
    point, repeats = usual_point(attractor.point, world.dimension), isinstance(path, Waypoints) and path.repeat
    start = packed((kind, 1), point, float(attractor.weight), float(attractor.radius))
    return start + curve.record(world) + packed(len(ways), repeats, memory.put(ways))


OPERATIONS = (
    *("push", "mean offset", "mean velocity", "nothing", "curve", "noise box", "noise sphere", "wander", "avoid"),
    *("seek", "home", "arrive", "follow path", "follow leader", "formation"),
    *("hunt nearest", "sum", "evade", "species", "zones", "attract", "obstacle", "edges", "last drive"),
)
"""Operations of the kernel, in the order of its own numbers."""


@dataclass
class GroupWriter(Operands):
    """Writes the records of one group."""

    program: "Program"
    table: Flock | Predators

    def write(self) -> bytes:
        """The record of the group."""
        table = self.table
        if isinstance(table, Predators) and table.carried:
            assert table.path is not None  # noqa: S101  carried tells the type checker nothing
            return group_record(self.count, carried=self.memory.put(table.path.record(self.world)))
        factors = {one.key: self.memory.put(one.of(self.count, self.randomness)) for one in table.individual}
        terms = [self._term(name, rule, factors.get(f"{name}.weight", 0)) for name, rule in table.rules.items()]
        pushes = self._pushes()
        self.program.terms[self.group] = (*table.rules, *(name for name, _ in pushes))
        terms += [record for _, record in pushes]
        lowest, highest = or_nan(table.min_speed), float(table.max_speed)
        motion = float(table.inertia), float(table.max_acceleration), lowest, highest, 0.0, float(table.max_force)
        solid = table.angular_noise_spread == "solid_angle"
        return group_record(
            self.count,
            turns=(
                isinstance(table, Flock) and table.update == "sequential",
                isinstance(table, Flock) and table.accumulate,
            ),
            terms=(len(terms), self.memory.put(b"".join(terms))),
            speeds=factors.get(SPEED, 0),
            seen=(*self.seen(self.prey), *self.groups(self.hunters)),
            noise=(self._stream("angular noise"), 0, solid, float(table.angular_noise), 0.0),
            motion=motion,
            bounds=(table.integrator == "explicit", table.limit_speed),
        )

    def _term(self, name: str, rule: Rule, weights: int) -> bytes:
        """The record of what a rule does."""
        operation = rule.operation(self) if is_told(rule) else None
        if operation is None:
            raise UnknownToKernelError(f"the rule {name}")
        ignored = sum(1 << other for other in self.others if not rule.notices(self.program.tables[other].name))
        reynolds = self.table.steering_of(rule) == "reynolds"
        return term_record(
            OPERATIONS.index(operation.name),
            form=(reynolds, rule.acts_on == "position", isinstance(rule, NeighborRule)),
            weight=rule.weight,
            cap=or_nan(rule.max_force),
            weights=weights,
            noticing=(bool(rule.predator_requests()), ignored),
            asks=(len(operation.asks), self.memory.put(b"".join(ask.record() for ask in operation.asks))),
            include_self=operation.include_self,
            chance=(self._stream(operation.purpose) if operation.drawn else 0, operation.drawn),
            value=operation.value,
            at=operation.at,
        )

    def _pushes(self) -> list[tuple[str, bytes]]:
        """Names and records of what steers besides rules, in the order of `run._moved_flock`."""

        def push(name: str, kind: str, **fields: Any) -> tuple[str, bytes]:  # noqa: ANN401  parts of the record
            return name, term_record(OPERATIONS.index(kind), **fields)

        setup, flock = self.program.setup, isinstance(self.table, Flock)
        pushes = [push("", "nothing")]
        for number, attractor in enumerate(setup.attractors if flock else ()):  # they alone steer toward a direction
            fields = {"form": (1, 0, 0), "weight": attractor.weight, "cap": or_nan(None), "at": (number,)}
            pushes.append(push("attractors", "attract", **fields))
        pushes += [push("obstacles", "obstacle", at=(number,)) for number in range(len(setup.obstacles))]
        if isinstance(self.world.boundary, Soft):
            pushes.append(push("edges", "edges"))
        return [*pushes, push("", "last drive")]

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
        obstacles = [obstacle_record(obstacle, self.memory) for obstacle in setup.obstacles]
        attractors = [attractor_record(attractor, setup.world, self.memory) for attractor in setup.attractors]
        obstacles_at, attractors_at = (self.memory.put(b"".join(records)) for records in (obstacles, attractors))
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
        things = len(obstacles), obstacles_at, len(attractors), attractors_at
        dt = float(setup.time.dt)
        write_program(self.memory, groups, world_fields(setup.world), things=things, step=step, dt=dt)

    def stream(self, purpose: str, number: int) -> int:
        """The cell of a stream of random numbers."""
        if (purpose, number) not in self.streams:
            words = stream_words(self.randomness.stream(purpose, number))
            self.streams[purpose, number] = self.memory.put(words.tobytes())
        return self.streams[purpose, number]
