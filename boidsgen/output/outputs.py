"""Outputs: writers, each with its destination, from the first entry to the published file.

A writer fills the temporary file of its destination; what it wrote is counted and decoded again, and only then
published. If anything is raised on the way, nothing is left behind and every name holds what it held.

with open_outputs(targets, Clip((640, 360), fps=25, frames=240)) as outputs:
    for frame in frames:
        outputs.write(frame)
print(outputs.digest)
"""

import hashlib
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Generic, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from boidsgen.drawing.frame import MAX_COLORS, Frame
from boidsgen.errors import EncoderError, ScenarioError, StorageError, UsageError
from boidsgen.output.base import Clip, ClipWriter, Entry, Writer
from boidsgen.output.formats import WRITERS, opaque, refusals
from boidsgen.output.png import encoded
from boidsgen.output.publish import Destination, identity, open_destination, open_file, storing
from boidsgen.output.targets import Target

Kind = TypeVar("Kind", bound=Writer[Any])


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
        self._entry = np.dtype(np.uint8 if len(self.palette) <= MAX_COLORS else "<u2")
        self._bytes = width * height * self._entry.itemsize
        words = -(-self._bytes // 8)
        self._before, self._padded = np.zeros(words, np.uint64), np.zeros(words, np.uint64)
        self._hash = hashlib.sha256(f"boidsgen changes {width}x{height}, {len(self.palette)} colors\n".encode())
        self._hash.update(self.palette.tobytes())
        if frame.inks is not None:
            self._hash.update(frame.inks.tobytes())

    def add(self, frame: Frame) -> None:
        """Take one more frame into account."""
        words = self._words(frame.index)
        changed = np.flatnonzero(words != self._before)
        self._hash.update(np.array([len(changed)], "<u4").tobytes())
        self._hash.update(changed.astype("<u4").data)
        self._hash.update(words[changed].data)
        np.copyto(self._before, words)

    def _words(self, index: NDArray[Any]) -> NDArray[np.uint64]:
        if self._bytes % 8 == 0 and index.dtype == self._entry:
            words: NDArray[np.uint64] = index.reshape(-1).view(np.uint64)
            if words.flags.aligned:
                return words
        self._padded.view(np.uint8)[: self._bytes].view(self._entry)[:] = index.reshape(-1)
        return self._padded

    def __str__(self) -> str:
        """In hexadecimal digits."""
        return self._hash.hexdigest()


class PendingOutput(Generic[Entry]):
    """One output between its first entry and its publication: a destination and a writer.

    Args:
        path: as the user wrote it; "-" is standard output.
        kind: the format.
        make: makes a writer for a destination.
        no_clobber: leave an existing file as it is.

    Attributes:
        count: entries written so far.
        destination: of the output.
    """

    def __init__(
        self, path: str, kind: type[Writer[Entry]], make: Callable[[Destination], Writer[Entry]], *, no_clobber: bool
    ) -> None:
        kind.require(path)
        self._kind = kind
        self.destination = open_destination(path, kind.makes, no_clobber=no_clobber, is_own=kind.is_own)
        self.count = 0
        try:
            with storing(self.destination.name):
                self._writer = make(self.destination)
        except BaseException:
            self.destination.discard()
            raise

    def write(self, entry: Entry) -> None:
        """Append an entry."""
        with storing(self.destination.name):
            self._writer.write(entry)
        self.count += 1

    def finish(self) -> None:
        """Complete the temporary file and verify it."""
        with storing(self.destination.name):
            self._writer.close()
        _verify(self._kind, self.destination, self.count)

    def publish(self) -> None:
        """Give the output its name."""
        with storing(self.destination.name):
            self.destination.publish()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: object, traceback: TracebackType | None) -> None:
        """Leave nothing behind but what is published."""
        try:
            self._writer.abandon()
        finally:
            self.destination.discard()


class _PendingClip(PendingOutput[Any]):
    """A clip, whose writer takes Pillow images."""

    _writer: ClipWriter

    def draw(self, frame: Frame) -> None:
        """Append a frame, as the image that its format wants."""
        with storing(self.destination.name):
            image = self._writer.image(frame)
        self.write(image)


class Outputs:
    """All outputs of one clip.

    Attributes:
        count: frames written so far.
    """

    def __init__(self, clip: Clip, pending: Sequence[_PendingClip]) -> None:
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
            output.draw(frame)
        self.count += 1

    def publish(self) -> None:
        """Finish and verify all, then give all of them their names."""
        if self.count == 0 or self._clip.frames not in {None, self.count}:
            raise ValueError(f"{self.count} frames were written of {self._clip.frames}")
        for output in self._pending:
            output.finish()
        for output in sorted(self._pending, key=lambda one: one.destination.replaces):
            output.publish()


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
    _refuse_unfit(targets, clip)
    with ExitStack() as stack:
        started = (_pending_clip(target, clip, no_clobber=no_clobber) for target in targets)
        outputs = Outputs(clip, [stack.enter_context(one) for one in started])
        yield outputs
        outputs.publish()


