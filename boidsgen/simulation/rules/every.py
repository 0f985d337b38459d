"""Every: all rules together, those of installed packages among them."""

from boidsgen.simulation.rules.avoid import AvoidanceRules
from boidsgen.simulation.rules.chance import ChanceRules
from boidsgen.simulation.rules.flocking import FlockingRules
from boidsgen.simulation.rules.follow_path import PathRules
from boidsgen.simulation.rules.foreign import ForeignRules
from boidsgen.simulation.rules.leaders import LeaderRules
from boidsgen.simulation.rules.places import PlaceRules
from boidsgen.simulation.rules.pursuit import HuntingRules, PursuitRules
from boidsgen.simulation.rules.rule import Rule, rules_in


class CommonRules(
    ForeignRules, ChanceRules, AvoidanceRules, PursuitRules, LeaderRules, PathRules, PlaceRules, FlockingRules
):
    """The rules that any group of animals may have; they are off until their table is written."""


RULES: dict[str, type[Rule]] = rules_in(CommonRules) | rules_in(HuntingRules)
"""Every rule by the name of its table."""
