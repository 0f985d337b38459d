"""The formats of trajectories: CSV for spreadsheets, extended XYZ for viewers of particles, NPZ for numpy.

Only NPZ, which has a file of its own, holds every bit and the scenario, and is read back; the others are for other
programs. How many frames are in them only reading all of them would tell.
"""

import csv
import io
import re
from itertools import accumulate
from typing import ClassVar

from typing_extensions import override

from boidsgen.output.base import FileWriter, Part
from boidsgen.output.npz import Npz
from boidsgen.output.series import no_formula
from boidsgen.output.trajectories import TrajectoryWriter, tracks
from boidsgen.simulation.setup import Setup
from boidsgen.simulation.state import State

AXES = ("x", "y", "z")

_COLUMNS = "species:S:1:id:I:1:pos:R:3:velo:R:3"
_THICKNESS = 1.0
"""A cell must have a volume, a flat world too."""


class CommaSeparated(FileWriter[State], TrajectoryWriter):
    """Frame, time, kind and name of the group, number in it, position, velocity; every number with all its digits."""

    name: ClassVar[str] = "csv"
    extensions: ClassVar[tuple[str, ...]] = (".csv",)

    def __init__(self, part: Part, setup: Setup, text: str) -> None:
        del text  # a line that is no table would be in the way of every reader
        self._tracks = tuple(tracks(setup))
        axes = AXES[: setup.world.dimension]
        self._file = io.TextIOWrapper(part.open(), "utf-8", newline="")
        self._table = csv.writer(self._file, lineterminator="\n")
        self._table.writerow(["frame", "time", "kind", "group", "number", *axes, *(f"v{axis}" for axis in axes)])

    @override
    def write(self, entry: State) -> None:
        for track in self._tracks:
            group = track.group(entry)
            rows = zip(group.position.tolist(), group.velocity.tolist(), strict=True)
            kind = track.kind.removesuffix("s")
            self._table.writerows(
                [entry.frame, entry.time, kind, no_formula(track.name), number, *position, *velocity]
                for number, (position, velocity) in enumerate(rows)
            )


class ExtendedXyz(FileWriter[State], TrajectoryWriter):
    """For each frame the number of animals, a line about the frame, and a line for each animal.

    Numbers go on from group to group, so that an animal keeps its own when others come and go.
    """

    name: ClassVar[str] = "xyz"
    extensions: ClassVar[tuple[str, ...]] = (".xyz", ".extxyz")

    def __init__(self, part: Part, setup: Setup, text: str) -> None:
        del text  # readers disagree about quotes in the line about a frame
        self._tracks = tuple(tracks(setup))
        self._first = (0, *accumulate(track.animals for track in self._tracks))
        self._flat = " 0.0" * (3 - setup.world.dimension)
        self._cell = _cell(setup)
        self._file = part.open()

    @override
    def write(self, entry: State) -> None:
        lines = [line for number in range(len(self._tracks)) for line in self._lines(number, entry)]
        about = f"{self._cell} Properties={_COLUMNS} Time={entry.time!r} Frame={entry.frame}"
        self._file.write("".join([f"{len(lines)}\n{about}\n", *lines]).encode())

    def _lines(self, number: int, state: State) -> list[str]:
        """The lines of one group."""
        track = self._tracks[number]
        group, species = track.group(state), re.sub(r"\s+", "_", track.name) or track.kind
        rows = zip(group.position.tolist(), group.velocity.tolist(), strict=True)
        return [
            f"{species} {self._first[number] + at} {self._numbers(position)} {self._numbers(velocity)}\n"
            for at, (position, velocity) in enumerate(rows)
        ]

    def _numbers(self, vector: list[float]) -> str:
        return " ".join(map(repr, vector)) + self._flat


def _cell(setup: Setup) -> str:
    """The box of the world, and along which axes it repeats."""
    size = (*setup.world.size, _THICKNESS)[:3]
    repeats = (*(setup.world.periods > 0).tolist(), False)[:3]
    lattice = f"{size[0]} 0.0 0.0 0.0 {size[1]} 0.0 0.0 0.0 {size[2]}"
    return f'Lattice="{lattice}" pbc="{" ".join("T" if axis else "F" for axis in repeats)}"'


TRAJECTORY_WRITERS: dict[str, type[TrajectoryWriter]] = {kind.name: kind for kind in (CommaSeparated, ExtendedXyz, Npz)}
"""Every format by its name."""
