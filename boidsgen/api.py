"""The functions of `import boidsgen`: make clips, pictures, pages and recordings, and measure runs, sweeps and tracks.

Every function takes a scenario in any form: the name of a preset, a path, TOML text, a dictionary or a `Scenario`; the
path of a saved run supplies its states. Set keys with `overrides={"flock.count": 80}` or as keywords with two
underscores for each dot, `flock__count=80`; `frames`, `fps`, `size`, `quality` and `seed` need no table name. Every
failure raises a `BoidsgenError` and leaves existing outputs unchanged.
"""

import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING

from boidsgen import comparison as comparing
from boidsgen import pipeline, replays
from boidsgen.displays import Still, Webpage
from boidsgen.errors import UsageError
from boidsgen.measuring import measured, own_parts, refuse_rows
from boidsgen.observations.leaders import leader_tables, leadership
from boidsgen.observations.tracks import record_tracks
from boidsgen.output.formats import Target
from boidsgen.output.pictures import Quality
from boidsgen.output.publish import scratch_folder
from boidsgen.pipeline import Progress, Report, RunOptions, with_progress
from boidsgen.records import Records, optional_package
from boidsgen.scenario.loading import (
    Overrides,
    ScenarioLike,
    for_callers,
    given_overrides,
    loaded,
    plain,
    refuse_below_one,
    source_of,
    supplied,
)
from boidsgen.scenario.scenario import Scenario
from boidsgen.scenario.wording import to_toml
from boidsgen.simulation import run
from boidsgen.simulation.measures import StateMeasure
from boidsgen.simulation.rules.rule import Rules
from boidsgen.simulation.setup import Setup, State
from boidsgen.simulation.spans import span_kinds
from boidsgen.studies import description, prediction
from boidsgen.studies.audit import audit_claim, plan_audit
from boidsgen.studies.choice import choose_model
from boidsgen.studies.design import index_records, plan_design, read_design, sensitivities
from boidsgen.studies.fit import fit_scenario
from boidsgen.studies.plan import SweepAxis, SweepOptions, plan_sweep, value_text
from boidsgen.studies.requests import AuditRequest, FigureRequest, FitRequest, TrackFormat, parse_claim
from boidsgen.studies.results import read_results
from boidsgen.studies.sweep import Study, run_missing, run_records
from boidsgen.system import refuse_name

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def _steered(
    scenario: ScenarioLike, overrides: Overrides | None, keys: Overrides, rules: Rules, options: RunOptions
) -> tuple[Scenario, RunOptions]:
    """A scenario as `loaded`, under rules of a program, and the options with its states, where there are any."""
    found, states = loaded(scenario, overrides, keys, options.states, rules)
    if rules and states is not None:
        raise UsageError("rules: have no effect on states that already exist")
    return own_parts(rules, ()).steered(found), options._replace(states=states)


@for_callers
def render(
    scenario: ScenarioLike,
    first: str | PathLike[str] | Target,
    *further: str | PathLike[str] | Target,
    engine: str = "auto",
    no_clobber: bool = False,
    progress: Progress | None = None,
    observe: Callable[[State], None] | None = None,
    states: Iterable[State] | None = None,
    rules: Rules = (),
    overrides: Overrides | None = None,
    frames: int | None = None,
    seed: int | None = None,
    fps: float | None = None,
    size: tuple[int, int] | str | None = None,
    quality: Quality | None = None,
    **keys: object,
) -> Report:
    """Simulate, draw and encode one scenario, once for all files.

    Examples:
        >>> render("quickstart", "flock.gif", frames=2, flock__count=20).frames
        2

    Args:
        scenario: in any form.
        first: a file; its extension selects the format.
        further: more files.
        engine: auto, numpy or native; all give the same result.
        no_clobber: keep a file that exists, and fail.
        progress: called with the number of frames done, after each.
        observe: called with every state before it is drawn.
        states: of a saved run of this scenario, instead of simulating.
        rules: your own rules or functions of the view, which also steer every flock; a mapping names them.
        overrides: values by their dotted keys, in the units of the reference.
        frames: number of frames.
        seed: random seed.
        fps: frames per second.
        size: width and height of the picture in pixels, or a name such as "square".
        quality: draft, standard or high.
        keys: further overrides, with two underscores for each dot.
    """
    keys |= {"frames": frames, "seed": seed, "fps": fps, "size": size, "quality": quality}
    options = RunOptions(engine, no_clobber, progress, observe, states)
    checked, options = _steered(scenario, overrides, keys, rules, options)
    return pipeline.render(checked, first, *further, options=options)


