"""Studies: many runs as one job; sweeps, comparisons and measures. Nothing here prints."""
