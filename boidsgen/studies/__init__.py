"""Studies: many runs as one job, and what they tell. Nothing here prints."""
