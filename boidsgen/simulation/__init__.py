"""Simulation: from the scenario's tables to one state per frame; knows no pictures."""

from boidsgen.simulation.dynamics import Group
from boidsgen.simulation.geometry import Array
from boidsgen.simulation.neighbors.engines import ENGINES
from boidsgen.simulation.run import engine_name, hint, simulate
from boidsgen.simulation.setup import Setup
from boidsgen.simulation.state import State

__all__ = ["ENGINES", "Array", "Group", "Setup", "State", "engine_name", "hint", "simulate"]
