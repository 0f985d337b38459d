"""The formats of clips, the table `[output]`, the scenario that an output embeds, read back, and targets.

A target is what the user means by `-o`, a path and a format. For clips the scenario decides where neither extension nor
`--format` does, and a folder is a target as well; for trajectories and series the extension or `--format` selects the
format.
"""

import json
import os
import re
from base64 import b64encode
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from decimal import Decimal
from math import lcm
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, BinaryIO, ClassVar, Literal

from pydantic import AfterValidator, Field
from typing_extensions import override

from boidsgen.errors import MAX_COMMENT, OutputExistsError, ScenarioError, UsageError, join_words
from boidsgen.output.apng import Apng
from boidsgen.output.avif import Avif
from boidsgen.output.mov import Mov
from boidsgen.output.pictures import Clip, ClipWriter, Format, Gif, Png, Quality, Sign, Webp, bytes_between
from boidsgen.output.publish import Makes, foreign_file, storing
from boidsgen.output.video import Mp4, Webm, installed
from boidsgen.system import STANDARD_OUTPUT, open_regular, parsing, refuse_name
from boidsgen.tables import InWords, Table

_SCENARIO = b'<script id="scenario" type="application/json">', b"</script>"


class Html(Format):
    """A page; `boidsgen.webpage.writer` makes its text."""

    name: ClassVar[str] = "html"
    extensions: ClassVar[tuple[str, ...]] = (".html", ".htm")
    signs: ClassVar[tuple[Sign, ...]] = ((0, b"<!doctype html>\n"),)
    makes: ClassVar[Makes] = "stream"
    element: ClassVar[Literal["iframe"]] = "iframe"
    needs_ffmpeg: ClassVar[bool] = False

    @classmethod
    @override
    def comment(cls, file: BinaryIO) -> bytes:
        text = bytes_between(file, *_SCENARIO, len("\\u003c") * MAX_COMMENT)
        return str(json.loads(text)).encode() if text else b""


WRITERS: dict[str, type[ClipWriter]] = {writer.name: writer for writer in (Gif, Mp4, Webp, Avif, Webm, Mov, Apng, Png)}
"""Every format of clips by its name."""

PAGES: dict[str, type[Html]] = {Html.name: Html}
"""Every format of pages by its name."""

FORMATS: dict[str, type[ClipWriter] | type[Html]] = {**WRITERS, **PAGES}
"""Every format that a scenario is rendered to, by its name."""

FITTED = tuple(name for name, writer in WRITERS.items() if writer.makes != "folder")
"""Every format that can be fitted to a number of bytes."""

SIDES = lcm(*(writer.multiple for writer in WRITERS.values()))
"""Every format supports pictures whose sides are multiples of this."""


if TYPE_CHECKING:
    FormatName = str
else:
    FormatName = Literal[tuple(FORMATS)]

Side = Annotated[int, Field(ge=1)]  # A width or height in pixels

MAX_SEAM = 250  # Maximum frames of a cross-fade, which are kept in memory

NAMED_SIZES = {"square": (1080, 1080), "vertical": (1080, 1920)}  # Named sizes in pixels, of feeds and of telephones


def sized(size: tuple[int, int] | str) -> tuple[int, int]:
    """Width and height of a size, which may be a name."""
    return NAMED_SIZES[size] if isinstance(size, str) else size


if TYPE_CHECKING:
    Size = tuple[Side, Side]
else:
    Size = Annotated[tuple[Side, Side] | Literal[tuple(NAMED_SIZES)], AfterValidator(sized)]

FILE_UNITS = {"B": 1, "kB": 10**3, "KB": 10**3, "MB": 10**6, "GB": 10**9, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30}
"""Units of the size of a file."""


def bytes_in(size: int | str) -> int:
    """The number of bytes of a size, which may have a unit; ValueError if there is not a single one."""
    if isinstance(size, int):
        return size
    unit = size.lstrip("0123456789. ")
    if whole := int(Decimal(size.removesuffix(unit)) * FILE_UNITS[unit]):
        return whole
    raise ValueError(f'must be at least 1 byte, not "{size}"')


if TYPE_CHECKING:
    FileSize = int
else:
    FileSize = Annotated[
        Annotated[int, Field(ge=1)]
        | Annotated[
            str,
            Field(pattern=rf"^[0-9]{{1,9}}(\.[0-9]{{1,9}})? ?({'|'.join(FILE_UNITS)})$"),
            InWords('a size as in "10 MB"', 'sizes as in "10 MB"', example="10 MB"),
        ],
        AfterValidator(bytes_in),
    ]


