"""Rules of a flock, one file each; see `rule` for what a rule answers."""

from boidsgen.simulation.rules.rule import Rule
from boidsgen.tables import family

RULES = family(__name__, Rule)
"""Every rule by the name of its table."""