@for_callers
def still(
    scenario: ScenarioLike,
    path: str | PathLike[str],
    *,
    at: int | Sequence[int] | None = None,
    engine: str = "auto",
    no_clobber: bool = False,
    progress: Progress | None = None,
    states: Iterable[State] | None = None,
    rules: Rules = (),
    overrides: Overrides | None = None,
    frames: int | None = None,
    seed: int | None = None,
    size: tuple[int, int] | str | None = None,
    exposure: int | str | None = None,
    **keys: object,
) -> Still:
    """Write one frame as a picture, or several side by side as a film strip.

    Examples:
        >>> still("quickstart", "flock.png", at=3).path.name
        'flock.png'

    Args:
        scenario: in any form.
        path: of the picture, a .png, or a figure as .svg or .pdf.
        at: number of the frame, counted from 0, or ascending numbers of several; by default `style.poster`, or without
            one the last.
        engine: auto, numpy or native; all give the same result.
        no_clobber: keep a file that exists, and fail.
        progress: called with the number of frames done, after each.
        states: of a saved run of this scenario, instead of simulating.
        rules: your own rules or functions of the view, which also steer every flock; a mapping names them.
        overrides: values by their dotted keys.
        frames: number of frames.
        seed: random seed.
        size: width and height of the picture in pixels, or a name such as "square".
        exposure: show the paths of the last so many frames, or of so much playing time as in "5s".
        keys: further overrides, with two underscores for each dot.
    """
    keys |= {"frames": frames, "seed": seed, "size": size, "exposure": exposure}
    options = RunOptions(engine, no_clobber, progress, states=states)
    checked, options = _steered(scenario, overrides, keys, rules, options)
    if at is None or isinstance(at, int):
        return Still(path, pipeline.still(checked, path, at=at, options=options))
    return Still(path, comparing.strip(checked, path, at=[*at], options=options))


@for_callers
def simulate(
    scenario: ScenarioLike | Setup,
    engine: str = "auto",
    overrides: Overrides | None = None,
    rules: Rules = (),
    *,
    frames: int | None = None,
    seed: int | None = None,
    **keys: object,
) -> run.Run:
    """The states of a scenario, one per frame; positions are in world units, shape (n, d), and read-only.

    Examples:
        >>> [state.flocks[0].position.shape for state in simulate("quickstart", frames=2, flock__count=20)]
        [(20, 2), (20, 2)]

    Args:
        scenario: in any form.
        engine: auto, numpy or native; all give the same result.
        overrides: values by their dotted keys.
        rules: your own rules or functions of the view, which also steer every flock; a mapping names them.
        frames: number of frames.
        seed: random seed.
        keys: further overrides, with two underscores for each dot.

    Raises:
        UsageError: there is no such engine, or keys are set for a `Setup`, which cannot be changed.
        NotFiniteError: a position or velocity is no longer finite.
    """
    keys |= {"frames": frames, "seed": seed}
    if isinstance(scenario, Setup) and not isinstance(scenario, Scenario):
        changes = {"overrides": overrides, "rules": rules, **{key: value is not None for key, value in keys.items()}}
        if given := [name for name, value in changes.items() if value]:
            raise UsageError(f"{', '.join(given)}: a Setup is simulated as it is; give a scenario to change it")
        return run.simulate(scenario, engine)
    checked, _ = loaded(scenario, overrides, keys, rules=rules)
    return run.simulate(own_parts(rules, ()).steered(checked), engine)


