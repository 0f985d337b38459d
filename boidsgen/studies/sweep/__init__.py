"""Sweeps: a grid of runs as one job."""
