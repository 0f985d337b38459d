"""Outputs: the way of every file from its place to its name, whatever is written.

A place is checked and gives a part (`places`); a writer fills it (`contract`); what it has made is counted; and only
then it takes its name. If anything is raised on the way, nothing is left behind and the name holds what it held.

  open_outputs(targets, clip)         a clip, to one target or several: all of them published or none
  open_output(path, kind, make)       entries of one other kind: the states of a run, the rows of a series
  open_file(path)                     bytes that come from somewhere else
  copy_clip(path, targets, clip)      a finished clip, to one target or several
  write_still(path, frame)            one picture

with open_outputs(targets, Clip((640, 360), fps=25, frames=240)) as outputs:
    for frame in frames:
        outputs.write(frame)
print(outputs.digest)
"""

import hashlib
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from typing import Any, BinaryIO, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from boidsgen.drawing.frame import MAX_COLORS, Codes, Frame
from boidsgen.errors import EncoderError, ScenarioError, StorageError, UsageError
from boidsgen.output.base import Clip, ClipWriter, Entry, Makes, Writer
from boidsgen.output.formats import WRITERS, opaque, refusals
from boidsgen.output.originals import identity
from boidsgen.output.places import Place, place_for, storing
from boidsgen.output.png import encoded
from boidsgen.output.targets import Target

_WORD = np.dtype(np.uint64)
_NUMBER = np.dtype("<u4")

Kind = TypeVar("Kind", bound=Writer[Any])
Pending = TypeVar("Pending", bound="Unfinished[Any]")
Make = Callable[[Place], Writer[Entry]]
"""Makes a writer for a part."""


