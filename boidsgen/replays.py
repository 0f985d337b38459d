"""Replays: an output of boidsgen, rendered again from the scenario that it embeds, and compared with the original.

Where a format is exact, the two are compared frame by frame; others lose detail by design. So do clips that a page has
drawn.
"""

import filecmp
import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from boidsgen.comparison import COMPARISON, Comparison, compare_as_is, compare_still, is_grid, read_grid, strip
from boidsgen.errors import ReplayError, UsageError, join_words
from boidsgen.output.formats import MAX_SIGN, WRITERS, has_magic, origin
from boidsgen.pipeline import DEFAULT_OPTIONS, RunOptions, is_figure, is_still, render_as_is, still, targets_of
from boidsgen.scenario.loading import draft, refuse_costly, refuse_missing_rules
from boidsgen.scenario.scenario import BY_PAGE, STATES_FROM, Scenario, versions
from boidsgen.scenario.sources import Source, trusting
from boidsgen.system import open_input, open_regular

_FRAME = re.compile(r"^# frame (\d{1,9}(?:,\d{1,9})*)$", re.MULTILINE)


@dataclass(frozen=True)
class Original:
    """An output of boidsgen, read back."""

    path: Path  # the file
    text: str  # its provenance
    content: Scenario | Comparison  # what it shows
    at: tuple[int, ...]  # number of the frame of a picture, or numbers of those of a film strip; empty for a clip

    @property
    def frames(self) -> int:
        """Frames of a clip of it."""
        return self.content.clip_frames

    @property
    def drawn(self) -> int:
        """Frames that are drawn for such a clip."""
        return (self.content if isinstance(self.content, Scenario) else self.content.longest).time.frames


def original(path: Path) -> Original:
    """Read the provenance of a file.

    Raises:
        UsageError: it was not made by boidsgen, or not from its scenario alone.
        ScenarioError: it is damaged.
        OSError: it cannot be read.
    """
    with open_input(path) as file:
        text = origin(file, str(path))
    if text is None:
        raise UsageError(f"{path}: is not a {join_words(WRITERS)}; use `boidsgen render` for a scenario")
    source = Source(str(path), path.stem, text, path, carried=not trusting.get())
    if (STATES_FROM if is_grid(source) else f"\n{STATES_FROM}") in text:
        raise UsageError(f"{path}: its states come from a file, not from its embedded scenario; render that file")
    refuse_missing_rules(source)
    numbers = _FRAME.search(text)
    content = read_grid(source) if is_grid(source) else draft(source).scenario()
    every = [content] if isinstance(content, Scenario) else content.scenarios
    refuse_costly(str(path), every, "replay")
    return Original(path, text, content, tuple(map(int, numbers[1].split(","))) if numbers else ())


class Replayed(NamedTuple):
    """Findings of a replay."""

    notices: tuple[str, ...]  # those of a rendering
    identical: int | None  # number of frames, all equal; None where formats differ or lose detail, which proves nothing


def replay_file(one: Original, path: str, options: RunOptions = DEFAULT_OPTIONS) -> Replayed:
    """Render it again under another name, as a picture or a clip by the file extension, and compare the two.

    Raises:
        ReplayError: the replay, which is there, differs from the original.
        BoidsgenError: any other of its kinds; then the replay is as it was before.
    """
    picture, at = is_still(path) or is_figure(path), one.at[0] if one.at else None
    if isinstance(one.content, Comparison):
        if is_figure(path):
            raise UsageError(f"{path}: a comparison is made of pixels; end the name in .png")
        if picture:  # whose progress would count scenarios
            notices = compare_still(one.content, path, at=at, options=options._replace(progress=None))
        else:
            wanted = targets_of([path], COMPARISON, one.content.first.output.format)
            notices = compare_as_is(one.content, wanted, options).notices
    elif not picture:
        wanted = targets_of([path], one.path.stem, one.content.output.format)
        notices = render_as_is(one.content, wanted, options).notices
    elif len(one.at) > 1:
        notices = strip(one.content, path, at=one.at, options=options)
    else:
        notices = still(one.content, path, at=at, options=options)
    return Replayed(notices, _identical(one, Path(path)))


def _identical(one: Original, again: Path) -> int | None:
    """Number of frames that are equal in both; ReplayError where one differs."""
    extension, frames = again.suffix.lower(), len(one.at) or one.frames
    if again.is_file() and filecmp.cmp(one.path, again, shallow=False):
        return frames
    with open_regular(one.path) as file:
        start = file.read(MAX_SIGN)
    exact = (writer for writer in WRITERS.values() if writer.exact and extension in writer.extensions)
    if BY_PAGE not in one.text and any(has_magic(writer, start) for writer in exact):
        for number, pair in enumerate(zip_longest(_pictures(one.path), _pictures(again))):  # one pair is in memory
            if any(picture is None for picture in pair) or not np.array_equal(*pair):
                raise _difference(one, again, number)
        return frames
    if is_figure(str(again)) and extension == one.path.suffix.lower():
        raise _difference(one, again, one.at[0] if one.at else 0)
    return None


def _difference(one: Original, again: Path, number: int) -> ReplayError:
    made, now = (text.splitlines() for text in (one.text, versions()))
    found = next((line for line in made if line.startswith("# boidsgen ")), "")
    why = "it has been altered since" if found == now[0] else f"made by {found[2:]}, while this is {now[0][2:]}"
    return ReplayError(f"{again}: differs from {one.path} from frame {number} on: {why}")


def _pictures(path: Path) -> Iterator[NDArray[np.uint8]]:
    """The colors of one frame after the other; a frame that cannot be read ends them."""
    writer = next(one for one in WRITERS.values() if path.suffix.lower() in one.extensions)
    with warnings.catch_warnings(category=Image.DecompressionBombWarning, action="error"):
        try:
            yield from writer.pictures(path)
        except Exception:  # noqa: BLE001  whatever Pillow raises for a damaged file
            return
