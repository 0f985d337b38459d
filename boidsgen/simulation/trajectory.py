"""Trajectories: the states of a run, as tables, and with those that slow motion shows between them.

The simulation knows nothing of slow motion: `paced` takes its states, and passes each of them on as it is.
"""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from typing_extensions import override

from boidsgen.records import optional_package
from boidsgen.simulation.geometry import Array
from boidsgen.simulation.motion import Group
from boidsgen.simulation.setup import Setup, State, Timeline
from boidsgen.simulation.world import World
from boidsgen.version import __version__

AXES = ("x", "y", "z")
UNITS = {"position": "world units", "velocity": "world units per unit of time"}


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
            for quantity, unit in UNITS.items():
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