@for_callers
def record(
    scenario: ScenarioLike,
    path: str | PathLike[str],
    *,
    engine: str = "auto",
    no_clobber: bool = False,
    progress: Progress | None = None,
    first: int = 0,
    every: int = 1,
    float32: bool = False,
    rules: Rules = (),
    overrides: Overrides | None = None,
    frames: int | None = None,
    seed: int | None = None,
    **keys: object,
) -> tuple[str, ...]:
    """Save the states of all frames, and return notices as in a report.

    Examples:
        >>> record("quickstart", "run.npz", frames=2)
        ()

    Args:
        scenario: in any form.
        path: of the file, a .npz, .csv, .parquet, .nc or .glb.
        engine: auto, numpy or native; all give the same result.
        no_clobber: keep a file that exists, and fail.
        progress: called with the number of frames done, after each.
        first: first saved frame.
        every: interval in frames.
        float32: save numbers in single precision; such a run no longer equals that of its scenario.
        rules: your own rules or functions of the view, which also steer every flock; a mapping names them.
        overrides: values by their dotted keys.
        frames: number of frames.
        seed: random seed.
        keys: further overrides, with two underscores for each dot.
    """
    keys |= {"frames": frames, "seed": seed}
    checked, options = _steered(scenario, overrides, keys, rules, RunOptions(engine, no_clobber, progress))
    refuse_below_one(every=every)
    return pipeline.record(checked, path, first=first, every=every, float32=float32, options=options)


@for_callers
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
    rules: Rules = (),
    overrides: Overrides | None = None,
    frames: int | None = None,
    seed: int | None = None,
    fps: float | None = None,
    size: tuple[int, int] | str | None = None,
    quality: Quality | None = None,
    **keys: object,
) -> Report | Still:
    """Render scenarios side by side, in sync, each in every variant, as a clip or as one picture (.png).

    Examples:
        >>> compare(["quickstart"], "two.gif", variants=[{}, {"flock.cohesion.weight": 0}], frames=2).frames
        2

    Args:
        scenarios: each in any form; each is a row if there are several variants.
        path: of the clip or the picture.
        variants: overrides of each variant; each is a column if there are several scenarios.
        labels: text above each, instead of titles and variants.
        columns: pictures per row, with a single scenario or variant.
        at: number of the frame that a picture shows, counted from 0; by default the last one.
        engine: auto, numpy or native; all give the same result.
        no_clobber: keep a file that exists, and fail.
        progress: called with the number of frames done, after each.
        rules: your own rules or functions of the view, which also steer every flock of all; a mapping names them.
        overrides: values by their dotted keys, for all.
        frames: number of frames.
        seed: random seed.
        fps: frames per second.
        size: width and height of the picture in pixels, or a name such as "square".
        quality: draft, standard or high.
        keys: further overrides, with two underscores for each dot.
    """
    keys |= {"frames": frames, "seed": seed, "fps": fps, "size": size, "quality": quality}
    refuse_below_one(columns=columns)
    comparing.refuse_frame(at, [fspath(path)])
    texts = [shlex.join(f"{key}={to_toml(plain(value, key))}" for key, value in one.items()) for one in variants]
    sources = [supplied(source_of(one), passed=bool(rules)) for one in scenarios]
    given = given_overrides(overrides, keys)
    grid = comparing.comparison_of(sources, given, texts, labels=labels, columns=columns and int(columns))
    if rules and grid.saved:
        raise UsageError("rules: have no effect on states that already exist")
    own, manner = own_parts(rules, ()), RunOptions(engine, no_clobber, progress)
    grid = replace(grid, scenarios=[own.steered(one) for one in grid.scenarios])
    if pipeline.is_still(fspath(path)):
        return Still(path, comparing.compare_still(grid, path, at=at, options=manner))
    return comparing.compare(grid, path, options=manner)


@for_callers
def page(
    scenario: ScenarioLike,
    *,
    states: Iterable[State] | None = None,
    size: tuple[int, int] = (980, 760),
    overrides: Overrides | None = None,
    frames: int | None = None,
    seed: int | None = None,
    **keys: object,
) -> Webpage:
    """A scenario as one HTML file that plays it; notebooks display it, even without a running kernel.

    Examples:
        >>> page("quickstart", flock__count=20).save("flock.html").name
        'flock.html'

    Args:
        scenario: in any form.
        states: of a saved run of this scenario, which the page then plays.
        size: width and height of the frame in a notebook, in pixels.
        overrides: values by their dotted keys, in the units of the reference.
        frames: number of frames.
        seed: random seed.
        keys: further overrides, with two underscores for each dot.

    Raises:
        ScenarioError: `output.page` is "live", and a browser cannot compute the scenario.
    """
    from boidsgen.webpage.writer import page_text  # noqa: PLC0415  most programs make no page

    found, states = loaded(scenario, overrides, keys | {"frames": frames, "seed": seed}, states)
    pipeline.preflight(found)
    name = scenario if isinstance(scenario, str) and scenario.isidentifier() else "scenario"
    made = Webpage(page_text(found, None if states is None else pipeline.complete(states, found), name=name))
    made.size = size
    return made


