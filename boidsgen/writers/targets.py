"""What the user means by `-o`: a path and a format."""

from dataclasses import dataclass
from pathlib import Path

from boidsgen.errors import UsageError
from boidsgen.writers.formats import WRITERS
from boidsgen.writers.places import STANDARD_OUTPUT

DIRECTORY = "outputs"
"""Where outputs go that nobody gave a name."""


@dataclass(frozen=True, slots=True)
class Target:
    """One output.

    Attributes:
        path: a file, a folder for a format that makes folders, or "-" for standard output.
        format: a name from `WRITERS`.
    """

    path: str
    format: str


def target(name: str, *, stem: str, explicit: str | None = None, default: str = "gif") -> Target:
    """The target of `-o NAME`.

    A name that ends with "/", or an existing directory, is where the file `stem` goes, and for a format that makes
    folders the folder itself. Otherwise the extension tells the format, in upper or lower case.

    Args:
        name: as the user wrote it.
        stem: name of the file inside a directory, without extension.
        explicit: the format of the option `--format`; one that contradicts the extension is a mistake.
        default: the format of the scenario, for names that tell none.

    Raises:
        UsageError: the name tells no format, or another one than `explicit`.
    """
    if name == STANDARD_OUTPUT:
        return Target(name, explicit or default)
    if name.endswith("/") or Path(name).is_dir():
        return _inside(name, stem, explicit or default)
    return Target(name, _format_of(name, explicit, default))


def default_target(stem: str, output_format: str) -> Target:
    """The target without `-o`: `outputs/<stem>` with the extension of the format."""
    if WRITERS[output_format].makes == "folder":
        return Target(f"{DIRECTORY}/{stem}", output_format)
    return _inside(DIRECTORY, stem, output_format)


def _inside(directory: str, stem: str, output_format: str) -> Target:
    writer = WRITERS[output_format]
    path = directory if writer.makes == "folder" else str(Path(directory) / f"{stem}{writer.extensions[0]}")
    return Target(path, output_format)


def _format_of(name: str, explicit: str | None, default: str) -> str:
    extension = Path(name).suffix.lower()
    told = next((writer for writer in WRITERS.values() if extension in writer.extensions), None)
    if told is None:
        return explicit or _of_a_device(name, default)
    if explicit not in {None, told.name}:
        raise UsageError(f"{name}: ends with {extension}, but --format says {explicit}; change one of them")
    if told.makes == "folder":
        raise UsageError(
            f"{name}: {told.name} frames go into a folder, such as {Path(name).stem}/ with --format {told.name}"
        )
    return told.name


def _of_a_device(name: str, default: str) -> str:
    """Pipes and devices have no extension, and need none."""
    path = Path(name)
    if path.exists() and not path.is_file():
        return default
    known = ", ".join(ending for writer in WRITERS.values() for ending in writer.extensions if writer.makes != "folder")
    raise UsageError(f"{name}: the name does not tell the format; end it with {known}, or say --format")
