"""Recordings: the positions and velocities of a run, saved in NPZ, and read back.

The arrays are:

step, time                                    (frames,), as in `State`
flock.0.position, flock.0.velocity, …         (frames, n, d), float64, or float32 where that was asked for
predators.0.position, predators.0.velocity    likewise
  n is the maximum size of the group in the run; nan in frames in which an animal is absent; only in a recording of
  observed animals (`tracks`) others may follow it
scenario                                      the scenario in TOML, with versions and seed
digest                                        SHA-256 of the names, sizes and CRC-32 of all these

A file may come from anywhere: nothing in it is executed, and its arrays must be finite numbers in the shapes that its
scenario requires. One frame is in memory at a time. The digest shows whether the states are still those that were
recorded. It is made of the checksums that the archive stores in any case, so comparing it reads no array, and the
verdict is there before the first frame; zipfile compares each checksum with the array itself at its end. It reveals a
change, not a forgery.
"""

import hashlib
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Any, BinaryIO, ClassVar
from zipfile import ZipFile

import numpy as np
from typing_extensions import override

from boidsgen.errors import MAX_COMMENT, MAX_HEADER
from boidsgen.inputs import open_input, parsing
from boidsgen.output.base import Sign
from boidsgen.output.gltf import TrajectoryGlb
from boidsgen.output.publish import Destination, Makes
from boidsgen.output.series import FOREIGN_WRITERS, NPZ_SIGN, TrajectoryWriter, put_array, put_parts
from boidsgen.simulation.geometry import by_column, read_only
from boidsgen.simulation.motion import Group
from boidsgen.simulation.run import UNITS, Track, Trajectory, tracks
from boidsgen.simulation.setup import Setup, State, Timeline

LEAST_HEAD = 128  # Bytes before the numbers of an array in a file, at least
REAL = (np.dtype(np.float64), np.dtype(np.float32))

_BYTES_PER_CHARACTER = 4


class TrajectoryNpz(TrajectoryWriter):
    """Numpy arrays, uncompressed: velocities hardly would be smaller, and a reader can seek to any frame.

    An archive holds one array after the other, a run comes frame by frame: until the end, each frame is a record of a
    nameless temporary file in the directory of the output.
    """

    name: ClassVar[str] = "npz"
    extensions: ClassVar[tuple[str, ...]] = (".npz",)
    makes: ClassVar[Makes] = "file"
    signs: ClassVar[tuple[Sign, ...]] = (NPZ_SIGN,)

    def __init__(self, part: Destination, setup: Setup, text: str, real: str = "float64") -> None:
        super().__init__(part, setup, text, real)
        fields: list[tuple[str, Any, tuple[int, ...]]] = [("step", np.int64, ()), ("time", np.float64, ())]
        for track in self._tracks:
            shape = track.animals, setup.world.dimension
            fields += [(track.array(quantity), real, shape) for quantity in UNITS]
        self._record = np.dtype(fields)
        self._records = part.scratch()
        self._opened = [self._file, self._records]

    @classmethod
    @override
    def comment(cls, file: BinaryIO) -> bytes:
        with ZipFile(file) as archive:
            return _text(archive, "scenario").encode()

    @override
    def write(self, entry: State) -> None:
        record = np.zeros((), self._record)
        record["step"], record["time"] = entry.step, entry.time
        for track in self._tracks:
            for quantity in UNITS:
                record[track.array(quantity)] = track.full(entry, quantity)
        self._records.write(record.tobytes())

    @override
    def close(self) -> None:
        self._records.flush()
        frames = self._records.tell() // self._record.itemsize
        with ZipFile(self._file, "w") as archive:
            put_array(archive, "scenario", np.array(self._text))
            for name, (field, offset, *_) in (self._record.fields or {}).items():
                parts = self._parts(frames, offset, field.itemsize)
                put_parts(archive, name, (frames, *field.shape), field.base, parts)
            put_array(archive, "digest", np.array(_digest(archive, self._tracks)))
        super().close()

    def _parts(self, frames: int, offset: int, size: int) -> Iterator[bytes]:
        """These bytes of each record; a map of the file would count as memory."""
        for frame in range(frames):
            self._records.seek(frame * self._record.itemsize + offset)
            yield self._records.read(size)


TRAJECTORY_WRITERS: dict[str, type[TrajectoryWriter]] = {
    kind.name: kind for kind in (TrajectoryNpz, *FOREIGN_WRITERS, TrajectoryGlb)
}
"""Every format by its name."""