class Output(Table):
    """Size, rate and format of the output."""

    size: Size | None = None
    """Width and height in pixels, both even for mp4, webm and mov, or square (1080 by 1080) or vertical (1080 by 1920);
    the size of the world unless given."""
    fps: Annotated[float, Field(ge=0.01, le=1000, allow_inf_nan=False)] = 25
    """Frames per second, 0.01 to 1000, at most 50 for gif, at most 90 for webp, avif and apng; 23.976, 29.97 and 59.94
    mean 24000/1001 and so on."""
    format: FormatName = "gif"
    """The format, unless the file extension selects it: gif, mp4, webp, avif, webm, mov, apng, png for a folder of
    pictures, or html for a page that plays it."""
    loop: Annotated[int, Field(ge=0, le=65536)] | None = None
    """Number of times that a gif, webp or apng plays: 0 forever, which is their default, 1 once, 3 three times. An avif
    plays forever. Other formats leave it to the player; there, any number but 1 only means that the clip is meant to
    loop, and gives it `loop_seam`."""
    loop_seam: Annotated[int, Field(ge=0, le=MAX_SEAM)] = 0
    """Number of frames at the end that cross-fade into the first ones, so that a looping clip has no jump; 0 = none, as
    in clips of less than twice as many frames. It applies to gif, webp, avif and apng unless `loop` is 1; mp4, webm,
    mov and png stop on their last frame and have none, unless `loop` is set or `--set output.loop_seam=N` asks for it.
    Outputs of one command have the same frames: one that stops ends the cross-fade of all. The clip is shorter by these
    frames, which are kept in memory, each with one byte per pixel, in lit themes two in a gif and else five; `boidsgen
    check` prints the total. A camera that turns more than half a circle must complete the circle in the remaining
    frames."""
    max_bytes: FileSize | None = None
    """Maximum size of each file, in bytes or with a unit, as in "10 MB": kB, MB, GB of powers of 1000, KiB, MiB, GiB of
    powers of 1024. A format that can lose detail does so until the clip fits; then, and in a gif, it gets as many
    pixels and frames per second as fit. The clip is rendered several times to find that out, always with the same
    result. Comparisons, png and html are not fitted."""
    page: Literal["live", "recorded", "auto"] = "auto"
    """Form of the scenario in a page: live, simulated in the browser; recorded, with the states in the html file; auto,
    live where a browser can compute it."""
    quality: Quality = "standard"
    """Fidelity of an mp4, webm, mov or avif: draft, standard, or high, which is slowest; gif, webp, apng and png are
    exact, but a draft in webp loses detail."""

    def clip(self, size: tuple[int, int], frames: int, provenance: str = "", *, transparent: bool = False) -> Clip:
        """The clip of this size in pixels and number of frames that embeds this text."""
        return Clip(size, self.fps, frames, self.loop or 0, self.quality, provenance, transparent)


def refusals(
    output_format: str, size: tuple[int, int], fps: float, *, transparent: bool = False
) -> list[tuple[str, str]]:
    """Dotted keys that the format does not support, each with what it would support."""
    if output_format in PAGES:
        return []
    writer, refused = WRITERS[output_format], []
    if max(size) > writer.max_side:
        refused.append(("output.size", f"{output_format} is at most {writer.max_side} pixels wide and high"))
    elif any(side % writer.multiple for side in size):
        even = [side + side % writer.multiple for side in size]
        refused.append(("output.size", f"{output_format} needs an even width and height; nearest is {even}"))
    if fps > writer.max_fps:
        slow = "browsers play shorter delays as 100 ms; use mp4"
        refused.append(("output.fps", f"{output_format} shows at most {writer.max_fps} frames a second: {slow}"))
    if transparent and not writer.transparent:
        able = join_words(name for name, writer in WRITERS.items() if writer.transparent)
        refused.append(("style.transparent", f"an {output_format} always has a background; use {able}"))
    return refused


MAX_EMBEDDED = 50_000_000  # Bytes of an output that is embedded in a page; of a larger one the page has the name


