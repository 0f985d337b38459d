"""Measures in pictures: their names and values as text, and their values from the first frame on."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Literal

import numpy as np

from boidsgen.simulation.geometry import Array
from boidsgen.simulation.measures import MEASURES, is_fraction, measure
from boidsgen.simulation.setup import State

if TYPE_CHECKING:
    MeasureName = str
else:
    MeasureName = Literal[tuple(MEASURES)]

WHOLE_NUMBER_UNITS = ("groups", "pairs")
"""Units of measures that are whole numbers."""


def measure_label(name: str) -> str:
    """The name of a measure as it stands in a picture."""
    return name.replace("_", " ")


def measure_text(name: str, value: float) -> str:
    """The value of a measure as it stands in a picture."""
    return f"{value:.0f}" if MEASURES[name].unit in WHOLE_NUMBER_UNITS else f"{value:.2f}"


def widest_text(name: str) -> str:
    """About the widest text that a value of this measure takes."""
    if MEASURES[name].unit in WHOLE_NUMBER_UNITS:
        return "000"
    return "0.00" if is_fraction(name) else "000.00"


class MeasureHistory:
    """The values of some measures, frame by frame; frames that were not noted have none."""

    def __init__(self, names: Iterable[str], frames: int) -> None:
        self._values = {name: np.full(frames, np.nan) for name in names}

    def note(self, state: State) -> None:
        """Keep the values at the state's frame."""
        for name, value in measure(state, self._values).items():
            self._values[name][state.frame] = value

    def until(self, name: str, frame: int) -> Array:
        """The values of a measure up to and with this frame, nan where it is not defined, shape (frame + 1,)."""
        return self._values[name][: frame + 1]
