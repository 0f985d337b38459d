"""Neighbor sums: the one pairwise kernel of the simulation."""
