"""Replay: what boidsgen has made, made again from what it tells of its origin.

Where a format is exact, the replay is compared with the original, picture by picture; others lose detail by design,
and their replay is equal when the encoder is.
"""

import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from boidsgen.errors import ReplayError, UsageError
from boidsgen.output.base import DAMAGE
from boidsgen.output.formats import WRITERS, spoken
from boidsgen.output.originals import remember
from boidsgen.output.provenance import MAX_SIGN, bears_sign, origin
from boidsgen.output.targets import target
from boidsgen.pipeline import Progress, is_figure, is_still, render, still
from boidsgen.scenario.loading import draft
from boidsgen.scenario.provenance import versions
from boidsgen.scenario.scenario import Scenario
from boidsgen.scenario.sources import Source
from boidsgen.studies.compare.comparison import Comparison, compare, compare_still
from boidsgen.studies.compare.grids import grid_text, is_grid, read_grid
from boidsgen.studies.strip import strip

_DAMAGE_OF_PILLOW = (OSError, SyntaxError, Image.DecompressionBombError, Image.DecompressionBombWarning)
"""What Pillow says of a damaged file, and of one whose pictures would fill the memory."""
_FRAME = re.compile(r"^# frame (\d{1,9}(?:,\d{1,9})*)$", re.MULTILINE)


@dataclass(frozen=True)
class Original:
    """Something that boidsgen has made, read back.

    Attributes:
        path: the file.
        text: what it tells of its origin.
        content: what it shows.
        at: which frame, when it is a picture, or which ones, when it is a film strip; empty for a clip.
    """

    path: Path
    text: str
    content: Scenario | Comparison
    at: tuple[int, ...]

    @property
    def frames(self) -> int:
        """How many frames a clip of it has."""
        return self.content.clip_frames

    @property
    def drawn(self) -> int:
        """How many frames are drawn for that."""
        scenario = self.content if isinstance(self.content, Scenario) else self.content.longest
        return scenario.time.frames


def original(path: Path) -> Original:
    """What a file shows, by what it tells of its origin.

    Raises:
        UsageError: when it is nothing that boidsgen has made.
        ScenarioError: when it is damaged.
        OSError: when it cannot be read.
    """
    remember(path)
    text = origin(path, str(path))
    if text is None:
        raise UsageError(f"{path}: is not a {spoken(WRITERS)}; use `boidsgen render` for a scenario")
    source = Source(str(path), path.stem, text, path)
    numbers = _FRAME.search(text)
    content = read_grid(source) if is_grid(source) else draft(source).scenario()
    return Original(path, text, content, tuple(map(int, numbers[1].split(","))) if numbers else ())


def replay(
    one: Original, path: str, *, engine: str = "auto", no_clobber: bool = False, progress: Progress | None = None
) -> tuple[str, ...]:
    """Make it again under another name: one picture where that ends as a png, an svg or a pdf does, else a clip.

    Gives notices.

    Raises:
        ReplayError: the replay, which is there, differs from the original.
        BoidsgenError: any other of its kinds; then the replay is as it was before.
    """
    make = _picture if is_still(path) or is_figure(path) else _clip
    notices = make(one, path, engine=engine, no_clobber=no_clobber, progress=progress)
    kind, ending = one.path.suffix.lower(), Path(path).suffix.lower()
    if ending in _exact_endings(one.path):
        _refuse_difference(one, Path(path), first_difference(one.path, Path(path)))
    if is_figure(kind) and ending == kind and one.path.read_bytes() != Path(path).read_bytes():
        _refuse_difference(one, Path(path), one.at[0] if one.at else 0)
    return notices


def _exact_endings(path: Path) -> set[str]:
    """How a file of this kind ends whose pixels come back as they were drawn; the kind is known by the content."""
    with path.open("rb") as file:
        start = file.read(MAX_SIGN)
    exact = (writer for writer in WRITERS.values() if writer.exact and bears_sign(writer, start))
    return {ending for writer in exact for ending in writer.extensions}


def _picture(one: Original, path: str, *, engine: str, no_clobber: bool, progress: Progress | None) -> tuple[str, ...]:
    at = one.at[0] if one.at else None
    if isinstance(one.content, Comparison) and is_figure(path):
        raise UsageError(f"{path}: a comparison is made of pixels; end the name with .png")
    if isinstance(one.content, Comparison):
        text = grid_text(one.content)
        return compare_still(one.content, path, at=at, provenance=text, engine=engine, no_clobber=no_clobber)
    if len(one.at) > 1:
        return strip(one.content, path, at=one.at, engine=engine, no_clobber=no_clobber, progress=progress)
    return still(one.content, path, at=at, engine=engine, no_clobber=no_clobber, progress=progress)


def _clip(one: Original, path: str, *, engine: str, no_clobber: bool, progress: Progress | None) -> tuple[str, ...]:
    if isinstance(one.content, Scenario):
        wanted = target(path, stem=one.path.stem, default=one.content.output.format)
        return render(one.content, wanted, engine=engine, no_clobber=no_clobber, progress=progress).notices
    text = grid_text(one.content)
    return compare(one.content, path, provenance=text, engine=engine, no_clobber=no_clobber, progress=progress).notices


def _refuse_difference(one: Original, again: Path, number: int | None) -> None:
    if number is None:
        return
    made = next((line for line in one.text.splitlines() if line.startswith("# boidsgen ")), "")
    now = versions().strip()
    why = "it has been altered since" if made == now else f"made by {made[2:]}, while this is {now[2:]}"
    raise ReplayError(f"{again}: differs from {one.path} from frame {number} on: {why}")


def first_difference(one: Path, other: Path) -> int | None:
    """The number of the first frame that differs, counted from 0; None where none does. One pair is in memory."""
    for number, (first, second) in enumerate(zip_longest(_pictures(one), _pictures(other))):
        if first is None or second is None or not np.array_equal(first, second):
            return number
    return None


def _pictures(path: Path) -> Iterator[NDArray[np.uint8]]:
    """The colors of one frame after the other; the frame before one that cannot be read is the last."""
    writer = next(one for one in WRITERS.values() if path.suffix.lower() in one.extensions)
    with warnings.catch_warnings(category=Image.DecompressionBombWarning, action="error"):
        try:
            yield from writer.pictures(path)
        except (*DAMAGE, *_DAMAGE_OF_PILLOW):
            return
