"""Outputs: writers from the first entry to the published file, and the same formats as imageio plugins.

A writer fills the temporary file of its destination; all are published when all are complete, and films verified. If
anything raises an error on the way, no file is left behind and every name keeps its previous content.

    with open_outputs(targets, Clip((640, 360), fps=25, frames=240)) as outputs:
        for frame in frames:
            outputs.write(frame)
    print(outputs.digest)

Once this module is imported, imageio writes each format under the name `boidsgen-<format>`, with the same writers and
the same guarantees:

    import boidsgen.output.outputs
    imageio.v3.imwrite("flock.gif", pictures, plugin="boidsgen-gif", fps=25)

    with imageio.v3.imopen("flock.mp4", "w", plugin="boidsgen-mp4", fps=25) as file:
        for picture in pictures:
            file.write(picture)

To read a clip, imageio needs none of them.
"""

import hashlib
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, Generic, Self, TypeVar

import numpy as np
from imageio.config import known_plugins
from imageio.config.plugins import PluginConfig
from imageio.core.request import RETURN_BYTES, InitializationError, IOMode, Request
from numpy.typing import ArrayLike, NDArray
from PIL import Image

from boidsgen.drawing.frame import MAX_COLORS, Frame
from boidsgen.drawing.themes import luminance
from boidsgen.errors import EncoderError, ScenarioError, UsageError
from boidsgen.output.formats import WRITERS, Target, names_folder, refusals
from boidsgen.output.pictures import Clip, ClipWriter, Writer
from boidsgen.output.publish import Destination, open_destination, storing
from boidsgen.system import identity

_Kind = TypeVar("_Kind", bound=Writer[Any])


