"""Shapes of a boid, one file each; see `shape` for what a shape answers."""

from boidsgen.drawing.shapes.shape import Shape
from boidsgen.tables import family

SHAPES = family(__name__, Shape)
