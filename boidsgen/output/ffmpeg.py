"""ffmpeg as a child process that is fed frame by frame, and whose word is not taken for it.

imageio-ffmpeg supplies the binary and nothing else: its own writer never looks at ffmpeg's exit code. Frames wait in a
short queue and a thread passes them on, so that drawing and encoding overlap. Whatever happens to ffmpeg (it dies,
hangs, floods its error stream, is missing) is raised in the caller's thread by the next call, with ffmpeg's own reason,
and no child outlives `finish` or `kill`. What it has made can be decoded again (`damage`, `decoded`).
"""

import errno
import os
import queue
import re
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from boidsgen import system
from boidsgen.errors import BoidsgenError, EncoderError, LimitError, StorageError
from boidsgen.output.contract import Part
from boidsgen.output.parts import defer_signals

PATIENCE = 60.0
"""Seconds of waiting without any sign of life after which ffmpeg counts as hung."""

_GLANCE = 0.25
_QUEUED_FRAMES = 4
_PIPE_BYTES = 1 << 20
_REASON_BYTES = 1 << 16
_CHOSEN = "IMAGEIO_FFMPEG_EXE"
"""The variable by which imageio-ffmpeg is told to take another ffmpeg than its own."""
_OTHERWISE = "or choose gif, webp or png, which need no encoder"
_OF_THE_DISK = {errno.ENOSPC, errno.EFBIG, errno.EDQUOT, errno.EIO, errno.EROFS, errno.EACCES, errno.EAGAIN}
_EXHAUSTED = {errno.EMFILE, errno.ENFILE, errno.EAGAIN, errno.ENOMEM}
_WHO_SPEAKS = re.compile(r"^(\[[^]]*] )+")
_QUIET = ("-hide_banner", "-nostdin", "-nostats", "-loglevel", "error")
_STRICT = ("-xerror", "-abort_on", "empty_output")
_EXACTING = ("-err_detect", "explode", "-threads", "1")
"""No mistake in a film is a small one."""
_ONLY_VIDEO = ("-map", "0:v", "-map_metadata", "1")
_SIGNS_OF_LIFE = ("-flush_packets", "1")
"""Every packet is written at once, so that the file grows for as long as the encoder lives."""


