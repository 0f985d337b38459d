"""Films: MP4 (H.264) and WebM (VP9), encoded by ffmpeg in a child process.

Frames go to ffmpeg as the YUV planes that encoders work on (yuv420p, BT.709): half the bytes of RGB, and no conversion.
Half of the color resolution is lost, as thin saturated shapes show. x264 writes other bytes for another number
of threads, so that one thread encodes: even with two, 13 of 8,574 encodings of the same frames differed.

imageio-ffmpeg supplies the binary and nothing else, since its own writer ignores ffmpeg's exit code. If ffmpeg fails,
hangs or is missing, the next call raises that with ffmpeg's own reason, and no child outlives `close` or `abandon`.
"""

import errno
import os
import queue
import re
import struct
import subprocess
import threading
from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from fractions import Fraction
from pathlib import Path
from tempfile import NamedTemporaryFile, TemporaryFile
from typing import IO, TYPE_CHECKING, BinaryIO, ClassVar, Literal, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from boidsgen import system
from boidsgen.drawing.frame import Frame
from boidsgen.errors import BoidsgenError, EncoderError, LimitError, StorageError
from boidsgen.hard_limits import MAX_COMMENT
from boidsgen.output.base import Clip, ClipWriter, Part, Quality, Refusal, Sign
from boidsgen.output.publish import Makes
from boidsgen.output.yuv420 import Yuv420

if TYPE_CHECKING:
    from imageio.core.request import Request
    from PIL import Image

PATIENCE = 60.0
"""Seconds without any progress after which ffmpeg counts as hung."""
MAX_SIDE = 16384

_THREADS = ("-threads", "1")
_TAGS = "range=tv:color_primaries=bt709:color_trc=bt709:colorspace=bt709"
_GLANCE = 0.25
_QUEUED_FRAMES = 4
_PIPE_BYTES = 1 << 20
_LOG_BYTES = 1 << 16
_HEAD_BYTES = 1 << 16
"""Bytes of a film around the embedded scenario."""
_CHOSEN = "IMAGEIO_FFMPEG_EXE"
"""Environment variable that selects another ffmpeg than that of imageio-ffmpeg."""
_OF_THE_DISK = {errno.ENOSPC, errno.EFBIG, errno.EDQUOT, errno.EIO, errno.EROFS, errno.EACCES}
_EXHAUSTED = {errno.EMFILE, errno.ENFILE, errno.EAGAIN, errno.ENOMEM}
_LOGGER = re.compile(r"^(\[[^]]*] )+")
_STRICT = ("-hide_banner", "-nostdin", "-nostats", "-loglevel", "error", "-xerror", "-abort_on", "empty_output")


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
        source, result = self.options(clip)
        self._encoder = Encoder(part, source=source, result=result, comment=clip.provenance)

    @classmethod
    def options(cls, clip: Clip) -> tuple[list[str], list[str]]:
        """Options of ffmpeg for its raw input and for its output."""
        pixels = ["-pix_fmt", "yuva420p" if clip.transparent else "yuv420p"]
        size = ["-video_size", "{}x{}".format(*clip.size), "-framerate", str(clip.rate)]
        result = ["-vf", f"setparams={_TAGS}", *pixels, *cls.encoding(clip), "-f", cls.name]
        return ["-f", "rawvideo", *pixels, *size], result

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
        return cls._inspected(path)[0]

    @classmethod
    @override
    def duration(cls, path: Path) -> float:
        return cls._inspected(path)[1]

    @classmethod
    def _inspected(cls, path: Path) -> tuple[int, float]:
        """Frames and seconds of a film, as ffmpeg finds them; reads all of the film and decodes some of it.

        Raises ValueError with ffmpeg's reason if it is damaged.
        """
        before, after = cls.checked
        source = ["-err_detect", "explode", *_THREADS, *before, "-f", cls.name, "-i", _url(path)]
        packets = ["-map", "0:v", "-c", "copy", "-f", "framecrc", "pipe:1"]
        command = [executable(str(path)), *_STRICT, *source, *packets, "-map", "0:v", *after, "-f", "null", "-"]
        with TemporaryFile() as table, TemporaryFile() as log:
            with _running(command, subprocess.DEVNULL, table, log) as process:
                try:
                    code = process.wait(PATIENCE)
                except subprocess.TimeoutExpired:
                    raise ValueError(f"ffmpeg hangs: it has decoded nothing for {PATIENCE:g} seconds") from None
            if code or log.seek(0, os.SEEK_END):
                raise ValueError(_reason(log))
            table.seek(0)
            frames, end, tick = 0, 0, Fraction(0)
            for line in table:
                if line.startswith(b"#tb 0: "):
                    tick = Fraction(line[7:].decode())
                elif not line.startswith(b"#"):
                    _, _, begin, length = map(int, line.split(b",")[:4])
                    frames, end = frames + 1, max(end, begin + length)
        return frames, float(end * tick)

    @classmethod
    @override
    def pictures(cls, path: Path) -> Iterator[NDArray[np.uint8]]:
        """Frames in RGB, one in memory.

        Raises:
            EncoderError: there is no ffmpeg.
            OSError: it cannot read the film to its end.
        """
        source = [*_STRICT[:5], "-f", cls.name, "-i", _url(path), "-fps_mode", "passthrough"]
        command = [executable(str(path)), *source, "-f", "image2pipe", "-c:v", "ppm", "pipe:1"]
        with _running(command, subprocess.DEVNULL, subprocess.PIPE, subprocess.DEVNULL) as process:
            while process.stdout and process.stdout.readline() == b"P6\n":
                width, height = map(int, process.stdout.readline().split())
                frame = process.stdout.read(len(b"255\n") + 3 * width * height)
                yield np.frombuffer(frame, np.uint8, offset=len(b"255\n")).reshape(height, width, 3)
            code = process.wait()
        if code:
            raise OSError(errno.EIO, f"ffmpeg cannot read it (exit code {code})", str(path))


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
        codec = ["-c:v", "libx264", "-preset", preset, control, str(quantizer), *_THREADS]
        # A key frame can be decoded alone when the film is verified.
        last = ["-force_key_frames", f"expr:eq(n,{clip.frames - 1})"] if clip.frames else []
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
        return ["-c:v", "libvpx-vp9", *effort, *ahead, *_THREADS, "-fflags", "+bitexact"]

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


