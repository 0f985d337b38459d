"""What a file format has to be.

A format is one `Writer` class in one file of the folder `formats`. A writer is made for one clip and one unfinished
output, the `Part`; it is given every frame in order, and then either closed or abandoned:

  Gif(part, clip)   opens what it needs; frames come later
  write(frame)      take one frame
  close()           finish; afterwards the part is complete, and `count` finds as many frames in it as were written
  abandon()         stop at once and let go of everything; never raises, may follow anything, even `close`

Writers need not know names, temporaries or other outputs: `publication` gives them the part and publishes it.
An `OSError` that a writer lets through is reported as a storage error of its output.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import BinaryIO, ClassVar, Literal, Protocol

from boidsgen.drawing.frame import Frame

Makes = Literal["stream", "file", "folder"]
"""What comes out: bytes written front to back, a file that is revised while it grows, or a folder of files."""

Quality = Literal["draft", "standard", "high"]
"""How much time an encoder that loses detail spends on losing less of it."""

PICTURE = re.compile(r"frame_[0-9]{4,}\.[a-z0-9]+")
"""The names of pictures in a folder; a folder that holds nothing else may be replaced."""

Refusal = tuple[str, str]
"""A key of `[output]`, and why its value does not suit the format."""


class Part(Protocol):
    """An output on its way: it takes its real name only when it is complete."""

    @property
    def name(self) -> str:
        """What the user calls it, for messages."""

    @property
    def path(self) -> Path:
        """Where it grows: an empty file, or an empty folder for a format that makes folders."""

    @property
    def lock(self) -> int:
        """A descriptor that marks the part as alive; a child process that writes to the part inherits it."""

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
    """

    size: tuple[int, int]
    fps: float
    frames: int | None = None
    loop: int = 0
    quality: Quality = "standard"
    provenance: str = ""

    @property
    def rate(self) -> Fraction:
        """Frames a second as the fraction that is meant: 29.97 is 30000/1001."""
        broadcast = Fraction(round(self.fps) * 1000, 1001)
        if broadcast and abs(self.fps / broadcast - 1) < 5e-6:
            return broadcast
        return Fraction(self.fps).limit_denominator(1001)


class Writer(ABC):
    """One format: writes one clip into one part."""

    name: ClassVar[str]
    """What users write after `format =`."""
    extensions: ClassVar[tuple[str, ...]]
    """How names of such files end, in lower case with the dot; the first is the usual one."""
    makes: ClassVar[Makes]
    """What comes out; only a stream can go into a pipe while it grows."""

    @abstractmethod
    def __init__(self, part: Part, clip: Clip) -> None: ...

    @classmethod
    @abstractmethod
    def refusals(cls, size: tuple[int, int], fps: float) -> Iterator[Refusal]:
        """What this format cannot do, one entry per key of `[output]`, each saying what it could do instead."""

    @classmethod
    @abstractmethod
    def count(cls, path: Path) -> int:
        """The frames in a finished output, read anew from the disk; 0 if it does not end as the format demands."""

    @abstractmethod
    def write(self, frame: Frame) -> None:
        """Take the next frame; its arrays may change afterwards."""

    @abstractmethod
    def close(self) -> None:
        """Finish, after the last frame."""

    @abstractmethod
    def abandon(self) -> None:
        """Let go of everything, finished or not."""
