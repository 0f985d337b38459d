"""Recordings of a run: glTF scenes for 3D programs, and NPZ files that can be read back.

A glTF file is one binary .glb for Blender, three.js or PowerPoint: a body that all animals share, in a material for
each group, and for each animal a node with animated translation and rotation. Its axes are those of glTF, y upward; a
flat world lies on the ground. In a periodic world an animal that leaves on one side would appear to cross all of it, so
poses are held from frame to frame there, and interpolated elsewhere.

Source: The Khronos Group, glTF 2.0 Specification, 2021 (ISO/IEC 12113:2022).

An NPZ file has the positions and velocities of a run, in these arrays:

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
result is known before the first frame; zipfile compares each checksum with the array itself at its end. It reveals a
change, not a forgery.
"""

import hashlib
import json
import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from itertools import accumulate, pairwise
from pathlib import Path
from typing import IO, Any, BinaryIO, ClassVar
from zipfile import ZipFile

import numpy as np
from typing_extensions import override

from boidsgen.drawing.frame import light
from boidsgen.drawing.look import Drawable
from boidsgen.drawing.themes import FLOCK_COLORS
from boidsgen.errors import MAX_COMMENT, MAX_HEADER, LimitError, UsageError
from boidsgen.output.columns import FOREIGN_WRITERS, NPZ_SIGN, TrajectoryWriter, put_array, put_parts
from boidsgen.output.pictures import Sign
from boidsgen.output.publish import Destination, Makes
from boidsgen.simulation.geometry import Array, by_column, read_only, unit
from boidsgen.simulation.motion import Group
from boidsgen.simulation.run import COLUMN_UNITS, Track, Trajectory, tracks
from boidsgen.simulation.setup import Setup, State, Timeline
from boidsgen.system import open_input, parsing
from boidsgen.version import __version__

BODY_CORNERS = ((0.56, 0, 0), (-0.44, 0, 0.3), (-0.44, 0, -0.3), (-0.26, 0.12, 0), (-0.26, -0.12, 0))
"""Corners of the body in body lengths: nose, right and left tip, back and belly; it flies along x."""
FACES = ((0, 3, 1), (0, 2, 3), (0, 1, 4), (0, 4, 2), (3, 4, 1), (3, 2, 4))
"""Corners of its triangles, counterclockwise as seen from outside."""
POSE = np.dtype([("translation", "<f4", 3), ("rotation", "<i2", 4), ("scale", "<f4", 3)])
GLTF_SHORT, GLTF_FLOAT, GLTF_VERTICES = 5122, 5126, 34962  # Numbers of types, and of a use, in glTF
LARGEST_SHORT = 32767  # The 16-bit integer that stands for 1
STAGE = (640, 360)  # Pixels of a picture in which a body is as long, in parts of the world
AT_ONCE = 1 << 25  # Bytes of poses in memory
MOST_BYTES = 1 << 32  # From which on a .glb cannot say how long it is
ASSET = '{"asset":'  # Beginning of the JSON, so that the scenario is read without the rest