class Encoder:
    """One run of ffmpeg that reads raw frames and writes one part. A thread feeds it while drawing goes on.

    Args:
        part: the file to fill; it exists already.
        source: options of ffmpeg for the raw frames.
        result: options of ffmpeg for the output, its format among them.
        comment: text of any length for the metadata; empty for none.

    Raises:
        EncoderError: there is no ffmpeg, or it cannot be started.
    """

    def __init__(self, part: Part, *, source: Sequence[str], result: Sequence[str], comment: str) -> None:
        self._part = part
        self._queue: queue.Queue[bytes | None] = queue.Queue(_QUEUED_FRAMES)
        self._fed, self._cut_short = 0, False
        self._feeder = threading.Thread(target=self._pass_on, name="ffmpeg feeder", daemon=True)
        with ExitStack() as stack:
            self._log = stack.enter_context(TemporaryFile())  # a pipe that nobody reads would block ffmpeg
            metadata = ["-f", "ffmetadata", "-i", stack.enter_context(_metadata(comment))]
            # Every packet is written at once, so that the file grows for as long as ffmpeg works.
            output = ["-map", "0:v", "-map_metadata", "1", *result, "-flush_packets", "1", _url(part.path)]
            command = [executable(part.name), *_STRICT, "-y", *source, "-i", "pipe:0", *metadata, *output]
            try:
                self._process = stack.enter_context(_running(command, subprocess.PIPE, subprocess.DEVNULL, self._log))
            except OSError as error:
                if error.errno in _EXHAUSTED:
                    raise
                reason = f"cannot start ffmpeg ({command[0]}): {error.strerror}"
                raise EncoderError(f"{part.name}: {reason}; {_remedy()}") from None
            stack.callback(self._end_feeder)
            try:
                self._feeder.start()
            except RuntimeError as error:  # the system allows no more threads
                raise EncoderError(f"{part.name}: cannot feed ffmpeg: {error}") from None
            self._resources = stack.pop_all()

    def feed(self, frame: bytes | None) -> None:
        """Pass on one frame, None after the last; waits while the queue is full.

        Raises:
            EncoderError: ffmpeg has failed, at this frame or an earlier one.
            StorageError: it could not write.
        """
        for _ in self._waits():
            if not self._feeder.is_alive():
                raise self._failure()
            with suppress(queue.Full):
                self._queue.put(frame, timeout=_GLANCE)
                return

    def finish(self) -> None:
        """Wait until everything is encoded. Raises as `feed` does."""
        self.feed(None)
        for _ in self._waits():
            self._feeder.join(_GLANCE)
            if not self._feeder.is_alive():
                break
        if self._process.returncode or self._cut_short:
            raise self._failure()

    def kill(self) -> None:
        """End ffmpeg, unless it has ended, and release everything."""
        self._resources.close()

    def _pass_on(self) -> None:
        """Body of the feeder: pass frames on until None comes or ffmpeg stops reading, then wait for its end."""
        try:
            with cast("IO[bytes]", self._process.stdin) as pipe:
                while (frame := self._queue.get()) is not None:
                    pipe.write(frame)
                    self._fed += 1
        except (OSError, MemoryError, ValueError):  # ValueError: it was killed before this thread began
            self._cut_short = True
        self._process.wait()

    def _end_feeder(self) -> None:
        if self._process.poll() is None:
            system.kill(self._process)
            self._process.wait()
        with suppress(queue.Full):  # a full queue makes the feeder meet the broken pipe, which ends it too
            self._queue.put_nowait(None)
        if self._feeder.is_alive():
            self._feeder.join(_GLANCE)

    def _waits(self) -> Iterator[None]:
        """Yield before each wait of one glance; give up when nothing has moved for too long.

        Waits are counted rather than a clock read: suspending the machine or the program is no progress of time here.
        """
        idle, before = 0.0, None
        while idle < PATIENCE:
            yield
            file = self._part.path.stat()
            now = self._fed, file.st_size, file.st_mtime_ns
            idle = idle + _GLANCE if now == before else 0.0
            before = now
        raise EncoderError(f"{self._part.name}: ffmpeg hangs: it has done nothing for {PATIENCE:g} seconds")

    def _failure(self) -> BoidsgenError:
        name, code = self._part.name, self._process.returncode
        if code < 0:
            return EncoderError(f"{name}: ffmpeg was ended by {system.signal_name(-code)}")
        number = -code & 255  # ffmpeg's exit code is -errno, of which some systems keep the lowest byte
        if number == errno.ENOMEM:
            return LimitError(f"{name}: not enough memory for ffmpeg{system.limit_met(OSError(number, ''))}")
        if number in _OF_THE_DISK:
            return StorageError(f"{name}: {os.strerror(number)} (ffmpeg){system.limit_met(OSError(number, ''))}")
        chosen = os.environ.get(_CHOSEN)
        who = f"ffmpeg ({_CHOSEN} = {chosen})" if chosen else "ffmpeg"
        what = f"failed with exit code {code}" if code else "stopped before the last frame"
        return EncoderError(f"{name}: {who} {what}: {_reason(self._log)}")


