"""Rules that steer flocks and predators; see `rule` for their contract.

Each module contains the rules of one theme and ends with a table of them, the keys of a group.
"""
