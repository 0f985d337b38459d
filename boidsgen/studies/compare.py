"""Several pictures in one: scenarios side by side and in step, and film strips of one scenario.

All simulations of a comparison advance together and one picture is in memory, whatever the number of frames. A scenario
with fewer frames than the longest stays on its last one. Rate, quality, the size of each cell and the colors of the
page are those of the first scenario; a picture of another shape is drawn as large as it fits into its cell.
"""

import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import sha256
from itertools import product
from os import PathLike, fspath
from pathlib import Path
from typing import BinaryIO

import numpy as np

from boidsgen.drawing import Frame, Renderer
from boidsgen.drawing.frame import MAX_COLORS
from boidsgen.drawing.overlays.readings import measure_label, measure_text
from boidsgen.drawing.quantization import Quantizer, dissolved, seamless
from boidsgen.drawing.text import missing, no_glyphs
from boidsgen.drawing.vector import Figure, FigureRenderer, VectorCanvas
from boidsgen.errors import UsageError
from boidsgen.output.figures import encoded_figure
from boidsgen.output.outputs import open_outputs
from boidsgen.output.pages import PAGES
from boidsgen.output.png import encoded
from boidsgen.output.publish import open_file
from boidsgen.output.recording import SavedRun
from boidsgen.output.targets import Target, target
from boidsgen.pipeline import (
    STILL_ENDING,
    Progress,
    Report,
    applied,
    boxes,
    complete,
    counted,
    frame_number,
    is_figure,
    is_still,
    pictures_at,
    preflight,
    provenance_of,
)
from boidsgen.scenario.scenario import Scenario
from boidsgen.simulation.engines import engine_name
from boidsgen.simulation.measures import measure
from boidsgen.simulation.run import simulate
from boidsgen.simulation.setup import State
from boidsgen.studies.contact_sheet import (
    ContactSheet,
    Headings,
    SheetLayout,
    TileFrame,
    automatic_columns,
    draw_page,
    fit_size,
    lay_out,
    page_inks,
    page_picture,
)
from boidsgen.webpage.comparison import comparison_text

COMPARISON = "comparison"  # File name, without extension, of a comparison that is put into a directory
MAX_STRIP = 64  # Maximum number of frames in one strip


def untitled(scenario: Scenario) -> Scenario:
    """The scenario of a tile: its title stands above the grid."""
    return scenario.model_copy(update={"title": ""})


@dataclass(frozen=True)
class Comparison:
    """Scenarios and the grid in which they are shown."""

    scenarios: Sequence[Scenario]  # row by row
    headings: Headings  # text around them
    columns: int = 0  # tiles in a row; 0 = as many as suit a screen
    # measure whose value is shown below each tile; None for that of the first scenario's chart, if any
    measure: str | None = None
    # the states of scenarios that are saved runs, by their numbers; all others are simulated
    saved: Mapping[int, SavedRun] = field(default_factory=dict)
    # dotted keys in which each scenario differs by intention, which sliders of a page leave alone there
    held: Sequence[Collection[str]] = ()

    def states(self, number: int, engine: str) -> Iterable[State]:
        """The states of one of the scenarios."""
        return self.saved[number] if number in self.saved else simulate(self.scenarios[number], engine)

    @property
    def first(self) -> Scenario:
        """The scenario that decides for all."""
        return self.scenarios[0]

    @property
    def longest(self) -> Scenario:
        """The scenario with the most frames."""
        return max(self.scenarios, key=lambda scenario: scenario.time.frames)

    @property
    def clip_frames(self) -> int:
        """Frames of the clip, without those that a cross-fade takes."""
        return self.longest.time.frames - self.first.output.loop_seam

    @property
    def noted(self) -> str | None:
        """The measure whose value is shown below each tile."""
        return self.measure or self.first.overlay.chart

    @cached_property
    def layout(self) -> SheetLayout:
        """Places of everything."""
        cell = untitled(self.first).picture_size
        sizes = [fit_size(untitled(scenario).picture_size, cell) for scenario in self.scenarios]
        columns = min(self.columns, len(sizes)) or automatic_columns(len(sizes), cell)
        return lay_out(sizes, self.headings, columns, noted=self.noted is not None)


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
    _preflight(comparison)
    targets = [
        one if isinstance(one, Target) else target(fspath(one), stem=COMPARISON, default=comparison.first.output.format)
        for one in (first, *further)
    ]
    pages, films = [one for one in targets if one.format in PAGES], [one for one in targets if one.format not in PAGES]
    clip = comparison.first.output.clip(comparison.layout.size, comparison.clip_frames, provenance)
    drawn, seam = comparison.longest.time.frames, comparison.first.output.loop_seam
    with ExitStack() as stack:
        files = [stack.enter_context(open_file(one.path, "stream", no_clobber=no_clobber)) for one in pages]
        digest = _write_pages(comparison, files, Path(pages[0].path).stem, provenance) if pages else ""
        if films:
            outputs = stack.enter_context(open_outputs(films, clip, no_clobber=no_clobber))
            for frame in seamless(counted(comparison_frames(comparison, engine), progress), drawn, seam, dissolved):
                outputs.write(frame)
            digest = outputs.digest
    return Report(
        paths=tuple(Path(one.path) for one in targets),
        frames=comparison.clip_frames,
        duration=clip.duration,
        seed=comparison.first.seed,
        digest=digest,
        seconds=time.monotonic() - began,
        engine=engine_name(engine),
        notices=tuple(_missing_glyphs(comparison)),
    )


