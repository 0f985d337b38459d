"""Run a scenario: engines, trajectories, and the time steps from the first state to one state per frame.

The engine `numpy` defines every result and runs everywhere; `native` is the kernel, which gives the same to the last
bit. `auto` selects the kernel where it can be loaded. Whatever only numpy can do, such as rules of packages, is
computed by numpy under either engine, with the engine's sums over neighbors.

A trajectory is the states of a run, also as tables. The simulation has no notion of slow motion: `paced` takes its
states, passes each of them on unchanged, and adds those in between.

In one step predators move first; then boids react to the old states of each other and to the new state of the
predators.
"""

import math
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from math import isfinite
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from typing_extensions import override

from boidsgen.errors import NotFiniteError, ScenarioError, UsageError
from boidsgen.kernel import library
from boidsgen.records import optional_package
from boidsgen.simulation import neighbors
from boidsgen.simulation.geometry import (
    Array,
    GroupRandomness,
    Randomness,
    by_column,
    keep_freed_memory,
    length,
    read_only,
    zeros,
)
from boidsgen.simulation.motion import Group
from boidsgen.simulation.neighbors import NeighborSearch, NeighborSums, Request, Sum, is_about_everyone
from boidsgen.simulation.rules.rule import SteeredGroup, View, advance, confined, take_turns
from boidsgen.simulation.setup import Flock, Predators, Setup, State, Timeline, own_rules
from boidsgen.simulation.starts import Uniform
from boidsgen.simulation.world import World
from boidsgen.version import __version__

if TYPE_CHECKING:
    from boidsgen.simulation.native import March

PLACED_SAMPLE = 200  # Boids of a flock that are placed to see how dense it begins
MOMENTS = 64  # Steps, evenly chosen, for which neighbors in reach are worked out


def animals(setup: Setup) -> int:
    """Boids and predators together, the most that there are."""
    return sum(setup.most_boids) + sum(setup.most_predators)


def neighbor_visits(setup: Setup) -> int:
    """Neighbors looked at in the whole run; at least one per boid and step.

    Boids with sequential updates look at everyone of their kind.
    """
    total = animals(setup)
    seen = 0.0
    groups: tuple[SteeredGroup, ...] = (*setup.flock, *setup.predators)
    for size, group in zip((*setup.most_boids, *setup.most_predators), groups, strict=True):
        requests = (*group.own_requests, *group.other_requests)
        # Sums over everyone are free.
        reach = max((request.radius for request in requests if not is_about_everyone(request)), default=0.0)
        even = math.prod(min(1.0, 2 * reach / side) for side in setup.world.size)  # of the world, as a box
        crowd = _share_at_start(group, size, reach, setup) if isinstance(group, Flock) else 0.0
        shares = [crowd]
        if crowd and 0 < reach < math.inf:
            ways = group.max_speed * setup.time.dt * np.linspace(0, max(setup.steps - 1, 0), MOMENTS)
            shares = (crowd / (1 + ways / reach) ** setup.world.dimension).tolist()
        seen += size * sum(max(1.0, (total - size) * even + size * max(even, share)) for share in shares) / len(shares)
    return math.ceil(setup.steps * seen) + setup.steps * sum(turns * turns for turns in setup.most_turns)


def _share_at_start(flock: Flock, size: int, reach: float, setup: Setup) -> float:
    """The part of a flock that is in reach of one of it at the start, where that is not the even one."""
    if isinstance(flock.start, Uniform) or size < 2:
        return 0.0
    generator = np.random.default_rng(setup.seed)
    position, _ = flock.start.place(min(size, PLACED_SAMPLE), setup.world, flock.speeds, generator)
    if len(position) > PLACED_SAMPLE:  # a start that says itself how many there are
        position = position[np.linspace(0, len(position) - 1, PLACED_SAMPLE).astype(int)]
    away = length(setup.world.shortest(position[None, :, :] - position[:, None, :]))
    return float((away <= reach).mean())


ENGINES = ("numpy", "native")
"""The names of the engines; both give the same to the last bit."""


class Engine(NamedTuple):
    """Computes steps."""

    name: str  # of the engine
    neighbor_sums: NeighborSums  # answers what rules ask about neighbors
    # the kernel's steps from a state on, or None where numpy does them
    march: Callable[[State, Randomness], "March | None"]
    notices: tuple[str, ...] = ()  # lines for the user


NUMPY = Engine("numpy", neighbors.neighbor_sums, lambda state, randomness: None)  # noqa: ARG005  nothing to prepare


def engine_name(engine: str) -> str:
    """The name of the engine that is meant; UsageError if there is none, or the kernel that is asked for is missing."""
    if engine == "auto":
        return "numpy" if library.missing() else "native"
    if engine not in ENGINES:
        raise UsageError(f"there is no engine {engine!r}; use one of auto, {', '.join(ENGINES)}")
    if engine == "native" and (reason := library.missing()):
        raise UsageError(f"the engine native cannot be used: {reason}")
    return engine


