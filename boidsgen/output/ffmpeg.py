"""ffmpeg as a child process: encode raw frames and verify finished films.

imageio-ffmpeg supplies the binary and nothing else, since its own writer ignores ffmpeg's exit code. If ffmpeg fails or
is missing, the next call raises that with ffmpeg's own reason, and no child outlives its user.
"""

import errno
import os
import re
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, TYPE_CHECKING, ClassVar, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from boidsgen import system
from boidsgen.errors import EncoderError, StorageError
from boidsgen.output.base import Background, ClipWriter
from boidsgen.output.publish import Destination

if TYPE_CHECKING:
    from PIL import Image

PATIENCE = 60.0  # Seconds to wait for ffmpeg's version
ONE_THREAD = ("-threads", "1")

_PIPE_BYTES = 1 << 20
_LOG_BYTES = 1 << 16
_CHOSEN = "IMAGEIO_FFMPEG_EXE"  # Environment variable that selects another ffmpeg than that of imageio-ffmpeg
_OF_THE_DISK = {errno.ENOSPC, errno.EFBIG, errno.EDQUOT, errno.EIO, errno.EROFS, errno.EACCES}
_LOGGER = re.compile(r"^(\[[^]]*] )+")
_STRICT = ("-hide_banner", "-nostdin", "-nostats", "-loglevel", "error", "-xerror", "-abort_on", "empty_output")


