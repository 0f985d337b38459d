"""Outputs: every frame to all outputs, and all of them published or none.

Hashing whole pictures took as long as simulating them. So SHA-256 is taken of what changes: for each frame, of the
number of words of eight pixels that are not as in the frame before, of their numbers, and of the words themselves. The
picture before the first is all zeros, as are the pixels that fill up the last word.

with open_outputs(targets, size=(640, 360), fps=25, frames=240) as outputs:
    for frame in frames:
        outputs.write(frame)
print(outputs.digest)
"""

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager

import numpy as np
from numpy.typing import NDArray

from boidsgen.drawing.frame import Frame
from boidsgen.errors import EncoderError, ScenarioError, UsageError
from boidsgen.writers.contract import Clip, Quality
from boidsgen.writers.formats import WRITERS, refusals
from boidsgen.writers.places import identity, place_for, storing
from boidsgen.writers.png import encoded
from boidsgen.writers.targets import Target

_WORD = np.dtype(np.uint64)
_NUMBER = np.dtype("<u4")


class Digest:
    """SHA-256 of size, palette and all frames so far.

    Attributes:
        palette: (colors, 3) that of all frames.
    """

    def __init__(self, size: tuple[int, int], palette: NDArray[np.uint8]) -> None:
        width, height = size
        self.palette = palette.copy()
        words = -(-width * height // _WORD.itemsize)
        self._pixels = width * height
        self._before, self._now = np.zeros(words, _WORD), np.zeros(words, _WORD)
        self._hash = hashlib.sha256(f"boidsgen changes {width}x{height}, {len(palette)} colors\n".encode())
        self._hash.update(palette.tobytes())

    def add(self, frame: Frame) -> None:
        """Take one more frame into account."""
        self._now.view(np.uint8)[: self._pixels] = frame.index.reshape(-1)
        changed = np.flatnonzero(self._now != self._before)
        self._hash.update(np.array([len(changed)], _NUMBER).tobytes())
        self._hash.update(changed.astype(_NUMBER).tobytes())
        self._hash.update(self._now[changed].tobytes())
        self._before, self._now = self._now, self._before

    def __str__(self) -> str:
        """In hexadecimal digits."""
        return self._hash.hexdigest()


@contextmanager
def open_outputs(
    targets: Sequence[Target],
    *,
    size: tuple[int, int],
    fps: float,
    frames: int | None = None,
    loop: int = 0,
    quality: Quality = "standard",
    provenance: str = "",
    no_clobber: bool = False,
) -> Iterator["Outputs"]:
    """Outputs that are complete, verified and under their names when the block ends, and leave no trace if it raises.

    Args:
        targets: where to write what; every frame goes to each.
        size: width and height of all frames, pixels.
        fps: frames a second.
        frames: how many there will be, if known.
        loop: how often a GIF plays, 0 = for ever.
        quality: effort of formats that lose detail.
        provenance: a text to store in every output, such as the scenario; empty for none.
        no_clobber: leave what exists as it is.

    Raises:
        ScenarioError: a format cannot do this size or rate.
        UsageError: two targets are the same file, or a target is not for such a format.
        OutputExistsError: an output exists, under `no_clobber`.
        StorageError: an output cannot be written; also while writing and at the end.
        EncoderError: the encoder is missing or failed; also while writing and at the end.
    """
    clip = Clip(size, fps, frames, loop, quality, provenance)
    _check(targets, clip)
    with ExitStack() as stack:
        outputs = Outputs(clip, [stack.enter_context(_started(target, clip, no_clobber)) for target in targets])
        yield outputs
        outputs.publish()


class Outputs:
    """All outputs of one run.

    Attributes:
        notices: lines the user should see, such as what was tidied up.
        count: frames written so far.
    """

    def __init__(self, clip: Clip, unfinished: Sequence["Unfinished"]) -> None:
        self.notices = tuple(notice for output in unfinished for notice in output.place.notices)
        self.count = 0
        self._clip = clip
        self._unfinished = unfinished
        self._digest: Digest | None = None

    @property
    def digest(self) -> str:
        """A number for all frames so far, equal for equal pictures, whatever the format; empty before the first."""
        return str(self._digest or "")

    def write(self, frame: Frame) -> None:
        """Append a frame to every output."""
        digest = self._digest_for(frame.palette)
        if frame.index.shape != self._clip.size[::-1]:
            raise ValueError(f"frame of shape {frame.index.shape} in a clip of size {self._clip.size}")
        digest.add(frame)
        for output in self._unfinished:
            output.write(frame)
        self.count += 1

    def publish(self) -> None:
        """Finish and verify all, then give all of them their names."""
        if self.count == 0 or self._clip.frames not in {None, self.count}:
            raise ValueError(f"{self.count} frames were written of {self._clip.frames}")
        for output in self._unfinished:
            output.finish(self.count)
        for output in self._unfinished:
            output.publish()

    def _digest_for(self, palette: NDArray[np.uint8]) -> Digest:
        """The digest of this clip; the first frame decides the palette, since formats store it once."""
        if self._digest is None:
            self._digest = Digest(self._clip.size, palette)
        elif not np.array_equal(palette, self._digest.palette):
            raise ValueError("the palette changed within a clip")
        return self._digest


class Unfinished:
    """One output on its way: its place and its writer."""

    def __init__(self, target: Target, clip: Clip, *, no_clobber: bool) -> None:
        self._format = WRITERS[target.format]
        self.place = place_for(target.path, self._format.makes, no_clobber=no_clobber)
        try:
            with storing(self.place.name):
                self._writer = self._format(self.place, clip)
        except BaseException:
            self.place.discard()
            raise

    def write(self, frame: Frame) -> None:
        """Append a frame."""
        with storing(self.place.name):
            self._writer.write(frame)

    def finish(self, count: int) -> None:
        """Complete the part and count the frames in it, since even an encoder that reports success may have failed."""
        with storing(self.place.name):
            self._writer.close()
            found = self._format.count(self.place.path) if self.place.readable else count
        if found != count:
            raise EncoderError(f"{self.place.name}: the finished {self._format.name} holds {found} of {count} frames")

    def publish(self) -> None:
        """Give the part its name."""
        with storing(self.place.name):
            self.place.publish()

    def discard(self) -> None:
        """Leave nothing behind but what is published."""
        try:
            self._writer.abandon()
        finally:
            self.place.discard()


@contextmanager
def _started(target: Target, clip: Clip, no_clobber: bool) -> Iterator[Unfinished]:  # noqa: FBT001  private
    output = Unfinished(target, clip, no_clobber=no_clobber)
    try:
        yield output
    finally:
        output.discard()


def _check(targets: Sequence[Target], clip: Clip) -> None:
    refused = [refusal for target in targets for refusal in refusals(target.format, clip.size, clip.fps)]
    if refused:
        raise ScenarioError([f"output.{key}: {reason}" for key, reason in refused])
    seen: set[str] = set()
    for target in targets:
        real = identity(target.path)
        if real in seen:
            raise UsageError(f"{target.path}: is named twice as an output")
        seen.add(real)


def write_still(
    path: str, frame: Frame, *, number: int | None = None, provenance: str = "", no_clobber: bool = False
) -> tuple[str, ...]:
    """Write the frame as a PNG, complete or not at all; "-" is standard output.

    Args:
        path: the file, a pipe, or "-".
        frame: the picture.
        number: of the frame in its clip, counted from 0, for the chunk "Frame".
        provenance: a text for the chunk "Comment", empty for none.
        no_clobber: leave an existing file as it is.

    Returns:
        Lines the user should see, such as what was tidied up.

    Raises:
        StorageError: it cannot be written.
        OutputExistsError: it exists, under `no_clobber`.
        UsageError: standard output is a terminal.
    """
    place = place_for(path, "stream", no_clobber=no_clobber)
    try:
        with storing(place.name):
            with place.open() as file:
                file.write(encoded(frame, provenance, number))
            place.publish()
    finally:
        place.discard()
    return place.notices
