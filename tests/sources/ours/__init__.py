"""Ours beside the documents: every claim against the presets as they are now."""
