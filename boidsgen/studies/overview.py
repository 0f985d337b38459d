"""Overview: a sheet of all runs of a sweep.

What changes fastest is the columns: the seeds, or else the last key. Where only one thing changes, or values are
paired, there are no rows to speak of, and every run has a label of its own.
"""

from collections.abc import Collection, Sequence
from pathlib import Path

from boidsgen.pipeline import Progress
from boidsgen.scenario.values import written
from boidsgen.studies.axes import Axis
from boidsgen.studies.layout import Headings
from boidsgen.studies.naming import short_keys
from boidsgen.studies.plan import Plan, Run
from boidsgen.studies.sheet import MOST_RUNS, write_sheet

__all__ = ["MOST_RUNS", "headings", "sheet_name", "write_overview"]


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
    scenarios = [None if run.name in failed else plan.scenario(run) for run in plan.runs]
    if any(scenarios):
        write_sheet(scenarios, path, headings(plan), engine=engine, progress=progress)


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
