"""The five documents' own loops, line by line; numbers in comments are lines of the documents.

Nothing here imports boidsgen or reads a preset. Numbers that a document has are in its loop; those that it leaves open
are arguments. Each loop checks that it starts where its document does, and has `tick()` and `flock`, the positions and
velocities after the ticks so far.
"""
