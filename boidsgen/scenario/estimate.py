"""Estimate: the time of a render, and the size of a clip that must not have more than so many bytes.

`best_reduction` fits a clip to `output.max_bytes`: the
rate is lowered by leaving out frames, so that the clip lasts as long as before and the run is the same. A few clips are
made to find that out, since the size of a GIF depends on every pixel.
"""

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

from boidsgen.errors import LimitError
from boidsgen.scenario.scenario import Scenario
from boidsgen.scenario.sources import trusting
from boidsgen.simulation.run import animals, neighbor_visits
from boidsgen.simulation.setup import Timeline
from boidsgen.simulation.world import Ellipse

START = 0.8  # Seconds of any render
STEP, VISITED = 4.6e-5, 8e-9  # Seconds for a step, and to look at one neighbor
MET, CORNER, NEWTON = 7e-8, 1.5e-8, 1.1e-6  # Seconds for an animal and an obstacle, a corner of one, and an ellipse
DRAWN, LAYER = 4.8e-6, 8e-4  # Seconds for an animal, and for an overlay, in one picture
PIXEL = {"gif": 8e-9, "webm": 7e-8}  # Seconds for a pixel of a format; of others, whose encoders compare them, FILMED
FILMED, LIT = 1.8e-8, 1.9e-8  # and LIT more in a lit theme
SCENE, PACKED = 4e-7, 1.8e-7  # Seconds for a pixel of a lit background, once, and of a png that shows one
MAX_SECONDS, MAX_MEMORY = 600, 2_000_000_000  # Seconds and bytes of what a clip embeds, which may be a stranger's
DRAWING, LIGHTING, ENCODING = 20, 150, 140  # Bytes for a pixel, in a lit theme, and of an encoder that looks ahead


def seconds(scenario: Scenario) -> float:
    """Estimated processor time of a render.

    The constants fit what was measured of the presets (`docs/programs/benchmarks/presets.json`) within a factor of two.
    """
    size, form = math.prod(scenario.picture_size), scenario.output.format
    lit = scenario.style.colors.light is not None
    pixel = PIXEL.get(form, FILMED) + lit * (LIT + PACKED * (form == "png"))
    drawing = (DRAWN * animals(scenario) + LAYER * len(scenario.layers)) * scenario.pictures
    moving = _moving(scenario, neighbor_visits(scenario))
    return START + moving + drawing + pixel * size * scenario.pictures + SCENE * lit * size


def memory(scenario: Scenario) -> int:
    """Estimated bytes that a render and its encoder take, within a factor of two for large pictures."""
    lit = scenario.style.colors.light is not None
    encoding = ENCODING * (scenario.output.format in {"mp4", "webm"})
    return math.prod(scenario.picture_size) * (DRAWING + LIGHTING * lit + encoding + scenario.seam * (1 + lit))


def stepping_seconds(scenario: Scenario) -> float:
    """Estimated processor time of the steps of a run, at the highest rate that its events lead to."""
    timeline, frames = Timeline(scenario), {0, *(event.at for event in scenario.events)}
    return _moving(scenario, max(neighbor_visits(timeline.at(frame)) for frame in sorted(frames)))


def _moving(scenario: Scenario, visits: int) -> float:
    """Estimated time of all steps, with what each animal meets: obstacles, attractors and the corners of ways."""
    ways = (getattr(rule, "points", ()) for group in scenario.flock for rule in group.rules.values())
    corners = sum(map(len, (*(getattr(one, "points", ()) for one in scenario.obstacles), *ways)))
    ellipses = sum(isinstance(one, Ellipse) for one in scenario.obstacles)
    met = MET * (len(scenario.obstacles) + len(scenario.attractors)) + CORNER * corners + NEWTON * ellipses
    return VISITED * visits + (STEP + met * animals(scenario)) * scenario.steps