def engine_of(engine: str) -> Engine:
    """The engine of this name; UsageError if there is none, or the kernel that is asked for is missing."""
    if engine_name(engine) == "numpy":
        line = library.kernel_notice() if engine == "auto" else None
        return NUMPY._replace(notices=(line,)) if line else NUMPY
    from boidsgen.simulation import native, records  # noqa: PLC0415  only with the kernel

    def march(state: State, randomness: Randomness) -> "March | None":
        try:
            return native.March(state, randomness)
        except records.UnknownToKernelError:
            return None

    return Engine("native", native.neighbor_sums, march)


AXES = ("x", "y", "z")
COLUMN_UNITS = {"position": "world units", "velocity": "world units per unit of time"}


def units(setup: Setup, text: str = "units of time") -> str:
    """Units as files name them; the time of what was observed is in seconds."""
    return text.replace("units of time", "s").replace("unit of time", "s") if setup.tracks else text


class Track(NamedTuple):
    """The arrays of one group."""

    kind: str  # flock or predators
    number: int  # of the group among those of its kind
    name: str  # of the group in the scenario
    animals: int  # its maximum size in the run

    def array(self, quantity: str) -> str:
        """Name of one of its arrays."""
        return f"{self.kind}.{self.number}.{quantity}"

    def full(self, state: State, quantity: str) -> Array:
        """Positions or velocities of all that there are in the run, nan for the absent, shape (animals, d)."""
        group = self.group(state)
        vectors = getattr(group, quantity)
        made = np.full((self.animals, vectors.shape[1]), np.nan)
        made[group.numbers] = vectors
        return made

    def group(self, state: State) -> Group:
        """The group in a state."""
        return (state.flocks if self.kind == "flock" else state.predators)[self.number]


def tracks(setup: Setup) -> Iterator[Track]:
    """The groups of a run, in the order of the scenario."""
    for number, (flock, most) in enumerate(zip(setup.flock, setup.most_boids, strict=True)):
        yield Track("flock", number, flock.name, most)
    for number, (predators, most) in enumerate(zip(setup.predators, setup.most_predators, strict=True)):
        yield Track("predators", number, predators.name, most)


def flock_tracks(setup: Setup) -> list[Track]:
    """The flocks of a run, without its predators."""
    return [track for track in tracks(setup) if track.kind == "flock"]


def table_names(setup: Setup) -> list[str]:
    """The columns of a table in which each animal has a row for each frame."""
    axes = AXES[: setup.world.dimension]
    return ["frame", "time", "kind", "group", "number", *axes, *(f"v{axis}" for axis in axes)]


def table_columns(state: State, groups: Iterable[Track]) -> Iterator[list[Any]]:
    """Contents of these columns for a state, group by group: numbers from the fifth on are arrays."""
    for track in groups:
        group = track.group(state)
        known = state.frame, state.time, track.kind.removesuffix("s"), track.name
        same = ([value] * len(group.position) for value in known)
        yield [*same, group.numbers, *group.position.T, *group.velocity.T]


class Trajectory(ABC, Iterable[State]):
    """States of a run, which can be gone through any number of times."""

    setup: Setup  # the scenario's simulation tables at the beginning

    @override
    @abstractmethod
    def __iter__(self) -> Iterator[State]:
        """The states from the first one on, one per frame."""

    def __len__(self) -> int:
        """The number of states."""
        return self.setup.time.frames

    @override
    def __repr__(self) -> str:
        boids = sum(flock.count for flock in self.setup.flock)
        return f"<{type(self).__name__}: {len(self)} states of {boids} boids in {self.setup.world.dimension}D>"

    def to_pandas(self) -> Any:  # noqa: ANN401  a DataFrame, of a library that need not be there
        """A `pandas.DataFrame` with a row for each animal in each frame.

        Its columns are frame, time, kind, group, number, x, y, in 3D z, vx, vy and vz, as in the CSV of `simulate`.

        Raises:
            UsageError: when pandas is not installed.
        """
        pandas, names, groups = optional_package("pandas", "to_pandas()"), table_names(self.setup), self._groups()
        tables = (columns for state in self for columns in table_columns(state, groups))
        parts = [pandas.DataFrame(dict(zip(names, columns, strict=True))) for columns in tables]
        return pandas.concat([part for part in parts if len(part)] or parts, ignore_index=True)

    def to_xarray(self) -> Any:  # noqa: ANN401  a Dataset, of a library that need not be there
        """An `xarray.Dataset` with the dimensions frame, axis and a dimension of animals for each group.

        It has position and velocity of each flock and of each kind of predators, as in `boids.position`; groups of one
        name are numbered from the second on. Where an animal is absent, there is nan. Attributes name units, version,
        seed and the scenario.

        Raises:
            UsageError: xarray is not installed.
        """
        xarray = optional_package("xarray", "to_xarray()")
        states = list(self)
        time = {"long_name": "time", "units": units(self.setup)}
        coordinates: dict[str, object] = {
            "frame": [state.frame for state in states],
            "time": ("frame", [state.time for state in states], time),
            "axis": ("axis", [*AXES[: self.setup.world.dimension]], {"long_name": "axis", "units": "world units"}),
        }
        variables = {}
        for track in self._groups():
            coordinates[track.name] = np.arange(track.animals)
            for quantity, unit in COLUMN_UNITS.items():
                named = {"long_name": f"{quantity} of {track.name}", "units": units(self.setup, unit)}
                array = np.stack([track.full(state, quantity) for state in states])
                variables[f"{track.name}.{quantity}"] = (("frame", track.name, "axis"), array, named)
        about = {"boidsgen": __version__, "seed": self.setup.seed, "scenario": str(self.setup)}
        return xarray.Dataset(variables, coordinates, about)

    def _groups(self) -> list[Track]:
        """The groups under names that no other has."""
        groups, seen = list[Track](), Counter[str]()
        for track in tracks(self.setup):
            seen[track.name] += 1
            groups.append(track if seen[track.name] == 1 else track._replace(name=f"{track.name} {seen[track.name]}"))
        return groups