class TrajectoryGlb(TrajectoryWriter):
    """A scene that is played; poses wait in a scratch file until the end, since a file has them animal by animal."""

    name: ClassVar[str] = "glb"
    extensions: ClassVar[tuple[str, ...]] = (".glb",)
    makes: ClassVar[Makes] = "file"
    signs: ClassVar[tuple[Sign, ...]] = ((0, b"glTF"),)
    most_positions: ClassVar[float] = MOST_BYTES // (POSE["translation"].itemsize + POSE["rotation"].itemsize)

    def __init__(self, part: Destination, setup: Drawable, text: str, real: str = "float64") -> None:
        super().__init__(part, setup, text, real)
        self._scenario = setup
        self._animals = sum(track.animals for track in self._tracks)
        if not self._animals:
            raise UsageError(f"{part.name}: a scene has at least one animal; the scenario has none")
        self._absent = np.zeros(self._animals, bool)  # in at least one frame
        self._poses = part.scratch()
        self._opened = [self._file, self._poses]
        self._length = setup.style.length(STAGE, self._animals) * min(setup.world.size) / min(STAGE)
        table: Any = vars(setup)["output"]  # of formats in this package; a scenario has it
        self._fps: float = table.fps

    @classmethod
    @override
    def comment(cls, file: BinaryIO) -> bytes:
        _, length, _ = struct.unpack("<III", file.read(20)[8:])
        told = file.read(min(length, 2 * MAX_COMMENT)).decode("ascii")
        asset, _ = json.JSONDecoder().raw_decode(told, len(ASSET))
        return str(asset["extras"]["scenario"]).encode()

    @override
    def write(self, entry: State) -> None:
        poses, first = np.zeros(self._animals, POSE), 0
        for track in self._tracks:
            last = first + track.animals
            place, velocity = (_upward(track.full(entry, name)) for name in ("position", "velocity"))
            absent = np.isnan(place[:, 0])
            self._absent[first:last] |= absent
            poses["translation"][first:last] = np.where(absent[:, None], 0.0, place)
            poses["rotation"][first:last] = np.round(
                LARGEST_SHORT * _rotations(np.where(absent[:, None], 0.0, velocity))
            )
            poses["scale"][first:last] = np.where(absent, 0.0, self._length)[:, None]
            first = last
        self._poses.write(poses.tobytes())

    @override
    def close(self) -> None:
        self._poses.flush()
        frames = self._poses.tell() // (self._animals * POSE.itemsize)
        corners = np.array(BODY_CORNERS, float)[np.array(FACES)]  # each face has its own, and so looks flat
        normal = unit(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]))
        triangles = np.stack([corners.reshape(-1, 3), np.repeat(normal, 3, axis=0)]).astype("<f4")
        times = (np.arange(frames) / self._fps).astype("<f4")
        moved: dict[str, Sequence[int]] = dict.fromkeys(("translation", "rotation"), range(self._animals))
        moved |= {"scale": np.flatnonzero(self._absent).tolist()} if self._absent.any() else {}
        sizes = [len(numbers) * frames * POSE[name].itemsize for name, numbers in moved.items()]
        starts = [0, *accumulate([triangles.nbytes, times.nbytes, *sizes])]
        scene = self._scene(times, triangles, starts, moved).encode()
        scene += b" " * (-len(scene) % 4)
        total = 28 + len(scene) + starts[-1]
        if total >= MOST_BYTES:
            raise LimitError(f"{total:,} bytes, and a .glb has fewer than {MOST_BYTES:,}; keep fewer frames by --every")
        self._file.write(struct.pack("<4sIII4s", b"glTF", 2, total, len(scene), b"JSON") + scene)
        self._file.write(struct.pack("<I4s", starts[-1], b"BIN\0") + triangles.tobytes() + times.tobytes())
        for name, numbers in moved.items():
            self._write_poses(frames, name, numbers)
        super().close()

    def _write_poses(self, frames: int, name: str, numbers: Sequence[int]) -> None:
        """Write a part of the poses of these animals, one after the other, each with all frames."""
        many = max(1, AT_ONCE // (frames * POSE.itemsize))
        for first in range(0, self._animals, many):
            block = np.empty((frames, min(many, self._animals - first)), POSE)
            for frame in range(frames):
                self._poses.seek((frame * self._animals + first) * POSE.itemsize)
                block[frame] = np.frombuffer(self._poses.read(block[frame].nbytes), POSE)
            wanted = [number - first for number in numbers if first <= number < first + many]
            self._file.write(block[name][:, wanted].swapaxes(0, 1).tobytes())

    def _scene(self, times: Array, triangles: Array, starts: Sequence[int], moved: Mapping[str, Sequence[int]]) -> str:
        """The JSON of a file: what its numbers mean."""
        title, frames = self._scenario.title or "boids", len(times)
        accessors: list[dict[str, Any]] = [
            _numbers(0, 0, triangles[0]) | {"min": triangles[0].min(0).tolist(), "max": triangles[0].max(0).tolist()},
            _numbers(0, triangles[0].nbytes, triangles[1]),
            _numbers(1, 0, times) | {"min": [float(times[0])], "max": [float(times[-1])]},
        ]
        samplers, channels = list[dict[str, Any]](), list[dict[str, Any]]()
        held = self._scenario.world.boundary.jumps
        for view, (name, numbers) in enumerate(moved.items(), start=2):
            for place, number in enumerate(numbers):
                step = held or name == "scale"
                output = {"input": 2, "output": len(accessors), "interpolation": "STEP" if step else "LINEAR"}
                channels.append({"sampler": len(samplers), "target": {"node": number + 1, "path": name}})
                samplers.append(output)
                known = np.broadcast_to(np.zeros((), POSE[name].base), (frames, *POSE[name].shape))
                accessors.append(_numbers(view, place * frames * POSE[name].itemsize, known))
        theme, materials = self._scenario.style.colors, list[dict[str, Any]]()
        for track in self._tracks:
            flock = track.kind == "flock"
            color = theme.flocks[track.number % FLOCK_COLORS] if flock else theme.hunter(track.number)
            red, green, blue = np.round(light(color), 4).tolist()  # of light, not a code
            dull = {"baseColorFactor": [red, green, blue, 1.0], "metallicFactor": 0.0, "roughnessFactor": 0.8}
            materials.append({"name": track.name, "pbrMetallicRoughness": dull})
        views = [{"buffer": 0, "byteOffset": at, "byteLength": end - at} for at, end in pairwise(starts)]
        views[0] |= {"byteStride": triangles[0, 0].nbytes, "target": GLTF_VERTICES}
        body = {"attributes": {"POSITION": 0, "NORMAL": 1}}
        asset = {"version": "2.0", "generator": f"boidsgen {__version__}", "extras": {"scenario": self._text}}
        rest = {
            "scene": 0,
            "scenes": [{"name": title, "nodes": [0]}],
            "nodes": [{"name": title, "children": [*range(1, self._animals + 1)]}, *self._nodes()],
            "meshes": [{"primitives": [{**body, "material": number}]} for number in range(len(materials))],
            "materials": materials,
            "animations": [{"name": title, "samplers": samplers, "channels": channels}],
            "accessors": accessors,
            "bufferViews": views,
            "buffers": [{"byteLength": starts[-1]}],
        }
        return f"{ASSET}{json.dumps(asset)},{json.dumps(rest, separators=(',', ':'))[1:]}"

    def _nodes(self) -> Iterator[dict[str, Any]]:
        """A node for each animal, in its first pose."""
        self._poses.seek(0)
        poses = iter(np.frombuffer(self._poses.read(self._animals * POSE.itemsize), POSE))
        for mesh, track in enumerate(self._tracks):
            for number, pose in zip(range(track.animals), poses, strict=False):
                turn = unit(pose["rotation"][None].astype(float))[0].tolist()
                shown = {"translation": pose["translation"].tolist(), "rotation": turn, "scale": pose["scale"].tolist()}
                yield {"name": f"{track.name} {number}", "mesh": mesh, **shown}


def _numbers(view: int, offset: int, like: Array) -> dict[str, Any]:
    """An accessor of numbers like these, (n,) or (n, m)."""
    kind = {1: "SCALAR", 3: "VEC3", 4: "VEC4"}[like[:1].size]
    short = like.dtype == np.int16
    found = {"bufferView": view, "byteOffset": offset, "componentType": GLTF_SHORT if short else GLTF_FLOAT}
    return {**found, "count": len(like), "type": kind, **({"normalized": True} if short else {})}


def _upward(vector: Array) -> Array:
    """Vectors of the world, (n, 2) or (n, 3), in the axes of glTF, whose second one points upward."""
    x, y, *z = vector.T
    return np.stack([x, *(z or [np.zeros_like(x)]), -y], axis=-1)


def _rotations(heading: Array) -> Array:
    """Quaternions (x, y, z, w) that turn x into these headings, (n, 3): upward or downward first, then around y."""
    x, y, z = heading.T
    (rise, level), (turn, ahead) = _half(np.sqrt(x * x + z * z), y), _half(x, -z)
    return np.stack([turn * rise, turn * level, ahead * rise, ahead * level], axis=-1)


def _half(along: Array, across: Array) -> tuple[Array, Array]:
    """Sine and cosine of half the angles of vectors; by roots, which are the same on every system."""
    length = np.sqrt(along * along + across * across)
    cosine = np.clip(np.divide(along, length, out=np.ones_like(along), where=length > 0), -1.0, 1.0)
    return np.copysign(np.sqrt((1.0 - cosine) / 2), across), np.sqrt((1.0 + cosine) / 2)


LEAST_HEAD = 128  # Bytes before the numbers of an array in a file, at least
REAL_TYPES = (np.dtype(np.float64), np.dtype(np.float32))

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
            fields += [(track.array(quantity), real, shape) for quantity in COLUMN_UNITS]
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
            for quantity in COLUMN_UNITS:
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
    names = {"scenario", "step", "time", *(track.array(quantity) for track in groups for quantity in COLUMN_UNITS)}
    entries = [entry for entry in archive.infolist() if entry.filename.removesuffix(".npy") in names]
    lines = sorted(f"{entry.filename} {entry.file_size} {entry.CRC:08x}\n" for entry in entries)
    return hashlib.sha256("".join(lines).encode()).hexdigest()


class _RecordedGroup:
    """One group of a saved run, read frame by frame."""

    def __init__(self, track: Track, archive: ZipFile, stack: ExitStack, setup: Setup, frames: int) -> None:
        self._track, self._world = track, setup.world
        self._shape = track.animals, setup.world.dimension
        self._gaps = setup.tracks is not None
        wanted = (frames, *self._shape)
        self._members: list[IO[bytes]] = []
        for name in map(track.array, COLUMN_UNITS):
            member = stack.enter_context(archive.open(f"{name}.npy"))
            shape, by_columns, kind = _header(member)
            self._kind = kind
            if (shape, by_columns) != (wanted, False) or kind not in REAL_TYPES:
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
        if self._track.kind == "flock" and self._world.periods.any():  # float32 may round a position up to the edge
            vectors[0] = self._world.wrapped(vectors[0])
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
