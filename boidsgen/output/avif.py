"""AVIF: pictures that move, in the coding of AV1; a part of the size of a GIF, in as many colors as there are.

Pillow's encoder takes one frame after the other and gives back the file at the end, so that only this and the frames
that AV1 looks ahead are in memory. Pillow's own animations would keep every frame.
"""

from collections.abc import Iterator
from errno import EIO
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, ClassVar

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from boidsgen.errors import UsageError
from boidsgen.output.pictures import (
    BOX,
    LOSSES,
    Animation,
    Clip,
    OneItemWorker,
    Quality,
    Sign,
    boxed,
    boxed_text,
    coarser,
)
from boidsgen.output.publish import Destination, Makes

if TYPE_CHECKING:
    from imageio.core.request import Request
    from PIL import Image

_EFFORT: dict[Quality, tuple[int, int]] = {"draft": (50, 9), "standard": (65, 6), "high": (90, 5)}
"""Quality from 0 to 100, and speed from 0 to 10."""


class Avif(Animation):
    """Every color at full resolution, and opacity; the bytes do not depend on the number of cores."""

    name: ClassVar[str] = "avif"
    extensions: ClassVar[tuple[str, ...]] = (".avif",)
    makes: ClassVar[Makes] = "file"
    exact: ClassVar[bool] = False
    losses: ClassVar[int] = LOSSES
    signs: ClassVar[tuple[Sign, ...]] = ((4, b"ftypavis"), (4, b"ftypavif"))
    max_side: ClassVar[float] = 65536
    max_fps: ClassVar[float] = 90
    ticks: ClassVar[int] = 1000
    usage: ClassVar[str] = "-o flock.avif"
    suits: ClassVar[str] = "web pages; plays in browsers of today like a gif, in about half its size"

    def __init__(self, request: "Request", *, part: Destination, clip: Clip) -> None:
        from PIL import features  # noqa: PLC0415  checking a scenario must not wait for it

        if not features.check("avif"):
            why = "this Pillow was built without AVIF; install its wheel, or choose webp or mp4"
            raise UsageError(f"{part.name}: {why}")
        super().__init__(request, part=part, clip=clip)
        quality, speed = _EFFORT[clip.quality]
        one_thread, whole, straight = 1, (0, 0), False
        sampling = "4:4:4", coarser(quality, clip.loss), speed, one_thread, "auto", "full", *whole, straight, False
        metadata = b"", b"", 1, b""
        # What `Image.save` calls, for all frames at once.
        self._encoder: Any = import_module("PIL._avif").AvifEncoder(clip.size, *sampling, *metadata, ())
        self._alone = clip.frames == 1
        self._mode = "RGBA" if clip.transparent else "RGB"
        self._frames = OneItemWorker(self._add)
        self._opened = [self._frames, self._file]

    @override
    def _put(self, image: "Image.Image", shown: "Image.Image | None", delay: int) -> None:
        self._frames.exchange((image.convert(self._mode), delay))

    def _add(self, frame: "tuple[Image.Image, int]") -> None:
        image, delay = frame
        self._encoder.add(image.tobytes(), delay, image.size, image.mode, self._alone)

    @override
    def close(self) -> None:
        self._frames.last()
        content = bytearray(self._encoder.finish())
        _forget_times(content, 0, len(content))
        self._file.write(content + boxed(self._clip.provenance))
        super().close()

    @classmethod
    @override
    def pictures(cls, path: Path) -> Iterator[NDArray[np.uint8]]:
        try:
            yield from super().pictures(path)
        except RuntimeError as error:  # in which Pillow puts what libavif says
            raise OSError(EIO, str(error), str(path)) from None

    @classmethod
    @override
    def comment(cls, file: BinaryIO) -> bytes:
        return boxed_text(file)


def _forget_times(content: bytearray, place: int, end: int) -> None:
    """Set the times of day in all boxes of a film to zero: equal frames give equal bytes."""
    while place < end:
        size, kind = BOX.unpack_from(content, place)
        if kind in {b"moov", b"trak", b"mdia"}:
            _forget_times(content, place + BOX.size, place + size)
        elif kind in {b"mvhd", b"tkhd", b"mdhd"}:  # version and flags, and two times, of creation and of change
            content[place + 12 : place + 28] = bytes(16)
        place += size
