"""Obstacles, one file each; see `obstacle` for what an obstacle answers."""

from typing import TYPE_CHECKING

from boidsgen.simulation.obstacles.obstacle import Obstacle
from boidsgen.tables import choice, family

OBSTACLES = family(__name__, Obstacle, "kind")

if TYPE_CHECKING:
    AnyObstacle = Obstacle
else:
    AnyObstacle = choice(OBSTACLES)
