"""Base classes of writers: a class writes one kind of file and knows everything about that kind.

A writer fills one destination, entry by entry, and is then closed or abandoned. It knows nothing of final names and of
other outputs: `outputs` verifies by `count` what a writer has made, and publishes it. A `ClipWriter` is also a plugin
of imageio, and takes Pillow images:

  writer = imageio.v3.imopen(part.path, "w", plugin=Gif, part=part, clip=clip)
  writer.write(writer.image(frame))
  writer.close()
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from errno import EAGAIN
from fractions import Fraction
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, ClassVar, Generic, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from boidsgen.drawing.frame import Frame
from boidsgen.output.publish import Destination, Makes

if TYPE_CHECKING:
    from concurrent.futures import Future

    from imageio.core.request import Request
    from PIL import Image

Quality = Literal["draft", "standard", "high"]  # Effort of a lossy encoder

Sign = tuple[int, bytes]  # Offset and value of the bytes that identify a format

Entry = TypeVar("Entry")
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Clip:
    """Properties of a clip that are known before its first frame."""

    size: tuple[int, int]  # width and height in pixels
    fps: float  # frames per second
    frames: int | None = None  # number of frames; None if unknown
    loop: int = 0  # number of times to play, 0 = forever
    quality: Quality = "standard"  # effort of a lossy encoder
    provenance: str = ""  # text to embed, empty for none; boidsgen embeds the resolved scenario
    transparent: bool = False  # True if frames have no background, and so `inks` of their own

    @property
    def rate(self) -> Fraction:
        """Frames per second as an exact fraction: 29.97 is 30000/1001."""
        broadcast = Fraction(round(self.fps) * 1000, 1001)
        if broadcast and abs(self.fps / broadcast - 1) < 5e-6:
            return broadcast
        return Fraction(self.fps).limit_denominator(1001)

    @property
    def duration(self) -> float:
        """Seconds to play the clip once; nan if the number of frames is unknown."""
        return float("nan") if self.frames is None else float(self.frames / self.rate)


class Format:
    """A kind of file that may embed a scenario."""

    name: ClassVar[str]
    """Name for `--format` and `format =`."""
    extensions: ClassVar[tuple[str, ...]]
    """File extensions in lower case with the dot, the usual one first."""
    loops: ClassVar[bool] = False
    """True if a file begins again after its last frame, whatever plays it."""
    signs: ClassVar[tuple[Sign, ...]] = ()
    """File signatures, any of which identifies the format; empty if it embeds no scenario."""

    @classmethod
    def comment(cls, file: BinaryIO) -> bytes:
        """Scenario embedded in a file, in UTF-8, empty if there is none. May raise whatever a library does."""
        del file
        return b""


def bytes_between(file: BinaryIO, begin: bytes, end: bytes, most: int) -> bytes:
    """The bytes between two marks, in the first of so many bytes of a file; empty without the first mark."""
    _, found, rest = file.read(most).partition(begin)
    text, ended, _ = rest.partition(end)
    if found and not ended:
        raise ValueError("what it embeds has no end")
    return text


class Writer(Format, ABC, Generic[Entry]):
    """Writes entries of one kind to one destination; memory does not grow with their number."""

    makes: ClassVar[Makes] = "stream"
    """Only a stream can go into a pipe while it grows."""
    _opened: Sequence[Any] = ()
    """Everything that it has opened, in the order in which that is closed: what fills a file stands before the file."""

    @classmethod
    def is_own(cls, path: Path) -> bool:
        """True if boidsgen wrote this file of a folder, judged by its content. May raise OSError."""
        del path
        return False

    @abstractmethod
    def write(self, entry: Entry) -> None:
        """Append an entry. An OSError becomes a storage error of the output."""

    def close(self) -> None:
        """Finish after the last entry: the output is complete."""
        for one in self._opened:
            one.close()

    def abandon(self) -> None:
        """Release everything at once; never raises, and may follow anything, even `close`."""
        for one in self._opened:
            with suppress(Exception):  # for what could not be written, or is closed already
                one.close()


class ClipWriter(Writer["Image.Image"]):
    """A clip format; a plugin of imageio whose entries are Pillow images, made by `image`."""

    exact: ClassVar[bool] = True
    """True if every pixel comes back as it was drawn."""
    element: ClassVar[Literal["img", "video"]] = "img"
    """HTML element that shows a file."""
    multiple: ClassVar[int] = 1
    """Width and height must be multiples of this."""
    max_side: ClassVar[float] = inf
    """Maximum width and height in pixels."""
    max_fps: ClassVar[float] = inf
    """Maximum frames per second that browsers respect."""
    transparent: ClassVar[bool] = True
    """True if pictures may have no background."""
    needs_ffmpeg: ClassVar[bool] = False
    """True if ffmpeg encodes it, whose output is counted before it is published."""
    usage: ClassVar[str]
    """Command-line options, for the table of formats."""
    suits: ClassVar[str]
    """Recommended uses, for the table of formats."""

    def __init__(self, request: "Request", *, part: Destination, clip: Clip) -> None:
        """Begin a clip. imageio passes `request` to every plugin, and none needs it."""

    def image(self, frame: Frame) -> "Image.Image":
        """The frame as an image that `write` takes; valid until the next one is made."""
        return image_of(frame)

    @classmethod
    def count(cls, path: Path, within: Path | None = None) -> int:
        """Number of frames in a finished output, read again from the disk; a folder for nameless files may be given.

        Raises:
            ValueError: the output is damaged, with the reason.
            OSError: it cannot be read.
        """
        del within
        return sum(1 for _ in cls.pictures(path))

    @classmethod
    def pictures(cls, path: Path) -> Iterator[NDArray[np.uint8]]:
        """Frames of a finished output, or a picture of a folder, (height, width, 3) each. May raise OSError."""
        from PIL import Image, ImageSequence  # noqa: PLC0415  checking a scenario must not wait for it

        for picture in sorted(path.iterdir()) if path.is_dir() else [path]:
            with picture.open("rb") as file, Image.open(file) as image:
                for frame in ImageSequence.Iterator(image):
                    yield np.asarray(frame.convert("RGB"))


class OneItemWorker(Generic[Entry, Result]):
    """Applies `work` to one item after the other in a thread, while the owner prepares the next.

    There is never more than one item in work; its exception is raised in the owner, who asks for the result.
    """

    def __init__(self, work: Callable[[Entry], Result]) -> None:
        from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415  checking a scenario must not wait for it

        self._work = work
        self._pool = ThreadPoolExecutor(max_workers=1)
        self._pending: Future[Result] | None = None

    def exchange(self, item: Entry) -> Result | None:
        """Start with an item; returns the result of the item before it, if there was one."""
        before = self.last()
        try:
            self._pending = self._pool.submit(self._work, item)
        except RuntimeError as error:  # the system allows no further thread
            raise OSError(EAGAIN, str(error)) from None
        return before

    def last(self) -> Result | None:
        """The result of the item that was started last, unless it has been returned already."""
        pending, self._pending = self._pending, None
        return pending.result() if pending else None

    def close(self) -> None:
        """Let the thread end; nothing can be started any more."""
        self._pool.shutdown(cancel_futures=True)


def image_of(frame: Frame) -> "Image.Image":
    """A frame as a Pillow image: mode P that shares the memory of the frame, or RGB if there are too many colors."""
    from PIL import Image  # noqa: PLC0415  checking a scenario must not wait for it

    height, width = frame.index.shape
    if frame.ground is not None and frame.full:
        return Image.fromarray(frame.full())
    if frame.index.itemsize > 1:
        # Looking up one word per pixel is five times faster than looking up three bytes.
        words = np.pad(frame.palette, ((0, 0), (0, 1))).view(np.uint32).take(frame.index)
        return Image.frombuffer("RGBX", (width, height), words, "raw", "RGBX", 0, 1).convert("RGB")
    image = Image.frombuffer("P", (width, height), frame.index, "raw", "P", 0, 1)
    if frame.inks is not None:
        image.info["transparency"] = frame.inks[:, 3].tobytes()
    image.putpalette((frame.palette if frame.inks is None else frame.inks[:, :3]).tobytes())
    return image
