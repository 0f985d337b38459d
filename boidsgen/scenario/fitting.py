"""Fitting: the form of a clip that stays within `output.max_bytes`.

  forms_of(size, fps)            what a clip may become, the best form first
  best_form(scenario, bytes_of)  the best form that fits, found by making clips and looking how large they are

A form is a size and a rate. The rate is lowered by leaving out frames, so that the clip lasts as long as before and the
run is the same. A better form has a longer side times more frames a second, which is how the bytes go, too; of equal
ones the one with more frames is better. Nothing is guessed: what a gif takes depends on every pixel. Forms are tried by
halves, which takes six clips at most, and the answer depends on the scenario alone.
"""

from collections.abc import Callable
from typing import NamedTuple

from boidsgen.errors import LimitError
from boidsgen.scenario.scenario import Scenario

SHARES = (1.0, 0.85, 0.7, 0.6, 0.5, 0.4, 0.3, 0.25)
"""Parts of width and height that a picture may be brought to."""
RATES = (1, 2, 3)
"""One of so many frames may be kept."""
MIN_FPS = 8.0
"""Frames a second below which a flock no longer flies."""
MIN_SIDE = 48
"""Pixels of a side below which nothing can be told apart."""


class Form(NamedTuple):
    """What becomes of a clip.

    Attributes:
        size: width and height in pixels.
        every: one of so many frames is kept, the first among them.
    """

    size: tuple[int, int]
    every: int = 1

    def kept(self, frames: int) -> int:
        """How many of so many frames are kept."""
        return -(-frames // self.every)


def forms_of(size: tuple[int, int], fps: float) -> list[Form]:
    """What a clip of this size and rate may become, the best form first, which is to stay as it is."""
    sizes = [(max(1, round(size[0] * share)), max(1, round(size[1] * share))) for share in SHARES]
    rates = [every for every in RATES if every == 1 or fps / every >= MIN_FPS]
    forms = [Form(one, every) for one in sizes for every in rates if one == size or min(one) >= MIN_SIDE]
    return sorted(forms, key=lambda form: (-form.size[0] / form.every, form.every))


def best_form(scenario: Scenario, bytes_of: Callable[[Form], int], label: str = "") -> Form:
    """The best form of a scenario's clip that fits; `bytes_of` makes a clip in a form and says how large it is.

    Args:
        scenario: of the clip.
        bytes_of: makes it.
        label: how messages name it, where there may be several.

    Raises:
        LimitError: when none does.
    """
    allowed = scenario.output.max_bytes
    forms = forms_of(scenario.picture_size, scenario.output.fps)
    if allowed is None or bytes_of(forms[0]) <= allowed:
        return forms[0]
    low, high = 1, len(forms)
    least = 0
    while low < high:
        middle = (low + high) // 2
        found = bytes_of(forms[middle])
        low, high, least = (low, middle, least) if found <= allowed else (middle + 1, high, found)
    if low < len(forms):
        return forms[low]
    width, height = forms[-1].size
    named = f"{label}: " if label else ""
    raise LimitError(
        f"{named}output.max_bytes: {allowed:,} cannot be kept to: of {width} x {height} pixels and "
        f"{scenario.output.fps / forms[-1].every:g} frames a second the gif still has {least:,}; make the clip shorter"
    )
