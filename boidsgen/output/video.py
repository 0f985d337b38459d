"""Videos: MP4 (H.264) and WebM (VP9), encoded and verified by ffmpeg as a child process.

imageio-ffmpeg supplies only the binary, since its own writer ignores ffmpeg's exit code. If ffmpeg fails or is missing,
the next call raises an error with ffmpeg's own reason, and no child process outlives the encoder.

Frames go to ffmpeg as the YUV planes that encoders work on (yuv420p, BT.709): half the bytes of RGB, and no conversion.
Half of the color resolution is lost, which is visible in thin saturated shapes. The number of an encoder's threads is
fixed, since x264 writes different bytes for a different number.
"""

import errno
import os
import re
import struct
import subprocess
from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from errno import EIO
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, TYPE_CHECKING, Any, BinaryIO, ClassVar, Literal, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from boidsgen import system
from boidsgen.drawing.frame import Frame, grain, thresholds
from boidsgen.errors import MAX_COMMENT, EncoderError, StorageError
from boidsgen.kernel.library import accelerated
from boidsgen.output.pictures import LOSSES, Clip, ClipWriter, OneItemWorker, Quality, Sign
from boidsgen.output.publish import Destination, Makes
from boidsgen.simulation.geometry import Array

if TYPE_CHECKING:
    from imageio.core.request import Request
    from PIL import Image

FFMPEG_PATIENCE = 60.0  # Seconds to wait for ffmpeg's version

_PIPE_BYTES = 1 << 20
_LOG_BYTES = 1 << 16
_CHOSEN = "IMAGEIO_FFMPEG_EXE"  # Environment variable that selects another ffmpeg than that of imageio-ffmpeg
_OF_THE_DISK = {errno.ENOSPC, errno.EFBIG, errno.EDQUOT, errno.EIO, errno.EROFS, errno.EACCES}
_LOGGER = re.compile(r"^(\[[^]]*] )+")
STRICT = ("-hide_banner", "-nostdin", "-nostats", "-loglevel", "error", "-xerror", "-abort_on", "empty_output")


class Installed(NamedTuple):
    """The ffmpeg that would be used; it encodes MP4 if it has libx264."""

    path: str
    version: str
    has_x264: bool


