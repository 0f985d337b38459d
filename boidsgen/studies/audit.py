"""Audits: a claim about a scenario, tried with other time steps, sizes, update orders and edges than those written.

    request = AuditRequest(parse_claim("polarization > 0.9"), seeds=5)
    plan = plan_audit(find("quickstart"), [], request)
    for row in audit_claim(request.claim, *plan):
        print(row.variant, row.survives)

A claim is about the mean of a measure over the measured frames, as in sweeps, or about its value in the last one. Each
variant changes one thing, and has the same seeds as the scenario itself. The claim survives it if the mean over the
seeds satisfies the claim, and is not within its error of the number.
"""

from collections.abc import Iterator, Mapping, Sequence
from math import sqrt
from statistics import fmean, stdev
from typing import Any, NamedTuple

from boidsgen.errors import BoidsgenError, UsageError
from boidsgen.jobs import open_backend
from boidsgen.measuring import NOTHING_OWN, Own, refuse_unmeasured, spawn_seeds
from boidsgen.parcels import Parcel, carried
from boidsgen.pipeline import DEFAULT_OPTIONS, RunOptions, with_progress
from boidsgen.scenario.layers import Override
from boidsgen.scenario.loading import draft
from boidsgen.scenario.scenario import Scenario
from boidsgen.scenario.sources import Source
from boidsgen.studies.manifest import RUN_DONE, Outcome
from boidsgen.studies.plan import refuse_runs, value_text
from boidsgen.studies.requests import AuditRequest, Claim
from boidsgen.studies.sweep import RunJob

UNDECIDED = 3.0  # Standard errors; with five seeds, chance puts a mean farther from its true value once in 25 times
CHOICES = {"update": ("synchronous", "sequential", "shuffled"), "limit_speed": (True, False)}  # Of every flock
EDGES = ("torus", "wrap", "reflect", "open")  # Boundary conditions that need no number


class AuditRow(NamedTuple):
    """A change of a scenario, and what becomes of a claim in it."""

    variant: str
    settings: Mapping[str, object] | None  # that are changed, by dotted key; None where the change is impossible
    remark: str = ""  # on the change, or the reason why it is impossible or a run failed
    mean: float | None = None  # over the seeds; None unless at least two runs define the measure
    error: float | None = None  # standard error of the mean
    holding: int = 0  # runs that satisfy the claim
    survives: str = "not tried"  # or yes, no, undecided, undefined or failed


def variants(base: Scenario) -> Iterator[AuditRow]:
    """The scenario as it is, then everything that an audit changes in it; nothing is tried yet."""
    yield AuditRow("as written", {})
    yield from _time_steps(base)
    yield from _sizes(base)
    for key, values in CHOICES.items():
        for value in values:
            if any(getattr(flock, key) != value for flock in base.flock):
                yield AuditRow(f"{key} = {value_text(value)}", {f"{flock}.{key}": value for flock in _flocks(base)})
    for edge in (edge for edge in EDGES if edge != base.world.boundary.kind):
        camera: dict[str, object] = {"camera": {}} if base.camera.follows else {}  # which cannot follow across an edge
        yield AuditRow(f"boundary = {edge}", {"world.boundary": edge, **camera})


def _flocks(base: Scenario) -> list[str]:
    """The dotted key of each flock."""
    return [f"flock.{at}" for at in range(len(base.flock))] if len(base.flock) > 1 else ["flock"]