def refuse_costly(name: str, scenarios: Sequence[Scenario], command: str) -> None:
    """Raise LimitError where a render that a stranger may have made takes too much time or memory."""
    for scenario in scenarios:
        scenario.refuse_excess()
    refuse_long(name, sum(map(seconds, scenarios)), MAX_SECONDS, command)
    if (wanted := sum(map(memory, scenarios))) > MAX_MEMORY and not trusting.get():
        most = f"{wanted / 1e9:.1f} GB of memory, {MAX_MEMORY / 1e9:.0f} allowed"
        raise LimitError(f"{name}: takes roughly {most}; {command} --trust allows it")


def refuse_long(name: str, wanted: float, most: int, command: str) -> None:
    """Raise LimitError where what a stranger may have made takes more than so many seconds, unless it is trusted."""
    if wanted > most and not trusting.get():
        raise LimitError(f"{name}: takes roughly {wanted:,.0f} s, {most} allowed; {command} --trust allows it")


SMALLEST = 0.25  # Least factor of width and height
RATES = (1, 2, 3)  # One of this many frames may be kept
MIN_FPS = 8.0  # Frames a second below which motion is no longer smooth
MIN_SIDE = 48  # Pixels of a side below which boids are no longer distinguishable
ENOUGH, AIM = 0.9, 0.96  # Fractions of the allowed bytes: that end the search, and that a clip is meant to take
CLIPS = 6  # Maximum number of clips that are made at one rate


class Reduction(NamedTuple):
    """The size and rate of a reduced clip."""

    size: tuple[int, int]  # width and height in pixels
    every: int = 1  # one of this many frames is kept, the first among them

    def kept(self, frames: int) -> int:
        """The number of frames that are kept of this many."""
        return -(-frames // self.every)


def smallest_reductions(size: tuple[int, int], fps: float) -> list[Reduction]:
    """The smallest reduction of a clip of this size and rate with all frames, then those that leave out some."""
    share = min(1.0, max(SMALLEST, MIN_SIDE / min(size)))
    rates = [every for every in RATES if every == 1 or fps / every >= MIN_FPS]
    return [Reduction(_scaled(size, round(size[0] * share)), every) for every in rates]


def _scaled(size: tuple[int, int], width: int) -> tuple[int, int]:
    return width, max(1, round(size[1] * width / size[0]))


def best_reduction(scenario: Scenario, bytes_of: Callable[[Reduction], int], label: str = "") -> Reduction:
    """The best reduction of a scenario's clip that fits: frames are left out only where no size fits otherwise.

    Args:
        scenario: of the clip.
        bytes_of: makes a reduced clip, and returns its size; called with larger and larger ones that fit.
        label: its name in messages, where there may be several.

    Raises:
        LimitError: when none fits.
    """
    allowed, whole = scenario.output.max_bytes, Reduction(scenario.picture_size)
    if allowed is None or (most := bytes_of(whole)) <= allowed:
        return whole
    for form in smallest_reductions(scenario.picture_size, scenario.output.fps):
        if (least := bytes_of(form)) <= allowed:
            return _largest(form, least, (whole.size, most), allowed, bytes_of)
    width, height = form.size
    named = f"{label}: " if label else ""
    raise LimitError(
        f"{named}output.max_bytes: {allowed:,} is too small: with {width} x {height} pixels and "
        f"{scenario.output.fps / form.every:g} frames a second the gif still has {least:,}; make the clip shorter"
    )


def _largest(
    fits: Reduction,
    least: int,
    too_large: tuple[tuple[int, int], int],
    allowed: int,
    bytes_of: Callable[[Reduction], int],
) -> Reduction:
    """The largest clip found to fit at one rate, from one that does, and a size that does not with its bytes."""
    size, most = too_large  # bytes grow about as a power of the width: each guess is by the power between the two
    for _ in range(CLIPS - 1):
        narrow, wide = fits.size[0], size[0]
        if least >= ENOUGH * allowed or wide - narrow < 2:
            break
        part = math.log(max(AIM * allowed / least, 1.0)) / math.log(most / least) if most > least else 0.5
        guess = round(narrow * (wide / narrow) ** part)
        form = Reduction(_scaled(too_large[0], min(max(guess, narrow + 1), wide - 1)), fits.every)
        found = bytes_of(form)
        if found <= allowed:
            fits, least = form, found
        else:
            size, most = form.size, found
    return fits