@for_callers
def replay(
    original: str | PathLike[str],
    path: str | PathLike[str],
    *,
    engine: str = "auto",
    no_clobber: bool = False,
    progress: Progress | None = None,
) -> Path:
    """Render a clip or picture again from its embedded scenario, under another name, and compare the two.

    Examples:
        >>> _ = render("quickstart", "flock.gif", frames=2)
        >>> replay("flock.gif", "again.gif").name
        'again.gif'

    Args:
        original: a clip or picture that boidsgen has made.
        path: of the new one; its extension selects the format.
        engine: auto, numpy or native; all give the same result.
        no_clobber: keep a file that exists, and fail.
        progress: called with the number of frames done, after each.

    Raises:
        ReplayError: the new file differs from the original; it is kept.
    """
    replays.replay_file(replays.original(Path(original)), fspath(path), RunOptions(engine, no_clobber, progress))
    return Path(path)


@for_callers
def measure(
    scenario: ScenarioLike,
    *,
    by: str = "frame",
    events: str = "",
    seeds: int | None = None,
    engine: str = "auto",
    progress: Progress | None = None,
    rules: Rules = (),
    measures: Sequence[StateMeasure] = (),
    overrides: Overrides | None = None,
    frames: int | None = None,
    seed: int | None = None,
    **keys: object,
) -> Records:
    """Measure every frame: seed, frame, simulated time, and a column for each measure.

    By animal there are also the name of its flock and its number, counted through all flocks, and its own measures. Of
    events there is a record for each animal in each: kind, first and last frame and time, group, value and its unit.

    Examples:
        >>> measure("quickstart", frames=3)["frame"]
        array([0, 1, 2])
        >>> measure("quickstart", by="animal", frames=1, flock__count=3)["animal"]
        array([0, 1, 2])

    Args:
        scenario: in any form; its table `measure` selects measures and frames.
        by: frame or animal: a record for each frame, or for each animal in it.
        events: all, or some of split, merge, turn, stop and crossing, with thresholds as in "turn=60,stop".
        seeds: number of runs with independent seeds; by default one run with the scenario's seed.
        engine: auto, numpy or native; all give the same result.
        progress: called with the number of frames done, after each, or by animal after some.
        rules: your own rules or functions of the view, which also steer every flock; a mapping names them.
        measures: your own functions of a state, whose names become columns; they return None where undefined.
        overrides: values by their dotted keys.
        frames: number of frames.
        seed: random seed.
        keys: further overrides, with two underscores for each dot.
    """
    refuse_below_one(seeds=seeds)
    refuse_rows(by, events, ["measures"] if measures else [])
    kinds = span_kinds(events) if events else {}
    checked, states = loaded(scenario, overrides, keys | {"frames": frames, "seed": seed}, rules=rules)
    runs = measured(checked, seeds, RunOptions(engine, states=states), own_parts(rules, measures))
    if events:
        records = (record for part in runs.events(kinds, progress) for record in part.records)
        return Records(records, [*runs.events_like.arrays])
    if by == "animal":
        records = (record for part in runs.animals(progress) for record in part.records)
        return Records(records, [*runs.animals_like.arrays], ("seed", "frame", "animal"))
    return Records(with_progress(runs.series(), progress), runs.columns, ("seed", "frame"))


