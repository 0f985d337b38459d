"""Hard limits: the size of anything that comes from outside, the same for those who write it and those who read it.

Whatever is within these limits can be written and is read again; anything beyond is refused in a line, by a writer
before the first step and by a reader before it is parsed. The work that a *scenario* may ask for is another matter:
those limits are keys of its own, in `[limits]`.
"""

MAX_DOCUMENT = 1_000_000
"""Bytes of a scenario."""
MAX_BASES = 10
"""Scenarios that stand below one another, each extended by the next."""
MAX_ORIGIN = 4_000_000
"""Bytes of the text by which an output tells its origin: a scenario with every number written out, or many of them."""
MAX_COMMENT = MAX_ORIGIN + 100_000
"""Bytes of the comment of an output: its origin, the numbers of the frames that it shows, and what a format puts before
them."""
MAX_DEPTH = 30
"""Levels of tables and lists in a document, and names in a dotted key; no scenario needs half of it."""
MAX_VALUES = 240_000
"""Keys, entries, tables and lists of a document, counted by the signs between them."""
MAX_DIGITS = 4_000
"""Digits of a number; Python itself takes few more."""
MAX_TEXT = 50_000
"""Letters of a title, a caption or a name."""
MAX_ARGUMENT = 100_000
"""Letters of one argument of the command line that is taken apart."""

MAX_OF_TABLE = {"flock": 1_000, "predators": 1_000, "obstacles": 50_000, "attractors": 10_000, "events": 20_000}
"""Tables of each kind."""
MAX_POINTS = 50_000
"""Points of one outline or way."""

MAX_CHUNKS = 100_000
"""Chunks, boxes or members that stand side by side in a file."""
MAX_HEADER = 10_000
"""Bytes of the header of an array."""
MAX_ROW = 1_000_000
"""Bytes of one row of a manifest."""