def _time_steps(base: Scenario) -> Iterator[AuditRow]:
    """Half and double the time step, over the same simulated time."""
    clock, groups, steps = base.time, (*base.flock, *base.predators), base.time.steps_per_frame
    timed: Sequence[Any] = (*base.flock, *base.predators, *base.obstacles, *base.attractors, *base.fields)
    remark = "forces are per step: this changes the model itself" * any(one.forces == "per_step" for one in groups)
    finer: dict[str, object] = {"time.dt": clock.dt / 2, "time.steps_per_frame": 2 * steps}
    coarser: dict[str, object] = {"time.dt": 2 * clock.dt}
    if clock.warmup:
        finer["time.warmup"], coarser["time.warmup"] = 2 * clock.warmup, clock.warmup // 2
    yield AuditRow("dt / 2", finer, remark)
    if steps % 2 == 0:
        yield AuditRow("dt × 2", {**coarser, "time.steps_per_frame": steps // 2}, remark)
    elif base.events or any(one.from_ or one.until for one in timed):
        yield AuditRow("dt × 2", None, "steps_per_frame is odd, and events, from or until count frames")
    else:  # every other frame is left out
        counts = {"time.frames": clock.frames, "measure.from": base.measure.from_, "measure.every": base.measure.every}
        yield AuditRow("dt × 2", {**coarser, **{key: (one + 1) // 2 for key, one in counts.items() if one}}, remark)


def _sizes(base: Scenario) -> Iterator[AuditRow]:
    """Half and twice as many boids at the same density, in a world whose sides are scaled."""
    placed = [name for name in ("predators", "obstacles", "attractors", "fields") if getattr(base, name)]
    placed += ["events that set a count"] * any(key.endswith(".count") for key in base.later)
    remark = f"{', '.join(placed)} would have to be scaled, too" if placed else ""
    written = {f"{name}.count": flock.count for name, flock in zip(_flocks(base), base.flock, strict=True)}
    for name, factor in (("N / 2", 0.5), ("N × 2", 2.0)):
        counts = {key: round(factor * count) for key, count in written.items()}
        scale = (sum(counts.values()) / max(1, sum(written.values()))) ** (1 / base.world.dimension)
        sides = [scale * side for side in base.world.size]
        yield AuditRow(name, None if placed else {**counts, "world.size": sides}, remark)


def plan_audit(
    source: Source,
    overrides: Sequence[Override],
    request: AuditRequest,
    options: RunOptions = DEFAULT_OPTIONS,
    own: Own = NOTHING_OWN,
) -> tuple[list[AuditRow], list[RunJob]]:
    """Every variant of a scenario, and the runs of those that are possible, under the rules of a program.

    Raises:
        ScenarioError: the scenario is invalid, or the claim is about no measure.
        UsageError: it has no frame to measure, or describes observed animals; or a rule is none, or cannot travel.
        LimitError: it exceeds its limits, or there are too many runs.
    """
    wanted = [*overrides, Override("measure.names", [request.claim.measure], "--claim")]
    base = draft(source, wanted).scenario()
    if base.tracks:
        raise UsageError(f"{source.label}: a recording of observed animals, which cannot be simulated; give a scenario")
    base.refuse_excess(source.label, drawn=False)
    refuse_unmeasured(own.steered(base))
    rows, jobs, alone, added = list[AuditRow](), list[RunJob](), draft(source).alone, carried(own, base, options)
    for row in variants(base):
        settings = [*wanted, *(Override(key, value, key) for key, value in (row.settings or {}).items())]
        try:
            document = draft(source, settings)
            scenario = document.scenario()
            scenario.refuse_excess(drawn=False)
            refuse_unmeasured(scenario)
        except BoidsgenError as error:
            rows.append(row._replace(settings=None, remark=str(error).partition("\n")[0]))
            continue
        rows.append(row)
        keys = (*((one.key, one.value) for one in settings), *document.contents.items())
        for seed in spawn_seeds(base.seed, request.seeds) if row.settings is not None else ():
            jobs.append(RunJob(row.variant, alone, (*keys, ("seed", seed)), output="", format="", own=added))
    refuse_runs(len(jobs), base.limits.runs)
    return rows, jobs


def audit_claim(
    claim: Claim, rows: Sequence[AuditRow], jobs: Sequence[RunJob], options: RunOptions = DEFAULT_OPTIONS
) -> list[AuditRow]:
    """Do the runs of a plan, and judge the claim in each of its variants."""
    outcomes: dict[str, list[Outcome | Exception]] = {row.variant: [] for row in rows}
    travels = all(isinstance(job.own, Parcel) or not any(job.own) for job in jobs)
    with open_backend(options, len(jobs), travels=travels) as backend:
        engine = RunOptions(backend.engine(options.engine))
        ended = backend.run([job._replace(options=engine) for job in jobs])
        for job, outcome in with_progress(ended, options.progress):
            outcomes[job.run].append(outcome)
    return [_judged(claim, row, outcomes[row.variant]) if outcomes[row.variant] else row for row in rows]


def _judged(claim: Claim, row: AuditRow, outcomes: Sequence[Outcome | Exception]) -> AuditRow:
    """The row of a variant whose runs have ended."""
    runs: list[Outcome] = [
        {"status": "", "reason": str(one)} if isinstance(one, Exception) else one for one in outcomes
    ]
    if reasons := [run["reason"] for run in runs if run["status"] != RUN_DONE]:
        return row._replace(survives="failed", remark=reasons[0])
    found = [run[claim.kind][claim.measure] for run in runs if claim.measure in run[claim.kind]]
    if len(found) < 2:
        return row._replace(survives="undefined")
    mean, error = fmean(found), stdev(found) / sqrt(len(found))
    near = error > 0 and abs(mean - claim.number) <= UNDECIDED * error
    survives = "undecided" if near else "yes" if claim.compare(mean, claim.number) else "no"
    holding = sum(claim.compare(one, claim.number) for one in found)
    return row._replace(mean=mean, error=error, holding=holding, survives=survives)
