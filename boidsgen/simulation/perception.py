"""Perception: whom a boid can see."""

from typing import Annotated

from pydantic import Field

from boidsgen.tables import PositiveOrInfinite, Table


class Perception(Table):
    """The neighborhood that the rules of a flock work in, unless a rule has its own."""

    radius: PositiveOrInfinite = 50.0
    """How far a boid sees, in world units; inf = everyone."""
    field_of_view: Annotated[float, Field(gt=0, le=360)] = 360.0
    """Total angle in degrees around the direction of flight; 360 = all round."""
