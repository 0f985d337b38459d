"""Comparison: several scenarios side by side, in step.

A `Comparison` says what is compared and how it is laid out; `compare` renders it as `render` does one scenario. All
simulations advance together and one picture is in memory, whatever the number of frames. A scenario with fewer frames
than the longest stays on its last one. Rate, quality, the size of each cell and the colors of the page are those of the
first; a picture of another shape is drawn as large as it fits into its cell.
"""

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from os import PathLike, fspath
from pathlib import Path

import numpy as np

from boidsgen.drawing import Frame, Renderer
from boidsgen.drawing.frame import MAX_COLORS
from boidsgen.drawing.measure_history import measure_label, measure_text
from boidsgen.drawing.quantization import Reduction, dissolved, seamless
from boidsgen.drawing.text import missing
from boidsgen.errors import UsageError
from boidsgen.output.outputs import open_outputs, write_still
from boidsgen.output.targets import Target, target
from boidsgen.pipeline import (
    STILL_ENDING,
    Progress,
    Report,
    box,
    boxes,
    counted,
    frame_number,
    is_still,
    preflight,
)
from boidsgen.scenario.scenario import Scenario
from boidsgen.simulation import State, engine_name, simulate
from boidsgen.simulation.measures import measure
from boidsgen.studies.compare.contact_sheet import ContactSheet, Shown
from boidsgen.studies.compare.layout import Headings, SheetLayout, automatic_columns, fitted

STEM = "comparison"
"""Name of a comparison that is put into a directory."""


@dataclass(frozen=True)
class Comparison:
    """Scenarios and the grid in which they are shown.

    Attributes:
        scenarios: row by row; None leaves its place empty.
        headings: what is written around them.
        columns: how many stand in a row; 0 = as many as suit a screen.
        measure: whose value stands below each; None for that of the first scenario's chart, if it has one.
    """

    scenarios: Sequence[Scenario | None]
    headings: Headings
    columns: int = 0
    measure: str | None = None

    @cached_property
    def shown(self) -> list[Scenario]:
        """The scenarios without the empty places."""
        return [scenario for scenario in self.scenarios if scenario is not None]

    @property
    def first(self) -> Scenario:
        """The scenario that decides for all."""
        return self.shown[0]

    @property
    def longest(self) -> Scenario:
        """The scenario with the most frames."""
        return max(self.shown, key=lambda scenario: scenario.time.frames)

    @property
    def clip_frames(self) -> int:
        """How many frames the clip has: all, or those that a seam leaves."""
        return self.longest.time.frames - self.first.output.loop_seam

    @property
    def noted(self) -> str | None:
        """The measure whose value stands below each scenario."""
        return self.measure or self.first.overlay.chart

    @cached_property
    def layout(self) -> SheetLayout:
        """Where everything stands."""
        cell = self.first.picture_size
        sizes = [fitted(scenario.picture_size, cell) if scenario else cell for scenario in self.scenarios]
        columns = min(self.columns, len(sizes)) or automatic_columns(len(sizes), cell)
        return SheetLayout(sizes, self.headings, columns, self.noted is not None)


def compare(
    comparison: Comparison,
    first: str | PathLike[str] | Target,
    *further: str | PathLike[str] | Target,
    provenance: str = "",
    engine: str = "auto",
    no_clobber: bool = False,
    progress: Progress | None = None,
) -> Report:
    """Simulate, draw and encode all scenarios of a comparison, once for all targets.

    Raises:
        BoidsgenError: one of its kinds; then every output is as it was before.
    """
    began = time.monotonic()
    refuse(comparison)
    targets = [_target(comparison, one) for one in (first, *further)]
    clip = comparison.first.output.clip(comparison.layout.size, comparison.clip_frames, provenance)
    whole, seam = comparison.longest.time.frames, comparison.first.output.loop_seam
    with open_outputs(targets, clip, no_clobber=no_clobber) as outputs:
        for frame in seamless(counted(frames(comparison, engine), progress), whole, seam, dissolved):
            outputs.write(frame)
    return Report(
        paths=tuple(Path(one.path) for one in targets),
        frames=outputs.count,
        duration=clip.duration,
        seed=comparison.first.seed,
        digest=outputs.digest,
        seconds=time.monotonic() - began,
        engine=engine_name(engine, comparison.longest),
        notices=(*boxes_of(comparison), *outputs.notices),
    )


