"""`boidsgen check`: what is wrong with scenarios, or what they will render."""

from typing import TYPE_CHECKING

from boidsgen.cli.options import AsJson, ClipFormat, Fps, Frames, Quality, Scenarios, Seed, Set, Size, Strict, overrides
from boidsgen.cli.terminal import record, result

if TYPE_CHECKING:
    from boidsgen.cli.jobs import RenderJob
    from boidsgen.scenario.scenario import Scenario
    from boidsgen.studies.trial import Forecast

TRIED = 5.0
"""Seconds of a run, by a formula, above which the first frames are tried."""


def check(
    scenarios: Scenarios,
    *,
    settings: Set = None,
    frames: Frames = None,
    fps: Fps = None,
    size: Size = None,
    seed: Seed = None,
    quality: Quality = None,
    output_format: ClipFormat = None,
    strict: Strict = False,
    as_json: AsJson = False,
) -> None:
    """Say what is wrong with scenarios, or what they will cost.

    All mistakes are reported at once. Of a valid scenario it says what clip it makes and how much work that takes. Of a
    long run it makes the first frames, and throws them away, to say how long all of them will take.

    Examples:
        boidsgen check quickstart
        boidsgen check quickstart --size 1920x1080 --set flock.count=5000
    """
    from boidsgen.cli.jobs import OutputOptions, plan_jobs

    given = overrides(settings, frames=frames, fps=fps, size=size, seed=seed, quality=quality, format=output_format)
    for job in plan_jobs(scenarios, given, OutputOptions(format=output_format), strict=strict):
        for line in [record(**_findings(job))] if as_json else _summary(job):
            result(line)


def _summary(job: "RenderJob") -> list[str]:
    from boidsgen.scenario.cost import neighbor_visits
    from boidsgen.simulation.visits import animals

    scenario = job.scenario
    width, height = scenario.picture_size
    frames, clip = scenario.clip_frames, f"{scenario.duration:g} s at {scenario.output.fps:g} frames a second"
    steps, visits = scenario.steps, neighbor_visits(scenario)
    return [
        f"{job.source.label}: a valid scenario",
        f"  picture     {width} x {height} pixels, {scenario.output.format}",
        f"  clip        {frames} frames, {clip}",
        *_seam(scenario),
        f"  simulation  {animals(scenario)} animals, {steps} steps, about {visits:,} neighbor visits",
        *_expected(job),
        f"  output      {', '.join(target.path for target in job.targets)}",
        *(f"  probably not intended: {doubt}" for doubt in job.doubts),
    ]


def _seam(scenario: "Scenario") -> list[str]:
    """What a seam costs."""
    seam, (width, height) = scenario.output.loop_seam, scenario.picture_size
    kept = seam * width * height * (2 if scenario.style.colors.light else 1)
    return [f"  seam        {seam} frames, {kept / 1e6:.0f} MB of memory"] if seam else []


def _findings(job: "RenderJob") -> dict[str, object]:
    """What `--json` says about a valid scenario."""
    from boidsgen.scenario.cost import neighbor_visits
    from boidsgen.simulation.visits import animals

    scenario, (guess, tried) = job.scenario, _forecast(job)
    return {
        "scenario": job.source.label,
        "size": scenario.picture_size,
        "format": scenario.output.format,
        "frames": scenario.clip_frames,
        "duration": scenario.duration,
        "fps": scenario.output.fps,
        "seed": scenario.seed,
        "animals": animals(scenario),
        "steps": scenario.steps,
        "neighbor_visits": neighbor_visits(scenario),
        "seconds": round(tried.seconds if tried else guess, 3),
        "bytes": round(tried.size) if tried else None,
        "outputs": [target.path for target in job.targets],
        "doubts": list(job.doubts),
    }


def _expected(job: "RenderJob") -> list[str]:
    """How long a run will take, and how large the clip will be, as far as that is known."""
    guess, tried = _forecast(job)
    if tried:
        return [f"  time        about {tried.seconds:.0f} s", f"  size        about {tried.size / 1e6:.2g} MB"]
    return [f"  time        roughly {guess:.0f} s"]


def _forecast(job: "RenderJob") -> "tuple[float, Forecast | None]":
    """Seconds of the run by a formula, and what its first frames tell where it is long enough for that."""
    from boidsgen.scenario.cost import seconds

    guess = seconds(job.scenario)
    if job.states is not None or guess < TRIED:
        return guess, None
    from boidsgen.studies.trial import forecast

    return guess, forecast(job.scenario, job.targets[0].format, guess)
