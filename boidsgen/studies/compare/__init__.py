"""Comparisons: several scenarios in one picture."""
