"""`boidsgen check`: what is wrong with scenarios, or what they will render."""

from typing import TYPE_CHECKING

from boidsgen.cli.options import Scenarios, Set, Strict, overrides
from boidsgen.cli.terminal import result

if TYPE_CHECKING:
    from boidsgen.cli.jobs import RenderJob


def check(scenarios: Scenarios, *, settings: Set = None, strict: Strict = False) -> None:
    """Say everything that is wrong with scenarios, or print what will be rendered and its cost."""
    from boidsgen.cli.jobs import OutputOptions, plan_jobs

    for job in plan_jobs(scenarios, overrides(settings), OutputOptions(), strict=strict):
        for line in _summary(job):
            result(line)


def _summary(job: "RenderJob") -> list[str]:
    from boidsgen.scenario.cost import neighbor_visits, seconds
    from boidsgen.scenario.work import animals

    scenario = job.scenario
    width, height = scenario.picture_size
    frames, clip = scenario.time.frames, f"{scenario.duration:g} s at {scenario.output.fps:g} frames a second"
    steps, visits = scenario.steps, neighbor_visits(scenario)
    return [
        f"{job.source.label}: a valid scenario",
        f"  picture     {width} x {height} pixels, {scenario.output.format}",
        f"  clip        {frames} frames, {clip}",
        f"  simulation  {animals(scenario)} animals, {steps} steps, about {visits:,} neighbor visits",
        f"  time        roughly {seconds(scenario):.0f} s",
        f"  output      {', '.join(target.path for target in job.targets)}",
        *(f"  surely not meant: {doubt}" for doubt in job.doubts),
    ]