@for_callers
def sweep(
    scenario: ScenarioLike,
    vary: Mapping[str, Iterable[object]] | None = None,
    *,
    seeds: int | None = None,
    until: Mapping[str, float] | None = None,
    paired: bool | None = None,
    design: str = "",
    runs: int | None = None,
    directory: str | PathLike[str] | None = None,
    draw: bool = False,
    jobs: int | None = None,
    dask: str = "",
    engine: str = "auto",
    progress: Progress | None = None,
    rules: Rules = (),
    measures: Sequence[StateMeasure] = (),
    overrides: Overrides | None = None,
    frames: int | None = None,
    seed: int | None = None,
    **keys: object,
) -> Records:
    """A record for every combination of values: the varied keys, the seed, and each measure as in the manifest.

    Means have the names of measures; further columns have the prefixes final, error, tau, n_eff and settled, as in
    error.polarization, and profiles, as in profiles.velocity_correlation. Your own rules and measures are copied for
    each run, unless `jobs` is 1: then all runs are done with them, in this process. Runs that a directory keeps are
    repeated if they have changed.

    Examples:
        >>> table = sweep("quickstart", {"flock.count": [10, 20]}, frames=2)
        >>> table["flock.count"]
        array([10, 20])

    Args:
        scenario: in any form; its table `sweep` supplies defaults.
        vary: values by their dotted keys.
        seeds: number of independent seeds of each combination.
        until: standard errors of means over seeds, such as {"error.polarization": 0.01}; each combination gets only as
            many seeds as it needs.
        paired: pair the values of the keys instead of crossing them.
        design: instead of combinations, points that fill ranges such as "0:3" or "log:0.1:10": lhs, sobol, grid, random
            or saltelli.
        runs: number of points of the design; raising it later keeps them.
        directory: keeps the runs, so that the same call does only missing runs; by default nothing is kept.
        draw: also render the runs; needs a directory.
        jobs: runs at a time; by default one per core.
        dask: address of the scheduler of a Dask cluster, which then does the runs.
        engine: auto, numpy or native; all give the same result.
        progress: called with the number of runs done, after each.
        rules: your own rules or functions of the view, which also steer every flock; a mapping names them.
        measures: your own functions of a state, whose names become columns; they return None where undefined.
        overrides: values by their dotted keys.
        frames: number of frames.
        seed: random seed.
        keys: further overrides, with two underscores for each dot.

    Raises:
        SweepError: runs failed.
    """
    refuse_below_one(seeds=seeds, jobs=jobs)
    if directory is not None:
        refuse_name(fspath(directory))
    if draw and directory is None:
        raise UsageError("draw: needs a directory for the clips")
    given, own = given_overrides(overrides, keys | {"frames": frames, "seed": seed}), own_parts(rules, measures)
    if bool(design) != (runs is not None) or (design and paired is not None):
        raise UsageError("design and runs: belong together, and leave out paired")
    values = {key: values if isinstance(values, str) else [*values] for key, values in (vary or {}).items()}
    for key, listed in values.items():
        if not listed or (isinstance(listed, str) and not design):
            raise UsageError(f"vary: {key} must have a list of values, not {listed!r}")
        values[key] = listed if isinstance(listed, str) else [plain(value, key) for value in listed]
    source = supplied(source_of(scenario), passed=bool(rules))
    options = SweepOptions((), seeds, paired, draw, until, tuple(own.measures))
    if design and runs is not None:
        texts = {key: one if isinstance(one, str) else ",".join(map(to_toml, one)) for key, one in values.items()}
        made = read_design(design, [*map("=".join, texts.items())], source, given)
        plan = plan_design(source, given, made, made.points(runs), options)
    else:
        axes = tuple(SweepAxis(key, tuple(listed), f"vary: {key} = ") for key, listed in values.items())
        plan = plan_sweep(source, given, replace(options, axes=axes))
    folder = scratch_folder() if directory is None else nullcontext(directory)
    with folder as where, Study(plan, Path(where), RunOptions(engine, jobs=jobs, dask=dask), own=own) as study:
        run_missing(study, progress)
        return Records(run_records(study), dimensions=(*plan.keys, "seed"))


