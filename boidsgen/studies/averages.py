"""Averages: the measures of a run, at its end and on the way.

Measuring a large flock costs as much as moving it. So the mean is taken over some frames, evenly spread and the last
one among them, and every run of as many frames is measured at the same ones.
"""

from collections import defaultdict

from boidsgen.simulation import State
from boidsgen.simulation.measures import measure

MOST_MEASURED = 64
"""Frames of one run that are measured."""


class Averages:
    """Gathers the measures of one run."""

    def __init__(self, frames: int) -> None:
        self._last = frames - 1
        self._stride = -(-frames // MOST_MEASURED)
        self._values: defaultdict[str, list[float]] = defaultdict(list)
        self._final: dict[str, float] = {}

    def add(self, state: State) -> None:
        """Measure a state, if its frame is one of those that are measured; counted back from the last one."""
        if (self._last - state.frame) % self._stride == 0:
            self._final = measure(state)
            for name, value in self._final.items():
                self._values[name].append(value)

    def outcome(self) -> dict[str, dict[str, float]]:
        """The measures at the last frame, and their means over the frames in which they were defined."""
        means = {name: sum(values) / len(values) for name, values in self._values.items()}
        return {"final": self._final, "mean": means}
