"""Record: simulate, and save where everybody was, so that it can be drawn again and again without simulating.

record(load_scenario("quickstart"), "run.npz")
scenario = load_scenario("run.npz", {"style.theme": "paper"})
render(scenario, "flock.gif", states=recorded(Path("run.npz"), scenario))
"""

from os import PathLike, fspath

from boidsgen.output.base import Part
from boidsgen.output.outputs import open_output
from boidsgen.output.recording import TRAJECTORY_WRITERS, TrajectoryWriter, recorded
from boidsgen.output.targets import format_of
from boidsgen.pipeline import Progress, preflight
from boidsgen.scenario.provenance import provenance
from boidsgen.scenario.scenario import Scenario
from boidsgen.simulation import simulate

__all__ = ["record", "recorded"]


def record(
    scenario: Scenario,
    path: str | PathLike[str],
    *,
    output_format: str | None = None,
    engine: str = "auto",
    no_clobber: bool = False,
    progress: Progress | None = None,
) -> tuple[str, ...]:
    """Save the states of all frames; the name tells the format, unless it is given. Gives notices as in a report.

    Raises:
        BoidsgenError: one of its kinds; then the file is as it was before.
    """
    preflight(scenario)
    text, states = provenance(scenario), simulate(scenario, engine)

    def begin(kind: type[TrajectoryWriter], part: Part) -> TrajectoryWriter:
        return kind(part, scenario, text)

    name = fspath(path)
    kind = TRAJECTORY_WRITERS[format_of(name, TRAJECTORY_WRITERS, output_format)]
    with open_output(name, kind, begin, no_clobber=no_clobber) as output:
        for number, state in enumerate(states, start=1):
            output.write(state)
            if progress:
                progress(number)
    return tuple(states.notices)
