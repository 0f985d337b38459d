"""Film strip: several frames of one run side by side in one picture, each under its number.

strip(load_scenario("configs/quickstart.toml"), "strip.png", at=(0, 60, 120))
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from os import PathLike, fspath

import numpy as np

from boidsgen.drawing import Frame, Renderer
from boidsgen.drawing.figure import Figure
from boidsgen.drawing.vector import FigureRenderer, VectorCanvas
from boidsgen.errors import UsageError
from boidsgen.output.figures import write_figure
from boidsgen.output.outputs import write_still
from boidsgen.pipeline import (
    Progress,
    boxes,
    complete,
    frame_number,
    is_figure,
    own_rules,
    pictures_at,
    preflight,
)
from boidsgen.scenario.provenance import provenance
from boidsgen.scenario.scenario import Scenario
from boidsgen.simulation import State, simulate
from boidsgen.studies.compare.contact_sheet import draw_page, page, page_inks
from boidsgen.studies.compare.layout import Headings, SheetLayout

MAX_FRAMES = 64
"""Frames in one strip."""


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
    """Write the frames of these numbers, counted from 0, as one PNG, SVG or PDF. Gives notices as in a report.

    With `states`, those of a saved run of this scenario, nothing is simulated.

    Raises:
        BoidsgenError: one of its kinds; then the file is as it was before.
    """
    refuse(scenario, at)
    layout = strip_layout(scenario, at)
    preflight(scenario, size=layout.size)
    states = simulate(scenario, engine) if states is None else states
    name, text = fspath(path), provenance(scenario, own_rules(states))
    states, tile = complete(states, scenario), scenario.model_copy(update={"title": ""})
    if is_figure(name):
        figures = list(pictures_at(at, FigureRenderer(tile, tile.picture_size), states, progress))
        written = write_figure(
            name, _joined_figure(figures, layout, scenario), at=at, provenance=text, no_clobber=no_clobber
        )
    else:
        frames = list(pictures_at(at, Renderer(tile, tile.picture_size), states, progress))
        written = write_still(name, _joined(frames, layout, scenario), at=at, provenance=text, no_clobber=no_clobber)
    return (*boxes(scenario), *written)


def refuse(scenario: Scenario, at: Sequence[int]) -> None:
    """Stop before anything is simulated.

    Raises:
        UsageError: a frame does not exist, the numbers do not ascend, or there is none.
    """
    if not at:
        raise UsageError("at: names no frame")
    written = ",".join(map(str, at))
    for number in at:
        frame_number(scenario, number)
    if sorted(set(at)) != list(at):
        raise UsageError(f"--at {written}: the numbers of a film strip must ascend, each once")
    if scenario.style.transparent:
        raise UsageError(f"--at {written}: a film strip has a ground; leave out style.transparent")
    if len(at) > MAX_FRAMES:
        raise UsageError(f"--at {written}: {len(at)} frames in one strip; {MAX_FRAMES} are allowed")


def strip_layout(scenario: Scenario, at: Sequence[int]) -> SheetLayout:
    """Where the frames stand: in one row, under the title of all and the number of each."""
    labels = [f"frame {number}" for number in at]
    return SheetLayout([scenario.picture_size] * len(at), Headings(scenario.title, labels=labels), len(at))


def _joined(frames: Sequence[Frame], layout: SheetLayout, scenario: Scenario) -> Frame:
    """One picture of them all; no color changes, since no format of clips limits how many there are."""
    inks = page_inks(scenario.style.colors)
    sheet = inks.colors[page(layout, inks)]
    for frame, (left, top) in zip(frames, layout.corners, strict=True):
        rows, columns = frame.index.shape
        sheet[top : top + rows, left : left + columns] = frame.palette[frame.index]
    palette, index = np.unique(sheet.reshape(-1, 3), axis=0, return_inverse=True)
    return Frame(index.reshape(sheet.shape[:2]).astype(np.uint16), palette)


def _joined_figure(figures: Sequence[Figure], layout: SheetLayout, scenario: Scenario) -> Figure:
    """One figure of them all."""
    inks = page_inks(scenario.style.colors)
    canvas = VectorCanvas(layout.size, 2, inks)
    draw_page(canvas, layout, inks)
    return replace(canvas.figure(), parts=tuple(zip(layout.corners, figures, strict=True)))
