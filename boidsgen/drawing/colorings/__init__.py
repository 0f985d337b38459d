"""Ways to color boids, one file each; see `coloring` for what a coloring answers."""

from boidsgen.drawing.colorings.coloring import Coloring
from boidsgen.tables import family

COLORINGS = family(__name__, Coloring)