def installed() -> Installed:
    """Find ffmpeg and its version; EncoderError if there is none, or it does not answer."""
    path = _executable("mp4")
    try:
        encoders = subprocess.run(  # noqa: S603  our own arguments, no shell
            [path, "-encoders"], capture_output=True, text=True, errors="replace", check=True, timeout=FFMPEG_PATIENCE
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise EncoderError(f"mp4: cannot run ffmpeg ({path}): {error}; {_remedy()}") from None
    version = re.search(r"ffmpeg version (\S+)", encoders.stderr)
    return Installed(path, version[1] if version else "unknown", " libx264 " in encoders.stdout)


def _executable(name: str) -> str:
    """Path of ffmpeg. Raises EncoderError, about the output of this name, if there is none."""
    try:
        import imageio_ffmpeg  # noqa: PLC0415  a GIF needs no encoder and must not wait for it

        return str(imageio_ffmpeg.get_ffmpeg_exe())
    except (ImportError, RuntimeError):
        raise EncoderError(f"{name}: there is no ffmpeg; {_remedy()}") from None


def encoder_failure(
    name: str, process: "subprocess.Popen[bytes]", log: IO[bytes], error: OSError | None = None
) -> Exception:
    """The reason why the film of this name was not finished; an error that is not about ffmpeg's end is the reason."""
    if error and not system.is_broken_pipe(error):
        return error
    code = process.wait()
    if code < 0:
        return EncoderError(f"{name}: ffmpeg was ended by {system.signal_name(-code)}")
    number = -code & 255  # ffmpeg's exit code is -errno, of which some systems keep the lowest byte
    if number in _OF_THE_DISK:
        return StorageError(f"{name}: {os.strerror(number)} (ffmpeg){system.limit_met(OSError(number, ''))}")
    chosen = os.environ.get(_CHOSEN)
    who = f"ffmpeg ({_CHOSEN} = {chosen})" if chosen else "ffmpeg"
    what = f"failed with exit code {code}" if code else "stopped before the last frame"
    return EncoderError(f"{name}: {who} {what}: {first_line(log)}")


@contextmanager
def running(
    name: str, arguments: Sequence[str], stdin: int, stdout: int | IO[bytes], stderr: int | IO[bytes]
) -> "Iterator[subprocess.Popen[bytes]]":
    """A run of ffmpeg for this file, which ends with this block, with this process, and not by Ctrl-C.

    Raises:
        EncoderError: there is no ffmpeg, or it cannot be started.
    """
    command, process = [_executable(name), *arguments], None
    try:
        with system.defer_signals():
            buffer = 0 if stdin == subprocess.PIPE else -1  # whoever forks this process would write it again
            options = {"bufsize": buffer, "pipesize": _PIPE_BYTES, **system.child_options()}
            try:
                process = subprocess.Popen(command, stdin=stdin, stdout=stdout, stderr=stderr, **options)  # noqa: S603  our own arguments, no shell
            except OSError as error:
                if system.limit_met(error):
                    raise
                reason = f"cannot start ffmpeg ({command[0]}): {error.strerror}"
                raise EncoderError(f"{name}: {reason}; {_remedy()}") from None
        yield process
    finally:
        if process:
            if process.poll() is None:
                system.kill(process)
            process.wait()
            for pipe in filter(None, (process.stdin, process.stdout)):
                with suppress(OSError):
                    pipe.close()


def first_line(log: IO[bytes]) -> str:
    """First line that ffmpeg logged: later ones are consequences."""
    log.seek(0)
    lines = log.read(_LOG_BYTES).decode(errors="replace").splitlines()
    first = next((line for line in lines if line.strip()), "it gave no reason")
    reason = _LOGGER.sub("", first.strip())[:300]
    return f"{reason}; {_remedy()}" if reason.startswith("Unknown encoder") else reason


def _remedy() -> str:
    otherwise = "or choose gif, webp, avif or png, which need no encoder"
    if system.IN_BROWSER:
        return f"a browser runs no other program; use Python outside it, {otherwise}"
    if _CHOSEN in os.environ:
        return f"{_CHOSEN} names it: unset that to take the one of imageio-ffmpeg, {otherwise}"
    return f"install it with 'pip install imageio-ffmpeg', {otherwise}"


_TAGS = "range=tv:color_primaries=bt709:color_trc=bt709:colorspace=bt709"
_HEAD_BYTES = 1 << 16  # Bytes of a film around the embedded scenario

_TRUE_TO_COLOR = "chroma-qp-offset=-10:deadzone-inter=6:deadzone-intra=4:chromaloc=1"
"""By default x264 drops the colors of small animals, which are one or two blocks, and the dither of a sky. A color lies
in the middle of its four pixels; players that are not told take it to lie between the left ones."""

ONE_THREAD = ("-threads", "1")

RED_WEIGHT, GREEN_WEIGHT, BLUE_WEIGHT = 0.2126, 0.7152, 0.0722  # Weights of brightness

_TWO_SLICES = ("-threads", "2", "-thread_type", "slice")
"""Both threads of x264 encode one frame, half of it each: with a frame for each, 13 of 8,574 encodings differed."""

_WHOLE = 16  # Bits after the point in weights that are whole numbers
LUMA, BLUE, RED = (
    np.array(weights, np.int32) for weights in ((11966, 40254, 4064), (-6596, -22189, 28785), (28785, -26145, -2640))
)
"""Weights of red, green and blue in brightness and in the two colors."""

_FRACTION = 4  # Bits after the point in sums of colors
_FIELD = 16  # Bits for each of two sums that share one number; four colors of 8 bits with their fractions take 14
_MEAN = _FRACTION + 2


class FfmpegWriter(ClipWriter):
    """A format that one run of ffmpeg encodes, which a thread feeds while drawing goes on.

    Width and height must be even, since two by two pixels share one color.

    Raises:
        EncoderError: there is no ffmpeg, or it failed; in all methods but `abandon`.
        StorageError: it could not write.
    """

    makes: ClassVar[Makes] = "file"
    exact: ClassVar[bool] = False
    losses: ClassVar[int] = LOSSES
    element: ClassVar[Literal["img", "video"]] = "video"
    multiple: ClassVar[int] = 2
    max_side: ClassVar[float] = 16384
    needs_ffmpeg: ClassVar[bool] = True
    checked: ClassVar[tuple[Sequence[str], Sequence[str]]]
    """Options for input and output that select the frames which are decoded to verify a film: a small part, since
    decoding all takes a twentieth of the time of encoding."""

    def __init__(self, request: "Request", *, part: Destination, clip: Clip) -> None:
        super().__init__(request, part=part, clip=clip)
        self._planes = Yuv420(clip.size, transparent=clip.transparent)
        log = part.scratch()  # a pipe that nobody reads would block ffmpeg
        # As an argument, the comment would be limited to 128 KiB.
        escaped = re.sub(r"([=;#\\\n\r])", r"\\\1", self.told(clip))
        about = f";FFMETADATA1\ncomment={escaped}\n" if escaped else ";FFMETADATA1\n"
        metadata = ["-f", "ffmetadata", "-i", str(part.add("metadata", about.encode()))]
        given, pixels, *filters = self.pixels(clip)
        size = ["-video_size", "{}x{}".format(*clip.size), "-framerate", str(clip.rate)]
        source = ["-f", "rawvideo", "-pix_fmt", given, *size, "-i", "pipe:0"]
        result = ["-vf", ",".join([*filters, f"setparams={_TAGS}"]), "-pix_fmt", pixels, *self.encoding(clip)]
        result += ["-f", self.name, f"file:{part.shared}"]
        with ExitStack() as stack:
            options = [*STRICT, "-y", *source, *metadata, "-map", "0:v", "-map_metadata", "1", *result]
            process = stack.enter_context(running(part.name, options, subprocess.PIPE, subprocess.DEVNULL, log))
            self._child, self._pipe = (part.name, process, log), cast("IO[bytes]", process.stdin)
            self._feeder = OneItemWorker(self._feed)
            self._opened = [stack.pop_all(), self._feeder]  # it is ended before the thread that feeds it

    @classmethod
    def told(cls, clip: Clip) -> str:
        """The comment that ffmpeg embeds."""
        return clip.provenance

    @classmethod
    def pixels(cls, clip: Clip) -> Sequence[str]:
        """Names of the pixels that ffmpeg gets and of those that it encodes, and filters between them."""
        return ["yuva420p" if clip.transparent else "yuv420p"] * 2

    @classmethod
    @abstractmethod
    def encoding(cls, clip: Clip) -> list[str]:
        """Options of ffmpeg for encoder and container."""

    def _feed(self, frame: bytes) -> None:
        rest = memoryview(frame)
        while rest:  # a signal may cut it short
            rest = rest[self._pipe.write(rest) :]

    @override
    def image(self, frame: Frame) -> "Image.Image":
        """Mode L of height 3H/2: the YUV planes one below the other; with an alpha plane below them, 5H/2."""
        from PIL import Image  # noqa: PLC0415  checking a scenario must not wait for it

        planes = self._planes.of(frame)
        return Image.frombuffer("L", planes.shape[::-1], planes, "raw", "L", 0, 1)

    @override
    def write(self, entry: "Image.Image") -> None:
        """Pass on one frame, when the one before it has been read."""
        try:
            self._feeder.exchange(entry.tobytes())
        except OSError as error:
            raise encoder_failure(*self._child, error) from None

    @override
    def close(self) -> None:
        try:
            self._feeder.last()
            self._pipe.close()
        except OSError as error:
            raise encoder_failure(*self._child, error) from None
        if self._child[1].wait():
            raise encoder_failure(*self._child)

    @classmethod
    @override
    def count(cls, path: Path, within: Path | None = None) -> int:
        """Number of frames by the packets, all of which are read; a part of the frames is decoded."""
        before, after = cls.checked
        source = ["-err_detect", "explode", *ONE_THREAD, *before, "-f", cls.name, "-i", f"file:{path.absolute()}"]
        packets = ["-map", "0:v", "-c", "copy", "-f", "framecrc", "pipe:1"]
        options = [*STRICT, *source, *packets, "-map", "0:v", *after, "-f", "null", "-"]
        with TemporaryFile(dir=within) as table, TemporaryFile(dir=within) as log:
            with running(str(path), options, subprocess.DEVNULL, table, log) as process:
                code = process.wait()
            if code or log.seek(0, os.SEEK_END):
                raise ValueError(first_line(log))
            table.seek(0)
            return sum(not line.startswith(b"#") for line in table)

    @classmethod
    @override
    def pictures(cls, path: Path) -> Iterator[NDArray[np.uint8]]:
        source = ["-loglevel", "quiet", "-f", cls.name, "-i", f"file:{path.absolute()}", "-fps_mode", "passthrough"]
        options = [*source, "-f", "image2pipe", "-c:v", "ppm", "-pix_fmt", "rgb24", "pipe:1"]
        with running(str(path), options, subprocess.DEVNULL, subprocess.PIPE, subprocess.DEVNULL) as process:
            pipe = cast("IO[bytes]", process.stdout)
            while pipe.readline() == b"P6\n":
                width, height = map(int, pipe.readline().split())
                frame = pipe.read(len(b"255\n") + 3 * width * height)
                yield np.frombuffer(frame, np.uint8, offset=len(b"255\n")).reshape(height, width, 3)
            if process.wait():
                raise OSError(EIO, "ffmpeg cannot read it", str(path))


class Mp4(FfmpegWriter):
    """H.264 video, which plays everywhere; its index is in front, so that it plays before it is fully loaded."""

    name: ClassVar[str] = "mp4"
    extensions: ClassVar[tuple[str, ...]] = (".mp4",)
    signs: ClassVar[tuple[Sign, ...]] = ((4, b"ftyp"),)
    transparent: ClassVar[bool] = False
    usage: ClassVar[str] = "-o flock.mp4"
    checked: ClassVar[tuple[Sequence[str], Sequence[str]]] = ("-skip_frame", "nokey"), ()  # first, last, 1 in 250
    suits: ClassVar[str] = "long and large clips; plays everywhere (H.264, yuv420p); sides must be even"

    effort: ClassVar[Mapping[Quality, tuple[str, str, int, Sequence[str]]]] = {
        "draft": ("ultrafast", "-qp", 28, ()),
        "standard": ("veryfast", "-crf", 21, ("-x264-params", f"{_TRUE_TO_COLOR}:mbtree=0")),
        "high": ("slow", "-crf", 14, ("-aq-mode", "3", "-x264-params", _TRUE_TO_COLOR)),
    }
    """x264's preset and quantizer: lower loses less. A constant one instead of a rate factor spares drafts a sixth of
    their time. Without mbtree, which spends bits on what stands still, moving animals keep more of theirs. Not yuv444,
    which Safari and Firefox do not play."""

    @classmethod
    @override
    def encoding(cls, clip: Clip) -> list[str]:
        preset, control, quantizer, more = cls.effort[clip.quality]
        # A key frame can be decoded alone when the film is verified.
        last = ["-force_key_frames", f"expr:eq(n,{clip.frames - 1})"] if clip.frames else []
        codec = ["-c:v", "libx264", "-preset", preset, control, str(quantizer + clip.loss), *more, *_TWO_SLICES]
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


class Webm(FfmpegWriter):
    """VP9 video, which needs no license and plays in browsers."""

    name: ClassVar[str] = "webm"
    extensions: ClassVar[tuple[str, ...]] = (".webm",)
    signs: ClassVar[tuple[Sign, ...]] = ((0, b"\x1a\x45\xdf\xa3"),)
    usage: ClassVar[str] = "-o flock.webm"
    checked: ClassVar[tuple[Sequence[str], Sequence[str]]] = (), ("-t", "0.2")  # later frames depend on all before
    suits: ClassVar[str] = "web pages; plays in browsers (VP9), a little larger than an mp4; sides must be even"

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
        effort = ["-deadline", deadline, "-cpu-used", str(speed), "-crf", str(rate_factor + clip.loss), "-b:v", "0"]
        # libvpx looks ahead for references, which it cannot have for the alpha plane.
        ahead = ["-auto-alt-ref", "0"] if clip.transparent else []
        # Otherwise the container gets a random number.
        return ["-c:v", "libvpx-vp9", *effort, *ahead, *ONE_THREAD, "-fflags", "+bitexact"]

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
    range: brightness 16 to 235, colors 16 to 240 around 128. Lit frames are taken in full color, and their colors are
    dithered: rounded, the sky would show steps of them. Most of other frames stays as it was in the one before, so only
    changed blocks are computed again: a tenth of the 3.2 ms that ffmpeg's `scale` takes for a frame of 1280x720.
    """

    def __init__(self, size: tuple[int, int], *, transparent: bool = False) -> None:
        width, height = size
        self._size = size
        self._before: NDArray[np.uint8] | None = None
        self._glaze: Glaze | None = None
        self._all = np.empty((height * (5 if transparent else 3) // 2, width), np.uint8)
        self._alpha = self._all[3 * height // 2 :]
        self._dither = grain((width // 2, height // 2), 256)

    def of(self, frame: Frame) -> NDArray[np.uint8]:
        """Brightness, blue and red planes, and alpha for a transparent clip, one below the other; valid until the next.

        Shape (3 height / 2, width), or (5 height / 2, width) with alpha.
        """
        index = frame.index.view(np.uint8)
        if frame.ground is not None and frame.inks is not None:
            self._glaze = self._glaze or Glaze(frame.inks)
            self._glaze.over(index, frame.ground, self._all)
            return self._all
        if frame.full is not None:
            colors = frame.full()
            if self._before is None:
                self._before = ~colors  # so that every pixel has changed
            convert(self._all, self._before, colors, self._dither, self._size[0])
            return self._all
        if self._before is None:
            self._tabulate(frame)
            self._before = ~index  # so that every pixel has changed
        size = self._size[0], frame.index.itemsize
        update_planes(self._all, self._before, index, self._luma, self._colors, self._rounding, *size)
        if frame.inks is not None:
            frame.inks[:, 3].take(frame.index, out=self._alpha)
        return self._all

    def _tabulate(self, frame: Frame) -> None:
        """Brightness of every palette entry, its colors, blue in the upper field, and the rounding of means."""
        light, *differences = yuv(frame.palette if frame.inks is None else frame.inks[:, :3])
        upper, lower = (np.rint(part * (1 << _FRACTION)).astype(np.uint32) for part in differences)
        self._luma: NDArray[np.uint8] = np.rint(light).astype(np.uint8)
        self._colors: NDArray[np.uint32] = (upper << _FIELD) + lower
        width, height = self._size
        many = frame.index.itemsize > 1
        share = thresholds((width // 2, height // 2)).reshape(-1) if many else np.full(width * height // 4, 0.5)
        added = (share * (1 << _MEAN)).astype(np.uint32)  # before the fraction of a mean is cut off
        self._rounding: NDArray[np.uint32] = added * np.uint32((1 << _FIELD) + 1)


@accelerated("=u1 =u1 u1 u1 int")
def convert(
    planes: NDArray[np.uint8],
    before: NDArray[np.uint8],
    colors: NDArray[np.uint8],
    dither: NDArray[np.uint8],
    columns: int,
) -> None:
    """Fill YUV planes with a picture of colors, (height, columns, 3); `dither` is for each block of 2 by 2 pixels.

    They hold the picture before, which becomes this one: the kernel converts only what has changed.
    """
    np.copyto(before, colors)
    whole, flat = colors.astype(np.int32), planes.reshape(-1)
    pixels = columns * len(colors)
    flat[:pixels] = ((whole @ LUMA + (16 << _WHOLE) + (1 << _WHOLE - 1)) >> _WHOLE).reshape(-1)
    sums = whole.reshape(len(colors) // 2, 2, columns // 2, 2, 3).sum(axis=(1, 3), dtype=np.int32)
    added = (dither.astype(np.int32) << _WHOLE + 2 - 8) + (128 << _WHOLE + 2)
    for number, weights in enumerate((BLUE, RED), start=4):
        part = flat[number * pixels // 4 : (number + 1) * pixels // 4]
        part[:] = ((sums @ weights + added) >> _WHOLE + 2).reshape(-1)


@accelerated("=u1 =u1 u1 u1 u4 u4 int int")
def update_planes(
    planes: NDArray[np.uint8],
    before: NDArray[np.uint8],
    index: NDArray[np.uint8],
    luma: NDArray[np.uint8],
    colors: NDArray[np.uint32],
    rounding: NDArray[np.uint32],
    columns: int,
    size: int,
) -> None:
    """Compute the YUV planes of what has changed since the picture before, which becomes this one.

    Args:
        planes: (3 height / 2 or more, columns) brightness, blue and red.
        before: the picture before, as `index`.
        index: palette entries as bytes, (height, columns * size).
        luma: brightness of every entry.
        colors: colors of every entry, blue in the upper field.
        rounding: for both fields of each block of 2 by 2 pixels.
        columns: width of the picture.
        size: bytes of a palette entry.
    """
    pairs, earlier = (each.view(np.uint16 if size == 1 else np.uint32) for each in (index, before))
    differs = pairs != earlier
    np.copyto(earlier, pairs)
    block = np.flatnonzero(differs[0::2] | differs[1::2])  # of 2 by 2 pixels, by its number
    half, blocks = columns // 2, len(rounding)
    flat = planes.reshape(-1)
    light = flat[: 4 * blocks].view(np.uint16)  # two pixels side by side in one number, as everywhere
    upper, sums = block + block // half * half, rounding[block]
    for row in (upper, upper + half):
        single = pairs.reshape(-1)[row].view(np.uint8 if size == 1 else np.uint16)
        light[row] = luma[single].view(np.uint16)
        sums += colors[single[0::2]] + colors[single[1::2]]
    flat[4 * blocks : 5 * blocks][block] = sums >> (_FIELD + _MEAN)
    flat[5 * blocks : 6 * blocks][block] = (sums & ((1 << _FIELD) - 1)) >> _MEAN


def yuv(color: NDArray[Any]) -> Array:
    """Brightness, blue and red of colors, (..., 3) from 0 to 255: shape (3, ...)."""
    red, green, blue = np.moveaxis(color, -1, 0) / 255
    light = RED_WEIGHT * red + GREEN_WEIGHT * green + BLUE_WEIGHT * blue
    return np.stack(
        (16 + 219 * light, 128 + 112 * (blue - light) / (1 - BLUE_WEIGHT), 128 + 112 * (red - light) / (1 - RED_WEIGHT))
    )


def planes_of(planes: NDArray[np.uint8]) -> list[NDArray[np.uint8]]:
    """Views of brightness, (height, width), and of blue and red, half as high and wide."""
    down, across = len(planes) * 2 // 3, planes.shape[1]
    half = down // 2, across // 2
    return [planes[:down], *planes[down:].reshape(2, *half)]


class Glaze:
    """Lays inks, (colors, 4), over the YUV planes of pictures."""

    def __init__(self, inks: NDArray[np.uint8]) -> None:
        part, color, below = inks[:, 3:] / 255, yuv(inks[:, :3]), np.arange(256)
        # The brightness of every ink over every other one, and what each of four pixels adds to a color.
        self._light = np.rint(below + part * (color[0][:, None] - below)).astype(np.uint8).reshape(-1)
        self._parts = np.concatenate((part.T, part.T * color[1:])).astype(np.float32) / 4

    def over(self, index: NDArray[np.uint8], ground: NDArray[np.uint8], planes: NDArray[np.uint8]) -> None:
        """Put a picture of inks over a ground into planes."""
        np.copyto(planes, ground)
        flat, codes, half = planes.reshape(-1), index.reshape(-1), index.shape[1] // 2
        pairs = index.view(np.uint16)
        block = np.flatnonzero((pairs[0::2] | pairs[1::2]) != 0)  # of 2 by 2 pixels, by its number
        place = 2 * (block + block // half * half) + np.array([[0], [1], [2 * half], [2 * half + 1]])
        code = codes[place]
        flat[place] = self._light[256 * code.astype(np.intp) + flat[place]]
        opaque, *colors = self._parts.take(code, axis=1).sum(axis=1)
        for number, ink in enumerate(colors):
            plane = flat[index.size + number * index.size // 4 :]
            plane[block] = np.rint(plane[block] * (1 - opaque) + ink)


def colors_over(glaze: Glaze, index: NDArray[np.uint8], ground: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The colors of a picture of inks over a film, (height, width, 3)."""
    planes = np.empty_like(ground)
    glaze.over(index, ground, planes)
    bright, *halves = planes_of(planes)
    light, (blue, red) = (bright - 16.0) / 219, ((half.repeat(2, 0).repeat(2, 1) - 128.0) / 112 for half in halves)
    red, blue = light + red * (1 - RED_WEIGHT), light + blue * (1 - BLUE_WEIGHT)
    green = (light - BLUE_WEIGHT * blue - RED_WEIGHT * red) / GREEN_WEIGHT
    return np.rint(255 * np.clip(np.stack((red, green, blue), axis=-1), 0, 1)).astype(np.uint8)