class Encoder:
    """One run of ffmpeg that reads raw frames and writes one part.

    Args:
        part: the file to fill; it has been created already.
        source: ffmpeg's options for the raw frames.
        result: ffmpeg's options for the output, its format among them.
        comment: a text of any length for the metadata; empty for none.

    Raises:
        EncoderError: there is no ffmpeg, or it cannot be started.
    """

    def __init__(self, part: Part, *, source: Sequence[str], result: Sequence[str], comment: str) -> None:
        self._part = part
        self._queue: queue.Queue[bytes | None] = queue.Queue(_QUEUED_FRAMES)
        self._fed = 0
        self._turned_away = False
        self._files = ExitStack()
        # A file: a pipe that nobody reads would block ffmpeg.
        self._complaints: IO[bytes] = self._files.enter_context(TemporaryFile())  # noqa: SIM115  closed by kill
        self._feeder = threading.Thread(target=self._pass_on, name="ffmpeg feeder", daemon=True)
        try:
            self._start(source, result, comment)
            self._feeder.start()
        except RuntimeError as error:  # the system allows no further thread
            self.kill()
            raise EncoderError(f"{part.name}: cannot feed ffmpeg: {error}") from None
        except BaseException:
            self.kill()
            raise

    def feed(self, frame: bytes | None) -> None:
        """Hand over one frame; waits while the queue is full. None says that there are no more.

        Raises:
            EncoderError: ffmpeg has failed, now or in an earlier frame.
            StorageError: it could not write.
        """
        for _ in self._patiently():
            if not self._feeder.is_alive():
                raise self._failure(self._exit_code())
            with suppress(queue.Full):
                self._queue.put(frame, timeout=_GLANCE)
                return

    def finish(self) -> None:
        """Wait until everything is encoded.

        Raises:
            EncoderError: ffmpeg failed, hung, or stopped before the last frame.
            StorageError: it could not write.
        """
        self.feed(None)
        code = self._exit_code()
        if code != 0 or self._turned_away:
            raise self._failure(code)

    def kill(self) -> None:
        """End ffmpeg, unless it has ended or never began, and let go of everything."""
        try:
            if "_process" in vars(self):
                self._end_process()
        finally:
            self._files.close()

    def _end_process(self) -> None:
        if self._process.poll() is None:
            system.kill(self._process)
            self._process.wait()
        with suppress(queue.Full):  # a full queue makes the feeder touch the broken pipe, which ends it too
            self._queue.put_nowait(None)
        self._end_feeder()

    def _end_feeder(self) -> None:
        if self._feeder.is_alive():
            self._feeder.join(_GLANCE)
        elif self._process.stdin:  # it may never have started
            with suppress(OSError):
                self._process.stdin.close()

    def _start(self, source: Sequence[str], result: Sequence[str], comment: str) -> None:
        # The part is alive as long as one of us. Ctrl-C is for us alone: ffmpeg would answer it with a shorter film.
        metadata, options = self._files.enter_context(
            system.handed_over(_as_metadata(comment), self._part.path, *self._part.claims)
        )
        inputs = [*source, "-i", "pipe:0", "-f", "ffmetadata", "-i", metadata]
        output = [*_ONLY_VIDEO, *result, *_SIGNS_OF_LIFE, f"file:{self._part.path.absolute()}"]
        command = [_executable(self._part.name), *_QUIET, *_STRICT, "-y", *inputs, *output]
        try:
            with defer_signals():
                self._process = subprocess.Popen(  # noqa: S603  our own arguments, no shell
                    command,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.DEVNULL,
                    stderr=self._complaints,
                    pipesize=_PIPE_BYTES,
                    **options,
                )
                system.adopt(self._process)
        except OSError as error:
            if error.errno in _EXHAUSTED:
                raise
            reason = f"cannot start ffmpeg ({command[0]}): {error.strerror}"
            raise EncoderError(f"{self._part.name}: {reason}; {_remedy()}") from None

    def _pass_on(self) -> None:
        """What the feeder does: pass frames on until None comes, or until ffmpeg stops reading; then await its end."""
        pipe = self._process.stdin
        if pipe is None:
            return
        try:
            with pipe:
                while (frame := self._queue.get()) is not None:
                    pipe.write(frame)
                    self._fed += 1
        except (OSError, MemoryError, ValueError):  # its exit code and its complaints will tell why
            self._turned_away = True  # ValueError: it was killed, and the pipe closed, before this thread began
        self._process.wait()

    def _patiently(self) -> Iterator[None]:
        """Yield again and again, for a wait of one glance each; give up when nothing has moved for too long.

        Waits are counted rather than a clock read: a machine that sleeps, or a stopped program, does not age ffmpeg.
        """
        idle, before = 0.0, self._progress()
        while idle < PATIENCE:
            yield
            now = self._progress()
            idle = idle + _GLANCE if now == before else 0.0
            before = now
        raise EncoderError(f"{self._part.name}: ffmpeg hangs: it has done nothing for {PATIENCE:g} seconds")

    def _progress(self) -> tuple[int, int, int]:
        file = self._part.path.stat()
        return self._fed, file.st_size, file.st_mtime_ns

    def _exit_code(self) -> int:
        for _ in self._patiently():
            self._feeder.join(_GLANCE)  # wakes at once, where waiting for a process with a limit asks now and then
            if self._process.returncode is not None:
                return int(self._process.returncode)
        raise AssertionError  # _patiently ends only by raising

    def _failure(self, code: int) -> BoidsgenError:
        name = self._part.name
        if error := _refusal(name, code):
            return error
        if code == 0:
            return EncoderError(f"{name}: {_who()} stopped before the last frame: {_reason(self._complaints)}")
        return EncoderError(f"{name}: {_who()} failed with exit code {code}: {_reason(self._complaints)}")


def damage(path: Path, name: str, *which: str) -> str:
    """What ffmpeg says of a finished film where it cannot decode it; empty where it can.

    Args:
        path: where the film is.
        name: what messages call it.
        which: ffmpeg's options that choose some of the frames, since all would take a twentieth of what encoding took.

    Raises:
        EncoderError: there is no ffmpeg, or it hangs, or was ended.
        LimitError: there is too little memory for it.
        OSError: it cannot be started.
    """
    command = [
        _executable(name),
        *_QUIET,
        *_STRICT,
        *_EXACTING,
        *which,
        "-i",
        f"file:{path.absolute()}",
        "-f",
        "null",
        "-",
    ]
    with TemporaryFile() as complaints, _running(command, complaints) as process:
        try:
            code = process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            raise EncoderError(f"{name}: ffmpeg hangs: it has decoded nothing for {PATIENCE:g} seconds") from None
        if error := _refusal(name, code):
            raise error
        return _reason(complaints) if code else ""


@contextmanager
def _running(command: Sequence[str], complaints: IO[bytes]) -> Iterator["subprocess.Popen[bytes]"]:
    """A program that is ours from its first moment, and gone when the block ends."""
    process = None
    try:
        with defer_signals():
            process = subprocess.Popen(  # noqa: S603  our own arguments, no shell
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=complaints,
                **system.child_options(),
            )
            system.adopt(process)
        yield process
    finally:
        if process:
            if process.poll() is None:
                system.kill(process)
            process.wait()


