"""Plain loops of published flocking models, written from their sources, which know nothing of boidsgen."""