class Digest:
    """Running SHA-256 of size, palette and frames: equal for equal pictures, whatever the format.

    Hashing whole pictures took as long as simulating them, so each frame adds what changed since the one before: the
    number of words of eight bytes that differ, their indices, and the words. The picture before the first is all zeros,
    as are the bytes that pad the last word. Palette indices of two bytes are little-endian.

    Attributes:
        palette: (colors, 3) of all frames.
    """

    def __init__(self, size: tuple[int, int], frame: Frame) -> None:
        width, height = size
        self.palette = frame.palette.copy()
        kind = np.dtype(np.uint8 if len(self.palette) <= MAX_COLORS else "<u2")
        both = np.zeros((2, -(-width * height * kind.itemsize // 8)), np.uint64)
        self._before, self._now = ((words, words.view(kind)[: width * height]) for words in both)
        self._hash = hashlib.sha256(f"boidsgen changes {width}x{height}, {len(self.palette)} colors\n".encode())
        self._hash.update(self.palette.tobytes())
        if frame.inks is not None:
            self._hash.update(frame.inks.tobytes())

    def add(self, frame: Frame) -> None:
        """Take one more frame into account."""
        self._before, self._now = self._now, self._before
        words, entries = self._now
        entries[:] = frame.index.reshape(-1)
        changed = np.flatnonzero(words != self._before[0])
        self._hash.update(np.array([len(changed)], "<u4").tobytes())
        self._hash.update(changed.astype("<u4").data)
        self._hash.update(words[changed].data)

    def __str__(self) -> str:
        """In hexadecimal digits."""
        return self._hash.hexdigest()


@dataclass
class PendingOutput(Generic[_Kind]):
    """One output before its publication: a destination, the writer that fills it, and the number of entries."""

    destination: Destination
    writer: _Kind
    count: int = 0

    def write(self, entry: Any) -> None:  # noqa: ANN401  of the kind that the writer takes
        """Append an entry; a clip takes frames."""
        with storing(self.destination.name):
            self.writer.write(self.writer.image(entry) if isinstance(self.writer, ClipWriter) else entry)
        self.count += 1

    def finish(self) -> None:
        """Complete the temporary file, and count what is in a film: ffmpeg may report success and have failed."""
        name, kind = self.destination.name, self.writer.name
        with storing(name):
            self.writer.close()
            if isinstance(self.writer, ClipWriter) and self.writer.needs_ffmpeg:
                try:
                    found = self.writer.count(self.destination.shared, self.destination.path.parent)
                except ValueError as error:
                    raise EncoderError(f"{name}: the finished {kind} cannot be decoded: {error}") from None
                if found != self.count:
                    raise EncoderError(f"{name}: the finished {kind} holds {found} of {self.count} frames")


class Outputs:
    """All outputs of one clip.

    Attributes:
        count: frames written so far.
    """

    def __init__(self, clip: Clip, pending: Sequence[PendingOutput[ClipWriter]]) -> None:
        self.count = 0
        self._clip = clip
        self._pending = pending
        self._digest: Digest | None = None

    @property
    def digest(self) -> str:
        """SHA-256 of all frames so far, equal for equal pictures, whatever the format; empty before the first."""
        return str(self._digest or "")

    def write(self, frame: Frame) -> None:
        """Append a frame to every output; all must have the clip's size and the palette of the first."""
        if self._digest is None:
            self._digest = Digest(self._clip.size, frame)
        elif not np.array_equal(frame.palette, self._digest.palette):
            raise ValueError("the palette changed within a clip")
        if frame.index.shape != self._clip.size[::-1]:
            raise ValueError(f"frame of shape {frame.index.shape} in a clip of size {self._clip.size}")
        self._digest.add(frame)
        for output in self._pending:
            output.write(frame)
        self.count += 1


@contextmanager
def open_outputs(targets: Sequence[Target], clip: Clip, *, no_clobber: bool = False) -> Iterator[Outputs]:
    """Outputs that are complete, verified and under their names when the block ends, and leave no trace if it raises.

    Args:
        targets: where to write what; every frame goes to each.
        clip: what is known of it.
        no_clobber: leave what exists as it is.

    Raises:
        ScenarioError: a format does not support this size or rate.
        UsageError: two targets are the same file, or a target is not for such a format.
        OutputExistsError: an output exists, under `no_clobber`.
        StorageError: an output cannot be written; also while writing and at the end.
        EncoderError: the encoder is missing or failed; also while writing and at the end.
    """

    def begin(kind: type[ClipWriter], destination: Destination) -> ClipWriter:
        from imageio.v3 import imopen  # noqa: PLC0415  takes 20 ms, and only who writes pictures needs it

        uri = destination.path if destination.readable else destination.open()
        try:
            # imageio's own description of imopen wants a subclass of its base, which closes what is collected.
            writer: ClipWriter = imopen(uri, "w", plugin=kind, part=destination, clip=clip)  # type: ignore[call-overload]
        except OSError as error:  # behind which imopen hides whatever goes wrong in a plugin
            raise error.__cause__ or error from None
        return writer

    refuse_unfit(targets, clip)
    kinds = [(target.path, WRITERS[target.format]) for target in targets]
    with open_pending(kinds, begin, no_clobber=no_clobber) as pending:
        outputs = Outputs(clip, pending)
        yield outputs
        if outputs.count == 0 or clip.frames not in {None, outputs.count}:
            raise ValueError(f"{outputs.count} frames were written of {clip.frames}")


@contextmanager
def open_pending(
    kinds: Iterable[tuple[str, type[_Kind]]],
    make: Callable[[type[_Kind], Destination], _Kind],
    *,
    no_clobber: bool = False,
) -> Iterator[list[PendingOutput[_Kind]]]:
    """Files that are complete, verified and under their names when the block ends, and leave no trace if it raises.

    Args:
        kinds: path, as the user wrote it, and format of each; "-" is standard output.
        make: makes a writer of a kind for a destination.
        no_clobber: leave existing files as they are.

    Raises:
        UsageError: something for a format is not installed.
        OutputExistsError: a file exists, under `no_clobber`.
        StorageError: one cannot be written; also while writing and at the end.
    """
    with ExitStack() as stack:
        pending = []
        for path, kind in kinds:
            destination = open_destination(path, kind.makes, no_clobber=no_clobber, is_own=kind.is_own)
            stack.callback(destination.discard)
            with storing(destination.name):
                writer = make(kind, destination)
            stack.callback(writer.abandon)
            pending.append(PendingOutput(destination, writer))
        yield pending
        for output in pending:
            output.finish()
        for output in sorted(pending, key=lambda one: one.destination.replaces):
            with storing(output.destination.name):
                output.destination.publish()


def refuse_unfit(targets: Sequence[Target], clip: Clip) -> None:
    """Refuse targets whose format cannot hold this clip, and two that are the same file."""
    wrong = [
        f"{key}: {reason}"
        for target in targets
        for key, reason in refusals(target.format, clip.size, clip.fps, transparent=clip.transparent)
    ]
    if wrong:
        raise ScenarioError(wrong)
    seen: set[str] = set()
    for target in targets:
        if identity(target.path) in seen:
            raise UsageError(f"{target.path}: is named twice as an output")
        seen.add(identity(target.path))


# Flashes: whether a clip may cause a seizure, by the general flash threshold of WCAG 2.2, success criterion 2.3.1

CHANGE, DARK, CHANGES, AREA = 0.1, 0.8, 6, 0.25  # Changes in a second: two make a flash
ACROSS = 48  # Points of the picture that are looked at, along its longer side


class Flashes:
    """Looks for flashes in the frames of a clip, one after the other.

    A flash is a pair of opposing changes of relative luminance by 10 % or more, where the darker state is below 0.80,
    of more than a quarter of 10 degrees of view at the same time; so animals that fly past are none. More than three in
    a second are too many. Of a picture that fills a screen, 10 degrees are a third of its width and of its height. Red
    flashes are not looked for.
    """

    def __init__(self, fps: float) -> None:
        self._changes = deque[tuple[int, bool]]()  # of the last second: frame, and true where it became brighter
        self._fps, self._count, self.first = fps, 0, -1  # the frame in which there were too many for the first time
        self._table = self._low = self._high = np.zeros(0)
        self._rising = np.zeros(0, np.bool_)

    @property
    def notices(self) -> Iterator[str]:
        """A line if there were too many."""
        if self.first >= 0:
            yield (
                f"frame {self.first}: more than three flashes a second, which can cause seizures (WCAG 2.3.1); "
                "slow it down, or make it smaller or paler"
            )

    def note(self, frame: Frame) -> None:
        """Look at the next frame."""
        step = -(-max(frame.index.shape) // ACROSS)
        if not self._count:
            self._table = luminance(frame.palette.astype(float))
        now = self._table[frame.index[::step, ::step]]
        if not self._count:
            self._low = self._high = now
            self._rising = np.zeros(now.shape, np.bool_)
        # Since the last change, the luminance has been between low and high.
        self._low, self._high = np.minimum(self._low, now), np.maximum(self._high, now)
        up = (now - self._low >= CHANGE) & (self._low < DARK)
        down = (self._high - now >= CHANGE) & (now < DARK)
        changed = np.where(self._rising, down, up)
        self._rising ^= changed
        self._low, self._high = np.where(changed, now, self._low), np.where(changed, now, self._high)
        part = _largest_part(changed * np.where(up, 1, -1))
        opposing = not self._changes or self._changes[-1][1] != (part > 0)
        if opposing and abs(part) > AREA:
            self._changes.append((self._count, part > 0))
        while self._changes and self._changes[0][0] <= self._count - self._fps:
            self._changes.popleft()
        if self.first < 0 and len(self._changes) > CHANGES:
            self.first = self._count
        self._count += 1


def _largest_part(changes: NDArray[np.int_]) -> float:
    """The largest part of a third by a third of the picture that has become brighter, or darker, which is negative.

    What becomes brighter and what becomes darker balance each other, as in a crowd or in noise. Where all changes
    together fill no more than AREA of it, the part does not matter, and is 0.
    """
    high, wide = (max(1, side // 3) for side in changes.shape)
    if np.count_nonzero(changes) <= AREA * high * wide:
        return 0.0
    sums = np.zeros((changes.shape[0] + 1, changes.shape[1] + 1), np.int_)
    changes.cumsum(0, out=sums[1:, 1:]).cumsum(1, out=sums[1:, 1:])
    inside = sums[high:, wide:] - sums[:-high, wide:] - sums[high:, :-wide] + sums[:-high, :-wide]
    return float(max(inside.max(), inside.min(), key=abs) / (high * wide))


class BoidsgenPlugin:
    """Writes a clip. No subclass of imageio's base, which publishes half a clip when it is collected.

    Args:
        request: from imageio; its target must be a path to write to, with the extension of the format.
        palette: (colors, 3) uint8, if pictures are indices; more than 255 colors go with indices of uint16.
        options: `fps`, `loop`, `quality` and `provenance`, as in `Clip`.

    Raises:
        InitializationError: it is to read, or the target does not suit the format.
    """

    format: ClassVar[type[ClipWriter]]

    def __init__(self, request: Request, *, palette: ArrayLike | None = None, **options: Any) -> None:  # noqa: ANN401  of `Clip`
        path = request.raw_uri
        if request.mode.io_mode == IOMode.read or not isinstance(path, str | Path) or path == RETURN_BYTES:
            raise InitializationError("boidsgen writes clips to paths; imageio reads them by itself")
        self.request, self._path = request, Path(path)
        if self.format.makes == "folder":
            suits = self._path.is_dir() or names_folder(str(path))
        else:  # imageio tries all plugins on any name
            suits = self._path.suffix.lower() in self.format.extensions
        if not suits:
            raise InitializationError(f"{path}: is no {self.format.name}")
        self._clip, self._given = replace(Clip((0, 0), 25), **options), palette
        self._palette: NDArray[np.uint8] | None = None
        self._stack = ExitStack()
        self._outputs: Outputs | None = None

    def write(self, ndimage: ArrayLike, *, palette: ArrayLike | None = None, **options: Any) -> None:  # noqa: ANN401
        """Append one picture or several, of uint8: gray, RGB with a last axis of three, or indices of the palette.

        Without a palette, the first call selects the colors of the clip: exact if its pictures have up to 255 of them,
        else reduced to as many by Pillow. `imageio.v3.imwrite` passes all options here.
        """
        pictures = np.asarray(ndimage)
        if self._palette is None:
            self._given = self._given if palette is None else palette
            self._palette = _colors(pictures) if self._given is None else np.asarray(self._given, np.uint8)
        for frame in (_nearest if self._given is None else _indexed)(pictures, self._palette):
            if self._outputs is None:
                clip = replace(self._clip, size=frame.index.shape[::-1], **options)
                target = Target(str(self._path), self.format.name)
                self._outputs = self._stack.enter_context(open_outputs([target], clip))
            self._outputs.write(frame)

    def close(self) -> None:
        """Finish, verify and publish."""
        self.__exit__(None, None, None)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        """Publish, or discard after an exception."""
        try:
            self._stack.__exit__(*raised)  # type: ignore[arg-type]  # as Python gives them
        finally:
            self.request.finish()


def _indexed(pictures: NDArray[Any], palette: NDArray[np.uint8]) -> Iterator[Frame]:
    """Frames of palette indices, (height, width) or (number, height, width)."""
    if pictures.dtype not in {np.dtype(np.uint8), np.dtype(np.uint16)} or pictures.ndim not in {2, 3}:
        raise ValueError("palette indices must be uint8 or uint16 of shape (height, width) or (number, height, width)")
    kind = np.uint16 if len(palette) > MAX_COLORS else pictures.dtype
    for index in pictures.reshape(-1, *pictures.shape[-2:]):
        yield Frame(np.ascontiguousarray(index, kind), palette)


def _nearest(pictures: NDArray[Any], palette: NDArray[np.uint8]) -> Iterator[Frame]:
    """Frames of gray or RGB pictures, each pixel in the nearest color of the palette."""
    for picture in _rgb_words(pictures):
        colors, place = np.unique(picture, return_inverse=True)
        offset = colors.view(np.uint8).reshape(-1, 1, 4)[..., :3].astype(np.int64) - palette
        nearest = (offset**2).sum(axis=-1).argmin(axis=1).astype(np.uint8)
        yield Frame(nearest[place].reshape(picture.shape), palette)


def _colors(pictures: NDArray[Any]) -> NDArray[np.uint8]:
    """All colors of gray or RGB pictures, or if these are too many Pillow's choice of them: (colors, 3)."""
    words = _rgb_words(pictures)
    colors = np.unique(words)
    if len(colors) > MAX_COLORS:
        column = Image.fromarray(words.view(np.uint8).reshape(-1, words.shape[-1], 4)[..., :3])
        return np.array(column.quantize(MAX_COLORS).getpalette(), np.uint8).reshape(-1, 3)[:MAX_COLORS]
    return colors.view(np.uint8).reshape(-1, 4)[:, :3]


def _rgb_words(pictures: NDArray[Any]) -> NDArray[np.uint32]:
    """Gray or RGB pictures as (number, height, width), each color one number of which three bytes are used."""
    if pictures.dtype != np.uint8:
        raise ValueError(f"pictures must be of type uint8, not {pictures.dtype}")
    gray = pictures.shape[-1] != 3
    if pictures.ndim + gray not in {3, 4}:
        raise ValueError(f"pictures must be (height, width), with colors as the last axis, not {pictures.shape}")
    rgb = np.stack([pictures] * 3, axis=-1) if gray else pictures
    words: NDArray[np.uint32] = np.pad(rgb, [*[(0, 0)] * (rgb.ndim - 1), (0, 1)]).view(np.uint32)
    return words.reshape(-1, *rgb.shape[-3:-1])


PLUGINS = {
    f"boidsgen-{name}": type(f"{writer.__name__}Plugin", (BoidsgenPlugin,), {"format": writer})
    for name, writer in WRITERS.items()
}
"""Every plugin by its name."""

globals().update({plugin.__name__: plugin for plugin in PLUGINS.values()})  # imageio looks for classes by name
known_plugins.update({name: PluginConfig(name, plugin.__name__, __name__) for name, plugin in PLUGINS.items()})
