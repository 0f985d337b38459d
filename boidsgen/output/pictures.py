"""Writers: base classes, one for each kind of file, and those of pictures: GIF, animated WebP and PNG.

A writer fills one destination, entry by entry, and is then closed or abandoned. It knows nothing of final names and of
other outputs: `outputs` verifies by `count` what a writer has made, and publishes it. A `ClipWriter` is also a plugin
of imageio, and takes Pillow images:

  writer = imageio.v3.imopen(part.path, "w", plugin=Gif, part=part, clip=clip)
  writer.write(writer.image(frame))
  writer.close()

GIF and WebP are containers written here around Pillow's encoders, PNG is a file per frame. Pillow's own animations keep
every frame in memory and merge equal neighbors. Here each picture is cropped to what has changed. Inside the crop of a
GIF, unchanged pixels may be marked as transparent: on a shaded background, which is dithered here, files shrink to
about half, but on a plain one that breaks up runs that LZW depends on. So every few pictures both are tried.
"""

import io
import re
import struct
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from errno import EAGAIN
from fractions import Fraction
from functools import partial
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, ClassVar, Generic, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from boidsgen import system
from boidsgen.drawing.frame import Frame, Quantizer
from boidsgen.errors import MAX_COMMENT, ScenarioError
from boidsgen.kernel.library import accelerated
from boidsgen.output.publish import Destination, Makes

if TYPE_CHECKING:
    from imageio.core.request import Request
    from PIL import Image

Quality = Literal["draft", "standard", "high"]  # Effort of a lossy encoder

LOSSES, WORST = 20, 10  # Steps by which formats that can lose detail lose more than any quality does, and quality then

Sign = tuple[int, bytes]  # Offset and value of the bytes that identify a format

_Entry = TypeVar("_Entry")
_Result = TypeVar("_Result")


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
    loss: int = 0  # steps by which a lossy encoder loses more than its effort asks for, up to `losses` of the writer

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


class Writer(Format, ABC, Generic[_Entry]):
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
    def write(self, entry: _Entry) -> None:
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
    losses: ClassVar[int] = 0
    """`LOSSES` where it can lose more detail than any quality does, to fit a number of bytes."""
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
    few_colors: ClassVar[bool] = False
    """True if it takes the palette entries of frames, never their full color."""
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


def coarser(quality: int, loss: int) -> int:
    """A quality of up to 100 with so many steps of loss."""
    return quality - (quality - WORST) * loss // LOSSES


class OneItemWorker(Generic[_Entry, _Result]):
    """Applies `work` to one item after the other in a thread, while the owner prepares the next.

    There is never more than one item in work; its exception is raised in the owner, who asks for the result. Without
    threads, asking does the work.
    """

    def __init__(self, work: Callable[[_Entry], _Result]) -> None:
        from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415  checking a scenario must not wait for it

        self._work = work
        self._pool = None if system.IN_BROWSER else ThreadPoolExecutor(max_workers=1)
        self._pending: Callable[[], _Result] | None = None

    def exchange(self, item: _Entry) -> _Result | None:
        """Start with an item; returns the result of the item before it, if there was one."""
        before = self.last()
        try:
            self._pending = self._pool.submit(self._work, item).result if self._pool else partial(self._work, item)
        except RuntimeError as error:  # the system allows no further thread
            raise OSError(EAGAIN, str(error)) from None
        return before

    def last(self) -> _Result | None:
        """The result of the item that was started last, unless it has been returned already."""
        pending, self._pending = self._pending, None
        return pending() if pending else None

    def close(self) -> None:
        """Let the thread end; nothing can be started any more."""
        if self._pool:
            self._pool.shutdown(cancel_futures=True)


def image_of(frame: Frame) -> "Image.Image":
    """A frame in all its colors as a Pillow image: mode P that shares its memory, or RGB if there are too many."""
    from PIL import Image  # noqa: PLC0415  checking a scenario must not wait for it

    height, width = frame.index.shape
    if frame.full:
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


TRIAL = 16
"""Pictures from one of which both encodings are tried to the next."""

