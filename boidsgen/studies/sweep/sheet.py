"""Sheet: all runs of a sweep as one labeled grid.

`write_overview(plan, failed, path)` draws the sheet of a plan, `write_sheet(scenarios, path, headings)` one of any
scenarios. What changes fastest is the columns: the seeds, or else the last key. Where only one thing changes, or values
are paired, there are no rows, and every run has a label of its own.

The runs are simulated again rather than read from their files: so they are drawn in the size of their tiles, with exact
colors, and runs whose files have been moved are there too. This costs the simulations once more, on one core; drawing
takes about a tenth of a millisecond a tile and frame.
"""

import re
from collections.abc import Collection, Sequence
from os import PathLike, fspath
from pathlib import Path

from boidsgen.errors import ScenarioError, UsageError
from boidsgen.pipeline import Progress, is_still
from boidsgen.scenario.scenario import Scenario
from boidsgen.scenario.wording import written
from boidsgen.studies.compare.comparison import Comparison, compare, compare_still
from boidsgen.studies.compare.grids import grid_text
from boidsgen.studies.compare.layout import Headings, automatic_columns
from boidsgen.studies.sweep.axes import Axis
from boidsgen.studies.sweep.plan import Plan, Run, short_keys
from boidsgen.writers.provenance import origin

MAX_RUNS = 64
"""Runs in one sheet; more would be too small to see anything."""
MAX_WIDTH, MAX_HEIGHT = 1600, 1200
"""Size of the tiles of a whole sheet together, in pixels."""
MIN_SIDE = 48
"""Shorter side of a tile, in pixels."""
_FRAME = re.compile(r"\A# frame [0-9]+\n")


def sheet_name(plan: Plan) -> str:
    """What the sheet is called: a picture where runs are pictures, otherwise a clip like them."""
    output_format = plan.base.output.format
    return f"sheet.{'png' if plan.base.time.frames == 1 else output_format}"


def write_overview(
    plan: Plan, failed: Collection[str], path: Path, *, engine: str, progress: Progress | None = None
) -> None:
    """Write the sheet of a plan, with an empty place for each run that failed.

    Raises:
        BoidsgenError: one of its kinds; then the file is as it was before.
    """
    scenarios = _scenarios(plan, failed)
    if any(scenarios):
        write_sheet(scenarios, path, headings(plan), engine=engine, progress=progress)


def is_current(plan: Plan, failed: Collection[str], path: Path) -> bool:
    """Whether a file is the sheet that `write_overview` would write now, as it says itself."""
    scenarios = _scenarios(plan, failed) if path.is_file() and len(plan.runs) <= MAX_RUNS else []
    if not any(scenarios):
        return False
    try:
        text = origin(path, path.name) or ""
    except ScenarioError:
        return False
    return _FRAME.sub("", text) == grid_text(_small(scenarios, headings(plan)))


def _scenarios(plan: Plan, failed: Collection[str]) -> list[Scenario | None]:
    return [None if run.name in failed else plan.scenario(run) for run in plan.runs]


def write_sheet(
    scenarios: Sequence[Scenario | None],
    path: str | PathLike[str],
    headings: Headings,
    *,
    engine: str = "auto",
    progress: Progress | None = None,
) -> None:
    """Write a sheet of runs: its last frame as a PNG, or all frames where the path ends as a clip does.

    Args:
        scenarios: row by row; None leaves a place empty, as for a run that failed.
        path: the file, which appears complete or not at all.
        headings: what is written around the runs. With headings of columns there are as many columns, without them as
            many as suit a screen.
        engine: that does the simulations.
        progress: called with the number of frames for a clip, of runs for a picture.

    Raises:
        UsageError: when there are more than `MAX_RUNS` scenarios, or none.
        BoidsgenError: any other of its kinds; then the file is as it was before.
    """
    if not any(scenarios) or len(scenarios) > MAX_RUNS:
        raise UsageError(f"{fspath(path)}: a sheet shows 1 to {MAX_RUNS} runs, not {len(scenarios)}")
    comparison = _small(scenarios, headings)
    write = compare_still if is_still(fspath(path)) else compare
    write(comparison, path, provenance=grid_text(comparison), engine=engine, progress=progress)


def headings(plan: Plan) -> Headings:
    """The texts around the runs of a plan."""
    title = plan.base.title or plan.source.stem
    across = _across(plan)
    if not across or across == len(plan.runs):
        return Headings(title=title, labels=[_label(plan, run, plan.axes) or f"seed {run.seed}" for run in plan.runs])
    down = plan.axes if plan.seeds else plan.axes[:-1]
    firsts = plan.runs[::across]
    columns = [f"seed {run.seed}" if plan.seeds else _label(plan, run, plan.axes[-1:]) for run in plan.runs[:across]]
    return Headings(title=title, columns=columns, rows=[_label(plan, run, down) for run in firsts])


def _small(scenarios: Sequence[Scenario | None], headings: Headings) -> Comparison:
    """The comparison of these scenarios, drawn so small that all of it fits a screen."""
    sizes = [scenario.picture_size for scenario in scenarios if scenario]
    cell = max(size[0] for size in sizes), max(size[1] for size in sizes)
    columns = len(headings.columns) or automatic_columns(len(scenarios), cell)
    rows = -(-len(scenarios) // columns)
    factor = min(1.0, MAX_WIDTH / (columns * cell[0]), MAX_HEIGHT / (rows * cell[1]))
    factor = max(factor, min(1.0, MIN_SIDE / min(cell)))
    return Comparison([_scaled(scenario, factor) if scenario else None for scenario in scenarios], headings, columns)


def _scaled(scenario: Scenario, factor: float) -> Scenario:
    """The scenario with a smaller picture; a size of boids that was given in pixels goes with it."""
    width, height = (max(1, round(side * factor)) for side in scenario.picture_size)
    length = scenario.style.size
    style = scenario.style if length is None else scenario.style.model_copy(update={"size": max(2, length * factor)})
    output = scenario.output.model_copy(update={"size": (width, height)})
    return scenario.model_copy(update={"output": output, "style": style})


def _across(plan: Plan) -> int:
    """How many runs stand in a row; 0 where there is no natural number."""
    if plan.seeds:
        return plan.seeds
    return 0 if plan.zipped or len(plan.axes) < 2 else len(plan.axes[-1].values)


def _label(plan: Plan, run: Run, axes: Sequence[Axis]) -> str:
    values = dict(zip(plan.keys, run.values, strict=True))
    short = short_keys(plan.keys)
    return ", ".join(f"{short[axis.key]} {_text(values[axis.key])}" for axis in axes)


def _text(value: object) -> str:
    return value if isinstance(value, str) else written(value)
