"""Rules that steer flocks and predators; see `rule` for what a rule answers.

Each module holds the rules of one theme and ends with a table of them: what may be written below a group. `every` puts
them together.
"""
