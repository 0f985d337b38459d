"""Boundaries of the world, one file each; see `boundary` for what a boundary answers."""

from typing import TYPE_CHECKING

from boidsgen.simulation.boundaries.boundary import Boundary
from boidsgen.tables import choice, family

BOUNDARIES = family(__name__, Boundary, "kind")

if TYPE_CHECKING:
    AnyBoundary = Boundary
else:
    AnyBoundary = choice(BOUNDARIES)