def _write_pages(comparison: Comparison, files: Iterable[BinaryIO], name: str, provenance: str) -> str:
    """Write the page of a comparison to files. Returns its hash."""
    heads, columns = comparison.headings, comparison.layout.columns
    crossed = [", ".join(pair) for pair in product(heads.rows, heads.columns)]
    shown = [(untitled(one), comparison.saved.get(number)) for number, one in enumerate(comparison.scenarios)]
    held = comparison.held or [()] * len(shown)
    text = comparison_text(shown, heads.labels or crossed, held, columns, comparison.measure, provenance, name)
    for file in files:
        file.write(text.encode())
    return sha256(text.encode()).hexdigest()


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
    """Write frame `at` of all scenarios, by default the last, as one PNG; progress counts scenarios. Returns notices.

    Raises:
        BoidsgenError: one of its kinds; then the file is as it was before.
    """
    _preflight(comparison)
    wanted = frame_number(comparison.longest, at)
    tiles, sheet = _tiles(comparison)
    pictures: list[TileFrame] = []
    with open_file(fspath(path), "stream", no_clobber=no_clobber) as file:
        for number, tile in enumerate(tiles):
            at = min(wanted, tile.scenario.time.frames - 1)
            pictures.append(next(pictures_at([at], tile, comparison.states(number, engine))))
            if progress:
                progress(number + 1)
        file.write(encoded(sheet(pictures), provenance, (wanted,)))
    return tuple(_missing_glyphs(comparison))


def comparison_frames(comparison: Comparison, engine: str = "auto") -> Iterator[Frame]:
    """The pictures of a comparison, frame by frame."""
    tiles, sheet = _tiles(comparison)
    runs = [applied(tile, comparison.states(number, engine)) for number, tile in enumerate(tiles)]
    for _ in range(comparison.longest.time.frames):
        yield sheet([next(run, None) for run in runs])


def refuse_frame(at: int | None, paths: Iterable[str]) -> None:
    """Stop when a frame is given, and no output is a picture.

    Raises:
        UsageError: with the file extension of pictures.
    """
    if at is not None and not any(map(is_still, paths)):
        raise UsageError(f"--at {at}: is about pictures; end the name of an output in {STILL_ENDING}")


def _preflight(comparison: Comparison) -> None:
    """Check the limits before anything is allocated."""
    if any(scenario.style.transparent for scenario in comparison.scenarios):
        raise UsageError("a comparison has a ground; leave out style.transparent")
    preflight(*comparison.scenarios, size=comparison.layout.size)


def _missing_glyphs(comparison: Comparison) -> Iterator[str]:
    """A notice for each text with missing glyphs, around the tiles and in them."""
    heads = comparison.headings
    named = {"title": [heads.title], "column": heads.columns, "row": heads.rows, "label": heads.labels}
    around = (f"{name}: {no_glyphs(missing(text))}" for name, texts in named.items() for text in texts if missing(text))
    tiles = (line for scenario in comparison.scenarios for line in boxes(scenario))
    yield from dict.fromkeys((*around, *tiles, *(run.doubt for run in comparison.saved.values() if run.doubt)))


