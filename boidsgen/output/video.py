"""Films: MP4 (H.264) and WebM (VP9), encoded by `ffmpeg`.

Frames go to ffmpeg as the YUV planes that encoders work on (yuv420p, BT.709): half the bytes of RGB, and no conversion.
Half of the color resolution is lost, as thin saturated shapes show. x264 writes other bytes for another number of
threads, so that one thread encodes: even with two, 13 of 8,574 encodings of the same frames differed.
"""

import re
import struct
from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from boidsgen.drawing.frame import Frame
from boidsgen.errors import MAX_COMMENT
from boidsgen.output.base import Clip, ClipWriter, Part, Quality, Refusal, Sign
from boidsgen.output.ffmpeg import ONE_THREAD, Encoder, decode, probe
from boidsgen.output.publish import Makes

if TYPE_CHECKING:
    from imageio.core.request import Request
    from PIL import Image

MAX_SIDE = 16384

_TAGS = "range=tv:color_primaries=bt709:color_trc=bt709:colorspace=bt709"
_HEAD_BYTES = 1 << 16
"""Bytes of a film around the embedded scenario."""

RED, GREEN, BLUE = 0.2126, 0.7152, 0.0722
"""Weights of brightness."""

_FRACTION = 4
"""Bits after the point in sums of colors."""
_FIELD = 16
"""Bits for each of two sums that share one number; four colors of 8 bits with their fractions take 14."""
_MEAN = _FRACTION + 2


class Film(ClipWriter):
    """A format that ffmpeg encodes. Width and height must be even, since two by two pixels share one color."""

    makes: ClassVar[Makes] = "file"
    exact: ClassVar[bool] = False
    element: ClassVar[Literal["img", "video"]] = "video"
    multiple: ClassVar[int] = 2
    needs_ffmpeg: ClassVar[bool] = True
    called: ClassVar[str]
    """Name with its article, for messages."""
    checked: ClassVar[tuple[Sequence[str], Sequence[str]]]
    """Options of ffmpeg for input and output that select the frames which are decoded to verify a film: a small part,
    since decoding all takes a twentieth of the time of encoding."""

    def __init__(self, request: "Request", *, part: Part, clip: Clip) -> None:
        super().__init__(request, part=part, clip=clip)
        self._planes = Yuv420(clip.size, transparent=clip.transparent)
        pixels = ["-pix_fmt", "yuva420p" if clip.transparent else "yuv420p"]
        size = ["-video_size", "{}x{}".format(*clip.size), "-framerate", str(clip.rate)]
        result = ["-vf", f"setparams={_TAGS}", *pixels, *self.encoding(clip), *ONE_THREAD, "-f", self.name]
        self._encoder = Encoder(part, ["-f", "rawvideo", *pixels, *size], result, clip.provenance)

    @classmethod
    @abstractmethod
    def encoding(cls, clip: Clip) -> list[str]:
        """Options of ffmpeg for encoder and container."""

    @override
    def image(self, frame: Frame) -> "Image.Image":
        """Mode L of height 3H/2: the YUV planes one below the other; with an alpha plane below them, 5H/2."""
        from PIL import Image  # noqa: PLC0415  checking a scenario must not wait for it

        planes = self._planes.of(frame)
        return Image.frombuffer("L", planes.shape[::-1], planes, "raw", "L", 0, 1)

    @override
    def write(self, entry: "Image.Image") -> None:
        self._encoder.feed(entry.tobytes())

    @override
    def close(self) -> None:
        self._encoder.finish()

    @override
    def abandon(self) -> None:
        self._encoder.kill()

    @classmethod
    @override
    def refusals(cls, size: tuple[int, int], fps: float) -> Iterator[Refusal]:
        del fps
        even = tuple(side + side % 2 for side in size)
        if max(size) > MAX_SIDE:
            yield "size", f"{cls.called} is at most {MAX_SIDE} pixels wide and high"
        elif even != size:
            yield "size", f"{cls.called} needs an even width and height; nearest is [{even[0]}, {even[1]}]"

    @classmethod
    @override
    def count(cls, path: Path) -> int:
        return probe(path, cls.name, *cls.checked)[0]

    @classmethod
    @override
    def duration(cls, path: Path) -> float:
        return probe(path, cls.name, *cls.checked)[1]

    @classmethod
    @override
    def pictures(cls, path: Path) -> Iterator[NDArray[np.uint8]]:
        return decode(path, cls.name)


