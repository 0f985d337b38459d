"""The presets as scenarios, each read once in a process: a scenario never changes."""

from functools import cache

from boidsgen import load_scenario
from boidsgen.scenario.sources import presets


@cache
def shipped():
    """Scenarios of all presets, by name."""
    return {one.name: load_scenario(one.name) for one in presets()}


@cache
def lessons():
    """Those that have a lesson."""
    return {name: scenario for name, scenario in shipped().items() if scenario.page.try_}