@for_callers
def plot(
    directory: str | PathLike[str],
    *measures: str,
    ax: "Axes | None" = None,
    only: Mapping[str, object] | None = None,
    x: str = "",
    color: str = "",
    heat: bool = False,
    spread: str = "error",
    log: str = "",
    radians: bool = False,
    contour: float | None = None,
    xlabel: str = "",
    ylabel: str = "",
    theme: str = "paper",
) -> "Axes":
    """Plot the measures of a sweep into matplotlib axes, as `boidsgen plot` does, in the current style.

    Examples:
        >>> _ = sweep("quickstart", {"flock.count": [10, 20]}, frames=2, directory="runs")
        >>> plot("runs", "polarization").get_xlabel()
        'count'

    Args:
        directory: of the sweep.
        measures: one quantity, as in "groups" or "susceptibility.polarization"; by default the polarization.
        ax: the axes; by default those of a new figure.
        only: values of keys that are not drawn.
        x: the key along the axis.
        color: the key shown as color.
        heat: draw a heat map of two keys.
        spread: spread of each mean: error, deviation, quantiles or range.
        log: logarithmic axes: x, y or xy.
        radians: show angles in radians.
        contour: contour line at this value in a heat map.
        xlabel: label of the axis, with $mathematics$.
        ylabel: likewise.
        theme: whose colors are used.
    """
    optional_package("matplotlib", "plot()")
    from boidsgen.studies.figure import draw_sweep_figure  # noqa: PLC0415  takes long to import

    request = FigureRequest(measures, x, color, heat=heat, spread=spread, log=log, radians=radians, theme=theme)
    request = request._replace(contour=contour, xlabel=xlabel, ylabel=ylabel)
    wanted = [f"{key}={value_text(value)}" for key, value in (only or {}).items()]
    place = ax or optional_package("matplotlib.pyplot", "plot()").subplots()[1]
    draw_sweep_figure(read_results(fspath(directory)).chosen(wanted), request, place)
    return place


@for_callers
def describe(directory: str | PathLike[str], *, latex: bool = False) -> str:
    """The methods section of a study: a table of the model; runs, seeds, estimators and versions.

    Examples:
        >>> _ = sweep("quickstart", {"flock.count": [10, 20]}, frames=2, directory="runs")
        >>> "We varied flock.count (10, 20)" in describe("runs")
        True

    Args:
        directory: of a sweep.
        latex: as LaTeX rather than text.
    """
    return description.methods_section(fspath(directory), latex=latex)


@for_callers
def tracks(
    files: object,
    path: str | PathLike[str],
    *,
    fps: float,
    columns: str | Sequence[str] = (),
    source: str = "",
    only: Mapping[str, object] | None = None,
    minimum: Mapping[str, float] | None = None,
    max_speed: float | None = None,
    every: int = 1,
    scale: float = 1.0,
    origin: Sequence[float] = (),
    y_down: bool = False,
    fill: int = 0,
    smooth: int = 0,
    film: str | PathLike[str] = "",
    dates: str = "",
    resample: int = 0,
    no_clobber: bool = False,
    progress: Progress | None = None,
    overrides: Overrides | None = None,
    **keys: object,
) -> tuple[str, ...]:
    """Convert tables of tracked animals, or of agents of another simulator, to a recording, and return notices.

    A recording is measured and drawn like a simulation.

    Examples:
        >>> simulate("quickstart", frames=3).to_pandas().to_csv("fish.csv", index=False)
        >>> tracks("fish.csv", "fish.npz", columns="frame,number,x,y", fps=30)
        ()
        >>> measure("fish.npz")["frame"]
        array([0, 1, 2])

    Args:
        files: one table or several: paths, DataFrames of pandas, whose named index is read as columns, or datasets of
            movement, with the columns time, individual, x and y.
        path: of the recording, a .npz or .csv, or of a clip.
        fps: frames per second.
        columns: by their roles, as in "frame=Step,id=AgentID,x=x,y=y" or in short "Step,AgentID,x,y"; roles are frame
            or time, id, species, x, y, z or longitude, latitude, and vx, vy, vz, heading and angle. Without frame and
            time each row is a frame, without id each file an animal; "*" in "x=x*,y=y*" stands for the animal.
        source: the program that wrote the tables, instead of columns, such as "mesa" or "netlogo".
        only: values by columns; other rows are left out.
        minimum: lower bounds by columns, as in {"likelihood": 0.6}; positions with less are left out.
        max_speed: positions that are reached faster are left out, in world units per second.
        every: only every n-th frame, at an n-th of the rate.
        scale: world units per unit of the files.
        origin: point of the files at the lower corner of the world; by default the world encloses all positions.
        y_down: the second coordinate grows downward.
        fill: gaps of up to this many frames are filled along straight lines.
        smooth: frames of the window of a Savitzky-Golay filter, an odd number; 0 for none.
        film: shown behind the animals, whose coordinates are its pixels.
        dates: "month/day/year" or "day/month/year", where dates such as 3/4/2016 leave it open.
        resample: put irregular fixes at frames, on straight lines between two that are up to this many frames apart.
        no_clobber: keep a file that exists, and fail.
        progress: called with the number of frames done, after each.
        overrides: values by their dotted keys, such as those of style.
        keys: further overrides, with two underscores for each dot.
    """
    names = files if isinstance(files, list | tuple) else [files]
    roles = tuple(columns.split(",") if isinstance(columns, str) else columns)
    kept, least = (tuple(f"{column}={value}" for column, value in (one or {}).items()) for one in (only, minimum))
    shape = (every, scale, tuple(origin), y_down, fill, smooth, fspath(film), dates, resample)
    form = TrackFormat(fps, roles, source, kept, least, max_speed, *shape)
    tables = {f"table {at}": one for at, one in enumerate(names) if not isinstance(one, str | PathLike)}
    paths = [fspath(one) if isinstance(one, str | PathLike) else f"table {at}" for at, one in enumerate(names)]
    manner, given = RunOptions(no_clobber=no_clobber, progress=progress), given_overrides(overrides, keys)
    return record_tracks(paths, fspath(path), form, given, tables=tables, options=manner)[1]


