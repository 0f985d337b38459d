"""Interface: what Python callers use.

Every function takes a scenario in any form: the name of a preset, a path, TOML text, a dictionary or a `Scenario`. Keys
are set by `overrides={"flock.count": 80}` or by keywords with two underscores for a dot, `flock__count=80`; those that
are options of the command line need no table: `frames`, `fps`, `size`, `quality` and `seed`.

  render, still, compare   to a clip or a picture
  simulate, record         to states, or to a saved run
  measure, sweep           to `Records`
  replay                   a clip or a picture again, from the scenario that it carries
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from os import PathLike, fspath
from pathlib import Path
from typing import TypeVar

from boidsgen import arguments, pipeline, recording, simulation
from boidsgen.arguments import Overrides, in_python, overrides_of, scenario_of, values_of, variant_of
from boidsgen.errors import UsageError
from boidsgen.output.targets import Target
from boidsgen.pipeline import Progress, Report
from boidsgen.records import Records
from boidsgen.scenario.loading import ScenarioLike, source_of
from boidsgen.scenario.scenario import Scenario
from boidsgen.simulation import State
from boidsgen.simulation.flock import with_rules
from boidsgen.simulation.rules.rule import Rule
from boidsgen.simulation.run import Run
from boidsgen.studies import compare as comparing
from boidsgen.studies import replay as replaying
from boidsgen.studies.axes import SweepAxis
from boidsgen.studies.plan import SweepOptions, plan_sweep
from boidsgen.studies.series import columns, measured
from boidsgen.studies.sweep import Study, run_missing, run_records, sweep_directory
from boidsgen.studies.variants import CompareRequest, comparison_of, grid_text

Record = TypeVar("Record")


class Still(tuple[str, ...]):  # noqa: SLOT001  a tuple of any length has no slots
    """Notices about a picture, which shows itself in notebooks.

    Attributes:
        path: of the picture.
    """

    path: Path

    def _repr_png_(self) -> bytes:
        return self.path.read_bytes()


def render(
    scenario: ScenarioLike,
    first: str | PathLike[str] | Target,
    *further: str | PathLike[str] | Target,
    engine: str = "auto",
    no_clobber: bool = False,
    progress: Progress | None = None,
    observe: Callable[[State], None] | None = None,
    states: Iterable[State] | None = None,
    overrides: Overrides | None = None,
    **keys: object,
) -> Report:
    """Simulate, draw and encode one scenario, once for all files.

    Examples:
        >>> render("quickstart", "flock.gif", frames=2, flock__count=20).frames
        2

    Args:
        scenario: in any form.
        first: a file whose name tells the format.
        further: more of them.
        engine: that simulates: auto, numpy or numba; all give the same.
        no_clobber: leave what exists as it is.
        progress: told the number of frames done, after each.
        observe: shown every state before it is drawn.
        states: of a saved run of this scenario; then nothing is simulated.
        overrides: values by their dotted keys, in the units of the reference: lengths in world units, angles in
            degrees, times in simulated time.
        keys: more of them, with two underscores for a dot.

    Raises:
        BoidsgenError: one of its kinds; then every output is as it was before.
    """
    with in_python():
        made = scenario_of(scenario, overrides, keys)
        return pipeline.render(
            made,
            first,
            *further,
            engine=engine,
            no_clobber=no_clobber,
            progress=progress,
            observe=observe,
            states=states,
        )


def still(
    scenario: ScenarioLike,
    path: str | PathLike[str],
    *,
    at: int | Sequence[int] | None = None,
    engine: str = "auto",
    no_clobber: bool = False,
    progress: Progress | None = None,
    states: Iterable[State] | None = None,
    overrides: Overrides | None = None,
    **keys: object,
) -> Still:
    """Write frame number `at`, counted from 0, as a picture; without a number the last one, with several a film strip.

    Examples:
        >>> still("quickstart", "flock.png", at=3).path.name
        'flock.png'

    Args:
        scenario: in any form.
        path: of the picture; its name ends in .png, or for a figure in .svg or .pdf.
        at: number of the frame, counted from 0, or ascending numbers of several; the last one without it.
        engine: that simulates: auto, numpy or numba; all give the same.
        no_clobber: leave what exists as it is.
        progress: told the number of frames done, after each.
        states: of a saved run of this scenario; then nothing is simulated.
        overrides: values by their dotted keys.
        keys: more of them, with two underscores for a dot.

    Raises:
        BoidsgenError: one of its kinds; then the file is as it was before.
    """
    with in_python():
        made = scenario_of(scenario, overrides, keys)
        if isinstance(at, Sequence):
            return _shown(
                path,
                comparing.strip(
                    made, path, at=at, engine=engine, no_clobber=no_clobber, progress=progress, states=states
                ),
            )
        return _shown(
            path,
            pipeline.still(made, path, at=at, engine=engine, no_clobber=no_clobber, progress=progress, states=states),
        )


def simulate(
    scenario: ScenarioLike | simulation.Setup,
    engine: str = "auto",
    overrides: Overrides | None = None,
    rules: Sequence[Rule] = (),
    **keys: object,
) -> Run:
    """The states of a scenario, one for each frame; positions are in world units, shape (n, d), and read-only.

    Examples:
        >>> [state.flocks[0].position.shape for state in simulate("quickstart", frames=2, flock__count=20)]
        [(20, 2), (20, 2)]

    Args:
        scenario: in any form.
        engine: that simulates: auto, numpy or numba; all give the same.
        overrides: values by their dotted keys.
        rules: of your own, which also steer every flock.
        keys: values by their keys, with two underscores for a dot.

    Raises:
        UsageError: when there is no such engine, or when a `Setup`, which is taken as it is, is to be changed.
        NotFiniteError: when the simulation leaves the finite numbers.
    """
    if isinstance(scenario, simulation.Setup) and not isinstance(scenario, Scenario):
        arguments.refuse_changes(keys, overrides=overrides, rules=rules)
        return simulation.simulate(scenario, engine)
    with in_python():
        made = scenario_of(scenario, overrides, keys)
        if rules:
            made = made.model_copy(update={"flock": tuple(with_rules(flock, rules) for flock in made.flock)})
        return simulation.simulate(made, engine)


def record(
    scenario: ScenarioLike,
    path: str | PathLike[str],
    *,
    engine: str = "auto",
    no_clobber: bool = False,
    progress: Progress | None = None,
    overrides: Overrides | None = None,
    **keys: object,
) -> tuple[str, ...]:
    """Save the states of all frames as .npz, .csv or .xyz, by the name. Gives notices as in a report.

    Examples:
        >>> record("quickstart", "run.npz", frames=2)
        ()

    Args:
        scenario: in any form.
        path: of the file; its name tells the format.
        engine: that simulates: auto, numpy or numba; all give the same.
        no_clobber: leave what exists as it is.
        progress: told the number of frames done, after each.
        overrides: values by their dotted keys.
        keys: more of them, with two underscores for a dot.

    Raises:
        BoidsgenError: one of its kinds; then the file is as it was before.
    """
    with in_python():
        made = scenario_of(scenario, overrides, keys)
        return recording.record(made, path, engine=engine, no_clobber=no_clobber, progress=progress)


def measure(
    scenario: ScenarioLike,
    *,
    seeds: int | None = None,
    engine: str = "auto",
    progress: Progress | None = None,
    overrides: Overrides | None = None,
    **keys: object,
) -> Records:
    """The measures of every frame: seed, frame, simulated time, and a column for each measure.

    Examples:
        >>> measure("quickstart", frames=3)["frame"]
        array([0, 1, 2])

    Args:
        scenario: in any form; its table `measure` says what is measured, and when.
        seeds: how many runs with seeds of their own; one with the scenario's when there is no number.
        engine: that simulates.
        progress: told the number of records done, after each.
        overrides: values by their dotted keys.
        keys: more of them, with two underscores for a dot.

    Raises:
        BoidsgenError: one of its kinds.
    """
    arguments.refuse_below_one(seeds=seeds)
    with in_python():
        made = scenario_of(scenario, overrides, keys)
        rows = measured(made, seeds, engine).series()
        return Records(_counted(rows, progress), columns(made), ("seed", "frame"))


def sweep(
    scenario: ScenarioLike,
    vary: Mapping[str, Iterable[object]] | None = None,
    *,
    seeds: int | None = None,
    paired: bool | None = None,
    directory: str | PathLike[str] | None = None,
    draw: bool = False,
    jobs: int | None = None,
    engine: str = "auto",
    progress: Progress | None = None,
    overrides: Overrides | None = None,
    **keys: object,
) -> Records:
    """A record for every combination of values: the varied keys, the seed, and the mean of each measure.

    Examples:
        >>> table = sweep("quickstart", {"flock.count": [10, 20]}, frames=2)
        >>> table["flock.count"]
        array([10, 20])

    Args:
        scenario: in any form; its table `sweep` counts where nothing is said here.
        vary: values by their dotted keys.
        seeds: how many seeds of their own each combination has.
        paired: pair the values of the keys instead of crossing them.
        directory: keeps the runs, so that the same call again does only what is missing; without it nothing is kept.
        draw: render the runs, too, which needs a directory.
        jobs: runs at a time; one for each core when there is no number.
        engine: that simulates.
        progress: told the number of runs done, after each.
        overrides: values by their dotted keys.
        keys: more of them, with two underscores for a dot.

    Raises:
        SweepError: when runs failed.
        BoidsgenError: another of its kinds.
    """
    arguments.refuse_below_one(seeds=seeds, jobs=jobs)
    if draw and directory is None:
        raise UsageError("draw: needs a directory for the clips")
    axes = tuple(SweepAxis(key, values_of(key, values), f"vary: {key} = ") for key, values in (vary or {}).items())
    with in_python(), sweep_directory(directory) as where:
        given = overrides_of(overrides, keys)
        plan = plan_sweep(source_of(scenario), given, SweepOptions(axes, seeds, paired, drawn=draw))
        with Study(plan, where, engine) as study:
            run_missing(study, jobs, progress)
            return Records(run_records(study), dimensions=(*plan.keys, "seed"))


def compare(
    scenarios: Sequence[ScenarioLike],
    path: str | PathLike[str],
    *,
    variants: Sequence[Overrides] = (),
    labels: Sequence[str] | None = None,
    columns: int | None = None,
    at: int | None = None,
    engine: str = "auto",
    no_clobber: bool = False,
    progress: Progress | None = None,
    overrides: Overrides | None = None,
    **keys: object,
) -> Report | Still:
    """Scenarios side by side and in step, each in every variant, as a clip; as one picture where the name ends in .png.

    Examples:
        >>> compare(["quickstart"], "two.gif", variants=[{}, {"flock.cohesion.weight": 0}], frames=2).frames
        2

    Args:
        scenarios: each in any form; a row each, where there are several variants.
        path: of the clip or the picture.
        variants: what each sets, by dotted keys; a column each, where there are several scenarios.
        labels: what stands above each, instead of titles and variants.
        columns: how many go into a row, where there is only one scenario or one variant.
        at: number of the frame that a picture shows, counted from 0; the last one without it.
        engine: that simulates: auto, numpy or numba; all give the same.
        no_clobber: leave what exists as it is.
        progress: told the number of frames done, after each.
        overrides: values by their dotted keys, for all.
        keys: more of them, with two underscores for a dot.

    Raises:
        BoidsgenError: one of its kinds; then the file is as it was before.
    """
    arguments.refuse_below_one(columns=columns)
    with in_python():
        comparing.refuse_frame(at, [fspath(path)])
        texts = [" ".join(map(variant_of, variant.items())) for variant in variants]
        request = CompareRequest([*map(source_of, scenarios)], overrides_of(overrides, keys), texts, ablate=False)
        grid = comparison_of(request, labels, columns)
        text = grid_text(grid)
        if pipeline.is_still(fspath(path)):
            made = comparing.compare_still(
                grid, path, at=at, provenance=text, engine=engine, no_clobber=no_clobber, progress=progress
            )
            return _shown(path, made)
        return comparing.compare(grid, path, provenance=text, engine=engine, no_clobber=no_clobber, progress=progress)


def replay(
    original: str | PathLike[str],
    path: str | PathLike[str],
    *,
    engine: str = "auto",
    no_clobber: bool = False,
    progress: Progress | None = None,
) -> Path:
    """Make a clip or picture again under another name, from the scenario that it carries, and compare the two.

    Examples:
        >>> _ = render("quickstart", "flock.gif", frames=2)
        >>> replay("flock.gif", "again.gif").name
        'again.gif'

    Args:
        original: a clip or picture that boidsgen has made.
        path: of the new one; its name tells the format.
        engine: that simulates: auto, numpy or numba; all give the same.
        no_clobber: leave what exists as it is.
        progress: told the number of frames done, after each.

    Raises:
        ReplayError: the new file, which is there, differs from the original.
        BoidsgenError: another of its kinds; then the file is as it was before.
    """
    if Path(original).resolve() == Path(path).resolve():
        raise UsageError(f"{fspath(path)}: is the original itself; choose another name")
    with in_python():
        one = replaying.original(Path(original))
        replaying.replay(one, fspath(path), engine=engine, no_clobber=no_clobber, progress=progress)
    return Path(path)


def _counted(rows: Iterable[Record], progress: Progress | None) -> Iterator[Record]:
    for number, row in enumerate(rows, start=1):
        yield row
        if progress:
            progress(number)


def _shown(path: str | PathLike[str], notices: Iterable[str]) -> Still:
    made = Still(notices)
    made.path = Path(path)
    return made
