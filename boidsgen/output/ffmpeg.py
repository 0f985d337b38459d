"""ffmpeg as a child process: encode raw frames, verify and decode finished films.

imageio-ffmpeg supplies the binary and nothing else, since its own writer ignores ffmpeg's exit code. If ffmpeg fails,
hangs or is missing, the next call raises that with ffmpeg's own reason, and no child outlives its user.
"""

import errno
import os
import queue
import re
import subprocess
import threading
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from typing import IO, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from boidsgen import system
from boidsgen.errors import BoidsgenError, EncoderError, LimitError, StorageError
from boidsgen.output.base import Part

PATIENCE = 60.0
"""Seconds without any progress after which ffmpeg counts as hung."""
ONE_THREAD = ("-threads", "1")

_GLANCE = 0.25
_QUEUED_FRAMES = 4
_PIPE_BYTES = 1 << 20
_LOG_BYTES = 1 << 16
_CHOSEN = "IMAGEIO_FFMPEG_EXE"
"""Environment variable that selects another ffmpeg than that of imageio-ffmpeg."""
_OF_THE_DISK = {errno.ENOSPC, errno.EFBIG, errno.EDQUOT, errno.EIO, errno.EROFS, errno.EACCES}
_EXHAUSTED = {errno.EMFILE, errno.ENFILE, errno.EAGAIN, errno.ENOMEM}
_LOGGER = re.compile(r"^(\[[^]]*] )+")
_QUIET = ("-hide_banner", "-nostdin", "-nostats", "-loglevel", "error")
_STRICT = (*_QUIET, "-xerror", "-abort_on", "empty_output")


class Encoder:
    """One run of ffmpeg that reads raw frames and writes one part. A thread feeds it while drawing goes on.

    Args:
        part: the file to fill; it exists already.
        source: options of ffmpeg for the raw frames.
        result: options of ffmpeg for the output, its format among them.
        comment: text of any length for the metadata; empty for none.

    Raises:
        EncoderError: there is no ffmpeg, or it cannot be started; in all methods but `kill` also that it failed.
        StorageError: in those methods, that it could not write.
    """

    def __init__(self, part: Part, source: Sequence[str], result: Sequence[str], comment: str) -> None:
        self._part = part
        self._queue: queue.Queue[bytes | None] = queue.Queue(_QUEUED_FRAMES)
        self._fed, self._cut_short = 0, False
        self._feeder = threading.Thread(target=self._pass_on, name="ffmpeg feeder", daemon=True)
        with ExitStack() as stack:
            self._log = stack.enter_context(TemporaryFile())  # a pipe that nobody reads would block ffmpeg
            metadata = ["-f", "ffmetadata", "-i", stack.enter_context(_metadata(comment))]
            # Every packet is written at once, so that the file grows for as long as ffmpeg works.
            output = ["-map", "0:v", "-map_metadata", "1", *result, "-flush_packets", "1", _url(part.path)]
            command = [_executable(part.name), *_STRICT, "-y", *source, "-i", "pipe:0", *metadata, *output]
            stack.callback(self._end_feeder)
            try:
                self._process = stack.enter_context(_running(command, subprocess.PIPE, subprocess.DEVNULL, self._log))
            except OSError as error:
                if error.errno in _EXHAUSTED:
                    raise
                reason = f"cannot start ffmpeg ({command[0]}): {error.strerror}"
                raise EncoderError(f"{part.name}: {reason}; {_remedy()}") from None
            try:
                self._feeder.start()
            except RuntimeError as error:  # the system allows no more threads
                raise EncoderError(f"{part.name}: cannot feed ffmpeg: {error}") from None
            self._resources = stack.pop_all()

    def feed(self, frame: bytes | None) -> None:
        """Pass on one frame, None after the last; waits while the queue is full."""
        for _ in self._waits():
            if not self._feeder.is_alive():
                raise self._failure()
            with suppress(queue.Full):
                self._queue.put(frame, timeout=_GLANCE)
                return

    def finish(self) -> None:
        """Wait until everything is encoded."""
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


def probe(path: Path, container: str, before: Sequence[str], after: Sequence[str]) -> tuple[int, float]:
    """Frames and seconds of a film by its packets, all of which are read; a part of the frames is decoded to verify it.

    Args:
        path: the film.
        container: ffmpeg's name of its format.
        before: options for the input that select the frames to decode.
        after: options for the output that do.

    Raises:
        ValueError: it is damaged, with ffmpeg's reason.
        EncoderError: there is no ffmpeg.
    """
    source = ["-err_detect", "explode", *ONE_THREAD, *before, "-f", container, "-i", _url(path)]
    packets = ["-map", "0:v", "-c", "copy", "-f", "framecrc", "pipe:1"]
    command = [_executable(str(path)), *_STRICT, *source, *packets, "-map", "0:v", *after, "-f", "null", "-"]
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


def decode(path: Path, container: str) -> Iterator[NDArray[np.uint8]]:
    """Frames of a film in RGB, each (height, width, 3), one in memory.

    Raises:
        EncoderError: there is no ffmpeg.
        OSError: it cannot read the film to its end.
    """
    source = [*_QUIET, "-f", container, "-i", _url(path), "-fps_mode", "passthrough"]
    command = [_executable(str(path)), *source, "-f", "image2pipe", "-c:v", "ppm", "pipe:1"]
    with _running(command, subprocess.DEVNULL, subprocess.PIPE, subprocess.DEVNULL) as process:
        while process.stdout and process.stdout.readline() == b"P6\n":
            width, height = map(int, process.stdout.readline().split())
            frame = process.stdout.read(len(b"255\n") + 3 * width * height)
            yield np.frombuffer(frame, np.uint8, offset=len(b"255\n")).reshape(height, width, 3)
        code = process.wait()
    if code:
        raise OSError(errno.EIO, f"ffmpeg cannot read it (exit code {code})", str(path))


class Installed(NamedTuple):
    """The ffmpeg that would be used; it encodes MP4 if it has libx264."""

    path: str
    version: str
    has_x264: bool


def installed() -> Installed:
    """Find ffmpeg and its version.

    Raises:
        EncoderError: there is none, or it does not answer.
    """
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
    with TemporaryDirectory(prefix="boidsgen-") as folder:
        file = Path(folder) / "ffmetadata"
        file.write_bytes(f";FFMETADATA1\ncomment={escaped}\n".encode() if comment else b";FFMETADATA1\n")
        yield str(file)


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
