"""ffmpeg as a child process: encode raw frames and verify finished films.

imageio-ffmpeg supplies the binary and nothing else, since its own writer ignores ffmpeg's exit code. If ffmpeg fails or
is missing, the next call raises that with ffmpeg's own reason, and no child outlives its user.
"""

import errno
import os
import re
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import IO, NamedTuple

from boidsgen import system
from boidsgen.errors import EncoderError, StorageError

PATIENCE = 60.0  # Seconds to wait for ffmpeg's version

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


def failure(name: str, process: "subprocess.Popen[bytes]", log: IO[bytes], error: OSError | None = None) -> Exception:
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
    otherwise = "or choose gif, webp or png, which need no encoder"
    if _CHOSEN in os.environ:
        return f"{_CHOSEN} names it: unset that to take the one of imageio-ffmpeg, {otherwise}"
    return f"install it with 'pip install imageio-ffmpeg', {otherwise}"
