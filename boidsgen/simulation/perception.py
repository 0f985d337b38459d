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
    neighbors: Annotated[int, Field(ge=1)] | None = None
    """Only the nearest so many in view count: topological interaction, about 7 in starlings (Ballerini et al. 2008).
    Alignment and cohesion go by it; separation is from everyone too close. Default: all within the radius."""