@contextmanager
def open_output(
    path: str, kind: type[Kind], make: Callable[[type[Kind], Destination], Kind], *, no_clobber: bool = False
) -> Iterator[PendingOutput[Any]]:
    """A file that is complete, verified and under its name when the block ends, and leaves no trace if it raises.

    Args:
        path: as the user wrote it; "-" is standard output.
        kind: the format.
        make: makes a writer of the kind for a destination.
        no_clobber: leave an existing file as it is.

    Raises:
        UsageError: something for its format is not installed.
        OutputExistsError: the file exists, under `no_clobber`.
        StorageError: it cannot be written; also while writing and at the end.
    """
    with PendingOutput(path, kind, lambda one: make(kind, one), no_clobber=no_clobber) as output:
        yield output
        output.finish()
        output.publish()


def copy_clip(path: Path, targets: Sequence[Target], clip: Clip, *, no_clobber: bool = False) -> None:
    """Copy a finished clip to targets of its format, as if it had been written there.

    Raises:
        BoidsgenError: as `open_outputs` does; then every output is as it was before.
    """
    _refuse_unfit(targets, clip)
    with ExitStack() as stack:
        destinations = []
        for target in targets:
            one = open_destination(target.path, WRITERS[target.format].makes, no_clobber=no_clobber)
            stack.callback(one.discard)
            destinations.append(one)
            with storing(one.name), path.open("rb") as finished, one.open() as file:
                shutil.copyfileobj(finished, file)
        for one in sorted(destinations, key=lambda one: one.replaces):
            with storing(one.name):
                one.publish()


def write_still(
    path: str, frame: Frame, *, at: Sequence[int] = (), provenance: str = "", no_clobber: bool = False
) -> None:
    """Write the frame as a PNG, complete or not at all; "-" is standard output.

    Args:
        path: the file, a pipe, or "-".
        frame: the picture.
        at: the number of the frame in its clip, counted from 0, or those of a film strip, for the chunk "Frame".
        provenance: a text for the chunk "Comment", empty for none.
        no_clobber: leave an existing file as it is.

    Raises:
        StorageError: it cannot be written.
        OutputExistsError: it exists, under `no_clobber`.
        UsageError: standard output is a terminal.
    """
    with open_file(path, "stream", no_clobber=no_clobber) as file:
        file.write(encoded(frame, provenance, at))


def _pending_clip(target: Target, clip: Clip, *, no_clobber: bool) -> _PendingClip:
    kind = WRITERS[target.format]

    def make(destination: Destination) -> ClipWriter:
        from imageio.v3 import imopen  # noqa: PLC0415  takes 20 ms, and only who writes pictures needs it

        uri = destination.path if destination.readable else destination.open()
        try:
            # imageio's own description of imopen wants a subclass of its base, which closes what is collected.
            writer: ClipWriter = imopen(uri, "w", plugin=kind, part=destination, clip=clip)  # type: ignore[call-overload]
        except OSError as error:  # behind which imopen hides whatever goes wrong in a plugin
            raise error.__cause__ or error from None
        return writer

    return _PendingClip(target.path, kind, make, no_clobber=no_clobber)


def _verify(kind: type[Writer[Any]], destination: Destination, count: int | None) -> None:
    """Count and decode what is in a finished file: an encoder may report success and have failed."""
    if not destination.readable:
        return
    name = destination.name
    with storing(name):
        try:
            found = kind.count(destination.path)
        except ValueError as error:
            raise EncoderError(f"{name}: the finished {kind.name} cannot be decoded: {error}") from None
    if found not in {None, count}:
        if issubclass(kind, ClipWriter):
            raise EncoderError(f"{name}: the finished {kind.name} holds {found} of {count} frames")
        raise StorageError(f"{name}: the finished {kind.name} holds {found} of {count} entries")


def _refuse_unfit(targets: Sequence[Target], clip: Clip) -> None:
    """Refuse targets whose format cannot hold this clip, and two that are the same file."""
    wrong = [
        f"output.{key}: {reason}" for target in targets for key, reason in refusals(target.format, clip.size, clip.fps)
    ]
    if clip.transparent:
        wrong += [f"style.transparent: {reason}" for target in targets for reason in opaque(target.format)]
    if wrong:
        raise ScenarioError(wrong)
    seen: set[str] = set()
    for target in targets:
        if identity(target.path) in seen:
            raise UsageError(f"{target.path}: is named twice as an output")
        seen.add(identity(target.path))