class Digest:
    """SHA-256 of size, palette and all frames so far: equal for equal pictures, whatever the format.

    Hashing whole pictures took as long as simulating them. So it is taken of what changes: for each frame, the number
    of words of eight bytes that are not as in the frame before, of their numbers, and of the words themselves. The
    picture before the first is all zeros, as are the bytes that fill up the last word. Entries of two bytes have the
    lower one first.

    Attributes:
        palette: (colors, 3) that of all frames.
    """

    def __init__(
        self, size: tuple[int, int], palette: NDArray[np.uint8], inks: NDArray[np.uint8] | None = None
    ) -> None:
        width, height = size
        self.palette = palette.copy()
        self._entry = np.dtype(np.uint8 if len(palette) <= MAX_COLORS else "<u2")
        self._bytes = width * height * self._entry.itemsize
        words = -(-self._bytes // _WORD.itemsize)
        self._before, self._filled_up = np.zeros(words, _WORD), np.zeros(words, _WORD)
        self._hash = hashlib.sha256(f"boidsgen changes {width}x{height}, {len(palette)} colors\n".encode())
        self._hash.update(palette.tobytes())
        if inks is not None:
            self._hash.update(inks.tobytes())

    def add(self, frame: Frame) -> None:
        """Take one more frame into account."""
        now = self._words(frame.index)
        number = np.flatnonzero(now != self._before)
        np.copyto(self._before, now)
        self._hash.update(np.array([len(number)], _NUMBER).tobytes())
        self._hash.update(number.astype(_NUMBER, copy=False).data)
        self._hash.update(now[number].data)

    def _words(self, index: Codes) -> NDArray[np.uint64]:
        """A picture as words, the last of them filled up."""
        if self._bytes % _WORD.itemsize == 0 and index.dtype == self._entry:
            words = index.reshape(-1).view(_WORD)
            if words.flags.aligned:
                return words
        self._filled_up.view(np.uint8)[: self._bytes].view(self._entry)[:] = index.reshape(-1)
        return self._filled_up

    def __str__(self) -> str:
        """In hexadecimal digits."""
        return self._hash.hexdigest()


class Unfinished(Generic[Entry]):
    """One output on its way: its place and its writer.

    Attributes:
        count: entries written so far.
    """

    def __init__(self, path: str, kind: type[Writer[Entry]], make: Make[Entry], *, no_clobber: bool) -> None:
        kind.require(path)
        self._kind = kind
        self._place = place_for(path, kind.makes, no_clobber=no_clobber, is_own=kind.is_own)
        self.count = 0
        try:
            with storing(self._place.name):
                self._writer = make(self._place)
        except BaseException:
            self._place.discard()
            raise

    @property
    def notices(self) -> tuple[str, ...]:
        """Lines the user should see, such as what was tidied up, or could not be; all of them are known at the end."""
        return self._place.notices

    def write(self, entry: Entry) -> None:
        """Append an entry."""
        with storing(self._place.name):
            self._writer.write(entry)
        self.count += 1

    def finish(self) -> None:
        """Complete the part, and look at it again."""
        with storing(self._place.name):
            self._writer.close()
        _verify(self._kind, self._place, self.count)

    def publish(self) -> None:
        """Give the part its name."""
        with storing(self._place.name):
            self._place.publish()

    def discard(self) -> None:
        """Leave nothing behind but what is published."""
        try:
            self._writer.abandon()
        finally:
            self._place.discard()


class UnfinishedClip(Unfinished[Any]):
    """A clip on its way, whose writer takes Pillow images."""

    _writer: ClipWriter

    def draw(self, frame: Frame) -> None:
        """Append a frame, as the image that its format wants."""
        with storing(self._place.name):
            image = self._writer.image(frame)
        self.write(image)


class Outputs:
    """All outputs of one clip.

    Attributes:
        count: frames written so far.
    """

    def __init__(self, clip: Clip, unfinished: Sequence[UnfinishedClip]) -> None:
        self.count = 0
        self._clip = clip
        self._unfinished = unfinished
        self._digest: Digest | None = None

    @property
    def notices(self) -> tuple[str, ...]:
        """Lines the user should see, such as what was tidied up, or could not be; all of them are known at the end."""
        return tuple(notice for output in self._unfinished for notice in output.notices)

    @property
    def digest(self) -> str:
        """A number for all frames so far, equal for equal pictures, whatever the format; empty before the first."""
        return str(self._digest or "")

    def write(self, frame: Frame) -> None:
        """Append a frame to every output."""
        digest = self._digest_for(frame)
        if frame.index.shape != self._clip.size[::-1]:
            raise ValueError(f"frame of shape {frame.index.shape} in a clip of size {self._clip.size}")
        digest.add(frame)
        for output in self._unfinished:
            output.draw(frame)
        self.count += 1

    def publish(self) -> None:
        """Finish and verify all, then give all of them their names."""
        if self.count == 0 or self._clip.frames not in {None, self.count}:
            raise ValueError(f"{self.count} frames were written of {self._clip.frames}")
        for output in self._unfinished:
            output.finish()
        for output in self._unfinished:
            output.publish()

    def _digest_for(self, frame: Frame) -> Digest:
        """The digest of this clip; the first frame decides the palette, since formats store it once."""
        if self._digest is None:
            self._digest = Digest(self._clip.size, frame.palette, frame.inks)
        elif not np.array_equal(frame.palette, self._digest.palette):
            raise ValueError("the palette changed within a clip")
        return self._digest


@contextmanager
def open_outputs(targets: Sequence[Target], clip: Clip, *, no_clobber: bool = False) -> Iterator[Outputs]:
    """Outputs that are complete, verified and under their names when the block ends, and leave no trace if it raises.

    Args:
        targets: where to write what; every frame goes to each.
        clip: what is known of it.
        no_clobber: leave what exists as it is.

    Raises:
        ScenarioError: a format cannot do this size or rate.
        UsageError: two targets are the same file, or a target is not for such a format.
        OutputExistsError: an output exists, under `no_clobber`.
        StorageError: an output cannot be written; also while writing and at the end.
        EncoderError: the encoder is missing or failed; also while writing and at the end.
    """
    _refuse_unfit(targets, clip)
    _refuse_duplicates(targets)
    with ExitStack() as stack:
        started = (_unfinished_clip(one, clip, no_clobber=no_clobber) for one in targets)
        outputs = Outputs(clip, [stack.enter_context(one) for one in started])
        yield outputs
        outputs.publish()


@contextmanager
def open_output(
    path: str, kind: type[Kind], make: Callable[[type[Kind], Place], Kind], *, no_clobber: bool = False
) -> Iterator[Unfinished[Any]]:
    """A file that is complete, verified and under its name when the block ends, and leaves no trace if it raises.

    Args:
        path: as the user wrote it; "-" is standard output.
        kind: the format.
        make: makes a writer of the kind for a part.
        no_clobber: leave an existing file as it is.

    Raises:
        UsageError: something for its format is not installed.
        OutputExistsError: the file exists, under `no_clobber`.
        StorageError: it cannot be written; also while writing and at the end.
    """
    with _discarded(Unfinished(path, kind, lambda part: make(kind, part), no_clobber=no_clobber)) as output:
        yield output
        output.finish()
        output.publish()


@contextmanager
def open_file(path: str, makes: Makes = "file", *, no_clobber: bool = False) -> Iterator[tuple[BinaryIO, Place]]:
    """A file to write bytes to, and its place; under its name when the block ends, and no trace of it if that raises.

    Raises:
        OutputExistsError: it exists, under `no_clobber`.
        StorageError: it cannot be written; also while writing and at the end.
        UsageError: standard output is a terminal.
    """
    place = place_for(path, makes, no_clobber=no_clobber)
    try:
        with storing(place.name):
            with place.open() as file:
                yield file, place
            place.publish()
    finally:
        place.discard()


def copy_clip(path: Path, targets: Sequence[Target], clip: Clip, *, no_clobber: bool = False) -> tuple[str, ...]:
    """Copy a finished clip, all of one file, to targets of its format, as if it had been written there.

    Returns:
        Lines the user should see, such as what was tidied up.

    Raises:
        BoidsgenError: as `open_outputs` does; then every output is as it was before.
    """
    _refuse_unfit(targets, clip)
    _refuse_duplicates(targets)
    with ExitStack() as stack:
        opened = [
            stack.enter_context(open_file(one.path, WRITERS[one.format].makes, no_clobber=no_clobber))
            for one in targets
        ]
        for one, (file, place) in zip(targets, opened, strict=True):
            with storing(place.name), path.open("rb") as finished:
                shutil.copyfileobj(finished, file)
                file.flush()
            _verify(WRITERS[one.format], place, clip.frames)
        return tuple(notice for _, place in opened for notice in place.notices)


def write_still(
    path: str, frame: Frame, *, at: Sequence[int] = (), provenance: str = "", no_clobber: bool = False
) -> tuple[str, ...]:
    """Write the frame as a PNG, complete or not at all; "-" is standard output.

    Args:
        path: the file, a pipe, or "-".
        frame: the picture.
        at: the number of the frame in its clip, counted from 0, or those of a film strip, for the chunk "Frame".
        provenance: a text for the chunk "Comment", empty for none.
        no_clobber: leave an existing file as it is.

    Returns:
        Lines the user should see, such as what was tidied up.

    Raises:
        StorageError: it cannot be written.
        OutputExistsError: it exists, under `no_clobber`.
        UsageError: standard output is a terminal.
    """
    with open_file(path, "stream", no_clobber=no_clobber) as (file, place):
        file.write(encoded(frame, provenance, at))
    return place.notices


def _unfinished_clip(target: Target, clip: Clip, *, no_clobber: bool) -> AbstractContextManager[UnfinishedClip]:
    kind = WRITERS[target.format]
    return _discarded(
        UnfinishedClip(target.path, kind, lambda part: _open_writer(kind, part, clip), no_clobber=no_clobber)
    )


def _open_writer(kind: type[ClipWriter], part: Place, clip: Clip) -> ClipWriter:
    """A writer, opened as a plugin of imageio. What goes wrong in a plugin imopen hides behind an OSError."""
    from imageio.v3 import imopen  # noqa: PLC0415  takes 20 ms, and only who writes pictures needs it

    uri = part.path if part.readable else part.open()
    try:
        # imageio's own description of imopen wants a subclass of its base, which closes what is collected.
        writer: ClipWriter = imopen(uri, "w", plugin=kind, part=part, clip=clip)  # type: ignore[call-overload]
    except OSError as error:
        raise error.__cause__ or error from None
    return writer


@contextmanager
def _discarded(output: Pending) -> Iterator[Pending]:
    """Let go of everything in the end, published or not."""
    try:
        yield output
    finally:
        output.discard()


def _verify(kind: type[Writer[Any]], place: Place, count: int | None) -> None:
    """Count and decode what is in a finished part: an encoder may report success and have failed."""
    if not place.readable:
        return
    with storing(place.name):
        try:
            found = kind.count(place.path)
        except ValueError as error:
            raise EncoderError(f"{place.name}: the finished {kind.name} cannot be decoded: {error}") from None
    if found not in {None, count}:
        raise _incomplete(kind, f"{place.name}: the finished {kind.name} holds {found} of {count}")


def _incomplete(kind: type[Writer[Any]], reason: str) -> Exception:
    if issubclass(kind, ClipWriter):
        return EncoderError(f"{reason} frames")
    return StorageError(f"{reason} entries")


def _refuse_unfit(targets: Sequence[Target], clip: Clip) -> None:
    refused = [refusal for target in targets for refusal in refusals(target.format, clip.size, clip.fps)]
    wrong = [f"output.{key}: {reason}" for key, reason in refused]
    if clip.transparent:
        wrong += [f"style.transparent: {reason}" for target in targets for reason in opaque(target.format)]
    if wrong:
        raise ScenarioError(wrong)


def _refuse_duplicates(targets: Sequence[Target]) -> None:
    seen: set[str] = set()
    for target in targets:
        real = identity(target.path)
        if real in seen:
            raise UsageError(f"{target.path}: is named twice as an output")
        seen.add(real)
