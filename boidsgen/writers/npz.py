"""NPZ: every bit of every state, for numpy and for drawing again.

An npz holds one array after the other, a run comes one state after the other: the arrays grow side by side in nameless
temporary files, in the directory of the output, and are put together at the end. They are not compressed: velocities
hardly would be, and a reader can leap to any frame.
"""

import shutil
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any, BinaryIO, ClassVar
from zipfile import ZipFile, ZipInfo

import numpy as np
from typing_extensions import override

from boidsgen.caps import MAX_ORIGIN
from boidsgen.simulation.setup import Setup
from boidsgen.simulation.state import State
from boidsgen.writers.arrays import header, member
from boidsgen.writers.contract import DAMAGE, Makes, Part, Sign
from boidsgen.writers.trajectories import QUANTITIES, TrajectoryWriter, padded, tracks

MEMBER = "scenario"
"""The array with the text of the scenario."""

_CHUNK = 1 << 20
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
        self._dimension = setup.world.dimension
        self._frames = 0
        self._columns: dict[str, _Column] = {}
        try:
            self._open_columns()
        except BaseException:
            self.abandon()
            raise

    def _open_columns(self) -> None:
        beside = str(self._part.path.parent)
        self._columns["step"] = _Column(beside, (), np.dtype(np.int64))
        self._columns["time"] = _Column(beside, (), np.dtype(np.float64))
        for track in self._tracks:
            for quantity in QUANTITIES:
                shape = (track.animals, self._dimension)
                self._columns[track.array(quantity)] = _Column(beside, shape, np.dtype(np.float64))

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
                if shape != () or kind.kind != "U" or kind.itemsize > _BYTES_PER_CHARACTER * MAX_ORIGIN:
                    raise ValueError("not a text")
                content = text.read(kind.itemsize)
        return str(np.frombuffer(content, kind)[0]).encode() if kind.itemsize else b""

    @override
    def write(self, entry: State) -> None:
        self._columns["step"].append(entry.step)
        self._columns["time"].append(entry.time)
        for track in self._tracks:
            group = track.group(entry)
            for quantity in QUANTITIES:
                self._columns[track.array(quantity)].append(padded(getattr(group, quantity), track.animals))
        self._frames += 1

    @override
    def close(self) -> None:
        with self._part.open() as file, ZipFile(file, "w") as archive:
            put(archive, MEMBER, np.array(self._text))
            for name, column in self._columns.items():
                with archive.open(_entry(name), "w", force_zip64=True) as array:
                    column.copy(array, self._frames)
        self.abandon()

    @override
    def abandon(self) -> None:
        for column in self._columns.values():
            column.forget()


class _Column:
    """One array that grows by an entry a frame."""

    def __init__(self, directory: str, shape: tuple[int, ...], kind: np.dtype[Any]) -> None:
        self._shape = shape
        self._kind = kind
        self._file: IO[bytes] = TemporaryFile(dir=directory)  # noqa: SIM115  closed by forget

    def append(self, entry: object) -> None:
        self._file.write(np.asarray(entry, self._kind).tobytes())

    def copy(self, array: Any, frames: int) -> None:  # noqa: ANN401  zipfile's own kind of file
        np.lib.format.write_array_header_1_0(array, _header((frames, *self._shape), self._kind))
        self._file.seek(0)
        shutil.copyfileobj(self._file, array, _CHUNK)

    def forget(self) -> None:
        with suppress(OSError):  # what is still buffered has nowhere to go
            self._file.close()


def _header(shape: tuple[int, ...], kind: np.dtype[Any]) -> dict[str, Any]:
    return {"shape": shape, "fortran_order": False, "descr": np.lib.format.dtype_to_descr(kind)}


def put(archive: ZipFile, name: str, array: np.ndarray[Any, Any]) -> None:
    """Add an array to an archive, so that numpy finds it by this name."""
    with archive.open(_entry(name), "w") as member:
        np.lib.format.write_array(member, array, version=(1, 0), allow_pickle=False)


def _entry(name: str) -> ZipInfo:
    """An entry that does not tell when it was made."""
    return ZipInfo(f"{name}.npy")
