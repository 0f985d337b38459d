"""Paths of predators, one file each; see `path` for what a path answers."""

from typing import TYPE_CHECKING

from boidsgen.simulation.paths.path import Path
from boidsgen.tables import choice, family

PATHS = family(__name__, Path, "kind")

if TYPE_CHECKING:
    AnyPath = Path
else:
    AnyPath = choice(PATHS)
