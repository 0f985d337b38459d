"""Output: frames, figures, series and trajectories in; complete files out.

A writer (`base`, and a module per family of formats) makes one kind of file and reads it back. `outputs` publishes what
writers have made: complete and verified, or not at all.
"""
