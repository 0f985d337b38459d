"""Scenarios: what a user writes, checked and put together from the tables of the parts."""

from boidsgen.scenario.loading import load_scenario
from boidsgen.scenario.scenario import Scenario
from boidsgen.scenario.sources import presets

__all__ = ["Scenario", "load_scenario", "presets"]
