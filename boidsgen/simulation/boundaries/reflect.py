"""Walls that boids bounce off."""

from typing import Annotated, Literal

import numpy as np
from pydantic import Field
from typing_extensions import override

from boidsgen.simulation.boundaries.boundary import Boundary
from boidsgen.simulation.geometry import Array


class Reflect(Boundary):
    """Hard walls: what would be beyond is mirrored back, and the velocity into the wall is turned round."""

    kind: Literal["reflect"] = "reflect"
    restitution: Annotated[float, Field(gt=0, le=1)] = 1.0
    """Fraction of the speed into the wall that is kept on bouncing off."""

    @override
    def confine(self, position: Array, velocity: Array, size: Array) -> tuple[Array, Array]:
        # A boid may cross the world several times in one long step: fold the way it went like a strip of paper.
        folded = np.mod(position, 2 * size)
        inside = np.minimum(folded, 2 * size - folded)
        bounced = np.floor(position / size)
        turned = np.mod(bounced, 2) == 1
        kept = self.restitution ** np.abs(bounced)
        return inside, np.where(turned, -velocity, velocity) * kept