def shown_in_html(path: Path) -> str:
    """HTML element that shows a file without any other, as in a notebook; its name if it is absent or too large."""
    from html import escape  # noqa: PLC0415  it comes with the names of two thousand letters

    kind = next((writer for writer in WRITERS.values() if path.suffix.lower() in writer.extensions), None)
    if kind is None or not path.is_file() or path.stat().st_size > MAX_EMBEDDED:
        return f"<code>{escape(str(path))}</code>"
    content = b64encode(path.read_bytes()).decode()
    if kind.element == "img":
        return f'<img src="data:image/{kind.name};base64,{content}">'
    return f'<video src="data:video/{kind.name};base64,{content}" autoplay loop muted controls></video>'


# Embedded scenarios

MAX_SIGN = 64  # Bytes at the beginning of a file that identify its format


def has_magic(kind: type[Format], start: bytes) -> bool:
    """True if a file that begins with these bytes has this format."""
    return any(start.startswith(sign, place) for place, sign in kind.signs)


def origin(file: BinaryIO, label: str) -> str | None:
    """The embedded text of a file, which messages call `label`; None for a file in none of our formats.

    The first bytes of a file decide, not its name, and it may come from anywhere.

    Raises:
        ScenarioError: the file embeds none, or is damaged.
        OSError: it cannot be read.
    """
    from boidsgen.output.figures import FIGURES  # noqa: PLC0415  most scenarios need no format
    from boidsgen.output.recording import TRAJECTORY_WRITERS  # noqa: PLC0415

    file.seek(0)
    start, kinds = file.read(MAX_SIGN), (*FORMATS.values(), *FIGURES.values(), *TRAJECTORY_WRITERS.values())
    found = [kind for kind in kinds if has_magic(kind, start)]
    if not found:
        return None
    # A kind of film, or of PNG, has the sign of all of them, and one of its own that reaches further.
    kind = max(found, key=lambda kind: max(place + len(sign) for place, sign in kind.signs))
    file.seek(0)
    with parsing(label, "its embedded scenario cannot be read"):
        text = kind.comment(file).decode()
        if len(text) > MAX_COMMENT:
            raise ValueError("it is too long")
    if not text:
        raise ScenarioError([f"{label}: embeds no scenario; it was not made by boidsgen"])
    return text


# Targets

_MAX_PART = 1 << 20  # Bytes at either end of a file in which its beginning, and a part of it, are looked for
_OURS = (
    rb"# boidsgen \d+\.\d+\.\d+[^\s,]*, numpy |"  # a study, and methods
    rb"run,file,status,reason,|seed,frame,time|\{\"seed\": \d+, \"frame\"|frame,time,kind,group,number,|"
    rb"animal,flock,number,score,|measure,(?:key,first|unit,frame),|summary,(?:observed,expected|unit,observed),|"
    rb"model,probability,|film_of,|key,quantile_0\.05,|weight,[^\n]+,run\n|key,coverage_|"
    rb"PK\x03\x04.{26}seed\.npy(?=.*frame\.npy)|"
    rb"PAR1(?=.*(\x04seed|\x06number))|\d+\nLattice=[^\n]+:id:I:1:group:S:1 |"
    rb"\x89HDF(?=.*# boidsgen \d)|%PDF-(?=.*/Creator \(boidsgen\))|\{\n  \"boidsgen\": \"|"
    rb'<!doctype html>\n<!-- boidsgen article -->|<!doctype html>\n(?=.*<script type="application/json" id="study">)'
)
"""Files of ours, of whatever version, by what they begin with, and in some by a part of them."""
_PROVENANCE = re.compile(r"^# boidsgen \d+\.\d+\.\d+[^\s,]*, numpy ", re.MULTILINE)  # In an embedded scenario


def encoder_versions(formats: "Iterable[str]") -> str:
    """Name and version of a program that encodes one of these formats, behind a comma; empty where none does."""
    return f", ffmpeg {installed().version}" if any(FORMATS[name].needs_ffmpeg for name in formats) else ""


def is_own(path: Path) -> bool:
    """True if the content of a file, or of each one in a folder, says that boidsgen made it; its name does not count.

    Raises OSError.
    """
    if path.is_dir():
        return not any(foreign_file(path, writer.is_own) for writer in WRITERS.values() if writer.makes == "folder")
    with open_regular(path) as file, suppress(ScenarioError):
        head = file.read(_MAX_PART)
        file.seek(max(file.tell(), path.stat().st_size - _MAX_PART))
        return bool(re.match(_OURS, head + file.read(), re.DOTALL) or _PROVENANCE.search(origin(file, path.name) or ""))
    return False


