"""Trajectories: the states of a run as tables of pandas and arrays of xarray."""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from typing_extensions import override

from boidsgen.records import library
from boidsgen.simulation.geometry import Array
from boidsgen.simulation.motion import Group
from boidsgen.simulation.setup import Setup, State
from boidsgen.version import __version__

AXES = ("x", "y", "z")
UNITS = {"position": "world units", "velocity": "world units per unit of time"}


class _Track(NamedTuple):
    """A group in all states, under a name that no other has."""

    name: str
    kind: str
    groups: Sequence[Group]

    def array(self, quantity: str) -> Array:
        """Positions or velocities, nan where an animal is absent, shape (frames, n, d)."""
        most = max((int(group.numbers.max(initial=-1)) + 1 for group in self.groups), default=0)
        made = np.full((len(self.groups), most, self.groups[0].position.shape[1]), np.nan)
        for row, group in zip(made, self.groups, strict=True):
            row[group.numbers] = getattr(group, quantity)
        return made


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
        pandas, axes = library("pandas", "to_pandas()"), AXES[: self.setup.world.dimension]
        columns = [*axes, *(f"v{axis}" for axis in axes)]
        parts = []
        for state in self:
            for track in _tracks([state]):
                group = track.groups[0]
                part = pandas.DataFrame(np.hstack([group.position, group.velocity]), columns=columns)
                known = {"frame": state.frame, "time": state.time, "kind": track.kind, "group": track.name}
                for place, (name, value) in enumerate({**known, "number": group.numbers}.items()):
                    part.insert(place, name, value)
                parts.append(part)
        return pandas.concat(parts, ignore_index=True)

    def to_xarray(self) -> Any:  # noqa: ANN401  a Dataset, of a library that need not be there
        """An `xarray.Dataset` with the dimensions frame, axis and a dimension of animals for each group.

        It has position and velocity of each flock and of each kind of predators, as in `boids.position`; groups of one
        name are numbered from the second on. Where an animal is absent, there is nan. Attributes name units, version,
        seed and the scenario.

        Raises:
            UsageError: when xarray is not installed.
        """
        xarray = library("xarray", "to_xarray()")
        states = list(self)
        time = ("frame", [state.time for state in states], {"long_name": "simulated time", "units": "units of time"})
        coordinates: dict[str, object] = {"frame": [state.frame for state in states], "time": time}
        coordinates["axis"] = [*AXES[: self.setup.world.dimension]]
        variables = {}
        for track in _tracks(states):
            for quantity, units in UNITS.items():
                named = {"long_name": f"{quantity} of {track.name}", "units": units}
                array = track.array(quantity)
                variables[f"{track.name}.{quantity}"] = (("frame", track.name, "axis"), array, named)
                coordinates[track.name] = np.arange(array.shape[1])
        about = {"boidsgen": __version__, "seed": self.setup.seed, "scenario": str(self.setup)}
        return xarray.Dataset(variables, coordinates, about)


def _tracks(states: Sequence[State]) -> Iterator[_Track]:
    """The groups of all states."""
    seen: Counter[str] = Counter()
    for number, groups in enumerate(zip(*((*state.flocks, *state.predators) for state in states), strict=True)):
        name = groups[0].name
        seen[name] += 1
        kind = "flock" if number < len(states[0].flocks) else "predator"
        yield _Track(name if seen[name] == 1 else f"{name} {seen[name]}", kind, groups)
