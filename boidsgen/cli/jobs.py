"""Jobs: what one call of the command line is to render, and where its outputs go.

`plan_jobs` and `plan_still` read every scenario and settle every output before the first step of the first one, so that
a mistake in the last scenario is reported at once, together with those in all others.
"""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from boidsgen.drawing.look import Look
from boidsgen.errors import ScenarioError, StorageError, UsageError
from boidsgen.output import originals
from boidsgen.output.descriptors import STANDARD_OUTPUT
from boidsgen.output.originals import identity
from boidsgen.output.places import refuse_name
from boidsgen.output.targets import DIRECTORY, Target, default_target, names_folder, target
from boidsgen.scenario.cost import refuse_excess
from boidsgen.scenario.loading import draft
from boidsgen.scenario.overrides import Override, UnresolvedKeyError, names_of
from boidsgen.scenario.scenario import Scenario
from boidsgen.scenario.sources import Source, find, may_carry, refuse_repeated_input

if TYPE_CHECKING:
    from boidsgen.simulation.state import State

DRAWN = tuple(sorted({*Look.model_fields, "limits", "measure", "output"}))
"""Keys that may still be set for a saved run: those that decide nothing about what happens."""


class OutputOptions(NamedTuple):
    """What the command line says about outputs.

    Attributes:
        names: of outputs, as written after -o; none for the usual place.
        format: as written after --format, if it was.
    """

    names: Sequence[str] = ()
    format: str | None = None


class RenderJob(NamedTuple):
    """One scenario and where its pictures go.

    Attributes:
        source: of the scenario.
        scenario: checked, and within its limits.
        targets: of the pictures.
        files: that the scenario names.
        states: of a saved run; None for a scenario that is to be simulated.
        doubts: what is valid in the scenario and probably not intended, one line each.
    """

    source: Source
    scenario: Scenario
    targets: tuple[Target, ...]
    files: tuple[Path, ...] = ()
    states: "Iterator[State] | None" = None
    doubts: Sequence[str] = ()


def plan_jobs(
    names: Sequence[str], overrides: Sequence[Override], options: OutputOptions, *, strict: bool = False
) -> list[RenderJob]:
    """The jobs, one per scenario.

    Args:
        names: of scenarios.
        overrides: of keys in each of them.
        options: about outputs.
        strict: whether doubts are mistakes.

    Raises:
        ScenarioError: with the mistakes of all scenarios.
        UsageError: when two outputs are the same, or an output is a scenario.
        LimitError: when a scenario asks for too much.
    """
    refuse_repeated_input(names)
    jobs: list[RenderJob] = []
    mistakes: list[str] = []
    for name in names:
        try:
            jobs.append(_job(find(name), overrides, options))
        except ScenarioError as error:
            mistakes += error.mistakes
    if strict:
        mistakes += [doubt for job in jobs for doubt in job.doubts]
    if mistakes:
        raise ScenarioError(mistakes)
    _refuse_collisions(jobs)
    return jobs


def plan_still(name: str, overrides: Sequence[Override], output: str | None) -> RenderJob:
    """The job of one picture.

    Raises:
        UsageError: when the path is not that of a PNG, or is the scenario itself.
        LimitError: when the scenario asks for too much.
    """
    source = find(name)
    document = draft(source, overrides)
    scenario = document.scenario()
    refuse_excess(scenario, source.label)
    path = _path_of_still(f"{DIRECTORY}/" if output is None else output, source.stem)
    if source.path and identity(str(source.path)) == identity(path):
        raise UsageError(f"{path}: is the scenario; give the picture a name of its own")
    refuse_paths([path])
    states = saved_states(source, scenario, overrides)
    return RenderJob(source, scenario, (Target(path, "png"),), tuple(document.files), states)


