"""Clips that fit `output.max_bytes`: the best of the smaller or coarser forms of a clip, found by making some of them.

The size of a file depends on every pixel, so that only a trial tells it. Lossy formats first lose more detail at full
size and rate. Where that is not enough, or a format is exact, the picture becomes smaller; frames are left out only
where no size fits, in such a way that the clip lasts as long as before and the run is the same.
"""

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

from boidsgen.errors import LimitError, join_words
from boidsgen.output.formats import SIDES, WRITERS

SMALLEST_FACTOR = 0.25  # Least factor of width and height
RATES = (1, 2, 3)  # One of this many frames may be kept
MIN_FPS = 8.0  # Frames a second below which motion is no longer smooth
MIN_SIDE = 48  # Pixels of a side below which boids are no longer distinguishable
ENOUGH, AIM = 0.9, 0.96  # Fractions of the allowed bytes: that end the search, and that a clip is meant to take
CLIPS = 6  # Maximum number of clips that are made at one rate


class Reduction(NamedTuple):
    """The size and rate of a reduced clip, and how much detail it loses."""

    size: tuple[int, int]  # width and height in pixels
    every: int = 1  # one of this many frames is kept, the first among them
    loss: int = 0  # steps by which an encoder loses more than its quality asks for

    def kept(self, frames: int) -> int:
        """The number of frames that are kept of this many."""
        return -(-frames // self.every)


class Wanted(NamedTuple):
    """A clip that has to fit."""

    allowed: int  # bytes of each file
    size: tuple[int, int]  # width and height in pixels
    fps: float
    formats: Sequence[str]  # that it is written in, with the same frames

    @property
    def losses(self) -> int:
        """The largest loss of detail that all formats have; 0 where one is exact, which smaller pictures must fit."""
        return min(WRITERS[name].losses for name in self.formats)

    @property
    def smallest(self) -> list[Reduction]:
        """The smallest reduction with all frames, then those that leave out some."""
        share = min(1.0, max(SMALLEST_FACTOR, MIN_SIDE / min(self.size)))
        size = self.scaled(self.size, round(self.size[0] * share))
        rates = [every for every in RATES if every == 1 or self.fps / every >= MIN_FPS]
        return [Reduction(size, every, self.losses) for every in rates]

    @property
    def multiple(self) -> int:
        """The sides of pictures must be multiples of this."""
        return SIDES if any(WRITERS[name].multiple > 1 for name in self.formats) else 1

    def scaled(self, size: tuple[int, int], width: int) -> tuple[int, int]:
        """A size of about this width and the same shape."""
        wide = max(1, round(width / self.multiple)) * self.multiple
        return wide, max(1, round(size[1] * wide / size[0] / self.multiple)) * self.multiple


def best_reduction(wanted: Wanted, bytes_of: Callable[[Reduction], int], label: str = "") -> Reduction:
    """The best reduction of a clip that fits: detail is lost first, then size, and frames where no size fits otherwise.

    Args:
        wanted: the clip.
        bytes_of: makes a reduced clip, and returns its size; called with better and better ones that fit.
        label: its name in messages, where there may be several.

    Raises:
        LimitError: when none fits.
    """
    form = whole = Reduction(wanted.size)
    if (most := bytes_of(whole)) <= wanted.allowed:
        return whole
    if wanted.losses:
        form = whole._replace(loss=wanted.losses)
        if (least := bytes_of(form)) <= wanted.allowed:
            return _best(_less_lossy, form, least, whole, most, wanted, bytes_of)
        most = least
    too_large = form
    for form in wanted.smallest:
        if (least := bytes_of(form)) <= wanted.allowed:
            return _best(_wider, form, least, too_large._replace(every=form.every), most, wanted, bytes_of)
    width, height = form.size
    raise LimitError(
        f"{f'{label}: ' if label else ''}output.max_bytes: {wanted.allowed:,} is too small: with {width} x {height} "
        f"pixels and {wanted.fps / form.every:g} frames a second the {join_words(wanted.formats)} still has {least:,}; "
        "make the clip shorter"
    )


def _best(
    between: Callable[[Wanted, Reduction, Reduction, float], Reduction | None],
    fits: Reduction,
    least: int,
    too_large: Reduction,
    most: int,
    wanted: Wanted,
    bytes_of: Callable[[Reduction], int],
) -> Reduction:
    """The best clip found to fit, from one that does and one that does not, with their bytes.

    `between` gives the form at a part of the way from the first to the second, None where there is none.
    """
    for _ in range(CLIPS - 1):  # each guess is by the growth of bytes between the two
        if least >= ENOUGH * wanted.allowed:
            break
        part = math.log(max(AIM * wanted.allowed / least, 1.0)) / math.log(most / least) if most > least else 0.5
        form = between(wanted, fits, too_large, part)
        if form is None:
            break
        found = bytes_of(form)
        if found <= wanted.allowed:
            fits, least = form, found
        else:
            too_large, most = form, found
    return fits


def _wider(wanted: Wanted, fits: Reduction, too_large: Reduction, part: float) -> Reduction | None:
    """A form of a width between two others: bytes grow about as a power of the width."""
    narrow, wide, step = fits.size[0], too_large.size[0], wanted.multiple
    if wide - narrow < 2 * step:
        return None
    guess = round(narrow * (wide / narrow) ** part)
    return fits._replace(size=wanted.scaled(too_large.size, min(max(guess, narrow + step), wide - step)))


def _less_lossy(_: Wanted, fits: Reduction, too_large: Reduction, part: float) -> Reduction | None:
    """A form that loses less than one and more than the other: bytes grow about exponentially."""
    if fits.loss - too_large.loss < 2:
        return None
    guess = round(fits.loss - (fits.loss - too_large.loss) * part)
    return fits._replace(loss=max(min(guess, fits.loss - 1), too_large.loss + 1))
