"""Rules that steer flocks and predators, one module for each theme; see `rule` for their contract."""
