"""Run a scenario: from its first state to one state per frame.

In one step predators move first; then boids react to each other as they were, and to the predators as they now are.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from typing import Any, NamedTuple

import numpy as np
from typing_extensions import override

from boidsgen.errors import NotFiniteError, UsageError
from boidsgen.records import library
from boidsgen.simulation import backend
from boidsgen.simulation.engines import Engine, load
from boidsgen.simulation.geometry import Array, by_column, keep_freed_memory, read_only, zeros
from boidsgen.simulation.groups import Flock, Predators, own_rules
from boidsgen.simulation.motion import Group, Motion
from boidsgen.simulation.neighbors.sums import Answers, Neighbors, Request
from boidsgen.simulation.randomness import GroupRandomness, Randomness
from boidsgen.simulation.rules.rule import View
from boidsgen.simulation.setup import Setup, State, Timeline
from boidsgen.simulation.steering import SteeredGroup, Turns, confined, driven, total


@dataclass(frozen=True, slots=True)
class Stepper:
    """Makes the first state of a scenario, and the next of each.

    Attributes:
        engine: computes steps.
        periods: (d,) after what distance each axis of the world repeats, 0 where it does not.
        randomness: the streams of random numbers; they are what changes from step to step.
    """

    engine: Engine
    periods: Array
    randomness: Randomness

    @property
    def neighbors(self) -> Neighbors:
        """Answers about neighbors."""
        return Neighbors(self.engine.neighbor_sums, self.periods)

    def first(self, setup: Setup) -> State:
        """The state before any step, nobody yet there."""
        nobody = zeros(0, setup.world.dimension)
        flocks = [Group(table.name, nobody, nobody) for table in setup.flock]
        predators = [Group(table.name, nobody, nobody) for table in setup.predators]
        return State(0, 0.0, -1, tuple(flocks), tuple(predators), setup)

    def arrived(self, state: State, setup: Setup, frame: int) -> State:
        """The state as frame `frame` shows it, with the setup in force from there on: animals come and go."""
        flocks = [self._boids(state.flocks[number], number, setup, frame) for number in range(len(setup.flock))]
        predators = [self._present(state, number, table, frame) for number, table in enumerate(setup.predators)]
        return State(state.step, state.time, frame, tuple(flocks), tuple(predators), setup)

    def next(self, state: State) -> State:
        """The state one step later.

        Raises:
            NotFiniteError: when a position or velocity is no longer a finite number.
        """
        # Overflow is not hidden: what becomes of it is found right below, with the boid's number.
        with np.errstate(over="ignore", invalid="ignore"):
            hunters = [self._moved_predators(state, number) for number in range(len(state.predators))]
            predators = tuple(moved.group for moved in hunters)
            boids = [self._moved_flock(state, number, predators) for number in range(len(state.flocks))]
            flocks = tuple(moved.group for moved in boids)
            for moved in (*hunters, *boids):
                if not moved.finite:
                    _require_finite(moved.group, state.step + 1)
        step = state.step + 1
        return State(step, step * state.setup.time.dt, -1, flocks, predators, state.setup)

    def flock_view(self, state: State, number: int, predators: tuple[Group, ...]) -> View:
        """The view of flock `number` when the predators are where they are given."""
        others = _without(state.flocks, number)
        chance = GroupRandomness(self.randomness, "", number)
        return self._view(state, state.setup.flock[number], state.flocks[number], others, predators, others, chance)

    def predator_view(self, state: State, number: int) -> View:
        """The view of the predators of table `number`."""
        others = _without(state.predators, number)
        table, group = state.setup.predators[number], state.predators[number]
        chance = GroupRandomness(self.randomness, "predator ", number)
        return self._view(state, table, group, others, others, state.flocks, chance)

    def _view(
        self,
        state: State,
        table: SteeredGroup,
        group: Group,
        others: Sequence[Group],
        hunters: Sequence[Group],
        flocks: Sequence[Group],
        randomness: GroupRandomness,
    ) -> View:
        rules = table.rules.values()
        noticed = [other for other in others if all(rule.notices(other.name) for rule in rules)]
        return View(
            position=group.position,
            velocity=group.velocity,
            time=state.time,
            world=state.setup.world,
            perception=table.perception,
            motion=table,
            own=self._answers(group, [group], table.own_requests),
            others=self._answers(group, noticed, table.other_requests),
            predators=self._answers(group, hunters, table.predator_requests),
            flocks=flocks,
            hunters=hunters,
            obstacles=state.setup.obstacles,
            neighbors=self.neighbors,
            randomness=randomness,
        )

    def _answers(self, group: Group, seen: Sequence[Group], requests: tuple[Request, ...]) -> Answers:
        """The answers about all groups seen, added up; none without requests."""
        sources = [(other.position, other.velocity) for other in seen]
        return Answers(self.neighbors, (group.position, group.velocity), sources, requests)

    def _boids(self, group: Group, number: int, setup: Setup, frame: int) -> Group:
        """The boids of one flock in this frame: as many of them as there are to be, the last ones new."""
        table = setup.flock[number]
        wanted, here = table.count if table.present(frame) else 0, len(group.position)
        if wanted == here:
            return group
        if wanted < here:
            left = _group(table.name, group.position[:wanted], group.velocity[:wanted])
            return left if group.drive is None else replace(left, drive=read_only(group.drive[:wanted]))
        new = self._placed(table, wanted - here, "flock", number, setup)
        together = [np.concatenate(both) for both in ((group.position, new.position), (group.velocity, new.velocity))]
        both = _group(table.name, *together) if here else new
        if group.drive is None:
            return both
        return replace(both, drive=read_only(np.concatenate((group.drive, np.zeros_like(new.velocity)))))

    def _present(self, state: State, number: int, table: Predators, frame: int) -> Group:
        """The predators of one table in this frame: as they were, newly placed, or gone."""
        group = state.predators[number]
        if table.present(frame) == bool(len(group.position)):
            return group
        if table.present(frame):
            return self._placed_predators(table, number, state)
        nobody = zeros(0, state.setup.world.dimension)
        return Group(table.name, nobody, nobody)

    def _moved_flock(self, state: State, number: int, predators: tuple[Group, ...]) -> "_Moved":
        flock, group = state.setup.flock[number], state.flocks[number]
        view = self.flock_view(state, number, predators)
        pushes = [*_pulls(flock, group, state), *_pushes(view)]
        if flock.accumulate and group.drive is not None:
            pushes.append(group.drive)
        if flock.update == "sequential":
            return _Moved(self._turned(flock, view, pushes, state.setup))
        if flock.accumulate:
            return _piled(flock, view, pushes, state.setup)
        return self._moved(flock, view, pushes, state.setup)

    def _moved_predators(self, state: State, number: int) -> "_Moved":
        table, group = state.setup.predators[number], state.predators[number]
        if not len(group.position):
            return _Moved(group)
        if table.carried:
            return _Moved(_carried(table, group, state.time, state.setup))
        view = self.predator_view(state, number)
        return self._moved(table, view, _pushes(view), state.setup)

    def _moved(self, table: SteeredGroup, view: View, pushes: Sequence[Array], setup: Setup) -> "_Moved":
        """The group one step later, steered by its rules and by what pushes it."""
        position, velocity, finite = self.engine.advance(table, view, pushes, setup.time.dt)
        return _Moved(_group(table.name, position, velocity), finite)

    def _turned(self, flock: Flock, view: View, pushes: Sequence[Array], setup: Setup) -> Group:
        """A flock whose boids have moved one after the other."""
        step = Turns(
            group=flock,
            view=view,
            limits=flock.limits(setup.time.dt),
            pushes=pushes,
            confine=lambda position, velocity: _kept_in(position, velocity, setup),
            position=by_column(view.position).copy(order="F"),
            velocity=by_column(view.velocity).copy(order="F"),
            drive=zeros(*view.position.shape),
        )
        self.engine.take_turns(step)
        group = _group(flock.name, step.position, step.velocity)
        return replace(group, drive=read_only(step.drive)) if flock.accumulate else group

    def _placed(self, table: Motion, count: int, kind: str, number: int, setup: Setup) -> Group:
        generator = self.randomness.stream(f"{kind} start", number)
        position, velocity = table.start.place(count, setup.world, table.speeds, generator)
        return _group(table.name, *_kept_in(position, velocity, setup))

    def _placed_predators(self, table: Predators, number: int, state: State) -> Group:
        setup = state.setup
        if not table.carried:
            return self._placed(table, table.count, "predator", number, setup)
        nowhere = zeros(table.count, setup.world.dimension)
        start = _carried(table, Group(table.name, nowhere, nowhere), state.time - setup.time.dt, setup)
        # The velocity that belongs to the first position is the one that leads to the second.
        velocity = _carried(table, start, state.time, setup).velocity
        return Group(table.name, start.position, velocity)


class _Moved(NamedTuple):
    """A group one step later, and whether it is certain that it is at finite places."""

    group: Group
    finite: bool = False


def _without(groups: Sequence[Group], number: int) -> list[Group]:
    """All groups but one."""
    return [*groups[:number], *groups[number + 1 :]]


def _pulls(flock: Flock, group: Group, state: State) -> list[Array]:
    """Contributions of attractors to the drive of a flock, (n, d) each."""
    place, setup = (group.position, group.velocity), state.setup
    return [attractor.pull(flock, *place, state.time, setup.world) for attractor in setup.attractors]


def _pushes(view: View) -> list[Array]:
    """Contributions of obstacles and boundary to the drive of a group, (n, d) each."""
    pushes = [obstacle.push(view.position, view.world) for obstacle in view.obstacles]
    inward = view.world.boundary.push(view.position, view.world.extent)
    return pushes if inward is None else [*pushes, inward]


def _piled(flock: Flock, view: View, pushes: Sequence[Array], setup: Setup) -> _Moved:
    """A flock one step later that remembers what drove it."""
    drive = total(flock.drive(view), pushes)
    position, velocity, finite = driven(flock, view, drive, setup.time.dt)
    return _Moved(replace(_group(flock.name, position, velocity), drive=read_only(drive)), finite)


def _carried(table: Predators, group: Group, time: float, setup: Setup) -> Group:
    """Predators carried along their path to where it leads one step after this time."""
    assert table.path is not None  # noqa: S101  carried tells the type checker nothing
    dt = setup.time.dt
    place = table.path.position(time + dt, table.count, setup.world)
    position, _ = setup.world.boundary.confine(place, np.zeros_like(place), setup.world.extent)
    velocity = setup.world.shortest(position - group.position) / dt
    return _group(table.name, position, velocity)


def _kept_in(position: Array, velocity: Array, setup: Setup) -> tuple[Array, Array]:
    """Positions and velocities after solid obstacles and the edges of the world have had their say."""
    advanced = confined(position, velocity, setup.obstacles, setup.world)
    return advanced.position, advanced.velocity


def _group(name: str, position: Array, velocity: Array) -> Group:
    return Group(name, read_only(by_column(position)), read_only(by_column(velocity)))


def _require_finite(group: Group, step: int) -> None:
    # One sum instead of n tests: it is finite unless something is not, or the numbers are about to overflow anyway.
    if isfinite(group.position.sum() + group.velocity.sum()):
        return
    good = np.isfinite(group.position).all(axis=1) & np.isfinite(group.velocity).all(axis=1)
    if good.all():
        return
    number = int(good.argmin())
    place = ", ".join(f"{coordinate:g}" for coordinate in group.position[number])
    raise NotFiniteError(
        f"step {step}: number {number} of {group.name!r} is at ({place}): "
        "the simulation left the finite numbers; use smaller weights or time.dt, or set max_acceleration"
    )


def simulate(setup: Setup, engine: str = "auto") -> "Run":
    """The states of a scenario, one per frame, the first before any step beyond warm-up.

    Every engine gives the same states; `auto` takes the one that is done first.

    Raises:
        UsageError: when there is no such engine.
        NotFiniteError: when the simulation leaves the finite numbers.
    """
    keep_freed_memory()
    return Run(setup, load(engine, setup))


class Run(Iterator[State]):
    """The states of a scenario, one after the other.

    Attributes:
        notices: what a user should know about how they were computed, one line each.
        engine: the name of the engine that computes them.
        own_rules: the names of rules that a program has given, and that no scenario tells.
    """

    def __init__(self, setup: Setup, engine: Engine) -> None:
        """A run with an engine."""
        self.engine = engine.name
        self.own_rules = tuple(dict.fromkeys(name for flock in setup.flock for name in own_rules(flock)))
        self.notices: list[str] = backend.notices()
        self._states = _frames(Stepper(engine, setup.world.periods, Randomness(setup.seed)), setup)

    @override
    def __next__(self) -> State:
        return next(self._states)

    def to_xarray(self) -> Any:  # noqa: ANN401  a Dataset, of a library that need not be there
        """All states that are still to come as an `xarray.Dataset`, with the dimensions frame, boid and axis.

        It has position and velocity of each flock and of each kind of predators, as in `boids.position`; groups of one
        name are numbered from the second on. Lengths are world units.

        Raises:
            UsageError: when xarray is not installed, or the number of animals changes on the way.
        """
        xarray = library("xarray", "to_xarray()")
        states = list(self)
        axes = list("xyz"[: states[0].setup.world.dimension]) if states else []
        coordinates = {"frame": [s.frame for s in states], "time": ("frame", [s.time for s in states]), "axis": axes}
        return xarray.Dataset(dict(_arrays(states)), coordinates)


def _arrays(states: Sequence[State]) -> Iterator[tuple[str, tuple[tuple[str, str, str], Array]]]:
    """The arrays of all groups by their names, each with its dimensions, shape (frames, n, d)."""
    seen: Counter[str] = Counter()
    for groups in zip(*((*state.flocks, *state.predators) for state in states), strict=True):
        name = groups[0].name
        seen[name] += 1
        label = name if seen[name] == 1 else f"{name} {seen[name]}"
        if len({len(group.position) for group in groups}) > 1:
            raise UsageError(f"to_xarray(): the number of {label} changes; go through the states one by one")
        yield f"{label}.position", (("frame", label, "axis"), np.stack([group.position for group in groups]))
        yield f"{label}.velocity", (("frame", label, "axis"), np.stack([group.velocity for group in groups]))


def _frames(stepper: Stepper, setup: Setup) -> Iterator[State]:
    timeline = Timeline(setup)
    state = stepper.arrived(stepper.first(setup), timeline.at(0), 0)
    for frame in range(setup.time.frames):
        for _ in range(setup.time.steps_per_frame if frame else setup.time.warmup):
            state = stepper.next(state)
        state = stepper.arrived(state, timeline.at(frame), frame)
        yield state
