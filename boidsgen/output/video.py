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
from boidsgen.hard_limits import MAX_COMMENT
from boidsgen.output.base import Clip, ClipWriter, Part, Quality, Refusal, Sign
from boidsgen.output.ffmpeg import ONE_THREAD, Encoder, decode, probe
from boidsgen.output.publish import Makes
from boidsgen.output.yuv420 import Yuv420

if TYPE_CHECKING:
    from imageio.core.request import Request
    from PIL import Image

MAX_SIDE = 16384

_TAGS = "range=tv:color_primaries=bt709:color_trc=bt709:colorspace=bt709"
_HEAD_BYTES = 1 << 16
"""Bytes of a film around the embedded scenario."""


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