def _refusal(name: str, code: int) -> BoidsgenError | None:
    """What the system refused to ffmpeg, by its exit code; None where it had reasons of its own."""
    if code < 0:
        return EncoderError(f"{name}: ffmpeg was ended by {system.signal_name(-code)}")
    # A thread cannot be made for want of memory either, and then the system gives the same reason.
    if -code & 255 == errno.ENOMEM or (-code & 255 == errno.EAGAIN and _limit(errno.ENOMEM)):
        return LimitError(f"{name}: not enough memory for ffmpeg{_limit(errno.ENOMEM)}")
    if -code & 255 in _OF_THE_DISK:  # ffmpeg's exit code is -errno, of which some systems keep the lowest byte
        return StorageError(f"{name}: {os.strerror(-code & 255)} (ffmpeg){_limit(-code & 255)}")
    return None


def _reason(complaints: IO[bytes]) -> str:
    """The first line of ffmpeg's complaints: the later ones are consequences."""
    complaints.seek(0)
    lines = complaints.read(_REASON_BYTES).decode(errors="replace").splitlines()
    first = next((line for line in lines if line.strip()), "it gave no reason")
    reason = _WHO_SPEAKS.sub("", first.strip())[:300]
    return f"{reason}; {_remedy()}" if reason.startswith("Unknown encoder") else reason


def _who() -> str:
    """What encodes, with its name where that was chosen."""
    chosen = os.environ.get(_CHOSEN)
    return f"ffmpeg ({_CHOSEN} = {chosen})" if chosen else "ffmpeg"


def _remedy() -> str:
    """What helps where there is no ffmpeg, or none that will do."""
    if _CHOSEN in os.environ:
        return f"{_CHOSEN} names it: unset that to take the one of imageio-ffmpeg, {_OTHERWISE}"
    return f"install it with 'pip install imageio-ffmpeg', {_OTHERWISE}"


def _limit(number: int) -> str:
    return system.limit_met(OSError(number, ""))


def decoded(path: Path, size: tuple[int, int]) -> Iterator[NDArray[np.uint8]]:
    """The frames of a film in red, green and blue, each (height, width, 3), one in memory.

    Raises:
        EncoderError: there is no ffmpeg.
        OSError: it cannot be started, or cannot read the film to its end.
    """
    width, height = size
    command = [_executable(str(path)), *_QUIET, "-i", f"file:{path.absolute()}"]
    output = ["-fps_mode", "passthrough", "-f", "rawvideo", "-pix_fmt", "rgb24", "pipe:1"]
    with subprocess.Popen(  # noqa: S603  our own arguments, no shell
        [*command, *output], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        try:
            while process.stdout and len(frame := process.stdout.read(3 * width * height)) == 3 * width * height:
                yield np.frombuffer(frame, np.uint8).reshape(height, width, 3)
            code = process.wait()
        finally:
            process.kill()
    if code != 0:
        raise OSError(errno.EIO, f"ffmpeg cannot read it (exit code {code})", str(path))


class Installed(NamedTuple):
    """The ffmpeg that would be used.

    Attributes:
        path: of the binary.
        version: as it calls itself.
        has_x264: whether it can write MP4 the way boidsgen does.
    """

    path: str
    version: str
    has_x264: bool


def installed() -> Installed:
    """Ask ffmpeg what it is.

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
    try:
        import imageio_ffmpeg  # noqa: PLC0415  a GIF needs no encoder and must not wait for it

        return str(imageio_ffmpeg.get_ffmpeg_exe())
    except (ImportError, RuntimeError):
        _refuse_exhaustion()  # what looks for it takes every failure to start it for its absence
        if (limit := _limit(errno.ENOMEM)) and _comes_along():
            raise LimitError(f"{name}: not enough memory for ffmpeg{limit}") from None
        raise EncoderError(f"{name}: there is no ffmpeg; {_remedy()}") from None


def _comes_along() -> bool:
    """Whether there is a file with the ffmpeg of imageio-ffmpeg, whether or not it can be started."""
    package = find_spec("imageio_ffmpeg")
    folders = package.submodule_search_locations if package else None
    return any(file for folder in folders or () for file in (Path(folder) / "binaries").glob("ffmpeg*"))


def _refuse_exhaustion() -> None:
    """Raise the OSError with which the system refuses to start anything at all."""
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    try:
        with subprocess.Popen([sys.executable, "-c", ""], **pipes) as process:  # type: ignore[call-overload]
            process.wait()
    except OSError as error:
        if error.errno in _EXHAUSTED:
            raise


def _as_metadata(comment: str) -> bytes:
    """In the file format of ffmpeg's metadata: an argument of the command could hold no more than 128 KiB."""
    escaped = re.sub(r"([=;#\\\n\r])", r"\\\1", comment)
    return f";FFMETADATA1\ncomment={escaped}\n".encode() if comment else b";FFMETADATA1\n"