class Encoder(ClipWriter):
    """A clip that one run of ffmpeg encodes from raw frames. A thread feeds it while drawing goes on.

    Raises:
        EncoderError: ffmpeg failed; in all methods but `abandon`.
        StorageError: it could not write.
    """

    needs_ffmpeg: ClassVar[bool] = True
    checked: ClassVar[tuple[Sequence[str], Sequence[str]]]
    """Options for input and output that select the frames which are decoded to verify a film: a small part, since
    decoding all takes a twentieth of the time of encoding."""

    def start(self, part: Destination, source: Sequence[str], result: Sequence[str], comment: str) -> None:
        """Start ffmpeg with options for the raw frames and for the output, and a comment for the metadata.

        Raises:
            EncoderError: there is no ffmpeg, or it cannot be started.
        """
        self._name = part.name
        with ExitStack() as stack:
            self._log = part.scratch()  # a pipe that nobody reads would block ffmpeg
            # As an argument, the comment would be limited to 128 KiB.
            escaped = re.sub(r"([=;#\\\n\r])", r"\\\1", comment)
            about = f";FFMETADATA1\ncomment={escaped}\n" if comment else ";FFMETADATA1\n"
            metadata = part.add("metadata", about.encode())
            inputs = [*source, "-i", "pipe:0", "-f", "ffmetadata", "-i", str(metadata)]
            output = ["-map", "0:v", "-map_metadata", "1", *result, f"file:{part.shared}"]
            command = [_executable(part.name), *_STRICT, "-y", *inputs, *output]
            try:
                self._process = stack.enter_context(_running(command, subprocess.PIPE, subprocess.DEVNULL, self._log))
            except OSError as error:
                if system.limit_met(error):
                    raise
                reason = f"cannot start ffmpeg ({command[0]}): {error.strerror}"
                raise EncoderError(f"{part.name}: {reason}; {_remedy()}") from None
            self._pipe = cast("IO[bytes]", self._process.stdin)
            self._feeder = Background(self._feed)
            self._opened = [stack.pop_all(), self._feeder]  # it is ended before the thread that feeds it

    def _feed(self, frame: bytes) -> None:
        rest = memoryview(frame)
        while rest:  # a signal may cut it short
            rest = rest[self._pipe.write(rest) :]

    @override
    def write(self, entry: "Image.Image") -> None:
        """Pass on one frame, when the one before it has been read."""
        try:
            self._feeder.exchange(entry.tobytes())
        except OSError as error:
            raise self._failure(error) from None

    @override
    def close(self) -> None:
        try:
            self._feeder.last()
            self._pipe.close()
        except OSError as error:
            raise self._failure(error) from None
        if self._process.wait():
            raise self._failure()

    @classmethod
    @override
    def count(cls, path: Path, within: Path | None = None) -> int:
        """Number of frames by the packets, all of which are read; a part of the frames is decoded."""
        before, after = cls.checked
        source = ["-err_detect", "explode", *ONE_THREAD, *before, "-f", cls.name, "-i", f"file:{path.absolute()}"]
        packets = ["-map", "0:v", "-c", "copy", "-f", "framecrc", "pipe:1"]
        command = [_executable(str(path)), *_STRICT, *source, *packets, "-map", "0:v", *after, "-f", "null", "-"]
        with TemporaryFile(dir=within) as table, TemporaryFile(dir=within) as log:
            with _running(command, subprocess.DEVNULL, table, log) as process:
                code = process.wait()
            if code or log.seek(0, os.SEEK_END):
                raise ValueError(_reason(log))
            table.seek(0)
            return sum(not line.startswith(b"#") for line in table)

    @classmethod
    @override
    def pictures(cls, path: Path) -> Iterator[NDArray[np.uint8]]:
        source = ["-loglevel", "quiet", "-f", cls.name, "-i", f"file:{path.absolute()}", "-fps_mode", "passthrough"]
        command = [_executable(str(path)), *source, "-f", "image2pipe", "-c:v", "ppm", "pipe:1"]
        with _running(command, subprocess.DEVNULL, subprocess.PIPE, subprocess.DEVNULL) as process:
            pipe = cast("IO[bytes]", process.stdout)
            while pipe.readline() == b"P6\n":
                width, height = map(int, pipe.readline().split())
                frame = pipe.read(len(b"255\n") + 3 * width * height)
                yield np.frombuffer(frame, np.uint8, offset=len(b"255\n")).reshape(height, width, 3)
            if process.wait():
                raise OSError(errno.EIO, "ffmpeg cannot read it", str(path))

    def _failure(self, error: OSError | None = None) -> Exception:
        if error and not system.is_broken_pipe(error):
            return error
        name, code = self._name, self._process.wait()
        if code < 0:
            return EncoderError(f"{name}: ffmpeg was ended by {system.signal_name(-code)}")
        number = -code & 255  # ffmpeg's exit code is -errno, of which some systems keep the lowest byte
        if number in _OF_THE_DISK:
            return StorageError(f"{name}: {os.strerror(number)} (ffmpeg){system.limit_met(OSError(number, ''))}")
        chosen = os.environ.get(_CHOSEN)
        who = f"ffmpeg ({_CHOSEN} = {chosen})" if chosen else "ffmpeg"
        what = f"failed with exit code {code}" if code else "stopped before the last frame"
        return EncoderError(f"{name}: {who} {what}: {_reason(self._log)}")


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
            [path, "-encoders"], capture_output=True, text=True, errors="replace", check=True, timeout=PATIENCE
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
        try:  # a process that cannot be started for want of descriptors is taken for a program that is missing
            with _running([os.devnull], subprocess.DEVNULL, subprocess.PIPE, subprocess.DEVNULL):
                pass
        except OSError as error:
            if system.limit_met(error):
                raise
        raise EncoderError(f"{name}: there is no ffmpeg; {_remedy()}") from None


@contextmanager
def _running(
    command: Sequence[str], stdin: int, stdout: int | IO[bytes], stderr: int | IO[bytes]
) -> "Iterator[subprocess.Popen[bytes]]":
    """A child process that ends with this block, with this process, and not by Ctrl-C, which is for us alone."""
    process = None
    try:
        with system.defer_signals():
            buffer = 0 if stdin == subprocess.PIPE else -1  # whoever forks this process would write it again
            options = {"bufsize": buffer, "pipesize": _PIPE_BYTES, **system.child_options()}
            process = subprocess.Popen(command, stdin=stdin, stdout=stdout, stderr=stderr, **options)  # noqa: S603  our own arguments, no shell
        yield process
    finally:
        if process:
            if process.poll() is None:
                system.kill(process)
            process.wait()
            for pipe in filter(None, (process.stdin, process.stdout)):
                with suppress(OSError):
                    pipe.close()


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