@for_callers
def leaders(
    scenario: ScenarioLike,
    *,
    delay: float | None = None,
    engine: str = "auto",
    overrides: Overrides | None = None,
    frames: int | None = None,
    seed: int | None = None,
    **keys: object,
) -> dict[str, Records]:
    """Find out who leads and who follows, and with what delay: a table of the animals, and one of their pairs.

    Examples:
        >>> found = leaders("quickstart", frames=40, flock__count=5)
        >>> bool(found["animals"]["leader"].any()), len(found["pairs"])
        (False, 10)

    Args:
        scenario: in any form; its table `measure` sets the first frame.
        delay: the longest one, in simulated time; by default a quarter of the measured time.
        engine: auto, numpy or native; all give the same result.
        overrides: values by their dotted keys.
        frames: number of frames.
        seed: random seed.
        keys: further overrides, with two underscores for each dot.
    """
    checked, states = loaded(scenario, overrides, keys | {"frames": frames, "seed": seed})
    found = leadership(RunOptions(engine, states=states).run(checked), checked, delay)
    return {name: Records(rows) for name, rows in leader_tables(found, checked).items()}


@for_callers
def fit(
    target: str | PathLike[str],
    scenario: ScenarioLike | None = None,
    vary: Mapping[str, str] | None = None,
    *,
    models: Sequence[str] = (),
    runs: int = 1000,
    check: int = 0,
    noise: float | None = None,
    predict: int = 0,
    directory: str | PathLike[str] | None = None,
    jobs: int | None = None,
    dask: str = "",
    engine: str = "auto",
    progress: Progress | None = None,
    rules: Rules = (),
    overrides: Overrides | None = None,
    **keys: object,
) -> dict[str, Records]:
    """Find the values of keys with which a scenario moves like a film, as `boidsgen fit` does.

    The tables are misfit (read it first), intervals, posterior, with a check, check, and, with a prediction, series; of
    a choice between models, models, and, with a check, confusion.

    Examples:
        >>> _ = render("quickstart", "film.gif", frames=20)
        >>> list(fit("film.gif", "quickstart", {"flock.alignment.weight": "0:3"}, runs=100))
        ['misfit', 'intervals', 'posterior']

    Args:
        target: a recording, a clip, or a table of measures as .csv.
        scenario: in any form.
        vary: a prior of each key, such as "0:3", "log:0.1:10" or "normal:1:0.2"; of models with the name of one before,
            as in "couzin-torus:flock.zones.orientation".
        models: presets or paths to choose between, instead of a scenario to fit.
        runs: number of runs, half of them over the whole ranges.
        check: number of runs to treat as films, to see how often the fit is right.
        noise: standard deviation of the noise of the positions of tracks, in world units; by default it is estimated.
        predict: number of further runs with fitted values, whose measures are shown over time beside those of the film.
        directory: keeps the runs, so that the same call does only missing runs; by default nothing is kept.
        jobs: runs at a time; by default one per core.
        dask: address of the scheduler of a Dask cluster, which then does the runs.
        engine: auto, numpy or native; all give the same result.
        progress: called with the number of runs done, after each.
        rules: your own rules or functions of the view, which also steer every flock; a mapping names them.
        overrides: values by their dotted keys.
        keys: further overrides, with two underscores for each dot.
    """
    if (scenario is None) == (not models):
        raise UsageError("fit: give a scenario, or models, at least two")
    spans = tuple(f"{key}={span}" for key, span in (vary or {}).items())
    request, given = FitRequest(spans, runs, check, noise, predict, tuple(models)), given_overrides(overrides, keys)
    prediction.refuse_few(request)
    options, own = RunOptions(engine, progress=progress, jobs=jobs, dask=dask), own_parts(rules, ())
    with scratch_folder() if directory is None else nullcontext(directory) as where:
        if scenario is None:
            choice = choose_model(fspath(target), given, request, Path(where), options, own)
            return {name: Records(rows) for name, rows in choice.tables.items()}
        source = supplied(source_of(scenario), passed=bool(rules))
        found = fit_scenario(fspath(target), source, given, request, Path(where), options, own)
        tables = description.fit_tables(found)
        if predict:
            tables["series"] = prediction.predict(found, predict, Path(where), options).records
    return {name: Records(rows) for name, rows in tables.items()}