class Mp4(Film):
    """H.264 video, which plays everywhere; its index is in front, so that it plays before it is fully loaded."""

    name: ClassVar[str] = "mp4"
    called: ClassVar[str] = "an mp4"
    extensions: ClassVar[tuple[str, ...]] = (".mp4",)
    signs: ClassVar[tuple[Sign, ...]] = ((4, b"ftyp"),)
    transparent: ClassVar[bool] = False
    usage: ClassVar[str] = "-o flock.mp4"
    checked: ClassVar[tuple[Sequence[str], Sequence[str]]] = ("-skip_frame", "nokey"), ()  # first, last, 1 in 250
    suits: ClassVar[str] = "long and large clips; plays everywhere (H.264, yuv420p); sides must be even"
    remarks: ClassVar[Mapping[str, str]] = {"size": "both even for mp4"}

    effort: ClassVar[Mapping[Quality, tuple[str, str, int]]] = {
        "draft": ("ultrafast", "-qp", 28),
        "standard": ("veryfast", "-crf", 20),
        "high": ("slow", "-crf", 16),
    }
    """x264's preset and quantizer: lower loses less. A constant one instead of a rate factor spares drafts a sixth of
    their time."""

    @classmethod
    @override
    def encoding(cls, clip: Clip) -> list[str]:
        preset, control, quantizer = cls.effort[clip.quality]
        # A key frame can be decoded alone when the film is verified.
        last = ["-force_key_frames", f"expr:eq(n,{clip.frames - 1})"] if clip.frames else []
        codec = ["-c:v", "libx264", "-preset", preset, control, str(quantizer)]
        return [*codec, *last, "-movflags", "+faststart"]

    @classmethod
    @override
    def comment(cls, file: BinaryIO) -> bytes:
        (first,) = struct.unpack(">I", file.read(4))
        file.seek(first)
        size, kind = struct.unpack(">I4s", file.read(8))
        if kind != b"moov":
            return b""
        skipped = max(0, size - MAX_COMMENT - _HEAD_BYTES)  # metadata follow the tables of the frames
        file.seek(first + skipped)
        index = file.read(size - skipped)
        if not 8 <= size == skipped + len(index):
            raise ValueError("the index is truncated")
        found = re.search(rb"\xa9cmt(....)data.{8}", index, re.DOTALL)
        return index[found.end() : found.start() + int.from_bytes(found[1]) + 4] if found else b""


class Webm(Film):
    """VP9 video, which needs no license and plays in browsers."""

    name: ClassVar[str] = "webm"
    called: ClassVar[str] = "a webm"
    extensions: ClassVar[tuple[str, ...]] = (".webm",)
    signs: ClassVar[tuple[Sign, ...]] = ((0, b"\x1a\x45\xdf\xa3"),)
    usage: ClassVar[str] = "-o flock.webm"
    checked: ClassVar[tuple[Sequence[str], Sequence[str]]] = (), ("-t", "0.2")  # later frames depend on all before
    suits: ClassVar[str] = "web pages; plays in browsers (VP9), a little larger than an mp4; sides must be even"
    remarks: ClassVar[Mapping[str, str]] = {"size": "both even for webm"}

    effort: ClassVar[Mapping[Quality, tuple[str, int, int]]] = {
        "draft": ("realtime", 8, 40),
        "standard": ("good", 5, 28),
        "high": ("good", 2, 18),
    }
    """libvpx's deadline, speed and rate factor: lower loses less."""

    @classmethod
    @override
    def encoding(cls, clip: Clip) -> list[str]:
        deadline, speed, rate_factor = cls.effort[clip.quality]
        effort = ["-deadline", deadline, "-cpu-used", str(speed), "-crf", str(rate_factor), "-b:v", "0"]
        # libvpx looks ahead for references, which it cannot have for the alpha plane.
        ahead = ["-auto-alt-ref", "0"] if clip.transparent else []
        # Otherwise the container gets a random number.
        return ["-c:v", "libvpx-vp9", *effort, *ahead, "-fflags", "+bitexact"]

    @classmethod
    @override
    def comment(cls, file: BinaryIO) -> bytes:
        head, clusters, _ = file.read(MAX_COMMENT + _HEAD_BYTES).partition(b"\x1f\x43\xb6\x75")
        found = re.search(rb"\x45\xa3\x87COMMENT\x44\x87(.)", head, re.DOTALL)
        if not clusters:
            raise ValueError("it is truncated")
        if not found:
            return b""
        more = 8 - found[1][0].bit_length()  # leading zeros are the number of further bytes
        begin = found.end() + more
        size = int.from_bytes(head[found.start(1) : begin]) ^ (0x80 << 7 * more)
        return head[begin : begin + size]