def paced(states: Iterable[State], setup: Setup) -> Iterator[State]:
    """The states of a setup, with those between them where `time.rate` is below 1."""
    timeline = Timeline(setup)
    before: State | None = None
    for state in states:
        if before:
            pictures = before.setup.time.pictures
            yield from (between(before, state, number / pictures, timeline) for number in range(1, pictures))
        yield state
        before = state


def between(before: State, after: State, share: float, timeline: Timeline) -> State:
    """The state at a share of the way from one to the next, everybody on a straight line."""
    world = before.setup.world
    return replace(
        before,
        time=before.time + share * (after.time - before.time),
        flocks=_moved(before.flocks, after.flocks, share, world),
        predators=_moved(before.predators, after.predators, share, world),
        setup=timeline.at(before.frame + share),
        share=share,
    )


def _moved(before: Sequence[Group], after: Sequence[Group], share: float, world: World) -> tuple[Group, ...]:
    """The groups on their way; who comes, leaves or is put half a world away does so with the next state."""
    groups = []
    for here, there in zip(before, after, strict=True):
        _, staying, then = np.intersect1d(here.numbers, there.numbers, assume_unique=True, return_indices=True)
        way, change = np.zeros_like(here.position), np.zeros_like(here.velocity)
        way[staying] = world.displacement(there.position[then] - here.position[staying])
        change[staying] = there.velocity[then] - here.velocity[staying]
        way[(np.abs(way) > world.extent / 2).any(axis=1)] = 0.0
        position, velocity = here.position + share * way, here.velocity + share * change
        groups.append(Group(here.name, position, velocity, members=here.members))
    return tuple(groups)


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
            return search.over((group.position, group.velocity), sources, requests)

        search, rules = NeighborSearch(self.engine.neighbor_sums, self.periods), table.rules.values()
        moved = {"all", "flock" if isinstance(table, Flock) else "predators"}
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
            fields=[one for one in state.setup.fields if one.on in moved],
            neighbors=search,
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
        if flock.update == "synchronous":
            drive = flock.smoothed(flock.drive(view, pushes), view.velocity, group.drive)
            position, velocity = advance(flock, view, drive, view.dt)
        else:
            turns, together = np.arange(len(group.position)), flock.moves == "together"
            if flock.update == "shuffled":
                turns = np.argsort(view.randomness.stream("turns").random(len(turns)), kind="stable")
            position, velocity, drive = take_turns(flock, view, pushes, turns, group.drive, together=together)
        return _moved_group(flock.name, position, velocity, state, drive if flock.keeps_drive else None)

    def _moved_predators(self, state: State, number: int) -> Group:
        table, group = state.setup.predators[number], state.predators[number]
        if not len(group.position):
            return group
        if table.carried:
            return _carried(table, group, state.time, state.setup)
        view = self.predator_view(state, number)
        drive = table.smoothed(table.drive(view, _pushes(view)), view.velocity, group.drive)
        moved = advance(table, view, drive, view.dt)
        return _moved_group(table.name, *moved, state, drive if table.keeps_drive else None)


def _without(groups: Sequence[Group], number: int) -> list[Group]:
    return [*groups[:number], *groups[number + 1 :]]


def _pushes(view: View) -> list[Array]:
    """Contributions of obstacles, boundary and fields to the drive of a group, (n, d) each."""
    pushes = [obstacle.push(view.position, view.world) for obstacle in view.obstacles]
    inward = view.world.boundary.push(view.position, view.world.extent)
    return [*pushes, *([] if inward is None else [inward]), *view.flows("force")]


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