def saved_states(source: Source, scenario: Scenario, overrides: Sequence[Override]) -> "Iterator[State] | None":
    """The states of a saved run; None for any other source.

    Raises:
        UsageError: when an override would change what has happened.
    """
    if source.path is None or not may_carry(source.path):
        return None
    from boidsgen.output.recording import is_recording, recorded

    if not is_recording(source.path):
        return None
    for override in overrides:
        if _first_name(override) not in DRAWN:
            raise UsageError(
                f"{override.origin}: {source.label} is a finished run; only {', '.join(DRAWN)} can be set, "
                "and for anything else the scenario has to be simulated again"
            )
    return recorded(source.path, scenario)


def make_usual_directory() -> None:
    """Make the directory for outputs without `-o`.

    Raises:
        StorageError: when it cannot be made.
    """
    _make_directory(DIRECTORY)


def make_directories(outputs: Sequence[str], targets: Iterable[Target]) -> None:
    """Make the directories that outputs name by a "/" at the end, and without any output the usual one.

    A folder of pictures is not made here: it takes its name when it is complete.

    Raises:
        StorageError: when one cannot be made.
    """
    for output, one in zip(outputs or [f"{DIRECTORY}/"], targets, strict=False):
        if names_folder(output) and Path(one.path) != Path(output):
            _make_directory(str(Path(output)))


def _make_directory(path: str) -> None:
    try:
        Path(path).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StorageError(f"{path}: {error.strerror}") from error


def usual_path(stem: str, ending: str) -> str:
    """Where an output goes without `-o`."""
    return str(Path(DIRECTORY) / f"{stem}{ending}")


def refuse_paths(paths: Iterable[str]) -> None:
    """Stop before an output replaces what has been read, or another output; to be asked when all has been read.

    Raises:
        UsageError: when one would.
    """
    taken = set[str]()
    for path in paths:
        originals.refuse(path)
        if path != STANDARD_OUTPUT and identity(path) in taken:
            raise UsageError(f"{path}: is already an output; give every output a name of its own")
        taken.add(identity(path))


def _job(source: Source, overrides: Sequence[Override], options: OutputOptions) -> RenderJob:
    document = draft(source, overrides)
    scenario = document.scenario()
    targets = tuple(_targets(source.stem, scenario, options))
    refuse_excess(scenario, source.label)
    if unfit := list(scenario.unfit_for(one.format for one in targets)):
        document.refuse(unfit)
    states, doubts = saved_states(source, scenario, overrides), document.doubts(scenario)
    return RenderJob(source, scenario, targets, tuple(document.files), states, doubts)


def _path_of_still(output: str, stem: str) -> str:
    from boidsgen.output.figures import FIGURE_ENDINGS
    from boidsgen.pipeline import STILL_ENDING, is_figure, is_still

    refuse_name(output)
    path = Path(output)
    if names_folder(output) or path.is_dir():
        return str(path / f"{stem}{STILL_ENDING}")
    named = is_still(output) or is_figure(output) or output == STANDARD_OUTPUT
    if not named and (path.is_file() or not path.exists()):
        endings = ", ".join([STILL_ENDING, *FIGURE_ENDINGS])
        raise UsageError(f"{output}: a still is a PNG, or a figure; end its name with one of {endings}")
    return output


def _targets(stem: str, scenario: Scenario, options: OutputOptions) -> Iterator[Target]:
    usual = scenario.output.format
    if not options.names:
        yield default_target(stem, options.format or usual)
    for name in options.names:
        yield target(name, stem=stem, explicit=options.format, default=usual)


def _refuse_collisions(jobs: Sequence[RenderJob]) -> None:
    taken = {identity(str(path)): "a file that a scenario names" for job in jobs for path in job.files}
    taken |= {identity(str(job.source.path)): "a scenario" for job in jobs if job.source.path}
    for job in jobs:
        for one in job.targets:
            place = identity(one.path)
            if place in taken:
                raise UsageError(f"{one.path}: is already {taken[place]}; give every output a name of its own")
            taken[place] = f"the output of {job.source.label}"


def _first_name(override: Override) -> str:
    try:
        return names_of(override.key)[0]
    except UnresolvedKeyError:
        return ""
