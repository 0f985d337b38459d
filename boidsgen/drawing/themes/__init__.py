"""Themes, one file each; see `boidsgen.drawing.theme` for what a theme names."""

from boidsgen.drawing.theme import Theme
from boidsgen.tables import family

THEMES = family(__name__, Theme)
