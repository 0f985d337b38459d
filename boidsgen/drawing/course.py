"""Course: how measures went from the first frame on."""

from collections.abc import Iterable

import numpy as np

from boidsgen.simulation.geometry import Array
from boidsgen.simulation.measures import measure
from boidsgen.simulation.state import State


class Course:
    """The values of some measures, frame by frame."""

    def __init__(self, names: Iterable[str], frames: int) -> None:
        self._values = {name: np.full(frames, np.nan) for name in names}

    def note(self, state: State) -> None:
        """Take down the values at the state's frame."""
        for name, value in measure(state, self._values).items():
            self._values[name][state.frame] = value

    def until(self, name: str, frame: int) -> Array:
        """The values of a measure up to and with this frame, nan where it is not defined, shape (frame + 1,)."""
        return self._values[name][: frame + 1]
