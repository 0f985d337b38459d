"""Observations: the tracks of animals, read from the tables of tracking programs as recordings, and who leads them."""
