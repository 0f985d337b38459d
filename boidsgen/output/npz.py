"""NPZ: every bit of every state, for numpy and for drawing again.

An npz holds one array after the other, a run comes one state after the other: the arrays grow side by side in one
nameless temporary file, in the directory of the output, and are put together at the end. They are not compressed:
velocities hardly would be, and a reader can leap to any frame.
"""

import io
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any, BinaryIO, ClassVar
from zipfile import ZipFile, ZipInfo

import numpy as np
from typing_extensions import override

from boidsgen.caps import MAX_COMMENT
from boidsgen.output.arrays import header, member
from boidsgen.output.base import DAMAGE, Makes, Part, Sign
from boidsgen.output.trajectories import QUANTITIES, TrajectoryWriter, padded, tracks
from boidsgen.simulation.setup import Setup
from boidsgen.simulation.state import State

MEMBER = "scenario"
"""The array with the text of the scenario."""

_GATHERED = 1 << 20
_UNIX = 3  # where an archive says it was made
_BYTES_PER_CHARACTER = 4


class Npz(TrajectoryWriter):
    """Arrays of numpy in one file."""

    name: ClassVar[str] = "npz"
    extensions: ClassVar[tuple[str, ...]] = (".npz",)
    makes: ClassVar[Makes] = "file"
    signs: ClassVar[tuple[Sign, ...]] = ((0, b"PK\x03\x04"),)

    def __init__(self, part: Part, setup: Setup, text: str) -> None:
        self._part = part
        self._text = text
        self._tracks = tuple(tracks(setup))
        self._frames = 0
        columns = {"step": _Column((), np.int64), "time": _Column((), np.float64)}
        for track in self._tracks:
            shape = (track.animals, setup.world.dimension)
            columns |= {track.array(quantity): _Column(shape, np.float64) for quantity in QUANTITIES}
        self._names = tuple(columns)
        self._columns = _Columns(str(self._part.path.parent), columns)

    @classmethod
    @override
    def count(cls, path: Path) -> int:
        try:
            with ZipFile(path) as archive, member(archive, "step") as step:
                return header(step).shape[0]
        except DAMAGE:
            return 0

    @classmethod
    @override
    def comment(cls, file: BinaryIO) -> bytes:
        with ZipFile(file) as archive:
            if f"{MEMBER}.npy" not in archive.namelist():
                return b""
            with member(archive, MEMBER) as text:
                shape, _, kind = header(text)
                if shape != () or kind.kind != "U" or kind.itemsize > _BYTES_PER_CHARACTER * MAX_COMMENT:
                    raise ValueError("not a text")
                content = text.read(kind.itemsize)
        return str(np.frombuffer(content, kind)[0]).encode() if kind.itemsize else b""

    @override
    def write(self, entry: State) -> None:
        self._columns.append("step", entry.step)
        self._columns.append("time", entry.time)
        for track in self._tracks:
            group = track.group(entry)
            for quantity in QUANTITIES:
                self._columns.append(track.array(quantity), padded(getattr(group, quantity), track.animals))
        self._frames += 1

    @override
    def close(self) -> None:
        with self._part.open() as file, ZipFile(file, "w") as archive:
            put(archive, MEMBER, np.array(self._text))
            for name in self._names:
                with archive.open(_entry(name), "w", force_zip64=True) as member:
                    self._columns.copy(name, member, self._frames)
        self.abandon()

    @override
    def abandon(self) -> None:
        self._columns.forget()


class _Columns:
    """Arrays that grow side by side by an entry a frame, in one nameless file, however many there are.

    What is new of each is gathered in memory, and put into the file when all of it together has become `_GATHERED`
    bytes; so each array lies in the file in pieces.
    """

    def __init__(self, directory: str, columns: Mapping[str, "_Column"]) -> None:
        self._columns = columns
        self._gathered = 0
        self._file: IO[bytes] = TemporaryFile(dir=directory)  # noqa: SIM115  closed by forget

    def append(self, name: str, entry: object) -> None:
        column = self._columns[name]
        content = np.asarray(entry, column.kind).tobytes()
        column.gathered.append(content)
        self._gathered += len(content)
        if self._gathered >= _GATHERED:
            self._put_away()

    def copy(self, name: str, member: Any, frames: int) -> None:  # noqa: ANN401  zipfile's own kind of file
        """Write one array, complete with its header."""
        self._put_away()
        column = self._columns[name]
        np.lib.format.write_array_header_1_0(member, _header((frames, *column.shape), column.kind))
        for place, size in column.pieces:
            self._file.seek(place)
            member.write(self._file.read(size))

    def forget(self) -> None:
        with suppress(OSError):  # what is still buffered has nowhere to go
            self._file.close()

    def _put_away(self) -> None:
        self._file.seek(0, io.SEEK_END)
        for column in self._columns.values():
            if column.gathered:
                column.pieces.append((self._file.tell(), self._file.write(b"".join(column.gathered))))
                column.gathered.clear()
        self._gathered = 0


class _Column:
    """One array: what an entry is like, what is gathered of it, and where its pieces lie, with their sizes."""

    def __init__(self, shape: tuple[int, ...], kind: type) -> None:
        self.shape = shape
        self.kind: np.dtype[Any] = np.dtype(kind)
        self.gathered: list[bytes] = []
        self.pieces: list[tuple[int, int]] = []


def _header(shape: tuple[int, ...], kind: np.dtype[Any]) -> dict[str, Any]:
    return {"shape": shape, "fortran_order": False, "descr": np.lib.format.dtype_to_descr(kind)}


def put(archive: ZipFile, name: str, array: np.ndarray[Any, Any]) -> None:
    """Add an array to an archive, so that numpy finds it by this name."""
    with archive.open(_entry(name), "w") as member:
        np.lib.format.write_array(member, array, version=(1, 0), allow_pickle=False)


def _entry(name: str) -> ZipInfo:
    """An entry that tells neither when nor on which system it was made."""
    entry = ZipInfo(f"{name}.npy")
    entry.create_system = _UNIX
    return entry
