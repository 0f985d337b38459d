"""Simulation: from the tables of a scenario to one state per frame; independent of pictures."""