def compare_still(
    comparison: Comparison,
    path: str | PathLike[str],
    *,
    at: int | None = None,
    provenance: str = "",
    engine: str = "auto",
    no_clobber: bool = False,
    progress: Progress | None = None,
) -> tuple[str, ...]:
    """Write frame `at` of all scenarios, by default the last, as one PNG; progress counts scenarios.

    Raises:
        BoidsgenError: one of its kinds; then the file is as it was before.
    """
    refuse(comparison)
    wanted = frame_number(comparison.longest, at)
    tiles = _tiles(comparison)
    sheet = _sheet(comparison, tiles)
    pictures: list[Shown | None] = []
    for number, tile in enumerate(tiles, start=1):
        pictures.append(tile.picture(wanted, engine) if tile else None)
        if progress:
            progress(number)
    picture = sheet(pictures)
    written = write_still(fspath(path), picture, at=(wanted,), provenance=provenance, no_clobber=no_clobber)
    return (*boxes_of(comparison), *written)


def boxes_of(comparison: Comparison) -> Iterator[str]:
    """A line for each text that cannot be drawn as it is written, in the tiles and around them."""
    heads = comparison.headings
    named = {"title": [heads.title], "column": heads.columns, "row": heads.rows, "label": heads.labels}
    around = (box(name, missing(text)) for name, texts in named.items() for text in texts if missing(text))
    tiles = (line for scenario in comparison.shown for line in boxes(scenario))
    yield from dict.fromkeys((*around, *tiles))


def frames(comparison: Comparison, engine: str = "auto") -> Iterator[Frame]:
    """The pictures of a comparison, one after the other."""
    tiles = _tiles(comparison)
    sheet = _sheet(comparison, tiles)
    runs = [tile.pictures(engine) if tile else iter(()) for tile in tiles]
    for _ in range(comparison.longest.time.frames):
        yield sheet([next(run, None) for run in runs])


def refuse(comparison: Comparison) -> None:
    """Stop before anything is allocated.

    Raises:
        LimitError: when a scenario, or all of them together, go beyond the limits of the first.
        UsageError: when one of them is to have no ground.
    """
    if any(scenario.style.transparent for scenario in comparison.shown):
        raise UsageError("a comparison has a ground; leave out style.transparent")
    preflight(*comparison.shown, size=comparison.layout.size)


def refuse_frame(at: int | None, paths: Iterable[str]) -> None:
    """Stop when the frame of a picture is named, and no output is one.

    Raises:
        UsageError: saying how a picture is named.
    """
    if at is not None and not any(map(is_still, paths)):
        raise UsageError(f"--at {at}: is about pictures; end the name of an output in {STILL_ENDING}")


@dataclass(frozen=True)
class _Tile:
    """One scenario and what draws it; the title stands above the grid, if anywhere."""

    scenario: Scenario
    draw: "Renderer | _Reduced"
    measure: str | None

    def pictures(self, engine: str) -> Iterator[Shown]:
        return map(self.show, simulate(self.scenario, engine))

    def show(self, state: State) -> Shown:
        return Shown(self.draw(state), _note(self.measure, state) if self.measure else "")

    def picture(self, at: int, engine: str) -> Shown:
        """The picture of one frame, or the last one there is; trails and charts remember the frames before."""
        last = min(at, self.scenario.time.frames - 1)
        states = simulate(self.scenario, engine)
        for state in islice(states, last):
            self.draw.note(state)
        return self.show(next(states))


def _tiles(comparison: Comparison) -> list[_Tile | None]:
    sized = zip(comparison.scenarios, comparison.layout.sizes, strict=True)
    return [_tile(scenario, size, comparison.noted) if scenario else None for scenario, size in sized]


def _tile(scenario: Scenario, size: tuple[int, int], noted: str | None) -> _Tile:
    draw = Renderer(scenario.model_copy(update={"title": ""}), size)
    return _Tile(scenario, draw if len(draw.palette) <= MAX_COLORS else _Reduced(draw), noted)


def _note(name: str, state: State) -> str:
    """What stands below a tile: a measure and its value, a dash where it is not defined."""
    value = measure(state, [name]).get(name)
    return f"{measure_label(name)} {'-' if value is None else measure_text(name, value)}"


class _Reduced:
    """Draws in few colors what has many, so that all tiles find room in one palette."""

    def __init__(self, draw: Renderer) -> None:
        self._draw = draw
        self._reduce = Reduction(draw.palette, np.ones(len(draw.palette), np.int64))
        self.palette = self._reduce.palette

    def note(self, state: State) -> None:
        """Remember a state for the pictures to come."""
        self._draw.note(state)

    def __call__(self, state: State) -> Frame:
        """The picture of one state."""
        return self._reduce(self._draw(state))


def _sheet(comparison: Comparison, tiles: Sequence[_Tile | None]) -> ContactSheet:
    theme = comparison.first.style.colors
    some = next(tile.draw.palette for tile in tiles if tile)
    return ContactSheet(comparison.layout, [tile.draw.palette if tile else some for tile in tiles], theme)


def _target(comparison: Comparison, wanted: str | PathLike[str] | Target) -> Target:
    if isinstance(wanted, Target):
        return wanted
    return target(fspath(wanted), stem=STEM, default=comparison.first.output.format)
