"""`boidsgen doctor`: what a report of trouble should begin with."""

import os
import platform
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from boidsgen import plugins, system
from boidsgen.cli.options import AsJson
from boidsgen.cli.terminal import is_terminal, record, result, standard_output, terminal_columns
from boidsgen.errors import EncoderError

NEEDED = ("boidsgen", "numpy", "pillow", "imageio", "imageio-ffmpeg", "fonttools", "pydantic", "typer")
EXTRAS = {
    "numba": "its speed",
    "matplotlib": "plots",
    "distributed": "sweeps on a cluster",
    "pandas": "results as data frames",
    "xarray": "results as arrays with dimensions",
}
"""What may be missing, and what it is for."""


def doctor(*, as_json: AsJson = False) -> None:
    """Say what is installed, and where outputs and caches would go.

    Examples:
        boidsgen doctor
    """
    findings = dict(_findings())
    if as_json:
        result(record(**findings))
        return
    widest = max(map(len, findings))
    for name, finding in findings.items():
        result(f"{name:{widest}}  {finding}")


def _findings() -> Iterator[tuple[str, str]]:
    from boidsgen.output.formats import WRITERS
    from boidsgen.output.targets import DIRECTORY
    from boidsgen.simulation import ENGINES

    yield "python", f"{platform.python_version()} ({platform.python_implementation()}), {sys.executable}"
    yield "system", f"{platform.platform()}, {platform.machine()}"
    yield "cores", f"{system.usable_cores()} usable of {os.cpu_count()}"
    for name in NEEDED:
        yield name, _version(name)
    for name, purpose in EXTRAS.items():
        yield name, _version(name) if find_spec(name) else f"not installed; only needed for {purpose}"
    yield "packages", ", ".join(plugins.versions()) or "none brings a rule, a measure, an obstacle, a shape or a theme"
    yield "engines", f"auto, {', '.join(ENGINES)}"
    yield "compiled code", _cache()
    yield "formats", ", ".join(WRITERS)
    yield "ffmpeg", _encoder()
    yield "fonts", _fonts()
    yield "terminal", _terminal()
    yield "outputs", _directory(Path(DIRECTORY))


def _version(name: str) -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"


def _cache() -> str:
    """Where numba keeps what it has compiled, by its own rules: the package's folder, else the user's cache."""
    if not find_spec("numba"):
        return "none, without numba"
    from boidsgen.simulation.compiling import where_kept

    return where_kept()


def _encoder() -> str:
    from boidsgen.output.formats import WRITERS, spoken
    from boidsgen.output.video import installed

    none = f"so no {spoken(name for name, writer in WRITERS.items() if writer.needs_ffmpeg)}"
    try:
        found = installed()
    except EncoderError as error:
        return f"missing, {none}: {error}"
    h264 = "with libx264" if found.has_x264 else f"without libx264, {none}"
    return f"{found.version} {h264}, {found.path}"


def _fonts() -> str:
    from importlib.resources import files

    from PIL import features

    names = (file.name for file in (files("boidsgen.drawing") / "fonts").iterdir())
    fonts = sorted(Path(name).stem for name in names if name.endswith((".otf", ".ttf")))
    return f"{', '.join(fonts)}, drawn by FreeType {features.version('freetype2')}"


def _terminal() -> str:
    """Which letters the standard streams take, and how wide the terminal is, if there is one."""
    streams = [("output", standard_output()), ("errors", sys.stderr)]
    told = [f"{name} in {stream.encoding}" for name, stream in streams if stream is not None]
    seen = next((stream for _, stream in streams if is_terminal(stream)), None)
    return ", ".join([*told, "no terminal" if seen is None else f"{terminal_columns(seen)} columns"])


def _directory(path: Path) -> str:
    existing = path if path.exists() else Path()
    verdict = "writable" if existing.is_dir() and os.access(existing, os.W_OK | os.X_OK) else "not writable"
    return f"{path.absolute()}, {verdict}{'' if path.exists() else ', made when needed'}"
