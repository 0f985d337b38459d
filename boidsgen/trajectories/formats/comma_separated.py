"""CSV: a line for each animal and frame, for spreadsheets and data frames."""

import csv
import io
from typing import ClassVar

from typing_extensions import override

from boidsgen.simulation.setup import Setup
from boidsgen.simulation.state import State
from boidsgen.trajectories.arrays import tracks
from boidsgen.trajectories.recorder import Recorder
from boidsgen.writers.contract import Part
from boidsgen.writers.sink import Stream

AXES = ("x", "y", "z")


class CommaSeparated(Stream[State], Recorder):
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
    def write(self, state: State) -> None:
        for track in self._tracks:
            group = track.group(state)
            rows = zip(group.position.tolist(), group.velocity.tolist(), strict=True)
            kind = track.kind.removesuffix("s")
            self._table.writerows(
                [state.frame, state.time, kind, track.name, number, *position, *velocity]
                for number, (position, velocity) in enumerate(rows)
            )
