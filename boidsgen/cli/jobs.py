"""Jobs: the scenarios of one command line, and the destinations of their outputs.

Every scenario is read and every destination settled before the first step of the first one, so that errors in the last
scenario are reported at once, together with those in all others.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from boidsgen.cli.options import Options, Texts
from boidsgen.errors import ScenarioError, StorageError, UsageError
from boidsgen.output.formats import DIRECTORY, Target, default_target, names_folder, refuse_unnamed, target
from boidsgen.output.publish import make_folder
from boidsgen.scenario.layers import Override
from boidsgen.scenario.loading import draft, saved_states, supplied
from boidsgen.scenario.scenario import Scenario
from boidsgen.scenario.sources import Source, find, refuse_repeated_input
from boidsgen.system import STANDARD_OUTPUT, identity, refuse_input, refuse_name

if TYPE_CHECKING:
    from boidsgen.output.recording import SavedRun


class RenderJob(NamedTuple):
    """One scenario with its warnings, the states of a saved run, and the destinations of its pictures."""

    source: Source
    scenario: Scenario
    states: "SavedRun | None"
    warnings: Sequence[str]
    targets: tuple[Target, ...] = ()

    @property
    def shown(self) -> Scenario:
        """The scenario as its targets show it."""
        return self.scenario.looping_in({one.format for one in self.targets})

    @property
    def alt(self) -> str:
        """The sentence about its clip."""
        return self.scenario.alt_in({one.format for one in self.targets})

    @property
    def doubts(self) -> list[str]:
        """One line where the states of a saved run may not come from its scenario."""
        return [self.states.doubt] if self.states and self.states.doubt else []


def read_job(name: str, overrides: Sequence[Override], *, strict: bool = False) -> RenderJob:
    """A scenario without destinations; ScenarioError with its errors, and where it is `strict` with its warnings."""
    source = supplied(find(name))
    document = draft(source, overrides)
    scenario = document.scenario()
    job = RenderJob(source, scenario, saved_states(source, scenario, overrides), document.warnings(scenario))
    if strict and (lines := [*job.warnings, *job.doubts]):
        raise ScenarioError(lines)
    return job


def plan_jobs(names: Sequence[str], overrides: Sequence[Override], outputs: Texts, options: Options) -> list[RenderJob]:
    """The jobs, one per scenario; outputs are as written after -o.

    Raises:
        ScenarioError: with the errors of all scenarios, and where they are `strict` with their warnings.
        UsageError: when two outputs are the same, or an output is a scenario.
        LimitError: when a scenario asks for too much.
    """
    refuse_repeated_input(names)
    jobs: list[RenderJob] = []
    errors: list[str] = []
    for name in names:
        try:
            job = read_job(name, overrides)
            usual, stem = job.scenario.output.format, job.source.stem
            targets = [target(path, stem=stem, explicit=options.format, default=usual) for path in outputs or ()]
            targets = targets or [default_target(stem, options.format or usual)]
            job.scenario.refuse_excess(job.source.label)
            if unfit := list(job.scenario.unfit_for(one.format for one in targets)):
                draft(job.source, overrides).refuse(unfit)
            jobs.append(job._replace(targets=tuple(targets)))
        except ScenarioError as error:
            errors += error.errors
    if options.strict:
        errors += [line for job in jobs for line in (*job.warnings, *job.doubts)]
    if errors:
        raise ScenarioError(errors)
    refuse_paths(one.path for job in jobs for one in job.targets)
    return jobs


def plan_still(name: str, overrides: Sequence[Override], output: str | None, *, strict: bool = False) -> RenderJob:
    """The job of one picture.

    Raises:
        ScenarioError: with its errors, and where it is `strict` with its warnings.
        UsageError: when the path is not that of a picture, or is the scenario itself.
        LimitError: when the scenario asks for too much.
    """
    from boidsgen.output.figures import FIGURE_ENDINGS
    from boidsgen.pipeline import STILL_ENDING, is_figure, is_still

    job = read_job(name, overrides, strict=strict)
    job.scenario.refuse_excess(job.source.label)
    path = f"{DIRECTORY}/" if output is None else output
    refuse_name(path)
    if names_folder(path) or Path(path).is_dir():
        path = str(Path(path) / f"{job.source.stem}{STILL_ENDING}")
    elif not (is_still(path) or is_figure(path) or path == STANDARD_OUTPUT) and (
        Path(path).is_file() or not Path(path).exists()
    ):
        endings = ", ".join([STILL_ENDING, *FIGURE_ENDINGS])
        raise UsageError(f"{path}: a still must be a picture or a figure; end its name with one of {endings}")
    refuse_paths([path])
    return job._replace(targets=(Target(path, "png"),))


def make_directories(outputs: Sequence[str] | None, targets: Iterable[Target]) -> None:
    """Make the directories that outputs name by a "/" at the end, and without any output the usual one.

    A folder of pictures is not made here: it takes its name when it is complete.
    """
    targets = [*targets]
    refuse_unnamed(outputs or (), targets)
    for output, one in zip(outputs or [f"{DIRECTORY}/"], targets, strict=False):
        if names_folder(output) and Path(one.path) != Path(output):
            make_folder(str(Path(output)))


def usual_path(stem: str, ending: str) -> str:
    """The destination of an output without `-o`."""
    return str(Path(DIRECTORY) / f"{stem}{ending}")


def by_extension(paths: Sequence[str], *extensions: str) -> dict[str, list[str]]:
    """The paths with each of these file extensions, and all others under an empty one."""
    found: dict[str, list[str]] = {extension: [] for extension in (*extensions, "")}
    for path in paths:
        extension = Path(path).suffix.lower()
        found[extension if extension in found else ""].append(path)
    return found


def settle(paths: Sequence[str], given: Sequence[str] | str | None) -> None:
    """Refuse paths as `refuse_paths` does, or without a directory; where none was given, make the usual one for them.

    Raises:
        StorageError: there is no such directory.
    """
    refuse_paths(paths)
    if given is None:
        refuse_unnamed((), (Target(path, "") for path in paths if Path(path).parent == Path(DIRECTORY)))
        make_folder(DIRECTORY)
    if absent := [path for path in paths if not Path(path).parent.is_dir()]:
        raise StorageError(f"{absent[0]}: there is no directory {Path(absent[0]).absolute().parent}; create it first")


def refuse_paths(paths: Iterable[str]) -> None:
    """Stop before an output replaces an input or another output; to be called when everything has been read.

    Raises:
        UsageError: when one would.
    """
    taken = set[str]()
    for path in paths:
        refuse_input(path)
        if identity(path) in taken:
            raise UsageError(f"{path}: is already an output; give each output its own name")
        taken.add(identity(path))