_TABLE_OF_256_COLORS = 0xF7
_KEEP_WHEN_DONE, _CLEAR_WHEN_DONE = 1 << 2, 2 << 2
_TRANSPARENT = 1
_UNCHANGED = 255  # Palette index of marked pixels; frames have at most 255 colors
_COMMENT, _CONTROL, _IMAGE, _TRAILER = b"!\xfe", b"!\xf9", b",", b";"

_WEBP_ANIMATED, _WEBP_TRANSPARENT = 1 << 1, 1 << 4
_NOT_BLENDED = 1 << 1
_WEBP_TEXT, _WEBP_FRAME = b"boid", b"ANMF"
_WEBP_EFFORT: dict[Quality, dict[str, Any]] = {
    "draft": {"quality": 80, "method": 0},
    "standard": {"lossless": True, "quality": 30, "method": 0},
    "high": {"lossless": True, "quality": 75, "method": 4},
}
"""Pillow's options for one picture."""
_WEBP_FLAT = {"lossless": True, "quality": 0, "method": 1}  # with a palette: of few colors half as large, and faster


class Animation(ClipWriter):
    """A format with one picture per frame, which browsers play as an image.

    Pillow encodes each picture; its own animations keep every frame in memory and merge equal neighbors. A frame lasts
    a whole number of ticks, computed so that rounding errors never add up.
    """

    loops: ClassVar[bool] = True
    ticks: ClassVar[int]
    """Ticks per second: the unit of delays."""

    def __init__(self, request: "Request", *, part: Destination, clip: Clip) -> None:
        super().__init__(request, part=part, clip=clip)
        self._clip, self._rate = clip, clip.rate
        self._number = 0
        self._shown: Image.Image | None = None
        self._file = part.open()
        self._opened = [self._file]

    @override
    def write(self, entry: "Image.Image") -> None:
        begin, end = (round(number * self.ticks / self._rate) for number in (self._number, self._number + 1))
        self._put(entry, self._shown, end - begin)
        self._shown = entry.copy()
        self._number += 1

    @abstractmethod
    def _put(self, image: "Image.Image", shown: "Image.Image | None", delay: int) -> None:
        """Write one picture that lasts this many ticks; `shown` is the one before it."""


def changed(before: "Image.Image", after: "Image.Image") -> tuple[int, int, int, int]:
    """Left, top, right and bottom of the pixels that differ; one pixel if none does, since each frame needs a block."""
    from PIL import ImageChops  # noqa: PLC0415  checking a scenario must not wait for it

    return ImageChops.difference(before, after).getbbox() or (0, 0, 1, 1)


