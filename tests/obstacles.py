"""An example of every obstacle, for all tests that go through the kinds: `EXAMPLES[kind]` as a scenario's keys.

A new kind is tested by its rows here. All stand in a world of 100 by 60, or 100 by 60 by 80, and none touches an edge.
"""

EXAMPLES = {
    "box": {"center": (50.0, 30.0), "size": (30.0, 16.0)},
    "circle": {"center": (50.0, 30.0), "radius": 10.0},
    "ellipse": {"center": (50.0, 30.0), "radii": (22.0, 9.0)},
    "polygon": {"points": ((40.0, 20.0), (70.0, 20.0), (55.0, 30.0), (60.0, 45.0), (35.0, 40.0))},
    "segment": {"start": (30.0, 20.0), "end": (70.0, 35.0), "radius": 2.0},
}
DEEP_EXAMPLES = {
    "box": {"center": (50.0, 30.0, 40.0), "size": (30.0, 16.0, 20.0)},
    "circle": {"center": (50.0, 30.0, 40.0), "radius": 10.0},
    "ellipse": {"center": (50.0, 30.0, 40.0), "radii": (22.0, 9.0, 14.0)},
    "segment": {"start": (30.0, 20.0, 20.0), "end": (70.0, 35.0, 50.0), "radius": 3.0},
}
"""Those that there are in worlds with depth."""
