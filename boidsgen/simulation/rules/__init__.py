"""Rules that steer a boid; see `rule` for what a rule answers.

Each module holds the rules of one theme and ends with a table of them: what a flock may write.
"""

from boidsgen.simulation.rules.avoid import AvoidanceRules
from boidsgen.simulation.rules.chance import ChanceRules
from boidsgen.simulation.rules.flocking import FlockingRules
from boidsgen.simulation.rules.follow_path import PathRules
from boidsgen.simulation.rules.leaders import LeaderRules
from boidsgen.simulation.rules.places import PlaceRules
from boidsgen.simulation.rules.pursuit import PursuitRules
from boidsgen.simulation.rules.rule import Rule, rules_in


class OptionalRules(ChanceRules, AvoidanceRules, PursuitRules, LeaderRules, PathRules, PlaceRules):
    """The rules that are off until their table is written."""


RULES: dict[str, type[Rule]] = rules_in(FlockingRules) | rules_in(OptionalRules)
"""Every rule by the name of its table."""
