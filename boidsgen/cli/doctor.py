"""`boidsgen doctor`: what a report of trouble should begin with."""

import os
import platform
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from boidsgen.cli.terminal import result
from boidsgen.errors import EncoderError

NEEDED = ("boidsgen", "numpy", "pillow", "imageio", "imageio-ffmpeg", "pydantic", "typer")
EXTRA = "numba"


def doctor() -> None:
    """Say what is installed, which encoder there is, and where outputs would go."""
    for name, finding in _findings():
        result(f"{name:15} {finding}")


def _findings() -> Iterator[tuple[str, str]]:
    from boidsgen.simulation import ENGINES
    from boidsgen.writers.formats import WRITERS
    from boidsgen.writers.targets import DIRECTORY

    yield "python", f"{platform.python_version()} on {platform.system()} {platform.machine()}"
    for name in NEEDED:
        yield name, _version(name)
    yield EXTRA, _version(EXTRA) if find_spec(EXTRA) else "not installed; only needed for its speed"
    yield "engines", f"auto, {', '.join(ENGINES)}"
    yield "formats", ", ".join(WRITERS)
    yield "ffmpeg", _encoder()
    yield "outputs", _directory(Path(DIRECTORY))


def _version(name: str) -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"


def _encoder() -> str:
    from boidsgen.writers.ffmpeg import installed
    from boidsgen.writers.formats import WRITERS, spoken

    none = f"so no {spoken(name for name, writer in WRITERS.items() if writer.needs_ffmpeg)}"
    try:
        found = installed()
    except EncoderError as error:
        return f"missing, {none}: {error}"
    h264 = "with libx264" if found.has_x264 else f"without libx264, {none}"
    return f"{found.version} {h264}, {found.path}"


def _directory(path: Path) -> str:
    existing = path if path.exists() else Path()
    verdict = "writable" if existing.is_dir() and os.access(existing, os.W_OK | os.X_OK) else "not writable"
    return f"{path.absolute()}, {verdict}{'' if path.exists() else ', made when needed'}"