class SavedRun(Trajectory):
    """States of a saved run of a setup, one per frame, read anew each time that they are iterated over.

    Attributes:
        setup: the simulation tables of its scenario at the beginning.
        doubt: one line for the user if the states may not be those recorded from the scenario, otherwise empty.
        states_from: name of the file, without its directory, if there is such a doubt, otherwise empty.

    Raises:
        ScenarioError: the file is damaged, or does not fit the setup; also while the states are read.
        StorageError: it cannot be read; likewise.
    """

    def __init__(self, path: Path, setup: Setup) -> None:
        self._path, self.setup = path, setup
        self.doubt = ""
        with parsing(str(path)), open_input(path) as file, ZipFile(file) as archive:
            self.frames, rounded = _frames(archive, setup)
            found = _text(archive, "digest")
            if not found:
                self.doubt = f"{path}: has no digest, so its states may not come from its scenario"
            elif found != _digest(archive, tracks(setup)):
                self.doubt = f"{path}: its states are not those recorded from its scenario: changed or made elsewhere"
            elif rounded:
                self.doubt = f"{path}: its numbers are rounded to float32"
        self.states_from = path.name if self.doubt else ""

    @override
    def __len__(self) -> int:
        return len(self.frames)

    @override
    def __iter__(self) -> Iterator[State]:
        setup = self.setup
        with parsing(str(self._path)), ExitStack() as stack:
            archive = stack.enter_context(ZipFile(stack.enter_context(open_input(self._path))))
            groups = [_RecordedGroup(track, archive, stack, setup, len(self)) for track in tracks(setup)]
            clock, timeline = setup.time, Timeline(setup)
            for frame in self.frames:
                step = clock.warmup + frame * clock.steps_per_frame
                current = timeline.at(frame)
                here = [table.count if table.present(frame) else 0 for table in current.flock]
                here += [table.count if table.present(frame) else 0 for table in current.predators]
                now = tuple(group.next(frame, count) for group, count in zip(groups, here, strict=True))
                flocks, predators = now[: len(setup.flock)], now[len(setup.flock) :]
                yield State(step, step * clock.dt, frame, flocks, predators, current)


def _digest(archive: ZipFile, groups: Iterable[Track]) -> str:
    """Digest of the scenario and the arrays of a saved run, in hexadecimal digits."""
    names = {"scenario", "step", "time", *(track.array(quantity) for track in groups for quantity in UNITS)}
    entries = [entry for entry in archive.infolist() if entry.filename.removesuffix(".npy") in names]
    lines = sorted(f"{entry.filename} {entry.file_size} {entry.CRC:08x}\n" for entry in entries)
    return hashlib.sha256("".join(lines).encode()).hexdigest()


class _RecordedGroup:
    """One group of a saved run, read frame by frame."""

    def __init__(self, track: Track, archive: ZipFile, stack: ExitStack, setup: Setup, frames: int) -> None:
        self._track = track
        self._shape = track.animals, setup.world.dimension
        self._gaps = setup.tracks is not None
        wanted = (frames, *self._shape)
        self._members: list[IO[bytes]] = []
        for name in map(track.array, UNITS):
            member = stack.enter_context(archive.open(f"{name}.npy"))
            shape, by_columns, kind = _header(member)
            self._kind = kind
            if (shape, by_columns) != (wanted, False) or kind not in REAL:
                raise ValueError(f"{name} must be float64 of shape {wanted} row by row, not {kind} of shape {shape}")
            self._members.append(member)

    def next(self, frame: int, count: int) -> Group:
        """The group in the next frame, in which it has this many animals."""
        vectors = []
        size = self._kind.itemsize * self._shape[0] * self._shape[1]
        for member in self._members:
            content = np.frombuffer(member.read(size), self._kind)
            vectors.append(content.reshape(self._shape).astype(np.float64))
        members = None
        if self._gaps:
            members = np.flatnonzero(~np.isnan(vectors).all(axis=(0, 2)))
            vectors = [each[members] for each in vectors]
        elif all(np.isnan(absent[count:]).all() for absent in vectors):
            vectors = [each[:count] for each in vectors]
        if not all(np.isfinite(each).all() for each in vectors):
            kind, number, *_ = self._track
            raise ValueError(f"{kind} {number} has numbers that are not finite in frame {frame}")
        position, velocity = (read_only(by_column(each)) for each in vectors)
        return Group(self._track.name, position, velocity, members=members)


def _frames(archive: ZipFile, setup: Setup) -> tuple[list[int], bool]:
    """The numbers of the frames of a saved run, and True if its numbers are rounded."""
    clock, rounded = setup.time, False
    with archive.open("step.npy") as member:
        shape, _, kind = _header(member)
        if kind != np.int64 or len(shape) != 1 or not 0 < shape[0] <= clock.frames:
            raise ValueError(f"step must be int64 of at most {clock.frames} frames, not {kind} of shape {shape}")
        steps = np.frombuffer(member.read(8 * shape[0]), np.int64)
    frames, beyond = np.divmod(steps - clock.warmup, clock.steps_per_frame)
    outside = len(steps) != shape[0] or frames[0] < 0 or frames[-1] >= clock.frames
    if outside or beyond.any() or (np.diff(frames) <= 0).any():
        raise ValueError("step has no ascending frames of its scenario")
    sizes = {entry.filename: entry.file_size for entry in archive.infolist()}  # their heads need not be read
    for track in tracks(setup):
        whole = LEAST_HEAD + 8 * len(steps) * track.animals * setup.world.dimension
        rounded |= sizes.get(f"{track.array('position')}.npy", whole) < whole
    return frames.tolist(), rounded


def _text(archive: ZipFile, name: str) -> str:
    """A text among the arrays, empty if there is none of this name."""
    if f"{name}.npy" not in archive.namelist():
        return ""
    with archive.open(f"{name}.npy") as text:
        shape, _, kind = _header(text)
        if shape != () or kind.kind != "U" or kind.itemsize > _BYTES_PER_CHARACTER * MAX_COMMENT:
            raise ValueError("not a text")
        content = text.read(kind.itemsize)
    return str(np.frombuffer(content, kind)[0]) if kind.itemsize else ""


def _header(member: IO[bytes]) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    """Shape, order (true if the first index changes fastest) and type of an array, whose values follow."""
    if np.lib.format.read_magic(member) != (1, 0):
        raise ValueError("not an array of the first version")
    return np.lib.format.read_array_header_1_0(member, max_header_size=MAX_HEADER)