class Gif(Animation):
    """One global palette, one block per frame."""

    name: ClassVar[str] = "gif"
    extensions: ClassVar[tuple[str, ...]] = (".gif",)
    signs: ClassVar[tuple[Sign, ...]] = ((0, b"GIF87a"), (0, b"GIF89a"))
    few_colors: ClassVar[bool] = True
    max_side: ClassVar[float] = 65535
    max_fps: ClassVar[float] = 50
    ticks: ClassVar[int] = 100
    usage: ClassVar[str] = "-o flock.gif"
    suits: ClassVar[str] = "slides and web pages; colors are exact, the total duration too; at most 50 frames a second"

    def __init__(self, request: "Request", *, part: Destination, clip: Clip) -> None:
        super().__init__(request, part=part, clip=clip)
        self._reduction: Quantizer | None = None
        self._marking, self._until_trial = False, 0
        self._pictures = OneItemWorker(self._blocks)
        self._opened = [self._pictures, self._file]

    @override
    def image(self, frame: Frame) -> "Image.Image":
        """Mode P; the colors of the first frame decide to which its palette and all others are quantized, if needed."""
        if frame.ground is not None:
            raise ScenarioError(["background.video: a gif has too few colors for a film; use mp4, webm, webp or png"])
        if frame.index.dtype == np.uint8:
            return image_of(replace(frame, inks=None))
        if self._reduction is None:
            weight = np.bincount(frame.index.reshape(-1), minlength=len(frame.palette))
            self._reduction = Quantizer(frame.palette, weight)
        return image_of(self._reduction(frame))

    @override
    def _put(self, image: "Image.Image", shown: "Image.Image | None", delay: int) -> None:
        transparent, box, before = 0, (0, 0, *image.size), None
        handling = _CLEAR_WHEN_DONE | _TRANSPARENT if self._clip.transparent else _KEEP_WHEN_DONE
        if shown is None:
            self._file.write(_header(self._clip, image.palette.tobytes() if image.palette else b""))
        elif self._clip.transparent:  # each picture is cleared before the next one, for nothing covers a pixel again
            box = image.getbbox() or (0, 0, 1, 1)
        else:
            box, handling, transparent = changed(shown, image), handling | _TRANSPARENT, _UNCHANGED
            before = shown.crop(box)
        crop = image.crop(box)
        head = _CONTROL + struct.pack("<BBHBB", 4, handling, delay, transparent, 0)
        head += struct.pack("<sHHHHB", _IMAGE, *box[:2], *crop.size, 0)  # no colors of its own
        self._file.write(self._pictures.exchange((head, crop, before)) or b"")

    def _blocks(self, picture: "tuple[bytes, Image.Image, Image.Image | None]") -> bytes:
        """The blocks of a picture, given its head, its pixels, and those before it if unchanged ones may be marked."""
        head, crop, before = picture
        now, encoded = np.asarray(crop), {}
        if before is None:
            return head + _compressed(now)
        for marking in (self._marking,) if self._until_trial else (False, True):
            pixels = np.where(now == np.asarray(before), np.uint8(_UNCHANGED), now) if marking else now
            encoded[marking] = _compressed(pixels)
        self._marking = min(encoded, key=lambda marking: len(encoded[marking]))
        self._until_trial = (self._until_trial or TRIAL) - 1
        return head + encoded[self._marking]

    @override
    def close(self) -> None:
        self._file.write((self._pictures.last() or b"") + _TRAILER)
        super().close()

    @classmethod
    @override
    def comment(cls, file: BinaryIO) -> bytes:
        from PIL.GifImagePlugin import GifImageFile  # noqa: PLC0415  most scenarios are no pictures

        with GifImageFile(io.BytesIO(file.read(2 * MAX_COMMENT))) as image:  # the comment is before the first picture
            return bytes(image.info.get("comment", b""))


def _header(clip: Clip, palette: bytes) -> bytes:
    start = struct.pack("<6sHHBBB", b"GIF89a", *clip.size, _TABLE_OF_256_COLORS, 0, 0)
    # Players read how often to play *again*; without this block they play once.
    again = struct.pack("<BBHB", 3, 1, max(clip.loop - 1, 0), 0)
    loop = b"" if clip.loop == 1 else b"!\xff\x0bNETSCAPE2.0" + again
    text = clip.provenance.encode()
    pieces = (text[begin : begin + 255] for begin in range(0, len(text), 255))
    comment = _COMMENT + b"".join(bytes([len(piece)]) + piece for piece in pieces) + b"\0" if text else b""
    return start + palette.ljust(3 * 256, b"\0") + loop + comment


def _compressed(pixels: NDArray[np.uint8]) -> bytes:
    packed = np.empty(2 * pixels.size + 16, np.uint8)
    return packed[: pack(packed, pixels, np.empty(8192, np.uint32))].tobytes()


@accelerated("=u1 u1 =u4")
def pack(packed: NDArray[np.uint8], pixels: NDArray[np.uint8], table: NDArray[np.uint32]) -> int:
    """Write palette indices, (height, width), as the image data of a GIF, as Pillow does, and return its length.

    Room for two bytes for each of them and 16 is always enough; `table` is room to work, (8192,).
    """
    from PIL import Image, ImageFile  # noqa: PLC0415  checking a scenario must not wait for it

    del table
    file, image = io.BytesIO(), Image.fromarray(pixels)
    ImageFile._save(image, file, [ImageFile._Tile("gif", (0, 0, *image.size), 0, image.mode)])  # noqa: SLF001  Pillow's formats do
    data = bytes([8]) + file.getvalue() + b"\0"  # of codes of 8 bits
    packed[: len(data)] = np.frombuffer(data, np.uint8)
    return len(data)


