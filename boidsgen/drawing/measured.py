"""Measured: measures by name, in words and numbers."""

from typing import TYPE_CHECKING, Literal

from boidsgen.simulation.measures import MEASURES

if TYPE_CHECKING:
    MeasureName = str
else:
    MeasureName = Literal[tuple(MEASURES)]

COUNTED = ("groups", "pairs")
"""Units of measures that are whole numbers."""


def words(name: str) -> str:
    """The name of a measure as it stands in a picture."""
    return name.replace("_", " ")


def written(name: str, value: float) -> str:
    """The value of a measure as it stands in a picture."""
    return f"{value:.0f}" if MEASURES[name].unit in COUNTED else f"{value:.2f}"


def within_one(name: str) -> bool:
    """Whether a measure goes from 0 to 1."""
    return not MEASURES[name].unit


def widest(name: str) -> str:
    """About the widest value that a measure has in a picture."""
    if MEASURES[name].unit in COUNTED:
        return "000"
    return "0.00" if within_one(name) else "000.00"