class Installed(NamedTuple):
    """The ffmpeg that would be used.

    Attributes:
        path: of the binary.
        version: as it reports it.
        has_x264: True if it can encode MP4.
    """

    path: str
    version: str
    has_x264: bool


def installed() -> Installed:
    """Find ffmpeg and its version.

    Raises:
        EncoderError: there is none, or it does not answer.
    """
    path = executable("mp4")
    try:
        encoders = subprocess.run(  # noqa: S603  our own arguments, no shell
            [path, "-encoders"], capture_output=True, text=True, errors="replace", check=True, timeout=PATIENCE
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise EncoderError(f"mp4: cannot run ffmpeg ({path}): {error}; {_remedy()}") from None
    version = re.search(r"ffmpeg version (\S+)", encoders.stderr)
    return Installed(path, version[1] if version else "unknown", " libx264 " in encoders.stdout)


def executable(name: str) -> str:
    """Path of ffmpeg. Raises EncoderError, about the output of this name, if there is none."""
    try:
        import imageio_ffmpeg  # noqa: PLC0415  a GIF needs no encoder and must not wait for it

        return str(imageio_ffmpeg.get_ffmpeg_exe())
    except (ImportError, RuntimeError):
        raise EncoderError(f"{name}: there is no ffmpeg; {_remedy()}") from None


@contextmanager
def _running(
    command: Sequence[str], stdin: int, stdout: int | IO[bytes], stderr: int | IO[bytes]
) -> "Iterator[subprocess.Popen[bytes]]":
    """A child process that ends with this block, with this process, and not by Ctrl-C, which is for us alone."""
    process = None
    try:
        with system.defer_signals():
            process = subprocess.Popen(  # noqa: S603  our own arguments, no shell
                command, pipesize=_PIPE_BYTES, stdin=stdin, stdout=stdout, stderr=stderr, **system.child_options()
            )
        yield process
    finally:
        if process:
            if process.poll() is None:
                system.kill(process)
            process.wait()
            for pipe in filter(None, (process.stdin, process.stdout)):
                with suppress(OSError):
                    pipe.close()


@contextmanager
def _metadata(comment: str) -> Iterator[str]:
    """The comment in a file of ffmpeg's metadata format: as an argument it would be limited to 128 KiB."""
    escaped = re.sub(r"([=;#\\\n\r])", r"\\\1", comment)
    with NamedTemporaryFile(prefix="boidsgen-", suffix=".ffmetadata", delete=False) as file:
        file.write(f";FFMETADATA1\ncomment={escaped}\n".encode() if comment else b";FFMETADATA1\n")
    try:
        yield file.name
    finally:
        Path(file.name).unlink(missing_ok=True)


def _url(path: Path) -> str:
    return f"file:{path.absolute()}"


def _reason(log: IO[bytes]) -> str:
    """First line that ffmpeg logged: later ones are consequences."""
    log.seek(0)
    lines = log.read(_LOG_BYTES).decode(errors="replace").splitlines()
    first = next((line for line in lines if line.strip()), "it gave no reason")
    reason = _LOGGER.sub("", first.strip())[:300]
    return f"{reason}; {_remedy()}" if reason.startswith("Unknown encoder") else reason


def _remedy() -> str:
    otherwise = "or choose gif, webp or png, which need no encoder"
    if _CHOSEN in os.environ:
        return f"{_CHOSEN} names it: unset that to take the one of imageio-ffmpeg, {otherwise}"
    return f"install it with 'pip install imageio-ffmpeg', {otherwise}"
