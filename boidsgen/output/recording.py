"""Recording: a saved run as states again.

A file may come from anywhere. Its arrays must have the shapes that its scenario asks for, hold plain numbers, and be
finite; nothing in it is ever executed. One frame is in memory at a time.
"""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import IO
from zipfile import ZipFile

import numpy as np

from boidsgen.errors import ScenarioError, StorageError
from boidsgen.output.arrays import header, member
from boidsgen.output.base import DAMAGE
from boidsgen.output.npz import Npz
from boidsgen.output.provenance import MAX_SIGN, bears_sign
from boidsgen.output.trajectories import QUANTITIES, Track, tracks
from boidsgen.simulation.dynamics import Group
from boidsgen.simulation.geometry import Array, by_column, read_only
from boidsgen.simulation.setup import Setup, Timeline
from boidsgen.simulation.state import State


def is_recording(path: Path) -> bool:
    """Whether the file begins as a saved run does; a pipe is never one, since looking would take from it."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return bears_sign(Npz, file.read(MAX_SIGN))


def recorded(path: Path, setup: Setup) -> Iterator[State]:
    """The states of a saved run of this setup, one a frame.

    Raises:
        ScenarioError: when the file is damaged, or does not fit the setup.
        StorageError: when it cannot be read.
    """
    try:
        with ExitStack() as stack:
            archive = stack.enter_context(ZipFile(path))
            groups = [_Recorded(track, archive, stack, setup) for track in tracks(setup)]
            yield from _states(groups, setup)
    except DAMAGE as error:
        reason = str(error.args[0]) if error.args else type(error).__name__
        raise ScenarioError([f"{path}: is damaged: {reason}"]) from None
    except OSError as error:
        raise StorageError(f"{path}: {error.strerror}") from error


def _states(groups: list["_Recorded"], setup: Setup) -> Iterator[State]:
    clock, timeline = setup.time, Timeline(setup)
    for frame in range(clock.frames):
        step = clock.warmup + frame * clock.steps_per_frame
        current = timeline.at(frame)
        there = [
            *(table.count if table.present(frame) else 0 for table in current.flock),
            *(table.count if table.present(frame) else 0 for table in current.predators),
        ]
        now = [group.next(frame, count) for group, count in zip(groups, there, strict=True)]
        flocks, predators = now[: len(setup.flock)], now[len(setup.flock) :]
        yield State(step, step * clock.dt, frame, tuple(flocks), tuple(predators), current)


class _Recorded:
    """One group of a saved run, read frame by frame."""

    def __init__(self, track: Track, archive: ZipFile, stack: ExitStack, setup: Setup) -> None:
        self._track = track
        self._shape = (track.animals, setup.world.dimension)
        shape = (setup.time.frames, *self._shape)
        self._members = {quantity: _opened(archive, stack, track.array(quantity), shape) for quantity in QUANTITIES}

    def next(self, frame: int, count: int) -> Group:
        """The group in the next frame, in which so many of its animals are there."""
        position, velocity = (self._read(quantity) for quantity in QUANTITIES)
        if np.isnan(position[count:]).all() and np.isnan(velocity[count:]).all():
            position, velocity = position[:count], velocity[:count]
        if not (np.isfinite(position).all() and np.isfinite(velocity).all()):
            raise ValueError(
                f"{self._track.kind} {self._track.number} has numbers that are not finite in frame {frame}"
            )
        return Group(self._track.name, read_only(by_column(position)), read_only(by_column(velocity)))

    def _read(self, quantity: str) -> Array:
        size = 8 * self._shape[0] * self._shape[1]
        content = self._members[quantity].read(size)
        if len(content) != size:
            raise ValueError(f"{self._track.array(quantity)} ends too early")
        return np.frombuffer(content, np.float64).reshape(self._shape)


def _opened(archive: ZipFile, stack: ExitStack, name: str, shape: tuple[int, ...]) -> IO[bytes]:
    """An array of the file, its header read and found right."""
    if f"{name}.npy" not in archive.namelist():
        raise ValueError(f"there is no array {name}")
    array = stack.enter_context(member(archive, name))
    found, by_columns, kind = header(array)
    if (found, by_columns, kind) != (shape, False, np.dtype(np.float64)):
        order = ", column by column" if by_columns else ""
        raise ValueError(f"{name} must be float64 of shape {shape}, not {kind} of shape {found}{order}")
    return array