class Yuv420:
    """The YUV planes of one clip (yuv420p), updated frame by frame; width and height are even.

    One brightness per pixel and two colors per 2 by 2 pixels, their mean, by the formulas of ITU-R BT.709, limited
    range: brightness 16 to 235, colors 16 to 240 around 128. Most of a frame stays as it was in the one before, so only
    changed blocks are computed again: a tenth of the 3.2 ms that ffmpeg's `scale` takes for a frame of 1280x720.
    """

    def __init__(self, size: tuple[int, int], *, transparent: bool = False) -> None:
        width, height = size
        blocks = width // 2 * (height // 2)
        self._half = width // 2
        self._before: NDArray[np.unsignedinteger] | None = None
        self._all = np.empty((height * (5 if transparent else 3) // 2, width), np.uint8)
        flat = self._all.reshape(-1)
        self._brightness = flat[: 4 * blocks].view(np.uint16)  # two pixels side by side in one number, as everywhere
        self._blue, self._red = flat[4 * blocks : 5 * blocks], flat[5 * blocks : 6 * blocks]
        self._alpha = flat[6 * blocks :].reshape(-1, width)

    def of(self, frame: Frame) -> NDArray[np.uint8]:
        """Brightness, blue and red planes, and alpha for a transparent clip, one below the other; valid until the next.

        Shape (3 height / 2, width), or (5 height / 2, width) with alpha.
        """
        if self._before is None:
            self._before = self._begin(frame)
        pairs: NDArray[np.unsignedinteger] = frame.index.view(self._before.dtype)
        differs = pairs != self._before
        block = np.flatnonzero(differs[0::2] | differs[1::2])  # of 2 by 2 pixels, by its number
        upper = block + block // self._half * self._half
        lower = upper + self._half
        top, bottom = pairs.reshape(-1)[upper], pairs.reshape(-1)[lower]
        self._brightness[upper] = self._pairs.brightness(top)
        self._brightness[lower] = self._pairs.brightness(bottom)
        self._blue[block], self._red[block] = _means(self._pairs.colors(top) + self._pairs.colors(bottom))
        np.copyto(self._before, pairs)
        if frame.inks is not None:
            frame.inks[:, 3].take(frame.index, out=self._alpha)
        return self._all

    def _begin(self, frame: Frame) -> NDArray[np.unsignedinteger]:
        """Fill the planes with the first color, which is most of the first frame; pairs of its index."""
        palette = frame.palette if frame.inks is None else np.ascontiguousarray(frame.inks[:, :3])
        self._pairs = _BytePairs(palette) if frame.index.itemsize == 1 else _WordPairs(palette)
        pair = np.uint16 if frame.index.itemsize == 1 else np.uint32
        before: NDArray[np.unsignedinteger] = np.zeros(frame.index.shape, frame.index.dtype).view(pair)
        none = before.reshape(-1)[:1]
        self._brightness.fill(self._pairs.brightness(none)[0])
        for plane, color in zip((self._blue, self._red), _means(2 * self._pairs.colors(none)), strict=True):
            plane.fill(color[0])
        return before


def _means(sums: NDArray[np.uint32]) -> tuple[NDArray[np.integer], NDArray[np.integer]]:
    """Both colors of blocks, from the sums over their four pixels."""
    return sums >> (_FIELD + _MEAN), (sums & ((1 << _FIELD) - 1)) >> _MEAN


class _WordPairs:
    """Brightness and colors of pairs of two-byte indices, by tables of single indices."""

    def __init__(self, palette: NDArray[np.uint8]) -> None:
        red, green, blue = palette.T / 255
        light = RED * red + GREEN * green + BLUE * blue
        differences = [(blue - light) / (2 * (1 - BLUE)), (red - light) / (2 * (1 - RED))]
        # 128.5 instead of 128: cutting off the fraction of a mean then rounds it.
        upper, lower = (np.rint((128.5 + 224 * part) * (1 << _FRACTION)).astype(np.uint32) for part in differences)
        self._brightness = np.rint(16 + 219 * light).astype(np.uint8)
        self._colors = (upper << _FIELD) + lower

    def brightness(self, pairs: NDArray[np.unsignedinteger]) -> NDArray[np.uint16]:
        """Both brightnesses side by side."""
        brightness: NDArray[np.uint16] = self._brightness[pairs.view(np.uint16)].view(np.uint16)
        return brightness

    def colors(self, pairs: NDArray[np.unsignedinteger]) -> NDArray[np.uint32]:
        """Sums of both colors, blue in the upper field."""
        single = self._colors[pairs.view(np.uint16)]
        sums: NDArray[np.uint32] = single[0::2] + single[1::2]
        return sums


class _BytePairs(_WordPairs):
    """Brightness and colors of pairs of one-byte indices, by tables of all pairs."""

    def __init__(self, palette: NDArray[np.uint8]) -> None:
        super().__init__(np.pad(palette, ((0, 256 - len(palette)), (0, 0))))
        every = np.arange(1 << 16).astype(np.uint16).view(np.uint8).astype(np.uint16)
        self._light, self._sums = super().brightness(every), super().colors(every)

    def brightness(self, pairs: NDArray[np.unsignedinteger]) -> NDArray[np.uint16]:
        light: NDArray[np.uint16] = self._light[pairs]
        return light

    def colors(self, pairs: NDArray[np.unsignedinteger]) -> NDArray[np.uint32]:
        sums: NDArray[np.uint32] = self._sums[pairs]
        return sums