@for_callers
def audit(
    scenario: ScenarioLike,
    claim: str,
    *,
    seeds: int = 5,
    jobs: int | None = None,
    dask: str = "",
    engine: str = "auto",
    progress: Progress | None = None,
    rules: Rules = (),
    overrides: Overrides | None = None,
    **keys: object,
) -> Records:
    """Find out which changes of a scenario a claim survives, a record for each change, as `boidsgen audit` does.

    Your own rules are copied for each run, as for a sweep.

    Examples:
        >>> found = audit("quickstart", "polarization <= 1", seeds=2, frames=2)
        >>> found["variant"][:3].tolist(), found[0]["survives"]
        (['as written', 'dt / 2', 'dt × 2'], 'yes')

    Args:
        scenario: in any form.
        claim: a measure, a comparison and a number, as in "polarization > 0.9" or "final.groups <= 2".
        seeds: number of independent seeds of each variant.
        jobs: runs at a time; by default one per core.
        dask: address of the scheduler of a Dask cluster, which then does the runs.
        engine: auto, numpy or native; all give the same result.
        progress: called with the number of runs done, after each.
        rules: your own rules or functions of the view, which also steer every flock; a mapping names them.
        overrides: values by their dotted keys.
        keys: further overrides, with two underscores for each dot.
    """
    refuse_below_one(seeds=seeds, jobs=jobs)
    request, own = AuditRequest(parse_claim(claim), seeds), own_parts(rules, ())
    options = RunOptions(engine, progress=progress, jobs=jobs, dask=dask)
    source, given = supplied(source_of(scenario), passed=bool(rules)), given_overrides(overrides, keys)
    plan = plan_audit(source, given, request, options, own)
    return Records(row._asdict() for row in audit_claim(request.claim, *plan, options))


@for_callers
def sensitivity(directory: str | PathLike[str], *measures: str) -> Records:
    """First-order and total indices of a sweep with the design saltelli, a record for each measure and key.

    Examples:
        >>> speeds = {"flock.max_speed": "1:4"}
        >>> _ = sweep("quickstart", speeds, design="saltelli", runs=48, seeds=2, frames=2, directory="runs")
        >>> sensitivity("runs", "mean_speed")[0]["key"]
        'flock.max_speed'

    Args:
        directory: of the sweep.
        measures: their names; by default all that every run defines.
    """
    results = read_results(fspath(directory))
    return Records(index_records(sensitivities(results, measures), [*results.keys]))
