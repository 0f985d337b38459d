"""Sheet: all runs of a sweep as one labeled grid.

`write_overview(plan, failed, path)` draws the sheet of a plan, `write_sheet(scenarios, path, headings)` one of any
scenarios. Two keys are the two axes of the grid; `arranged` says where seeds and further keys go. Where only one thing
changes, there are no rows, and every run has a label of its own.

The runs are simulated again rather than read from their files: so they are drawn in the size of their tiles, with exact
colors, and runs whose files have been moved are there too. This costs the simulations once more, on one core; drawing
takes about a tenth of a millisecond a tile and frame.
"""

import re
from collections.abc import Collection, Sequence
from os import PathLike, fspath
from pathlib import Path
from typing import NamedTuple

from boidsgen.errors import ScenarioError, UsageError
from boidsgen.output.provenance import origin
from boidsgen.pipeline import Progress, is_still
from boidsgen.scenario.scenario import Scenario
from boidsgen.scenario.wording import written
from boidsgen.studies.compare.comparison import Comparison, compare, compare_still
from boidsgen.studies.compare.grids import grid_text
from boidsgen.studies.compare.layout import Headings, automatic_columns
from boidsgen.studies.sweep.axes import Axis, grouped
from boidsgen.studies.sweep.plan import Plan, Run, short_keys

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
    runs, headings = arranged(plan)
    scenarios = _scenarios(plan, runs, failed)
    if any(scenarios):
        write_sheet(scenarios, path, headings, engine=engine, progress=progress)


def is_current(plan: Plan, failed: Collection[str], path: Path) -> bool:
    """Whether a file is the sheet that `write_overview` would write now, as it says itself."""
    runs, headings = arranged(plan) if path.is_file() and len(plan.runs) <= MAX_RUNS else ((), None)
    scenarios = _scenarios(plan, runs, failed)
    if headings is None or not any(scenarios):
        return False
    try:
        text = origin(path, path.name) or ""
    except ScenarioError:
        return False
    return _FRAME.sub("", text) == grid_text(_small(scenarios, headings))


def _scenarios(plan: Plan, runs: Sequence[Run | None], failed: Collection[str]) -> list[Scenario | None]:
    return [None if run is None or run.name in failed else plan.scenario(run) for run in runs]


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


class Arrangement(NamedTuple):
    """Where the runs of a plan stand.

    Attributes:
        runs: row by row.
        headings: what is written around them.
    """

    runs: Sequence[Run]
    headings: Headings


def arranged(plan: Plan) -> Arrangement:
    """The runs of a plan in a grid: the last key across, the others down, and seeds beside each other.

    With one key, or keys that are all paired, seeds go across. With several, they go where there are fewer values.
    """
    title = plan.base.title or plan.source.stem
    groups = [[plan.axes[number] for number in group] for group in grouped(plan.axes, plan.zipped)]
    if len(groups) + (plan.seeds is not None) < 2:
        return Arrangement(plan.runs, Headings(title=title, labels=[_name(plan, run) for run in plan.runs]))
    seeds, across = plan.seeds or 1, groups[-1] if len(groups) > 1 else []
    down = [axis for group in (groups[:-1] if across else groups) for axis in group]
    columns = len(across[0].values) if across else 1
    if columns > len(plan.runs) // (columns * seeds):
        order = _seeds_down(len(plan.runs), columns, seeds)
        return _grid(plan, [plan.runs[at] for at in order], columns, title, (down, across), seeds_down=True)
    return _grid(plan, plan.runs, columns * seeds, title, (down, across), seeds_down=False)


def _grid(
    plan: Plan,
    runs: Sequence[Run],
    columns: int,
    title: str,
    axes: tuple[Sequence[Axis], Sequence[Axis]],
    *,
    seeds_down: bool,
) -> Arrangement:
    """So many columns, and headings of what differs down and across."""
    down, across = axes
    heads = [_label(plan, run, across, seed=not seeds_down) for run in runs[:columns]]
    rows = [_label(plan, run, down, seed=seeds_down) for run in runs[::columns]]
    return Arrangement(runs, Headings(title=title, columns=heads, rows=rows))


def _seeds_down(runs: int, columns: int, seeds: int) -> list[int]:
    """The numbers of the runs, row by row, when each seed has a row of its own."""
    block = columns * seeds
    return [
        first + column * seeds + seed
        for first in range(0, runs, block)
        for seed in range(seeds)
        for column in range(columns)
    ]


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


def _name(plan: Plan, run: Run) -> str:
    return _label(plan, run, plan.axes, seed=True)


def _label(plan: Plan, run: Run, axes: Sequence[Axis], *, seed: bool) -> str:
    """The values of some keys, and the number of the seed if it is wanted and there are several."""
    values = dict(zip(plan.keys, run.values, strict=True))
    short = short_keys(plan.keys)
    texts = [f"{short[axis.key]} {_text(values[axis.key])}" for axis in axes]
    return ", ".join([*texts, *([f"seed {run.number}"] if seed and run.number else [])])


def _text(value: object) -> str:
    return value if isinstance(value, str) else written(value)
