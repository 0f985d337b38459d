"""What a writer has to be: a class that writes one kind of file, and that knows everything about that kind.

A writer is made for one unfinished output, the `Part`; it is given every entry in order, and is then either closed or
abandoned:

  write(entry)      take one entry: a frame of a clip, a state of a run, a row of a series
  close()           finish; afterwards the part is complete, and `count` finds as many entries in it as were written
  abandon()         stop at once and let go of everything; never raises, may follow anything, even `close`

Writers need not know names, temporaries or other outputs: `outputs` gives them the part, verifies what they have made
and publishes it. An `OSError` that a writer lets through is reported as a storage error of its output. What else there
is to know about a kind of file stands on the class: how its names end and how its content begins, how to count what is
in it, and how to read back where it came from.

A `ClipWriter` writes pictures. It has the methods of a plugin of imageio, and is opened as one:

  with imageio.v3.imopen(part.path, "w", plugin=Gif, part=part, clip=clip) as writer:
      writer.write(frame)
"""

import re
import struct
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, BinaryIO, ClassVar, Generic, Literal, Protocol, Self, TypeVar
from zipfile import BadZipFile
from zlib import error as ZlibError  # noqa: N812  an exception, by the name of one

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from boidsgen import system
from boidsgen.drawing.frame import Frame

if TYPE_CHECKING:
    from imageio.core.request import Request

Makes = Literal["stream", "file", "folder"]
"""What comes out: bytes written front to back, a file that is revised while it grows, or a folder of files."""

Quality = Literal["draft", "standard", "high"]
"""How much time an encoder that loses detail spends on losing less of it."""

FRAME_NAME = re.compile(r"frame_[0-9]{4,}\.[a-z0-9]+")
"""The names of pictures in a folder."""

Refusal = tuple[str, str]
"""A key of `[output]`, and why its value does not suit the format."""

Sign = tuple[int, bytes]
"""A place in a file, and the bytes that stand there in every file of a format."""

DAMAGE = (
    BadZipFile,
    EOFError,
    IndexError,
    KeyError,
    NotImplementedError,
    OverflowError,
    RuntimeError,
    ValueError,
    ZlibError,
    struct.error,
)
"""What reading a file raises that is cut off, altered, or made to harm."""

Entry = TypeVar("Entry")


DECODED = 4
"""Frames of a finished clip that are decoded to verify it, the first and the last among them."""


