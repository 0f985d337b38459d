"""Run a scenario: from its first state to one state per frame.

In one step predators move first; then boids react to each other as they were, and to the predators as they now are.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import isfinite
from typing import NamedTuple

import numpy as np
from typing_extensions import override

from boidsgen.errors import NotFiniteError, ScenarioError
from boidsgen.simulation.engines import Engine, engine_of
from boidsgen.simulation.geometry import Array, by_column, keep_freed_memory, read_only, zeros
from boidsgen.simulation.motion import Group
from boidsgen.simulation.neighbors.sums import NeighborSearch, Request, Sum
from boidsgen.simulation.randomness import GroupRandomness, Randomness
from boidsgen.simulation.rules.rule import View
from boidsgen.simulation.setup import Flock, Predators, Setup, State, Timeline, own_rules
from boidsgen.simulation.steering import SteeredGroup, advance, confined, take_turns
from boidsgen.simulation.trajectory import Trajectory

MOST_AHEAD = 1000  # Frames that are looked through for changes at once


class Stepper(NamedTuple):
    """Makes the first state of a scenario, and the next of each."""

    engine: Engine  # computes steps
    periods: Array  # (d,) after what distance each axis of the world repeats, 0 where it does not
    randomness: Randomness  # the streams of random numbers; they are what changes from step to step

    def first(self, setup: Setup) -> State:
        """The state before any step, nobody yet there."""
        nobody = zeros(0, setup.world.dimension)
        flocks = [Group(table.name, nobody, nobody) for table in setup.flock]
        predators = [Group(table.name, nobody, nobody) for table in setup.predators]
        return State(0, 0.0, -1, tuple(flocks), tuple(predators), setup)

    def opening(self, setup: Setup, timeline: Timeline) -> State:
        """The state that the first frame shows, after warm-up."""
        state = before = self.arrived(self.first(setup), timeline.at(0), 0)
        early = max(setup.time.warmup - setup.time.steps_per_frame, 0)
        for steps in filter(None, (early, setup.time.warmup - early)):
            before, (state,) = state, self.moved(state, 1, steps)
        velocities = tuple(group.velocity for group in (*before.flocks, *before.predators))
        return replace(self.arrived(state, timeline.at(0), 0), before=velocities)

    def arrived(self, state: State, setup: Setup, frame: int) -> State:
        """The state as frame `frame` shows it, with the setup in force from there on: animals come and go."""

        def present(groups: Sequence[Group], tables: Sequence[Flock | Predators], kind: str) -> tuple[Group, ...]:
            numbered = enumerate(zip(groups, tables, strict=True))
            return tuple([self._present(*both, (kind, number), setup, frame, state.time) for number, both in numbered])

        flocks = present(state.flocks, setup.flock, "flock")
        predators = present(state.predators, setup.predators, "predator")
        return State(state.step, state.time, frame, flocks, predators, setup)

    def next(self, state: State) -> State:
        """The state one step later; NotFiniteError if a position or velocity is no longer a finite number."""
        # Overflow is not hidden: every group that has moved is checked.
        with np.errstate(over="ignore", invalid="ignore"):
            predators = tuple(self._moved_predators(state, number) for number in range(len(state.predators)))
            flocks = tuple(self._moved_flock(state, number, predators) for number in range(len(state.flocks)))
        step = state.step + 1
        return State(step, step * state.setup.time.dt, -1, flocks, predators, state.setup)

    def frames(self, state: State, timeline: Timeline) -> Iterator[State]:
        """The states of all frames after this one; NotFiniteError if a number in them is not finite."""
        last, steps = state.setup.time.frames - 1, state.setup.time.steps_per_frame
        while state.frame < last:
            setups: list[Setup] = []
            for frame in range(state.frame + 1, min(last, state.frame + MOST_AHEAD) + 1):
                setups.append(timeline.at(frame))
                tables: tuple[Predators | Flock, ...] = (*setups[-1].predators, *setups[-1].flock)
                sizes = [table.count if table.present(frame) else 0 for table in tables]
                here = [len(group.position) for group in (*state.predators, *state.flocks)]
                if setups[-1] is not state.setup or sizes != here:
                    break
            for moved, setup in zip(self.moved(state, len(setups), steps), setups, strict=True):
                state = self.arrived(moved, setup, state.frame + 1)
                yield state

    def moved(self, state: State, frames: int, steps: int) -> Iterator[State]:
        """The states of frames without a change of the setup, so many steps apart."""
        march = self.engine.march(state, self.randomness)
        if march:
            yield from march.states(state, frames, steps, _require_finite)
            return
        for _ in range(frames):
            for _ in range(steps):
                state = self.next(state)
            yield state

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
        def answers(seen: Sequence[Group], requests: Sequence[Request]) -> dict[Request, Sum]:
            sources = [(other.position, other.velocity) for other in seen]
            return neighbors.over((group.position, group.velocity), sources, requests)

        neighbors, rules = NeighborSearch(self.engine.neighbor_sums, self.periods), table.rules.values()
        hunters = [other for other in hunters if len(other.position)]  # without any, rules about fear rest
        noticed = [other for other in others if all(rule.notices(other.name) for rule in rules)]
        return View(
            position=group.position,
            velocity=group.velocity,
            time=state.time,
            dt=state.setup.time.dt,
            world=state.setup.world,
            perception=table.perception,
            motion=table,
            own=answers([group], table.own_requests),
            others=answers(noticed, table.other_requests),
            predators=answers(hunters, table.predator_requests),
            flocks=flocks,
            hunters=hunters,
            obstacles=state.setup.obstacles,
            neighbors=neighbors,
            randomness=randomness,
            factors={one.key: one.of(len(group.position), randomness) for one in table.individual},
        )

    def _present(
        self, group: Group, table: Flock | Predators, which: tuple[str, int], setup: Setup, frame: int, time: float
    ) -> Group:
        """The animals of one table in a frame: as many of them as there are to be, the last ones new."""
        wanted, here = table.count if table.present(frame) else 0, len(group.position)
        drive = group.drive
        if wanted == here:
            return group
        if wanted < here:
            drive = None if drive is None else drive[:wanted]
            return _group(table.name, group.position[:wanted], group.velocity[:wanted], drive)
        new = self._placed(table, wanted - here, which, setup, time)
        position = np.concatenate((group.position, new.position))
        velocity = np.concatenate((group.velocity, new.velocity))
        drive = None if drive is None else np.concatenate((drive, np.zeros_like(new.velocity)))
        return _group(table.name, position, velocity, drive)

    def _placed(self, table: Flock | Predators, count: int, which: tuple[str, int], setup: Setup, time: float) -> Group:
        if isinstance(table, Predators) and table.carried:
            nowhere = zeros(table.count, setup.world.dimension)
            start = _carried(table, Group(table.name, nowhere, nowhere), time - setup.time.dt, setup)
            # The velocity that belongs to the first position is the one that leads to the second.
            velocity = _carried(table, start, time, setup).velocity
            return replace(start, position=start.position[-count:], velocity=velocity[-count:])
        kind, number = which
        generator = self.randomness.stream(f"{kind} start", number)
        placed = table.start.place(count, setup.world, table.speeds, generator)
        position, velocity = confined(*placed, setup.obstacles, setup.world)
        return _group(table.name, position, velocity)

    def _moved_flock(self, state: State, number: int, predators: tuple[Group, ...]) -> Group:
        flock, group, setup = state.setup.flock[number], state.flocks[number], state.setup
        view = self.flock_view(state, number, predators)
        pushes = [*(attractor.pull(view) for attractor in setup.attractors), *_pushes(view)]
        if flock.accumulate and group.drive is not None:
            pushes.append(group.drive)
        if flock.update == "sequential":
            position, velocity, drive = take_turns(flock, view, pushes)
        else:
            drive = flock.drive(view, pushes)
            position, velocity = advance(flock, view, drive, view.dt)
        return _moved_group(flock.name, position, velocity, state, drive if flock.accumulate else None)

    def _moved_predators(self, state: State, number: int) -> Group:
        table, group = state.setup.predators[number], state.predators[number]
        if not len(group.position):
            return group
        if table.carried:
            return _carried(table, group, state.time, state.setup)
        view = self.predator_view(state, number)
        drive = table.drive(view, _pushes(view))
        return _moved_group(table.name, *advance(table, view, drive, view.dt), state)


def _without(groups: Sequence[Group], number: int) -> list[Group]:
    return [*groups[:number], *groups[number + 1 :]]


def _pushes(view: View) -> list[Array]:
    """Contributions of obstacles and boundary to the drive of a group, (n, d) each."""
    pushes = [obstacle.push(view.position, view.world) for obstacle in view.obstacles]
    inward = view.world.boundary.push(view.position, view.world.extent)
    return pushes if inward is None else [*pushes, inward]


def _carried(table: Predators, group: Group, time: float, setup: Setup) -> Group:
    """Predators carried along their path to where it leads one step after this time."""
    assert table.path is not None  # noqa: S101  carried tells the type checker nothing
    dt = setup.time.dt
    place = table.path.position(time + dt, table.count, setup.world)
    position, _ = setup.world.boundary.confine(place, np.zeros_like(place), setup.world.extent)
    velocity = setup.world.displacement(position - group.position) / dt
    return _group(table.name, position, velocity)


def _group(name: str, position: Array, velocity: Array, drive: Array | None = None) -> Group:
    left = None if drive is None else read_only(drive)
    return Group(name, read_only(by_column(position)), read_only(by_column(velocity)), left)


def _moved_group(name: str, position: Array, velocity: Array, state: State, drive: Array | None = None) -> Group:
    group = _group(name, position, velocity, drive)
    _require_finite(group, state.step + 1)
    return group


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
        "the simulation produced numbers that are not finite; use smaller weights or time.dt, or set max_acceleration"
    )


def simulate(setup: Setup, engine: str = "auto") -> "Run":
    """The states of a scenario, one per frame, the first before any step beyond warm-up.

    Every engine gives the same states; `auto` takes the one that is done first.

    Raises:
        UsageError: when there is no such engine.
        ScenarioError: when the animals were observed.
        NotFiniteError: when the simulation leaves the finite numbers.
    """
    if setup.tracks:
        wrong = f"tracks of {', '.join(setup.tracks.files)}: observed, so nothing can simulate them"
        raise ScenarioError([f"{wrong}; name the recording itself, a .npz"])
    keep_freed_memory()
    return Run(setup, engine_of(engine))


class Run(Trajectory):
    """The states of a scenario.

    Each `for` loop goes through them from the first one on, simulating anew; `next` gives one after the other.

    Attributes:
        setup: the scenario's simulation tables at the beginning.
        notices: what a user should know about how they were computed, one line each.
        engine: the name of the engine that computes them.
        own_rules: rules that a program has given, and that no scenario tells: their sources by their names.
    """

    def __init__(self, setup: Setup, engine: Engine) -> None:
        """A run with an engine."""
        self.setup, self.engine = setup, engine.name
        self.own_rules = own_rules(setup)
        self.notices = [*engine.notices]
        self._with = engine
        self._states = iter(self)

    @override
    def __iter__(self) -> Iterator[State]:
        setup = self.setup
        stepper, timeline = Stepper(self._with, setup.world.periods, Randomness(setup.seed)), Timeline(setup)
        state = stepper.opening(setup, timeline)
        yield state
        yield from stepper.frames(state, timeline)

    def __next__(self) -> State:
        """The next state of a run that goes on beside those of `for` loops."""
        return next(self._states)