def refuse_unnamed(named: "Iterable[str | os.PathLike[str] | Target]", targets: "Iterable[Target]") -> None:
    """Raise OutputExistsError where an output that the user has not named would replace a foreign file, or a link."""
    known = {one.path if isinstance(one, Target) else os.fspath(one) for one in named}
    for path in (Path(one.path) for one in targets if one.path not in known):
        with storing(str(path)):
            if path.is_symlink() or (path.exists() and not (path.is_dir() or (path.is_file() and is_own(path)))):
                raise OutputExistsError(f"{path}: was not made by boidsgen, and is kept; name an output by -o NAME")


DIRECTORY = "outputs"  # The folder for outputs without -o


@dataclass(frozen=True, slots=True)
class Target:
    """One output."""

    path: str  # a file, a folder for a format that makes folders, or "-" for standard output
    format: str  # a name from `FORMATS`


def target(name: str, *, stem: str, explicit: str | None = None, default: str = "gif") -> Target:
    """The target of `-o NAME`.

    A name that ends with "/", or an existing directory, is where the file `stem` goes, and for a format that makes
    folders the folder itself. Otherwise the extension selects the format; pipes and devices need none.

    Args:
        name: as the user wrote it.
        stem: name of the file inside a directory, without extension.
        explicit: the format of the option `--format`; it must not contradict the extension.
        default: the format of the scenario, for standard output, directories, pipes and devices.

    Raises:
        UsageError: the name tells no format, or another one than `explicit`, or the system takes no such name.
    """
    refuse_name(name)
    path, usual = Path(name), explicit or default
    if name == STANDARD_OUTPUT:
        return Target(name, usual)
    if names_folder(name) or path.is_dir():
        return _inside(name, stem, usual)
    if found := _format_by_extension(name, FORMATS, explicit):
        if FORMATS[found].makes == "folder":
            raise UsageError(f"{name}: {found} frames go into a folder, such as {path.stem}/ with --format {found}")
        return Target(name, found)
    if explicit is None and (path.is_file() or not path.exists()):
        files = (writer for writer in FORMATS.values() if writer.makes != "folder")
        raise UsageError(_unsupported(path, (ending for writer in files for ending in writer.extensions)))
    return Target(name, usual)


def names_folder(name: str) -> bool:
    """True if a name ends as that of a folder: with a slash, and on Windows also with a backslash."""
    return name.endswith(tuple(filter(None, (os.sep, os.altsep))))


def default_target(stem: str, output_format: str) -> Target:
    """The target without `-o`: `outputs/<stem>` with the extension of the format."""
    folder = FORMATS[output_format].makes == "folder"
    return Target(str(Path(DIRECTORY, stem)), output_format) if folder else _inside(DIRECTORY, stem, output_format)


def format_of(name: str, kinds: Mapping[str, type[Format]], explicit: str | None = None) -> str:
    """The format of a file of this name.

    Args:
        name: as the user wrote it.
        kinds: the formats there are.
        explicit: the format of the option `--format`; it must not contradict the name.

    Raises:
        UsageError: the name tells no format, or another one than `explicit`, or the system takes no such name.
    """
    refuse_name(name)
    if explicit not in {None, *kinds}:
        raise UsageError(f"--format {explicit}: must be {join_words(kinds)}")
    found = _format_by_extension(name, kinds, explicit) or explicit
    if found is None and name == STANDARD_OUTPUT:
        raise UsageError(f"{name}: set the format of standard output with --format: {join_words(kinds)}")
    if found is None:
        raise UsageError(_unsupported(Path(name), (ending for kind in kinds.values() for ending in kind.extensions)))
    return found


def _unsupported(path: Path, known: Iterable[str]) -> str:
    wrong = f"unsupported format {path.suffix}" if path.suffix else "no file extension that sets the format"
    return f"{path}: {wrong}; supported are {', '.join(known)}"


def _inside(directory: str, stem: str, output_format: str) -> Target:
    writer = FORMATS[output_format]
    path = directory if writer.makes == "folder" else str(Path(directory, f"{stem}{writer.extensions[0]}"))
    return Target(path, output_format)


def _format_by_extension(name: str, kinds: Mapping[str, type[Format]], explicit: str | None) -> str | None:
    """The format that an extension selects, if any; UsageError if another one is requested."""
    extension = Path(name).suffix.lower()
    found = next((each for each, kind in kinds.items() if extension in kind.extensions), None)
    if found and explicit not in {None, found}:
        raise UsageError(f"{name}: ends with {extension}, but --format is {explicit}; change one of them")
    return found
