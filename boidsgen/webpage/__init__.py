"""Pages: the same flock, alive, in a browser."""
