"""Observations: the tracks of real animals, read from the tables of tracking programs as recordings."""
