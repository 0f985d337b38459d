"""The one entry of the render pipeline: every frame to all outputs, and all of them published or none.

with open_outputs(targets, size=(640, 360), fps=25, frames=240) as outputs:
    for frame in frames:
        outputs.write(frame)
print(outputs.digest)
"""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager

import numpy as np
from numpy.typing import NDArray

from boidsgen.drawing.frame import Frame
from boidsgen.errors import EncoderError, ScenarioError, UsageError
from boidsgen.writers.contract import Clip, Quality
from boidsgen.writers.digest import Digest
from boidsgen.writers.formats import WRITERS
from boidsgen.writers.output import refusals
from boidsgen.writers.publication import identity, place_for, storing
from boidsgen.writers.target import Target


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
