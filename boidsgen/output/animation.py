"""Animations: what GIF and WebP share, whose containers are written here.

Pillow encodes one picture after the other, each cropped to what changed since the one before; its own animations keep
every frame in memory and merge equal neighbors. A frame stays for a whole number of ticks, so counted that the ends of
frames never drift.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from boidsgen.drawing.frame import Codes, Frame
from boidsgen.output.contract import Clip, ClipWriter, FileWriter, Part, Refusal

if TYPE_CHECKING:
    from imageio.core.request import Request


class Box(NamedTuple):
    """A rectangle of pixels; right and bottom are the first column and row outside."""

    left: int
    top: int
    right: int
    bottom: int


class Animation(FileWriter[Frame], ClipWriter):
    """A format of one picture a frame, which browsers play as an image."""

    loops: ClassVar[bool] = True
    called: ClassVar[str]
    """What messages call one file of it."""
    max_side: ClassVar[int]
    """Pixels that width and height may have."""
    max_fps: ClassVar[int]
    """Frames a second that browsers still play as they are told."""
    ticks: ClassVar[int]
    """Ticks a second: delays are told in these."""

    def __init__(self, request: "Request", *, part: Part, clip: Clip) -> None:
        super().__init__(request, part=part, clip=clip)
        self._clip = clip
        self._number = 0
        self._end = 0  # of the frame before, in ticks
        self._each = self.ticks * clip.end_of(1)
        self._file = part.open()

    @classmethod
    @override
    def refusals(cls, size: tuple[int, int], fps: float) -> Iterator[Refusal]:
        if max(size) > cls.max_side:
            yield "size", f"{cls.called} is at most {cls.max_side} pixels wide and high"
        if fps > cls.max_fps:
            slow = "browsers play shorter delays as 100 ms; use mp4"
            yield "fps", f"{cls.called} shows at most {cls.max_fps} frames a second: {slow}"

    @classmethod
    @override
    def pictures(cls, path: Path) -> Iterator[NDArray[np.uint8]]:
        from PIL import Image, ImageSequence  # noqa: PLC0415  who only checks a scenario must not wait for it

        with path.open("rb") as file, Image.open(file) as image:
            for frame in ImageSequence.Iterator(image):
                yield np.asarray(frame.convert("RGB"))

    def _delay(self) -> int:
        """Ticks that the frame stays."""
        begin, self._end = self._end, round((self._number + 1) * self._each)
        return self._end - begin


def changed(before: Codes, after: Codes) -> Box:
    """The smallest box around every pixel that differs; one pixel where none does, since each frame needs a block."""
    difference = before != after
    rows = difference.any(axis=1).nonzero()[0]
    if not rows.size:
        return Box(0, 0, 1, 1)
    columns = difference[rows[0] : rows[-1] + 1].any(axis=0).nonzero()[0]
    return Box(int(columns[0]), int(rows[0]), int(columns[-1]) + 1, int(rows[-1]) + 1)
