"""Films: what MP4 and WebM share, which ffmpeg encodes.

Frames go to ffmpeg as the planes that encoders work on, yuv420p: half the bytes of RGB, and nothing left to convert.
Half of the color resolution is lost on the way, which thin saturated shapes show; GIF, WebP and PNG are exact. Every
film says that its colors are those of BT.709. One thread encodes, so that equal frames give equal bytes.
"""

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Literal

from typing_extensions import override

from boidsgen.drawing.frame import Frame
from boidsgen.output.contract import Clip, ClipWriter, Makes, Part, Refusal
from boidsgen.output.ffmpeg import Encoder, damage
from boidsgen.output.planes import Planes

if TYPE_CHECKING:
    from imageio.core.request import Request

MAX_SIDE = 16384
THREADS = 1
TAGS = "range=tv:color_primaries=bt709:color_trc=bt709:colorspace=bt709"


class Film(ClipWriter):
    """A format that ffmpeg encodes; sides must be even, since two by two pixels share one color."""

    makes: ClassVar[Makes] = "file"
    exact: ClassVar[bool] = False
    element: ClassVar[Literal["img", "video"]] = "video"
    multiple: ClassVar[int] = 2
    needs_ffmpeg: ClassVar[bool] = True
    decoded: ClassVar[Sequence[str]]
    """What of a finished film is decoded to see whether it is sound, as options of ffmpeg: a hundredth of the time that
    making it took is enough for that."""
    called: ClassVar[str]
    """What messages call one file of it."""

    def __init__(self, request: "Request", *, part: Part, clip: Clip) -> None:
        super().__init__(request, part=part, clip=clip)
        self._encoder = Encoder(part, source=source(clip), result=self.result(clip), comment=clip.provenance)
        self._planes = Planes(clip.size)

    @classmethod
    @abstractmethod
    def result(cls, clip: Clip) -> list[str]:
        """What ffmpeg is to make of the frames, as its options."""

    @classmethod
    @override
    def refusals(cls, size: tuple[int, int], fps: float) -> Iterator[Refusal]:
        del fps
        even = tuple(-(-side // cls.multiple) * cls.multiple for side in size)
        if max(size) > MAX_SIDE:
            yield "size", f"{cls.called} is at most {MAX_SIDE} pixels wide and high"
        elif even != size:
            yield "size", f"{cls.called} needs an even width and height; nearest is [{even[0]}, {even[1]}]"

    @classmethod
    @override
    def damage(cls, path: Path, name: str) -> str:
        return damage(path, name, *cls.decoded)

    @override
    def write(self, entry: Frame) -> None:
        self._encoder.feed(self._planes.of(entry) + opacity(entry))

    @override
    def close(self) -> None:
        self._encoder.finish()

    @override
    def abandon(self) -> None:
        self._encoder.kill()


def opacity(frame: Frame) -> bytes:
    """How opaque every pixel of a picture without ground is; nothing where there is a ground."""
    return b"" if frame.inks is None else frame.inks[:, 3][frame.index].tobytes()


def source(clip: Clip) -> list[str]:
    """How ffmpeg is to read what it is fed, as its options."""
    width, height = clip.size
    picture = ["-pix_fmt", pixels(clip), "-video_size", f"{width}x{height}"]
    return ["-f", "rawvideo", *picture, "-framerate", str(clip.rate)]


def colors(clip: Clip) -> list[str]:
    """What the colors of the planes mean, as options of ffmpeg."""
    return ["-vf", f"setparams={TAGS}", "-pix_fmt", pixels(clip)]


def pixels(clip: Clip) -> str:
    """What ffmpeg calls the planes of a picture."""
    return "yuva420p" if clip.transparent else "yuv420p"