class Webp(Animation):
    """Animated WebP: exact in any number of colors, where a GIF has 255, except in drafts.

    The scenario is in a chunk of its own at the end, which readers of the format skip.
    """

    name: ClassVar[str] = "webp"
    extensions: ClassVar[tuple[str, ...]] = (".webp",)
    makes: ClassVar[Makes] = "file"
    losses: ClassVar[int] = LOSSES
    signs: ClassVar[tuple[Sign, ...]] = ((8, b"WEBPVP8X"),)
    max_side: ClassVar[float] = 16383
    max_fps: ClassVar[float] = 90
    ticks: ClassVar[int] = 1000
    usage: ClassVar[str] = "-o flock.webp"
    suits: ClassVar[str] = "web pages; exact in lit themes too, in files several times as large as a gif's"

    @override
    def _put(self, image: "Image.Image", shown: "Image.Image | None", delay: int) -> None:
        if shown is None:
            flags = _WEBP_ANIMATED | (_WEBP_TRANSPARENT if self._clip.transparent else 0)
            canvas = struct.pack("<I", flags) + _three(image.width - 1) + _three(image.height - 1)
            loop = struct.pack("<IH", 0, min(self._clip.loop, 65535))
            self._file.write(b"RIFF\0\0\0\0WEBP" + _chunk(b"VP8X", canvas) + _chunk(b"ANIM", loop))
        left, top, right, bottom = changed(shown, image) if shown else (0, 0, *image.size)
        left, top = left & ~1, top & ~1  # the format counts offsets in pairs of pixels
        crop = image.crop((left, top, right, bottom)).convert("RGBA" if self._clip.transparent else "RGB")
        content = io.BytesIO()
        crop.save(content, "WEBP", **self._options(image.mode))
        head = b"".join(map(_three, (left // 2, top // 2, crop.width - 1, crop.height - 1, delay)))
        self._file.write(_chunk(_WEBP_FRAME, head + bytes([_NOT_BLENDED]) + content.getvalue()[12:]))

    def _options(self, mode: str) -> Mapping[str, Any]:
        """Pillow's options for a picture of this mode."""
        quality, loss = self._clip.quality, self._clip.loss
        if loss:
            return {"quality": coarser(80 if quality == "draft" else 100, loss), "method": 4}
        return _WEBP_FLAT if mode == "P" and quality == "standard" else _WEBP_EFFORT[quality]

    @override
    def close(self) -> None:
        if self._clip.provenance:
            self._file.write(_chunk(_WEBP_TEXT, self._clip.provenance.encode()))
        size = self._file.tell() - 8
        self._file.seek(4)
        self._file.write(struct.pack("<I", size))
        super().close()

    @classmethod
    @override
    def comment(cls, file: BinaryIO) -> bytes:
        end = file.seek(0, io.SEEK_END)
        file.seek(place := 12)
        while place < end:  # the text is in the last chunk
            kind, size = struct.unpack("<4sI", file.read(8))
            if kind == _WEBP_TEXT and size <= MAX_COMMENT:
                text = file.read(size)
                if len(text) == size:
                    return text
            place = file.seek(place + 8 + size + size % 2)
        if place > end:
            raise ValueError("a chunk reaches over the end")
        return b""


def _three(number: int) -> bytes:
    return number.to_bytes(3, "little")


def _chunk(kind: bytes, content: bytes) -> bytes:
    return kind + struct.pack("<I", len(content)) + content + b"\0" * (len(content) % 2)


# Texts in files of boxes, as of MP4: behind all others is one which readers of the format skip

BOX, _LONG_BOX, _TEXT_BOX = struct.Struct(">I4s"), struct.Struct(">Q"), b"boidsgen.comment"


def boxed(text: str) -> bytes:
    """The box of a text, empty for none, which has 16 bytes to tell it from boxes of others."""
    content = _TEXT_BOX + text.encode()
    return BOX.pack(BOX.size + len(content), b"uuid") + content if text else b""


def boxed_text(file: BinaryIO) -> bytes:
    """The text of the first such box, empty without one; ValueError or struct.error in a damaged file."""
    end, place = file.seek(0, io.SEEK_END), 0
    while place < end:
        file.seek(place)
        size, kind = BOX.unpack(file.read(BOX.size))
        if size == 1:
            (size,) = _LONG_BOX.unpack(file.read(_LONG_BOX.size))
        if size < BOX.size or place + size > end:
            raise ValueError("a box reaches over the end")
        if kind == b"uuid" and file.read(len(_TEXT_BOX)) == _TEXT_BOX:
            return file.read(min(place + size - file.tell(), MAX_COMMENT + 1))
        place += size
    return b""


# PNG

_FRAME_NAME = re.compile(r"frame_[0-9]{4,}\.png")
_NUMBERS = re.compile(r"[0-9]+(,[0-9]+)*")
_DIGITS_OF_AN_UNKNOWN_NUMBER = 6


PNG_SIGNATURE = b"\x89PNG\r\n\x1a\n"


class Png(ClipWriter):
    """`frame_0001.png` and so on, with as many digits as the last number needs, four or more."""

    name: ClassVar[str] = "png"
    extensions: ClassVar[tuple[str, ...]] = (".png",)
    makes: ClassVar[Makes] = "folder"
    signs: ClassVar[tuple[Sign, ...]] = ((0, PNG_SIGNATURE),)
    usage: ClassVar[str] = "-o frames/ --format png"
    suits: ClassVar[str] = "one file per frame, for LaTeX and for editing"

    def __init__(self, request: "Request", *, part: Destination, clip: Clip) -> None:
        super().__init__(request, part=part, clip=clip)
        self._part = part
        self._provenance = clip.provenance
        self._digits = _DIGITS_OF_AN_UNKNOWN_NUMBER if clip.frames is None else max(4, len(str(clip.frames)))
        self._number = 0

    @override
    def write(self, entry: "Image.Image") -> None:
        self._number += 1
        content = encoded(entry, self._provenance, (self._number - 1,))
        self._part.add(f"frame_{self._number:0{self._digits}}.png", content)

    @classmethod
    @override
    def is_own(cls, path: Path) -> bool:
        """True for a picture that embeds the number in its name, as all frames do."""
        if not _FRAME_NAME.fullmatch(path.name):
            return False
        with path.open("rb") as file, suppress(ScenarioError), system.parsing(path.name):
            return texts_of(file).get("Frame") == str(int(path.stem.removeprefix("frame_")) - 1)
        return False

    @classmethod
    @override
    def comment(cls, file: BinaryIO) -> bytes:
        texts = texts_of(file)
        number, text = texts.get("Frame", ""), texts.get("Comment", "")
        return f"# frame {number}\n{text}".encode() if text and _NUMBERS.fullmatch(number) else text.encode()


def encoded(picture: "Frame | NDArray[np.uint8] | Image.Image", provenance: str = "", at: Sequence[int] = ()) -> bytes:
    """A picture as PNG that embeds the provenance, unless empty, and the numbers of the frames that it shows."""
    from PIL.PngImagePlugin import PngInfo  # noqa: PLC0415  a GIF must not wait for it

    texts = PngInfo()
    if provenance:
        texts.add_itxt("Comment", provenance)
    if at:
        texts.add_text("Frame", ",".join(map(str, at)))
    content = io.BytesIO()
    if isinstance(picture, np.ndarray):
        from PIL import Image  # noqa: PLC0415  checking a scenario must not wait for it

        picture = Image.fromarray(picture)
    image = image_of(picture) if isinstance(picture, Frame) else picture
    image.save(content, "PNG", pnginfo=texts)
    return content.getvalue()


def texts_of(file: BinaryIO) -> dict[str, str]:
    """Texts in front of the pixels, by their names; may raise whatever Pillow does."""
    from PIL.PngImagePlugin import PngImageFile  # noqa: PLC0415  most scenarios are no pictures

    with PngImageFile(file) as image:  # `Image.open` would refuse a large picture, whose pixels are not read here
        return {str(name): str(text) for name, text in image.info.items()}


POINTS_PER_PIXEL = 0.75  # Points of a PDF in one pixel