class _Tile:
    """One scenario, drawn in so few colors that all tiles find room in one palette; the title is above the grid."""

    def __init__(self, scenario: Scenario, size: tuple[int, int], noted: str | None) -> None:
        self.scenario, self._noted = scenario, noted
        self._draw = Renderer(untitled(scenario), size)
        self.palette, self.note = self._draw.palette, self._draw.note
        self._reduce: Quantizer | None = None
        if len(self.palette) > MAX_COLORS:
            self._reduce = Quantizer(self.palette, np.ones(len(self.palette), np.int64))
            self.palette = self._reduce.palette

    def __call__(self, state: State) -> TileFrame:
        frame = self._draw(state)
        frame = self._reduce(frame) if self._reduce else frame
        if self._noted is None:
            return frame, ""
        value = measure(state, [self._noted]).get(self._noted)
        return frame, f"{measure_label(self._noted)} {'-' if value is None else measure_text(self._noted, value)}"


def _tiles(comparison: Comparison) -> tuple[list[_Tile], ContactSheet]:
    """The tiles of a comparison and the sheet that they are put into."""
    tiles = [
        _Tile(scenario, size, comparison.noted)
        for scenario, size in zip(comparison.scenarios, comparison.layout.tiles, strict=True)
    ]
    palettes = [tile.palette for tile in tiles]
    return tiles, ContactSheet(comparison.layout, palettes, comparison.first.style.colors)


def strip(
    scenario: Scenario,
    path: str | PathLike[str],
    *,
    at: Sequence[int],
    engine: str = "auto",
    no_clobber: bool = False,
    progress: Progress | None = None,
    states: Iterable[State] | None = None,
) -> tuple[str, ...]:
    """Write several frames of one run, counted from 0, side by side as one PNG, SVG or PDF. Returns notices.

    With `states`, those of a saved run of this scenario, nothing is simulated.

    Raises:
        BoidsgenError: one of its kinds; then the file is as it was before.
    """
    _refuse_strip(scenario, at)
    labels = [f"frame {number}" for number in at]
    tile = untitled(scenario)
    layout = lay_out([tile.picture_size] * len(at), Headings(scenario.title, labels=labels), len(at))
    preflight(scenario, size=layout.size)
    states = simulate(scenario, engine) if states is None else states
    name, text = fspath(path), provenance_of(scenario, states)
    states = complete(states, scenario)
    inks = page_inks(scenario.style.colors)
    with open_file(name, "stream", no_clobber=no_clobber) as file:
        if is_figure(name):
            figures = pictures_at(at, FigureRenderer(tile, tile.picture_size), states, progress)
            canvas = VectorCanvas(layout.size, 2, inks)
            draw_page(canvas, layout, inks)
            figure: Figure = replace(canvas.figure(), parts=tuple(zip(layout.corners, figures, strict=True)))
            file.write(encoded_figure(name, figure, text, at))
        else:
            sheet = inks.colors[page_picture(layout, inks)]
            frames = pictures_at(at, Renderer(tile, tile.picture_size), states, progress)
            for frame, (left, top) in zip(frames, layout.corners, strict=True):
                rows, columns = frame.index.shape
                shown = frame.full() if frame.full else frame.palette[frame.index]
                sheet[top : top + rows, left : left + columns] = shown
            file.write(encoded(sheet, text, at))
    return tuple(boxes(scenario))


def _refuse_strip(scenario: Scenario, at: Sequence[int]) -> None:
    """Stop before anything is simulated, if a frame does not exist or the numbers do not ascend."""
    if not at:
        raise UsageError("at: names no frame")
    written = ",".join(map(str, at))
    for number in at:
        frame_number(scenario, number)
    if sorted(set(at)) != list(at):
        raise UsageError(f"--at {written}: the numbers of a film strip must ascend, each once")
    if scenario.style.transparent:
        raise UsageError(f"--at {written}: a film strip has a ground; leave out style.transparent")
    if len(at) > MAX_STRIP:
        raise UsageError(f"--at {written}: {len(at)} frames in one strip; {MAX_STRIP} are allowed")