def spread(frames: int) -> list[int]:
    """The numbers of the frames that are decoded, evenly spread."""
    last = max(frames - 1, 0)
    return sorted({last * number // (DECODED - 1) for number in range(DECODED)}) if frames else []


class Part(Protocol):
    """An output on its way: it takes its real name only when it is complete."""

    @property
    def name(self) -> str:
        """What the user calls it, for messages."""

    @property
    def path(self) -> Path:
        """Where it grows: an empty file, or an empty folder for a format that makes folders."""

    @property
    def claims(self) -> tuple[system.Claim, ...]:
        """What marks the part as alive; a child process that writes to the part shares it."""

    def open(self) -> BinaryIO:
        """The file, ready to be written from the start; not for folders. A format that streams uses only this."""


@dataclass(frozen=True, slots=True)
class Clip:
    """What is known of a clip before its first frame.

    Attributes:
        size: width and height in pixels.
        fps: frames a second.
        frames: how many there will be; None where nobody knows.
        loop: how often to play, 0 = for ever.
        quality: effort of an encoder that loses detail.
        provenance: a text to store in the file, empty for none; boidsgen puts the resolved scenario there.
        transparent: whether frames have no ground, and so `inks` of their own.
    """

    size: tuple[int, int]
    fps: float
    frames: int | None = None
    loop: int = 0
    quality: Quality = "standard"
    provenance: str = ""
    transparent: bool = False

    @property
    def rate(self) -> Fraction:
        """Frames a second as the fraction that is meant: 29.97 is 30000/1001."""
        broadcast = Fraction(round(self.fps) * 1000, 1001)
        if broadcast and abs(self.fps / broadcast - 1) < 5e-6:
            return broadcast
        return Fraction(self.fps).limit_denominator(1001)

    def end_of(self, frames: int) -> Fraction:
        """When so many frames have been shown, in seconds: what every format means by duration."""
        return frames / self.rate

    @property
    def duration(self) -> float:
        """How long the clip plays once, in seconds; nan where nobody knows how many frames there will be."""
        return float("nan") if self.frames is None else float(self.end_of(self.frames))


class Writer(ABC, Generic[Entry]):
    """One kind of file: writes its entries into one part, and keeps no more of them than it must."""

    name: ClassVar[str]
    """What users write after `--format` or `format =`."""
    extensions: ClassVar[tuple[str, ...]]
    """How names of such files end, in lower case with the dot; the first is the usual one."""
    makes: ClassVar[Makes] = "stream"
    """What comes out; only a stream can go into a pipe while it grows."""
    signs: ClassVar[tuple[Sign, ...]] = ()
    """How files begin that carry their scenario, one sign for each way; empty for a format that carries none."""

    @classmethod
    def require(cls, path: str) -> None:
        """Raise UsageError, for this path, when something that the format needs is not installed."""
        del path

    @classmethod
    def count(cls, path: Path) -> int | None:
        """The entries in a finished file, read anew from the disk, 0 if it does not end as the format demands.

        None where counting would mean reading all of the file.
        """
        del path
        return None

    @classmethod
    def damage(cls, path: Path, name: str) -> str:
        """Why the pictures of a finished file cannot be decoded, where `count` does not try; empty if they can.

        May raise OSError and any BoidsgenError, with this name.
        """
        del path, name
        return ""

    @classmethod
    def is_own(cls, path: Path) -> bool:
        """Whether boidsgen has written this file of a folder, by what stands in it; may raise OSError."""
        del path
        return False

    @classmethod
    def comment(cls, file: BinaryIO) -> bytes:
        """The scenario that a file carries, in UTF-8, empty when there is none; may raise any of `DAMAGE`."""
        del file
        return b""

    @abstractmethod
    def write(self, entry: Entry) -> None:
        """Take the next entry."""

    @abstractmethod
    def close(self) -> None:
        """Finish, after the last entry."""

    @abstractmethod
    def abandon(self) -> None:
        """Let go of everything, finished or not."""


class FileWriter(Writer[Entry]):
    """A writer that holds nothing but its open file."""

    _file: IO[Any]

    @override
    def close(self) -> None:
        self._file.close()

    @override
    def abandon(self) -> None:
        with suppress(OSError):  # what is still buffered has nowhere to go
            self._file.close()


class ClipWriter(Writer[Frame]):
    """One format of clips. Its arrays may change as soon as `write` has returned."""

    exact: ClassVar[bool] = True
    """Whether every pixel comes back as it was drawn."""
    element: ClassVar[Literal["img", "video"]] = "img"
    """The element of HTML that shows one file of it."""
    multiple: ClassVar[int] = 1
    """Width and height must be multiples of this."""
    loops: ClassVar[bool] = False
    """Whether a file tells how often to play it."""
    transparent: ClassVar[bool] = True
    """Whether pictures may lack a ground."""
    needs_ffmpeg: ClassVar[bool] = False
    """Whether ffmpeg does the encoding."""
    usage: ClassVar[str]
    """Options that make one, for the table of formats."""
    suits: ClassVar[str]
    """What it is good for, for the table of formats."""
    remarks: ClassVar[Mapping[str, str]] = {}
    """What is special about a key of `[output]` in this format, for the meaning of that key."""

    @abstractmethod
    def __init__(self, request: "Request", *, part: Part, clip: Clip) -> None:
        """Begin a clip; `request` is how imageio opens a plugin, and is only kept."""
        del part, clip
        self.request = request

    @classmethod
    @abstractmethod
    def refusals(cls, size: tuple[int, int], fps: float) -> Iterator[Refusal]:
        """What this format cannot do, one entry per key of `[output]`, each saying what it could do instead."""

    @classmethod
    @abstractmethod
    @override
    def count(cls, path: Path) -> int:
        """The frames in a finished output, read anew from the disk; 0 if it does not end as the format demands."""

    @classmethod
    @abstractmethod
    def duration(cls, path: Path) -> float | None:
        """How long a finished output plays once, in seconds, as it tells players; None if it leaves that to them."""

    @classmethod
    @abstractmethod
    def pictures(cls, path: Path) -> Iterator[NDArray[np.uint8]]:
        """The frames of a finished output in red, green and blue, each (height, width, 3); may raise OSError."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, error: object, traceback: object) -> None:
        """Finish, or after an exception let go of everything."""
        del error, traceback
        try:
            if kind is None:
                self.close()
        finally:
            self.abandon()
            self.request.finish()
